/**
 * API types for gateway settlements in the office.
 *
 * Amounts are in major units, with a sign where they may be negative; an absent `currency` (ISO 4217 code) is INR.
 */
import type { SettledLine } from '../payments/settlement.ts'
import type { SettlementLine } from '../payments/settlement-report.ts'

/**
 * The settlements in an uploaded report (POST /admin/reconcile/), or all stored ones (GET
 * /admin/settlements/?event=ID).
 */
export type WireSettlement = {
  /** For a report: the number of its lines that are not stored yet. Null for stored settlements. */
  fresh: number | null
  /** The number of lines in a report that are stored with a different fee, tax or net amount. */
  changed: number
  /** For a report, all lines; for stored settlements, only the lines that staff must check. */
  lines: WireSettledLine[]
  /** Payouts by bank transfer, the latest first. */
  payouts: WirePayout[]
  /** Payments for the event, through any of its accounts, that are not in a settlement yet. Oldest first. */
  unsettled: WireUnsettledPayment[]
  /** Lines that refer to a payment but cannot be read. */
  unread: number[]
  /** Lines in the report that the gateway has not settled yet. */
  not_yet: number
}
export type SettlementsResponse = { status: 'success'; settlement: WireSettlement }
/** POST /admin/settlements/?event=ID with the same report: stores its new lines. */
export type SettlementSavedResponse = {
  status: 'success'
  message: string
  added: number
  /** The number of stored lines whose fee, tax or net amount this report replaced. */
  changed: number
  known: number
  to_review: number
}

export type WireSettledLine = {
  line: number
  is: SettlementLine['is']
  /**
   * `elsewhere`: the line belongs to an event to which the user has no access, so its state is not shown. `handled`:
   * staff checked a line that differs or is unknown.
   */
  as: SettledLine['as'] | 'elsewhere' | 'handled'
  order_id: string
  reference: string
  amount: number
  fee: number
  tax: number
  net: number
  currency?: string
  day: string | null
  utr: string
  /** Null if unknown, or if it belongs to an event that the requesting user cannot access. */
  reg_no: string | null
  /** Why staff must check the line. Null if no check is needed. */
  why: string | null
  /**
   * The id of a saved line that staff can mark as handled or reopen. Null if no decision is
   * possible.
   */
  id: number | null
  /**
   * The id of the latest decision on the line, which the client sends with the next decision. Null if there is none.
   */
  seen: number | null
  /** The user who handled the line, the time and the reason. Null if the line is not handled. */
  handled: { why: string; who: string; at: string } | null
}
/** POST /admin/settlements/handle/?event=ID {line, seen, why}; without `why`, the line needs attention again. */
export type SettlementHandledResponse = { status: 'success'; message: string }
export type WirePayout = {
  day: string | null
  utr: string
  lines: number
  sales: number
  refunds: number
  fee: number
  tax: number
  others: number
  /** The amount on the bank statement, including lines of other events. */
  net: number
  currency?: string
  /** The account that made the payout, if the event file no longer contains it; otherwise null. */
  account: string | null
  /** Lines of events to which the user has no access. Null if there are none. */
  elsewhere: { lines: number; net: number } | null
}
/** The line of a payout in the saved bank statements. `no_statement`: no statement covers the payout's date. */
export type WireBankLine =
  | { is: 'missing' | 'no_statement' }
  | { is: 'found' | 'amount_differs'; statement: number; day: string; amount: number }
/**
 * GET /admin/payouts/?reference=UTR: the payouts of all accounts of the user's events, the latest first. With
 * `reference` (for a payout without a UTR, its date), only that payout, with its lines.
 */
export type PayoutsResponse = {
  status: 'success'
  payouts: (WirePayout & { bank: WireBankLine })[]
  /** `event`: the registration's event, or else one of the user's events that are paid through the account. */
  lines: (WireSettledLine & { event: string | null })[]
}
export type WireUnsettledPayment = {
  reg_no: string | null
  reference: string
  amount: number
  currency?: string
  paid_on: string
  days: number
  /** The account through which the payment was made, if the event file no longer contains it; otherwise null. */
  account: string | null
}
