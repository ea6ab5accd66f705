/** Money of a bank's statement beside registrations that wait for it: what fits, what may, and what is left on either side. */
import type { RegNo } from './numbers.ts'
import type { Paise } from './money.ts'
import type { StatementLine } from './statement.ts'
import { addDays, type Day } from './time.ts'

/** A registration that waits for money. */
export type Awaited = {
  readonly regNo: RegNo
  readonly name: string
  readonly due: Paise
  /** What the delegate told us, as it was typed, and for which day; null: nothing. */
  readonly told: { readonly reference: string; readonly day: Day | null } | null
}
/** A transfer of a gateway, by its settlement: how many payments, and what came of them. */
export type PayoutKnown = { readonly utr: string; readonly lines: number; readonly net: Paise }
/** A line beside what it is for. `reference`: under which it is confirmed, so that it counts once. */
export type Reconciled = {
  readonly line: StatementLine
  readonly reference: string
  /**
   * `matched`: one registration, and the amount fits; `differs`: one, and it does not; `ambiguous`: it may be any of
   * those; `known`: it was confirmed before; `payout`: a gateway's transfer of many payments; `unmatched`: nobody waits for it.
   */
  readonly as: 'matched' | 'differs' | 'ambiguous' | 'known' | 'payout' | 'unmatched'
  /** What its settlement says that came with it; null: it is no transfer of a gateway. */
  readonly payout: PayoutKnown | null
  /** Of one that is known, the registration that it was for, where there is one. */
  readonly of: readonly RegNo[]
}

/** A shorter one stands in many narrations by chance. */
const REFERENCE_CHARACTERS_MIN = 6
/** Banks credit what was sent on a weekend by the next working day but one. */
const DAYS_APART_MAX = 3
/** The store takes no longer one. */
const REFERENCE_CHARACTERS_MAX = 64

/** Letters and digits alone: banks put spaces, slashes and hyphens where they like. */
export function squashed(text: string): string {
  return text.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
}

/** What of a line may be the reference of a payment: its own, and every word of the narration with a digit in it. */
export function referencesIn({ narration, reference }: StatementLine): readonly string[] {
  const words = `${reference} ${narration}`.split(/[^A-Za-z0-9]+/).map((word) => word.toUpperCase())
  return [
    ...new Set(words.filter((word) => word.length >= REFERENCE_CHARACTERS_MIN && /\d/.test(word))),
  ]
}

/**
 * `known`: references confirmed before, squashed, with the registration that each was for; null: none yet. `payouts`:
 * transfers of gateways, by their numbers in capitals.
 */
export function reconcile(
  lines: readonly StatementLine[],
  awaited: readonly Awaited[],
  {
    known,
    payouts = new Map(),
  }: {
    readonly known: ReadonlyMap<string, RegNo | null>
    readonly payouts?: ReadonlyMap<string, PayoutKnown>
  },
): readonly Reconciled[] {
  const taken = new Set<RegNo>()
  const own = ownWords(lines)
  const namedBy = lines.map((line) =>
    namedIn(squashed(`${line.reference} ${line.narration}`), awaited),
  )
  // Whoever a line names by number or reference is not guessed to be meant by another.
  const isNamed = new Set(namedBy.flat().map(({ regNo }) => regNo))
  return lines.map((line, at) => {
    const words = own(line)
    const before = words.find((word) => known.has(word))
    if (before !== undefined) {
      const regNo = known.get(before) ?? null
      const of = regNo === null ? [] : [regNo]
      return { line, reference: before, as: 'known', of, payout: null }
    }
    const payout = words.flatMap((word) => payouts.get(word) ?? [])[0]
    if (payout !== undefined) return { line, reference: payout.utr, as: 'payout', of: [], payout }
    const named = namedBy[at] ?? []
    const [one] = named
    const reference = referenceOf(line, words, one)
    if (one === undefined) {
      const might = awaited.filter((each) => mayBe(line, each) && !isNamed.has(each.regNo))
      const of = might.map(({ regNo }) => regNo)
      return { line, reference, as: of.length === 0 ? 'unmatched' : 'ambiguous', of, payout: null }
    }
    const of = named.map(({ regNo }) => regNo)
    // A second line for the same registration is for a person to look at.
    if (named.length > 1 || taken.has(one.regNo))
      return { line, reference, as: 'ambiguous', of, payout: null }
    taken.add(one.regNo)
    const as = one.due === line.amount ? 'matched' : 'differs'
    return { line, reference, as, of, payout: null }
  })
}

/** Those who told a reference that stands there; else those whose number stands there. */
function namedIn(text: string, awaited: readonly Awaited[]): readonly Awaited[] {
  const told = awaited.filter((one) => {
    const reference = one.told === null ? '' : squashed(one.told.reference)
    return reference.length >= REFERENCE_CHARACTERS_MIN && text.includes(reference)
  })
  return told.length > 0 ? told : awaited.filter(({ regNo }) => text.includes(squashed(regNo)))
}

/** Told without a reference that the bank shows: the same amount, about that day. */
function mayBe({ amount, day }: StatementLine, { told, due }: Awaited): boolean {
  if (told === null || due !== amount) return false
  return (
    told.day === null ||
    (told.day <= day && day <= addDays(told.day, DAYS_APART_MAX)) ||
    told.day === addDays(day, 1)
  )
}

/** What the numbers of transfers look like: the UTR of NEFT and RTGS, and the twelve digits of IMPS and UPI. */
const LIKELY = /^([A-Z]{4}[A-Z0-9]\d{11,17}|\d{12})$/

/** The same line gives the same one whenever it is read, so that it is confirmed once. */
function referenceOf(
  line: StatementLine,
  words: readonly string[],
  one: Awaited | undefined,
): string {
  const told = one?.told == null ? '' : squashed(one.told.reference)
  if (told !== '' && squashed(`${line.reference} ${line.narration}`).includes(told)) return told
  const others = words.filter((word) => one === undefined || word !== squashed(one.regNo))
  const best =
    others.find((word) => squashed(line.reference).endsWith(word)) ??
    others.find((word) => LIKELY.test(word)) ??
    others.toSorted((a, b) => b.length - a.length)[0]
  return (best ?? `${line.day} ${line.narration}`).slice(0, REFERENCE_CHARACTERS_MAX)
}

/** Of a line the words that no other line has: the number of one's own account stands in many. */
function ownWords(lines: readonly StatementLine[]): (line: StatementLine) => readonly string[] {
  const times = new Map<string, number>()
  for (const word of lines.flatMap(referencesIn)) times.set(word, (times.get(word) ?? 0) + 1)
  return (line) => referencesIn(line).filter((word) => times.get(word) === 1)
}
