/**
 * API types for the office: lists, a registration, payment reviews, discount codes, figures.
 *
 * Amounts and times have the formats described in `registration.ts`. An absent `currency` (ISO 4217 code) is INR.
 */
import type { DocumentKind } from '../documents/receipt-invoice-and-credit-note.ts'
import type {
  RegistrationState,
  PaymentStatus,
} from '../registration/registration-and-payment-states.ts'
import type { DecisionName, ReviewKind } from '../payments/payment-review.ts'
import type { WireLine } from './bill-lines.ts'
import type { WireSums } from '../reports/list-sorting-and-sums.ts'
import type { WireWorkQueueItem } from '../registration/work-queue.ts'

/**
 * A row of an office list: `id`, `event_id`, answers under field ids, built-in values under the
 * specification's names, `*_display` texts.
 */
export type ListRow = {
  id: number
  reg_no: string
  payment_status: PaymentStatus
  payment_status_display: string
  in_review: boolean
} & Record<string, string | number | boolean | null>
export type ListResponse = {
  status: 'success'
  count: number
  /** True if the server stopped counting the search results at its maximum. */
  count_capped: boolean
  /** Null if there are more registrations than are counted. */
  sums: WireSums | null
  /** The reason why the requested sorting was not applied. Null if it was applied. */
  not_sorted: string | null
  next: string | null
  previous: string | null
  page: number
  page_size: number
  /** A sentence that describes the list: "Paid registrations of AFPI Member – Post Graduate, 41 in all". */
  shown: string
  /** In the list of second payments: the numbers of the registrations for which a refund is requested. */
  refund_requested?: string[]
  /** The currency of the sums and rows. If the event has several, each row states its own as `money.currency`. */
  currency?: string
  registrations: ListRow[]
  results: { registrations: ListRow[] }
}

/** GET /admin/registrations/{reg_no}/: all data about one registration. */
export type OfficeRegistrationResponse = {
  status: 'success'
  registration: ListRow
  /** The currency of the registration and its payments. */
  currency?: string
  /** The name of the tax in the event file: GST, VAT. */
  tax_name?: string
  /** The delegate's name, or else the registration number. */
  name: string
  /** Empty if not given. */
  contact: { email: string; phone: string }
  /** In form order, with labels; answers to file fields have a link. */
  answers: { id: string; label: string; text: string; href?: string }[]
  /** The items sold, line by line; empty for registrations stored before bills had lines. */
  lines: WireLine[]
  payments: {
    order_id: string
    amount: number
    /** The part that counts towards the registration, if less than `amount`. */
    received?: number
    status: PaymentStatus
    review: string | null
    reference: string | null
    created_at: string
    /** How the payment began, in a sentence: with the gateway, or by a manual payment method. */
    asked: string
    facts: { at: string; type: string; text: string }[]
  }[]
  /** The registration's lines in gateway settlements, by date. Amounts are those of the settlement. */
  settled: {
    is: 'sale' | 'refund' | 'other'
    reference: string
    amount: number
    fee: number
    tax: number
    net: number
    currency?: string
    day: string | null
    utr: string
  }[]
  /** Disputes about the payments, oldest first. */
  disputes: WireDispute[]
  /** The evidence PDF, for users who may download it. Absent if there is no dispute. */
  evidence_url?: string
  mails: {
    id: number
    to: string
    subject: string
    status: 'queued' | 'sent' | 'failed'
    at: string
    error: string | null
  }[]
  /** `is_access`: a user viewed the registration without changing it. */
  audit: { at: string; who: string; what: string; is_access: boolean }[]
  /** Other registrations of the event with the same email address, the newest first. */
  same_email: { reg_no: string; payment_status_display: string }[]
  /**
   * Other paid registrations of the event with the same email address and name, first payment
   * first.
   */
  paid_by_same_person: string[]
  event: { id: string; title: string; route: string }
}

/** A dispute, described in sentences. */
export type WireDispute = {
  id: string
  /** Whether the dispute needs evidence. */
  is_open: boolean
  text: string
  /** Phase and reason. Empty if the gateway states none. */
  details: string
  since: string
}

/** GET /admin/reviews/?event=ID: open payment reviews, oldest first. */
export type ReviewsResponse = {
  status: 'success'
  count: number
  reviews: WireReview[]
  /**
   * By event, the number of delegates who have requested a refund of a second payment. Events without such requests are
   * omitted.
   */
  refund_requests: { event_id: string; count: number }[]
}
export type WireReview = {
  id: string
  /** The version that the user sees; a decision on another version is rejected. */
  version: string
  kind: ReviewKind
  /** The allowed decisions: POST /admin/reviews/{id}/decide/ {decision, version, why, to?, reference?, amount?}. */
  decisions: DecisionName[]
  event_id: string | null
  reg_no: string | null
  order_id: string | null
  name: string
  came: {
    amount: number
    currency: string
    kind: 'sale' | 'other' | 'test'
    reference: string
    source: string
    paid_at: string
  } | null
  due: number | null
  left: number
  /** The currency of `left`, of the received amount and, unless `due_currency` states another, of `due`. */
  currency?: string
  due_currency?: string
  said: string | null
  why: string
  since: string
  /**
   * For a payment whose order is not in the database: the order, the payer according to the
   * gateway, and the suggested registration.
   */
  unknown_order: string | null
  payer: { name: string; email: string; phone: string; way: string } | null
  suggested: string | null
}
/**
 * The response to a decision or a refund; `refund` is the progress of the resulting refund, or null if there is none.
 */
