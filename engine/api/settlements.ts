/** How a gateway's settlements travel to the office. Amounts are rupees, signed where they may be either. */
import type { Settled } from '../payments/settlement.ts'
import type { SettlementLine } from '../payments/settlement-report.ts'

/** Of a report that was loaded (POST /admin/reconcile/) and of all that are kept (GET /admin/settlements/?event=ID). */
export type WireSettlement = {
  /** Of a report: how many of its lines are not kept yet; null: these are kept. */
  fresh: number | null
  /** Of a report all; of what is kept those that somebody has to look at. */
  lines: WireSettled[]
  /** What went to the bank, by transfer, the latest first. */
  payouts: WirePayout[]
  /** Paid and in no settlement yet, the longest first; of the event. */
  unsettled: WireUnsettled[]
  /** Lines that name a payment, and cannot be read. */
  unread: number[]
  /** Lines of the report that the gateway has not settled yet. */
  not_yet: number
}
export type SettlementsAnswer = { status: 'success'; settlement: WireSettlement }
/** POST /admin/settlements/?event=ID with the report once more: what was not kept yet is. */
export type SettlementKeptAnswer = {
  status: 'success'
  message: string
  added: number
  known: number
  to_review: number
}

export type WireSettled = {
  line: number
  is: SettlementLine['is']
  /** `elsewhere`: of an event that the user does not work for; how it stands there is not said. */
  as: Settled['as'] | 'elsewhere'
  order_id: string
  reference: string
  amount: number
  fee: number
  tax: number
  net: number
  day: string | null
  utr: string
  /** Null: of none that is known here, or of an event that whoever asks does not work for. */
  reg_no: string | null
  /** For whoever has to look; null: nobody has to. */
  why: string | null
}
export type WirePayout = {
  day: string | null
  utr: string
  lines: number
  sales: number
  refunds: number
  fee: number
  tax: number
  others: number
  /** What the bank shows, with the lines of other events. */
  net: number
  /** Lines of events that the user does not work for; null: there are none. */
  elsewhere: { lines: number; net: number } | null
}
export type WireUnsettled = {
  reg_no: string | null
  reference: string
  amount: number
  paid_on: string
  days: number
}
