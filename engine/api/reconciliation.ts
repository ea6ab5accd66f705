/** How a statement travels that is laid beside registrations, and what is done to many of them at once. Amounts are rupees. */
import type { Reconciled } from '../payments/reconciliation.ts'
import type { WireSettlement } from './settlements.ts'

/** POST /admin/reconcile/?event=ID with a bank's statement or a gateway's settlement report as text/csv. Writes only that the bank returned a recorded payment. */
export type ReconcileAnswer =
  | {
      status: 'success'
      header: null
      lines: WireReconciled[]
      /** Who told us of money that is in no line. */
      waiting: WireAwaited[]
      /** Lines with a date of which no amount can be read. */
      unread: number[]
      /** Lines that repeat an earlier one: each is counted once. */
      repeated: { line: number; first: number }[]
    }
  /** It is a report of the gateway. */
  | { status: 'success'; settlement: WireSettlement }
  /**
   * Nobody can tell which column is which: send it again with date, narration, credit (from 0) in the query; or, of a
   * gateway, as=settlement with order or reference, amount, day or utr, and fee, tax, net, kind, paid.
   */
  | { status: 'success'; header: string[] }
export type WireReconciled = {
  /** As an editor counts. */
  line: number
  day: string
  narration: string
  /** Under which it is confirmed. */
  reference: string
  /** Other numbers of the bank in this line: sent back with it, so that none of them counts again. */
  also: string[]
  amount: number
  as: Reconciled['as']
  /** The gateway's transfer that it is, as its settlement has it; null: it is none. */
  payout: { utr: string; lines: number; net: number } | null
  of: WireAwaited[]
  /** What staff have to know about the line; null: nothing more. */
  why: string | null
}
export type WireAwaited = {
  reg_no: string
  name: string
  due: number
  /** What the delegate told us; null: nothing. */
  reference: string | null
}
/**
 * Of POST /admin/registrations/bulk/ {event?, act, reg_nos, why?} and of POST /admin/reconcile/confirm/ {event, lines:
 * [{reg_no, reference, also?, amount, day}], keep?: [{reference, also?, amount, day, narration}]}: each by itself, whatever becomes of the others.
 */
export type BulkAnswer = {
  status: 'success'
  message: string
  done: string[]
  refused: { reg_no: string; message: string }[]
}
