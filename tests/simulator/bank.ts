/** The organisers' own bank and cash box: what came there on each way, and what went back by hand. Their books are true. */
import type { Paise, Way } from '../../engine/index.ts'

export type Came = { readonly way: Way; readonly reference: string; readonly amount: Paise }

export type Bank = {
  /** Somebody has paid there. */
  pay(way: Way, amount: Paise): Came
  /** Null: no such money came. References are told in small letters and in large ones. */
  find(way: string, reference: string): Came | null
  /** Of any way. */
  knows(reference: string | null): boolean
  all(): readonly Came[]
  /** Somebody was given money back; answers its reference. */
  giveBack(amount: Paise): string
  gaveBack(reference: string | null): Paise | null
}

const folded = (text: string): string => text.toLowerCase()

export function openBank(): Bank {
  const came: Came[] = []
  const went = new Map<string, Paise>()
  return {
    pay: (way, amount) => {
      // As banks number a NEFT: sixteen signs.
      const made = { way, reference: `HDFCN5${String(2_026_020_000 + came.length)}`, amount }
      came.push(made)
      return made
    },
    find: (way, reference) =>
      came.find((one) => one.way === way && folded(one.reference) === folded(reference)) ?? null,
    knows: (reference) =>
      reference !== null && came.some((one) => folded(one.reference) === folded(reference)),
    all: () => came,
    giveBack: (amount) => {
      const reference = `BACK${String(30_000 + went.size)}`
      went.set(reference, amount)
      return reference
    },
    gaveBack: (reference) => (reference === null ? null : (went.get(reference) ?? null)),
  }
}
