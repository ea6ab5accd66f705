/**
 * API types for bank statement reconciliation and bulk actions.
 *
 * Amounts are in major units; an absent `currency` (ISO 4217 code) is INR.
 */
import type { ReconciledLine } from '../payments/reconciliation.ts'
import type { WireSettlement } from './settlements.ts'

/**
 * POST /admin/reconcile/?event=ID with a bank statement or a gateway's settlement report as text/csv. Stores only
 * payments that the bank returned; everything else is stored on confirmation.
 */
export type ReconcileResponse =
  | {
      status: 'success'
      header: null
      lines: WireReconciledLine[]
      /** Payment claims that no line matches. */
      waiting: WireUnmatchedClaim[]
      /** Lines with a date whose amount cannot be read. */
      unread: number[]
      /** Lines that repeat an earlier line, which are not counted again. */
      repeated: { line: number; first: number }[]
    }
  /** The file is a gateway's settlement report. */
  | { status: 'success'; settlement: WireSettlement }
  /**
   * The columns were not recognised: send the file again with date, narration, credit (from 0) in the query; or, for
   * a gateway, as=settlement with order or reference, amount, day or utr, and fee, tax, net, kind, paid.
   */
  | { status: 'success'; header: string[] }
export type WireReconciledLine = {
  /** Line number as in an editor. */
  line: number
  day: string
  narration: string
  /** The reference under which the line is confirmed. */
  reference: string
  /** Other bank references in this line. The client sends them back, so that none of them is counted again. */
  also: string[]
  amount: number
  /** The currency of the line and its payout. */
  currency?: string
  as: ReconciledLine['as']
  /** The matching gateway payout, from its settlement. Null if the line is not a payout. */
  payout: { utr: string; lines: number; net: number } | null
  of: WireUnmatchedClaim[]
  /** An explanation of the line for staff. Null if none is needed. */
  why: string | null
}
export type WireUnmatchedClaim = {
  reg_no: string
  name: string
  due: number
  /** The currency of `due`. */
  currency?: string
  /** The reference of the delegate's payment claim. Null if there is none. */
  reference: string | null
}
/**
 * Response of POST /admin/registrations/bulk/ {event?, act, reg_nos, why?} and of POST /admin/reconcile/confirm/
 * {event, lines: [{reg_no, reference, also?, amount, day}], keep?: [{reference, also?, amount, day, narration}]}.
 * Each item is processed separately.
 */
export type BulkActionResponse = {
  status: 'success'
  message: string
  done: string[]
  /**
   * `is_reminded`: a payment link was sent in the last 24 hours. Clients do not show this as a
   * failure.
   */
  refused: { reg_no: string; message: string; is_reminded?: true }[]
}
