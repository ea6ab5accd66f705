/** The organisers' own bank and cash box: what came there on each way, and what went back by hand. Their books are true. */
import type { Day, Paise, ManualMethod } from '../../engine/index.ts'
import type { Random } from './random.ts'

export type Came = {
  readonly way: ManualMethod
  readonly reference: string
  readonly amount: Paise
  readonly on: Day
}

export type Bank = {
  /** Somebody has paid there. */
  pay(way: ManualMethod, amount: Paise, on: Day): Came
  /** Null: no such money came. People spell references in many ways, and call one transfer by several methods. */
  find(way: string, reference: string): Came | null
  /** Of any way. */
  knows(reference: string | null): boolean
  all(): readonly Came[]
  /** What stands in the statement, in the order in which it came. */
  statement(): readonly Came[]
  /** The bank takes a transfer back out of the account. */
  takeBack(made: Came, on: Day): void
  takenBack(): readonly Came[]
  /** Somebody was given money back; answers its reference. */
  giveBack(amount: Paise): string
  gaveBack(reference: string | null): Paise | null
}

/** Methods that end in the same bank account, so that one of its lines may be entered under any of them. */
const AT_THE_BANK: readonly string[] = ['transfer', 'upi', 'cheque', 'machine', 'desk']
/** What a way is called where its money counts once. */
export const purseOf = (way: string): string => (AT_THE_BANK.includes(way) ? 'bank' : way)

/** The reference that a bank would print, whatever was typed for it: the test's own reading. */
export const plain = (text: string): string =>
  text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '')
    .replace(/^(?:UTR|REFNO|CHQNO)/, '')
    .replace(/^0+/, '')

/** As people type the same reference. */
export function spelled(reference: string, random: Random): string {
  const groups = reference.match(/.{1,4}/g) ?? []
  return random.pick([
    reference,
    reference.toLowerCase(),
    groups.join(' '),
    groups.join('-'),
    `${groups.join('.')}.`,
    `UTR ${reference}`,
    `Ref no. ${reference.toLowerCase()}`,
    `Chq no ${groups.join(' ')}`,
    `000${reference}`,
    groups.join('\u200b'),
    ` ${groups.join('\u00a0')} `,
  ])
}

export function openBank(): Bank {
  const came: Came[] = []
  const returned: Came[] = []
  const went = new Map<string, Paise>()
  return {
    pay: (way, amount, on) => {
      const number = 2_026_020_000 + came.length
      // NEFT has sixteen characters, UPI twelve digits.
      const reference = came.length % 3 === 2 ? `60${String(number)}` : `HDFCN5${String(number)}`
      const made = { way, reference, amount, on }
      came.push(made)
      return made
    },
    find: (way, reference) =>
      came.find(
        (one) => purseOf(one.way) === purseOf(way) && plain(one.reference) === plain(reference),
      ) ?? null,
    knows: (reference) =>
      reference !== null && came.some((one) => plain(one.reference) === plain(reference)),
    all: () => came,
    statement: () => came.filter(({ way }) => purseOf(way) === 'bank'),
    takeBack: (made, on) => void returned.push({ ...made, on }),
    takenBack: () => returned,
    giveBack: (amount) => {
      const reference = `BACK${String(30_000 + went.size)}`
      went.set(reference, amount)
      return reference
    },
    gaveBack: (reference) => (reference === null ? null : (went.get(reference) ?? null)),
  }
}
