/** Ways on which money comes beside the card gateway, and who in the office may say that it came. */
import type { Role } from '../registration/permissions.ts'

const WAYS = {
  transfer: { words: 'Bank transfer', asks: 'UTR or reference of the bank', least: 'treasurer' },
  upi: { words: 'UPI', asks: 'UPI reference', least: 'treasurer' },
  cheque: { words: 'Cheque or draft', asks: 'Number and bank', least: 'treasurer' },
  desk: { words: 'At the desk', asks: 'Number of the slip', least: 'desk' },
  cash: { words: 'Cash at the desk', asks: 'Number of the slip', least: 'desk' },
  machine: { words: 'Card machine at the desk', asks: 'Number of the slip', least: 'desk' },
} as const satisfies Readonly<
  Record<string, { readonly words: string; readonly asks: string; readonly least: Role }>
>
export type Way = keyof typeof WAYS
export const WAY_IDS = Object.keys(WAYS) as readonly Way[]

/** References of banks are one wherever they are told; slips are numbered by each event for itself. */
export function isOfTheDesk(way: Way): boolean {
  return WAYS[way].least === 'desk'
}

export function isWay(word: string): word is Way {
  return Object.hasOwn(WAYS, word)
}

/** What a gateway of ours may send back: neither what came on a way of its own nor what was brought in. */
export function isOfGateway(source: string): boolean {
  return !isWay(source) && source !== 'import'
}

/** Within a sentence, behind an amount: "by bank transfer", "at the desk"; what is a name stays one. */
export function wayInSentence(way: Way): string {
  const { words } = WAYS[way]
  const said = way === 'upi' ? words : `${words.charAt(0).toLowerCase()}${words.slice(1)}`
  return way === 'desk' ? said : `by ${said}`
}

/** How people say it, what its reference is called, and whose money it is to confirm: that of the desk, or of the bank. */
export function wayOf(way: Way): {
  readonly words: string
  readonly asks: string
  readonly least: Role
} {
  return WAYS[way]
}
