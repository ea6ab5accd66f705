/** The organisers' own bank and cash box: what came there on each way, and what went back by hand. Their books are true. */
import type { Day, Paise, Way } from '../../engine/index.ts'

export type Came = {
  readonly way: Way
  readonly reference: string
  readonly amount: Paise
  readonly on: Day
}

export type Bank = {
  /** Somebody has paid there. */
  pay(way: Way, amount: Paise, on: Day): Came
  /** Null: no such money came. References are told in small letters and in large ones, and people call one transfer by either name. */
  find(way: string, reference: string): Came | null
  /** Of any way. */
  knows(reference: string | null): boolean
  all(): readonly Came[]
  /** What stands in the statement, in the order in which it came. */
  statement(): readonly Came[]
  /** Somebody was given money back; answers its reference. */
  giveBack(amount: Paise): string
  gaveBack(reference: string | null): Paise | null
}

/** Ways under which the bank has one and the same line. */
const OF_THE_STATEMENT: readonly string[] = ['transfer', 'upi']
/** What a way is called where its money counts once. */
export const purseOf = (way: string): string => (OF_THE_STATEMENT.includes(way) ? 'bank' : way)

const folded = (text: string): string => text.toLowerCase()

export function openBank(): Bank {
  const came: Came[] = []
  const went = new Map<string, Paise>()
  return {
    pay: (way, amount, on) => {
      // As banks number a NEFT: sixteen signs.
      const made = { way, reference: `HDFCN5${String(2_026_020_000 + came.length)}`, amount, on }
      came.push(made)
      return made
    },
    find: (way, reference) =>
      came.find(
        (one) => purseOf(one.way) === purseOf(way) && folded(one.reference) === folded(reference),
      ) ?? null,
    knows: (reference) =>
      reference !== null && came.some((one) => folded(one.reference) === folded(reference)),
    all: () => came,
    statement: () => came.filter(({ way }) => purseOf(way) === 'bank'),
    giveBack: (amount) => {
      const reference = `BACK${String(30_000 + went.size)}`
      went.set(reference, amount)
      return reference
    },
    gaveBack: (reference) => (reference === null ? null : (went.get(reference) ?? null)),
  }
}
