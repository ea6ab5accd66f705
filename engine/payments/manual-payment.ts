/** Manual payment methods, beside the card gateway, and the role that may confirm each. */
import type { Role } from '../registration/permissions.ts'

const WAYS = {
  transfer: { words: 'Bank transfer', asks: 'UTR or bank reference', least: 'treasurer' },
  upi: { words: 'UPI', asks: 'UPI reference', least: 'treasurer' },
  cheque: { words: 'Cheque or draft', asks: 'Cheque number and bank', least: 'treasurer' },
  desk: { words: 'At the desk', asks: 'Slip number', least: 'desk' },
  cash: { words: 'Cash', asks: 'Slip number', least: 'desk' },
  machine: { words: 'Card machine', asks: 'Slip number', least: 'desk' },
} as const satisfies Readonly<
  Record<string, { readonly words: string; readonly asks: string; readonly least: Role }>
>
export type ManualMethod = keyof typeof WAYS
export const WAY_IDS = Object.keys(WAYS) as readonly ManualMethod[]

/** Whether it is a desk payment: bank references are global, but each event numbers its slips itself. */
export function isOfTheDesk(way: ManualMethod): boolean {
  return WAYS[way].least === 'desk'
}

export function isWay(word: string): word is ManualMethod {
  return Object.hasOwn(WAYS, word)
}

/** Whether it came through a gateway that can refund it: neither a manual nor an imported payment. */
export function isOfGateway(source: string): boolean {
  return !isWay(source) && source !== 'import'
}

/**
 * Formats the method for a sentence, after an amount: "by bank transfer", "in cash"; names stay
 * unchanged.
 */
export function wayInSentence(way: ManualMethod): string {
  const { words } = WAYS[way]
  const said = way === 'upi' ? words : `${words.charAt(0).toLowerCase()}${words.slice(1)}`
  if (way === 'desk') return said
  return way === 'cash' ? `in ${said}` : `by ${said}`
}

/**
 * Returns the method's label, the name of its reference, and the role that confirms it: for desk
 * payments or bank payments.
 */
export function wayOf(way: ManualMethod): {
  readonly words: string
  readonly asks: string
  readonly least: Role
} {
  return WAYS[way]
}
