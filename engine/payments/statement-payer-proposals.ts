/** Proposes payers for a statement line, and defines the stored data about its references. */
import { MAX_DAYS_BEFORE_REGISTRATION } from './manual-payment.ts'
import { splitWords, type BankKey } from './bank-reference.ts'
import type { StatementLine } from './bank-statement-columns-and-lines.ts'
import type { RegNo } from '../event/registration-number.ts'
import type { Amount, Currency } from '../lib/money.ts'
import { addDays, type Day } from '../lib/time.ts'

/** A registration with an amount to pay. */
export type UnpaidOrder = {
  readonly regNo: RegNo
  readonly name: string
  readonly due: Amount
  /** Returns the amount due for a payment on that date. Present only if the credit date determines the price. */
  readonly getDueOn?: (day: Day) => Amount
  /** Returns true if a payment on that date cannot be recorded, because it is too long before the registration. */
  readonly isTooEarly?: (day: Day) => boolean
  /** The payment as the delegate reported it, with its date. Null if none was reported. */
  readonly claim: { readonly reference: string; readonly day: Day | null } | null
}
/** The reason of a line on whose date `isTooEarly` is true. */
export const TOO_EARLY_MESSAGE = `The line is dated more than ${MAX_DAYS_BEFORE_REGISTRATION} days before the registration. Check the year.`
/** A gateway's payout according to its settlement: the number of payments and their net amount. */
export type KnownPayout = { readonly utr: string; readonly lines: number; readonly net: Amount }
/** A payment recorded under a reference. `regNo` is null if the payment is not assigned to a registration. */
export type KnownPayment = {
  readonly id: number
  readonly regNo: RegNo | null
  readonly amount: Amount
  /** Defaults to the currency of the statement. */
  readonly currency?: Currency
  /** Null if unknown. */
  readonly eventId?: string | null
}
/** The stored data about the references in a statement. */
export type KnownReferences = {
  readonly payments: ReadonlyMap<BankKey, KnownPayment>
  /** For the id of a payment from a split line, the line's other payments, which do not have its reference. */
  readonly otherParts?: ReadonlyMap<number, readonly KnownPayment[]>
  readonly payouts?: ReadonlyMap<BankKey, KnownPayout>
  /**
   * Registration numbers, including those with nothing to pay. Null for registrations of other
   * events.
   */
  readonly registrations?: ReadonlyMap<BankKey, RegNo | null>
  /** Titles of other events whose registrations the statement mentions, if the user can access them. */
  readonly titles?: ReadonlyMap<BankKey, string>
  /** The event's registrations whose delegates reported these references, including paid ones. */
  readonly reports?: ReadonlyMap<BankKey, readonly { readonly regNo: RegNo }[]>
  /**
   * References that delegates of other events reported. `releasedElsewhere`: references from reports that were
   * rejected or replaced.
   */
  readonly claimedElsewhere?: ReadonlySet<BankKey>
  readonly releasedElsewhere?: ReadonlySet<BankKey>
  /** The events with which the statement is matched. Absent if all recorded payments belong to them. */
  readonly eventIds?: readonly string[]
  /** Texts that contain the conference's own bank details. */
  readonly details?: readonly string[]
}

/**
 * Reasons for proposing a registration, best first. The line identifies it with `number` and `reported_reference`;
 * `amount_and_date` are those of a payment that the delegate reported.
 */
export type ProposalBasis =
  | 'number'
  | 'reported_reference'
  | 'amount_and_name'
  | 'amount_and_date'
  | 'amount'
  | 'name'
export type Proposal<Order extends UnpaidOrder> = {
  readonly registration: Order
  readonly basis: Exclude<ProposalBasis, 'number' | 'reported_reference'>
}

/** Banks credit a weekend's transfers by the second working day. */
const MAX_DAYS_APART = 3
/** Shorter words are initials, titles and abbreviations of banks. */
const MIN_NAME_WORD_CHARACTERS = 3
/** If more registrations match equally, staff search by name instead. */
const MAX_PROPOSALS = 3
/** Titles before names. Some of these words are also surnames. */
const NAME_TITLES: ReadonlySet<string> = new Set(['PROF', 'MRS', 'SMT', 'SHRI', 'SRI'])

/**
 * Returns a function that proposes payers for a line: registrations that match its amount and contain a name from its
 * text; otherwise those with a reported payment of its amount and date; otherwise those that match only the amount;
 * otherwise those that match only a name. If too many match equally, none is proposed.
 */
export function createPayerProposer<Order extends UnpaidOrder>(
  unpaidOrders: readonly Order[],
): (line: StatementLine) => readonly Proposal<Order>[] {
  const namedOrders = unpaidOrders.map((registration) => ({
    registration,
    words: listNameWords(registration.name),
  }))
  const byWord = Map.groupBy(
    namedOrders.flatMap((entry) => entry.words.map((word) => ({ word, entry }))),
    ({ word }) => word,
  )
  return (line) => {
    const texts = new Set([...splitWords(line.narration), ...splitWords(line.reference)])
    const counts = new Map<(typeof namedOrders)[number], number>()
    for (const text of texts)
      for (const { entry } of byWord.get(text) ?? [])
        counts.set(entry, (counts.get(entry) ?? 0) + 1)
    const byName = [...counts]
      .filter(([{ words }, count]) => count >= Math.min(2, words.length))
      .map(([{ registration }]) => registration)
    const isMatch = (registration: Order): boolean => getDue(registration, line.day) === line.amount
    const ranked = [
      ['amount_and_name', () => byName.filter(isMatch)],
      ['amount_and_date', () => unpaidOrders.filter((order) => canMatch(line, order))],
      ['amount', () => unpaidOrders.filter(isMatch)],
      ['name', () => byName],
    ] as const
    for (const [basis, findCandidates] of ranked) {
      const registrations = findCandidates()
      if (registrations.length > 0 && registrations.length <= MAX_PROPOSALS)
        return registrations.map((registration) => ({ registration, basis }))
    }
    return []
  }
}

/** Returns true for a reported payment without a bank reference if its amount and approximate date match the line. */
export function canMatch({ amount, day }: StatementLine, order: UnpaidOrder): boolean {
  const { claim } = order
  if (claim === null) return false
  const isNear =
    claim.day === null ||
    (claim.day <= day && day <= addDays(claim.day, MAX_DAYS_APART)) ||
    claim.day === addDays(day, 1)
  return isNear && getDue(order, day) === amount
}

/** Returns the amount due for a payment on that date. */
export const getDue = ({ due, getDueOn }: UnpaidOrder, day: Day): Amount => getDueOn?.(day) ?? due

const listNameWords = (name: string): readonly string[] => [
  ...new Set(
    splitWords(name).filter(
      (word) => word.length >= MIN_NAME_WORD_CHARACTERS && !NAME_TITLES.has(word),
    ),
  ),
]