export type DecisionResponse = {
  status: 'success'
  message: string
  reg_no: string | null
  refund: 'wanted' | 'asked' | 'done' | 'refused' | 'unsure' | null
}

/** GET /admin/exchange-rates/?event=…: rates for invoices in currencies other than the rupee. */
export type ExchangeRatesResponse = {
  status: 'success'
  /** ISO 4217 codes. */
  currencies: string[]
  /** Rupees for one unit, as a decimal string; newest date first. */
  rates: {
    currency: string
    day: string
    rate: string
    source: string
    entered_by: string
    entered_at: string
  }[]
  /** Invoices that have no exchange rate yet, by payment date. */
  waiting: { currency: string; day: string; invoices: number }[]
}

export type EventStats = {
  total_registrations: number
  /** By payment status, excluding ended registrations. */
  paid_registrations: number
  pending_registrations: number
  failed_registrations: number
  refunded_registrations: number
  /** Cancelled or refused, regardless of their payments. */
  ended_registrations: number
  today_registrations: number
  total_revenue: number
  /** Payments that staff dismissed. No other figure includes them. */
  dismissed_amount: number
  /**
   * The currency of the event's figures, including those by day, and of the newest registrations that do not state
   * their own.
   */
  currency?: string
  /** `total_revenue` and `dismissed_amount` in each other currency. Absent if there are none. */
  other_currencies?: {
    currency: string
    total_revenue: number
    dismissed_amount: number
    /** By the date of the payment or refund. */
    by_day?: { day: string; revenue: number }[]
  }[]
  /** Payments and refunds in payment review. */
  needs_decision: number
}
/** GET /admin/dashboard/stats/: `<key>_stats` for each event, in addition to the fixed keys. */
export type StatsResponse = {
  status: 'success'
  data: Record<string, unknown> & {
    /** The server's time, ISO 8601 with +05:30. Figures for "today" are for this date. */
    now: string
    /** The work queue; empty rows are omitted. */
    waiting: WireWorkQueueItem[]
    /**
     * The reasons why event files are not served in their current version, as full sentences; only for users with
     * access to all events.
     */
    event_files?: string[]
    /**
     * The reason why no data is erased by age until an owner confirms the clock; only for owners of
     * all events.
     */
    erasing_waits?: string
    /** In rupees; events in other currencies are summed separately. */
    revenue_stats: {
      total_revenue: number
      other_currencies?: { currency: string; total_revenue: number }[]
    }
    recent_registrations: Record<
      string,
      {
        id: number
        full_name: string
        reg_no: string
        final_amount: number | null
        currency?: string
        payment_status: PaymentStatus
        payment_status_display: string
        in_review: boolean
        in_state: RegistrationState
        /** The amount still due for a paid registration, otherwise 0. */
        due: number
        created_at: string
      }[]
    >
    /**
     * By event key, one entry per day in India that has data. Revenue is in the event's currency, on the payment
     * date; for other currencies, see `other_currencies`.
     */
    by_day: Record<string, { day: string; registrations: number; revenue: number }[]>
  }
}

/** GET /admin/codes/?event=ID&before=…: newest first. With as=csv, all of them as a file. */
export type CodesResponse = {
  status: 'success'
  /** The server's current date. Codes valid until an earlier date have expired. */
  today: string
  /** The currency of the event. Absent for INR. */
  currency?: string
  /** `gives`: whether the code gives a discount or a category. */
  kinds: { id: string; label: string; gives: 'category' | 'discount' }[]
  codes: WireCode[]
  /** The `before` parameter for the next page. Null on the last page. */
  before: number | null
}
/**
 * 201 of POST /admin/codes/ {event, kind, count?, uses?, until?, note?, code?}; POST
 * /admin/codes/withdraw/ {event, code} returns a message.
 */
export type CodesCreatedResponse = { status: 'success'; codes: string[] }
export type WireCode = {
  code: string
  kind: string
  /** The number of registrations that use the code now, and the maximum. */
  uses: number
  uses_max: number
  /** The number of paid uses. The others are unpaid or need approval. */
  paid: number
  /**
   * The amounts that the code deducted from all bills and from paid bills, with tax, by currency (absent for INR). Null
   * if this kind of code gives a category instead of a discount.
   */
  discounts: { currency?: string; amount: number; paid: number }[] | null
  /** The last day on which the code is valid. Null if there is none. */
  until: string | null
  note: string
  made_at: string
  made_by: string
  withdrawn_at: string | null
}
/** GET /admin/rolls/?event=ID: the number of rows in each member list of the event file. */
export type MemberListsResponse = { status: 'success'; rolls: { id: string; rows: number }[] }

/**
 * GET /admin/registrations/{reg_no}/documents/. Each document is a PDF at the same address plus its
 * id.
 */
export type DocumentsResponse = {
  status: 'success'
  /** `title`: the printed title of the document: "Bill of supply". */
  documents: {
    id: number
    kind: DocumentKind
    title: string
    serial: string
    at: string
    total: number
    currency?: string
  }[]
}
