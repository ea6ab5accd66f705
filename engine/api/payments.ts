/**
 * API types for the payment lists and the month-end close.
 *
 * Amounts are in major units; an absent `currency` (ISO 4217 code) is INR. Fees are in rupees, as gateways settle.
 */
import type {
  PaymentStatus,
  RegistrationState,
} from '../registration/registration-and-payment-states.ts'

/**
 * GET /admin/movements/?event&from&to|month&method&unsettled&unreconciled&after: payments and refunds, newest first.
 */
export type MovementsResponse = {
  status: 'success'
  movements: WireMovement[]
  /** The `after` parameter for the next page. Null on the last page. */
  after: string | null
  /** Totals of all pages. Null except on the first page. */
  totals: WireMovementTotals[] | null
  methods: { id: string; label: string }[]
  /** The first and last listed dates, YYYY-MM-DD. By default, those of the current month. */
  from: string
  to: string
  /** The server's current date, YYYY-MM-DD. */
  today: string
}
export type WireMovement = {
  /** C and the number of a received payment, or R and the number of a refund. */
  id: string
  kind: 'payment' | 'refund' | 'dispute'
  at: string
  recorded_at: string
  event_id: string | null
  event: string
  reg_no: string | null
  name: string
  method: string
  reference: string
  amount: number
  currency?: string
  /**
   * `received`: it counts; `review`: it needs review; `not_counted`: ignored, or refunded before it counted;
   * `moved_away`: among the changes of a closed month, a payment that is now in another event.
   */
  counts: 'received' | 'review' | 'not_counted' | 'moved_away'
  /** The gateway's fee, with tax. Null if no settlement lists the payment yet, or it was not paid through a gateway. */
  fee: number | null
  /** True for a transfer or UPI payment that is in no saved bank statement. */
  unreconciled: boolean
  /** For a payment: the balance of its registration. Null if there is none. */
  due: { amount: number; currency?: string } | null
  /** The invoices for a payment, or the credit notes for a refund. */
  documents: { id: number; serial: string }[]
}
/** The totals for one event, payment method and currency. */
export type WireMovementTotals = {
  event_id: string | null
  event: string
  method: string
  currency?: string
  payments: number
  received: number
  in_review: number
  not_counted: number
  refunds: number
  refunded: number
  refunded_not_counted: number
  fee: number
}

/** GET /admin/debtors/?event&after: registrations with an amount due, oldest first. */
export type DebtorsResponse = {
  status: 'success'
  /** The server's time, from which the page calculates the time since the last reminder. */
  now: string
  debtors: WireDebtor[]
  after: string | null
  /** Totals of all pages. Null except on the first page. */
  totals: { event: string; registrations: number; amount: number; currency?: string }[] | null
}
export type WireDebtor = {
  reg_no: string
  event_id: string
  event: string
  name: string
  phone: string
  state: RegistrationState
  in_review: boolean
  payment_status: PaymentStatus
  amount: number
  currency?: string
  since: string
  reminded_at: string | null
}

/** GET /admin/open-refunds/?event: refunds that are not completed. Completed refunds are movements. */
export type OpenRefundsResponse = { status: 'success'; refunds: WireOpenRefund[] }
export type WireOpenRefund = {
  id: number
  event_id: string | null
  event: string
  reg_no: string | null
  name: string
  method: string
  amount: number
  currency?: string
  state: 'wanted' | 'asked' | 'refused' | 'unsure' | 'done'
  why: string
  who: string
  at: string
}

/**
 * GET /admin/months/?event&month: the figures of a month (without `month`, the previous month), and whether the month
 * is closed.
 */
export type MonthResponse = {
  status: 'success'
  /** YYYY-MM. */
  month: string
  /** The first and last day of the month. */
  from: string
  to: string
  /** Whether the month has ended. A month cannot be closed before it ends. */
  is_over: boolean
  totals: WireMovementTotals[]
  checks: {
    /** Saved bank statements that cover days of the month, and the matched and open deposits on those days. */
    statements: { statements: number; matched: number; open: number }
    /** Transfers and UPI payments in the month that are in no saved bank statement. */
    unreconciled: number
    /** Payments received in the month or before that need review. */
    reviews: number
    /** Refunds that were requested in the month or earlier and are not completed. */
    refunds: number
    /** Registrations for which more was paid than is now due, and their event if they all belong to one. */
    to_refund: { registrations: number; event: string | null }
    /** Payments and refunds through a gateway in the month that no stored settlement lists. */
    unsettled: { payments: number; refunds: number }
    /** The gateways' payouts in the month, and those that are in a saved bank statement with the same amount. */
    payouts: { payouts: number; at_bank: number }
    /** Invoices that do not have an exchange rate yet. */
    rates: number
  }
  invoices: number
  credit_notes: number
  /** The newest closing of each event. */
  closings: { event_id: string; event: string; who: string; at: string }[]
  /** Payments and refunds of the month that were recorded or decided after the month was closed. */
  changes: WireMovement[]
}
/** POST /admin/months/close/ {month, event?}. */
export type MonthClosedResponse = { status: 'success'; message: string }
