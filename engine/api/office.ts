/** What travels between the server and the office: lists, a registration, reviews, codes, figures. Amounts and instants as in `wire.ts`. */
import type { RegistrationState, PaymentStatus } from '../registration/status.ts'
import type { DecisionName, ReviewKind } from '../payments/payment-review.ts'
import type { WireLine } from './bill-lines.ts'
import type { WireSums } from '../reports/list-columns.ts'
import type { WireWaiting } from '../registration/work-queue.ts'

/** A row of an office list: `id`, `event_id`, answers under field ids, engine values under the specification's names, `*_display` texts. */
export type ListRow = {
  id: number
  reg_no: string
  payment_status: PaymentStatus
  payment_status_display: string
  in_review: boolean
} & Record<string, string | number | boolean | null>
export type ListAnswer = {
  status: 'success'
  count: number
  /** True when a search's count stopped at its cap. */
  count_capped: boolean
  /** Null: there are more than are counted. */
  sums: WireSums | null
  /** Why it is not sorted as it was asked; null: it is. */
  not_sorted: string | null
  next: string | null
  previous: string | null
  page: number
  page_size: number
  /** A sentence that says what is shown: "Paid registrations of AFPI Member – Post Graduate, 41 in all". */
  shown: string
  /** Among second payments: the numbers for which the delegate requests a refund. */
  refund_requested?: string[]
  registrations: ListRow[]
  results: { registrations: ListRow[] }
}

/** GET /admin/registrations/{reg_no}/: everything the office knows of one registration. */
export type OfficeRegistrationAnswer = {
  status: 'success'
  registration: ListRow
  /** What to call the delegate: their name, else the number. */
  name: string
  /** Empty where they gave none. */
  contact: { email: string; phone: string }
  /** In form order, with labels; file answers carry a link. */
  answers: { id: string; label: string; text: string; href?: string }[]
  /** What was sold, line by line; empty for what was stored before bills had lines. */
  lines: WireLine[]
  payments: {
    order_id: string
    amount: number
    status: PaymentStatus
    review: string | null
    reference: string | null
    created_at: string
    /** How it began, in a sentence: sent to the gateway, or asked for by a way of the organisers' own. */
    asked: string
    facts: { at: string; type: string; text: string }[]
  }[]
  /** What the gateway's settlements say of it, in the order of their days. Amounts as they state them. */
  settled: {
    is: 'sale' | 'refund' | 'other'
    reference: string
    amount: number
    fee: number
    tax: number
    net: number
    day: string | null
    utr: string
  }[]
  mails: {
    id: number
    to: string
    subject: string
    status: 'queued' | 'sent' | 'failed'
    at: string
    error: string | null
  }[]
  audit: { at: string; who: string; what: string }[]
  /** Other registrations of the event with the same email address, the newest first. */
  same_email: { reg_no: string; payment_status_display: string }[]
  /** Other paid registrations of the event with the same email address and name, the first payment first. */
  paid_by_same_person: string[]
  event: { id: string; title: string; route: string }
}

/** GET /admin/reviews/?event=ID: what waits for a person, the longest waiting first. */
export type ReviewsAnswer = {
  status: 'success'
  count: number
  reviews: WireReview[]
  /** How many delegates of each event request the refund of a second payment; events without one are left out. */
  refund_requests: { event_id: string; count: number }[]
}
export type WireReview = {
  id: string
  kind: ReviewKind
  /** What may be decided: POST /admin/reviews/{id}/decide/ {decision, why, to?, reference?, amount?}. */
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
  said: string | null
  why: string
  since: string
  /** Of money for an order that is not in the database: the order, who paid as the gateway says, and whose registration it may be. */
  unknown_order: string | null
  payer: { name: string; email: string; phone: string; way: string } | null
  suggested: string | null
}
/** Of a decision and of a refund; `refund` is how far the refund has come that follows, null where none does. */
export type DecidedAnswer = {
  status: 'success'
  message: string
  reg_no: string | null
  refund: 'wanted' | 'asked' | 'done' | 'refused' | 'unsure' | null
}

export type EventStats = {
  total_registrations: number
  /** Of each payment status, without those that are over. */
  paid_registrations: number
  pending_registrations: number
  failed_registrations: number
  refunded_registrations: number
  /** Cancelled or refused, whatever came of their money. */
  ended_registrations: number
  today_registrations: number
  total_revenue: number
  /** Received and dismissed by staff: part of no other figure. */
  dismissed_amount: number
  /** Payments and refunds that wait for a person. */
  needs_decision: number
}
/** GET /admin/dashboard/stats/: `<key>_stats` per event beside the fixed names. */
export type StatsAnswer = {
  status: 'success'
  data: Record<string, unknown> & {
    /** The server's clock, ISO with +05:30; its day is the "today" of the figures. */
    now: string
    /** What needs somebody: rows with nothing in them are left out. */
    waiting: WireWaiting[]
    /** Why event files are not served as they are, in sentences; for people of all events only. */
    event_files?: string[]
    /** Why nothing is erased because of its age until an owner confirms the clock; for owners of all events only. */
    erasing_waits?: string
    revenue_stats: { total_revenue: number }
    recent_registrations: Record<
      string,
      {
        id: number
        full_name: string
        reg_no: string
        final_amount: number | null
        payment_status: PaymentStatus
        payment_status_display: string
        in_review: boolean
        in_state: RegistrationState
        created_at: string
      }[]
    >
    /** By event key, one entry per Indian day with anything on it. Revenue is of the day of payment. */
    by_day: Record<string, { day: string; registrations: number; revenue: number }[]>
  }
}

/** GET /admin/codes/?event=ID. */
export type CodesAnswer = {
  status: 'success'
  kinds: { id: string; label: string }[]
  codes: WireCode[]
}
/** 201 of POST /admin/codes/ {event, kind, count?, uses?, until?, note?, code?}; POST /admin/codes/withdraw/ {event, code} answers a message. */
export type CodesMadeAnswer = { status: 'success'; codes: string[] }
export type WireCode = {
  code: string
  kind: string
  /** By registrations that hold it now, and how many may. */
  uses: number
  uses_max: number
  /** The last day on which it counts; null: it has none. */
  until: string | null
  note: string
  made_at: string
  made_by: string
  withdrawn_at: string | null
}
/** GET /admin/rolls/?event=ID: how many rows each roll of the event file holds. */
export type RollsAnswer = { status: 'success'; rolls: { id: string; rows: number }[] }
