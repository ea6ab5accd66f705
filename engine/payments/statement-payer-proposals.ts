/** Payers of a bank statement line: the data stored about its references, and proposals by amount and name. */
import { splitWords, type BankKey } from './bank-reference.ts'
import type { StatementLine } from './bank-statement.ts'
import type { RegNo } from '../event/registration-number.ts'
import type { Amount, Currency } from '../lib/money.ts'
import { addDays, type Day } from '../lib/time.ts'

/** A registration that awaits payment. */
export type UnpaidOrder = {
  readonly regNo: RegNo
  readonly name: string
  readonly due: Amount
  /** If the day of credit decides the price: the amount due for a payment on that day. */
  readonly dueOn?: (day: Day) => Amount
  /** The delegate's payment claim, as typed, and its day. Null if none. */
  readonly claim: { readonly reference: string; readonly day: Day | null } | null
}
/** A gateway's payout, from its settlement: the number of payments, and their net amount. */
export type KnownPayout = { readonly utr: string; readonly lines: number; readonly net: Amount }
/** A payment recorded under a reference. `regNo` null: it belongs to no registration yet. */
export type KnownPayment = {
  readonly id: number
  readonly regNo: RegNo | null
  readonly amount: Amount
  /** Absent: that of the statement. */
  readonly currency?: Currency
  /** Null if unknown. */
  readonly eventId?: string | null
}
/** Stored data about the references in a statement. */
export type KnownReferences = {
  readonly payments: ReadonlyMap<BankKey, KnownPayment>
  readonly payouts?: ReadonlyMap<BankKey, KnownPayout>
  /** Registration numbers, including those that await no payment. Null for a payment of another event. */
  readonly registrations?: ReadonlyMap<BankKey, RegNo | null>
  /** Titles of other events whose registrations are named, if the user has access to them. */
  readonly titles?: ReadonlyMap<BankKey, string>
  /**
   * Registrations of the event whose delegates reported these references, whether or not they still
   * await payment.
   */
  readonly reports?: ReadonlyMap<BankKey, readonly { readonly regNo: RegNo }[]>
  /** References that delegates of other events reported, including released claims. */
  readonly claimedElsewhere?: ReadonlySet<BankKey>
  readonly releasedElsewhere?: ReadonlySet<BankKey>
  /** The events that the statement is matched with. Absent if every recorded payment belongs to them. */
  readonly eventIds?: readonly string[]
  /** Texts that contain the conference's own bank details. */
  readonly details?: readonly string[]
}

/** The reasons for which a registration is proposed, the best first. */
export type ProposalBasis = 'number' | 'amount_and_name' | 'amount' | 'name'
export type Proposal<Awaited extends UnpaidOrder> = {
  readonly registration: Awaited
  readonly basis: Exclude<ProposalBasis, 'number'>
}

/** Banks credit a weekend transfer by the second working day. */
const DAYS_APART_MAX = 3
/** Shorter words are initials, titles and abbreviations of banks. */
const NAME_WORD_CHARACTERS_MIN = 3
/** With more registrations that fit equally, staff search for the name instead. */
const PROPOSALS_MAX = 3
/** They precede names, and some surnames equal them only by chance. */
const NAME_TITLES: ReadonlySet<string> = new Set(['PROF', 'MRS', 'SMT', 'SHRI', 'SRI'])

/**
 * Returns a function that proposes payers for a line: those with its amount and a name in its text; else those with
 * its amount; else those with a name in its text. Too many equal ones are no proposal.
 */
export function createPayerProposer<Awaited extends UnpaidOrder>(
  awaited: readonly Awaited[],
): (line: StatementLine) => readonly Proposal<Awaited>[] {
  const named = awaited.map((registration) => ({
    registration,
    words: listNameWords(registration.name),
  }))
  const byWord = Map.groupBy(
    named.flatMap((entry) => entry.words.map((word) => ({ word, entry }))),
    ({ word }) => word,
  )
  return (line) => {
    const texts = new Set([...splitWords(line.narration), ...splitWords(line.reference)])
    const counts = new Map<(typeof named)[number], number>()
    for (const text of texts)
      for (const { entry } of byWord.get(text) ?? [])
        counts.set(entry, (counts.get(entry) ?? 0) + 1)
    const byName = [...counts]
      .filter(([{ words }, count]) => count >= Math.min(2, words.length))
      .map(([{ registration }]) => registration)
    const isMatch = (registration: Awaited): boolean =>
      getDue(registration, line.day) === line.amount
    const ranked = [
      ['amount_and_name', () => byName.filter(isMatch)],
      ['amount', () => awaited.filter(isMatch)],
      ['name', () => byName],
    ] as const
    for (const [basis, find] of ranked) {
      const registrations = find()
      if (registrations.length > 0 && registrations.length <= PROPOSALS_MAX)
        return registrations.map((registration) => ({ registration, basis }))
    }
    return []
  }
}

/** Claimed without a reference that the bank shows: the same amount, at about the same day. */
export function canMatch({ amount, day }: StatementLine, order: UnpaidOrder): boolean {
  const { claim } = order
  if (claim === null) return false
  const isNear =
    claim.day === null ||
    (claim.day <= day && day <= addDays(claim.day, DAYS_APART_MAX)) ||
    claim.day === addDays(day, 1)
  return isNear && getDue(order, day) === amount
}

/** Returns the amount due for a payment on that day. */
export const getDue = ({ due, dueOn }: UnpaidOrder, day: Day): Amount => dueOn?.(day) ?? due

const listNameWords = (name: string): readonly string[] => [
  ...new Set(
    splitWords(name).filter(
      (word) => word.length >= NAME_WORD_CHARACTERS_MIN && !NAME_TITLES.has(word),
    ),
  ),
]
