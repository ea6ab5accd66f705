/**
 * JSON types exchanged by server and browser for registration and payment.
 *
 * Amounts are in major units of their currency (7080, 4237.5); times are in ISO 8601 with an offset. All errors have
 * the same structure.
 */
import type { WirePaymentInstructions } from './payment-methods.ts'
import type { TariffResponse } from './price-list.ts'
import { toWireCurrency, toWireLines, type WireLine } from './bill-lines.ts'
import { toMajorUnits } from '../lib/money.ts'
import type { WireSecondPayment } from './actions.ts'
import type { Day } from '../lib/time.ts'
import type { Quote } from '../pricing/quote.ts'
import type { SharedFiles } from '../event/source-files.ts'
import type { PublicEvent, ClosedBy } from '../event/config.ts'
import type { FieldErrors } from '../event/answer-types.ts'
import type { Failure, PaymentState } from '../payments/payment.ts'
import type { PaymentStatus } from '../registration/registration-and-payment-states.ts'

export type ErrorResponse = {
  status: 'error'
  code: string
  message: string
  /** For server errors: the id of the request, as in the log. */
  request_id?: string
  errors?: FieldErrors
  /** The current quote. */
  quote?: WireQuote | null
  /** For `price_moved`: the price that was held before. */
  was?: WireQuote
  /** For `registered_already`: sending the form again with `confirmed: true` registers anyway. */
  may_confirm?: true
  /** For `same_person`: the registration that the delegate is asked about. */
  reg_no?: string
  /** For `full`: the full quota's id or `quota.option`, and the number of seats left. */
  place?: string
  left?: number
}

/** POST /api/events/{id}/code/ {code}: the effect of a discount code. */
export type DiscountCodeResponse = { status: 'success'; kind: string; label: string }
/**
 * POST /api/events/{id}/proofs/, one file: a document uploaded ahead of the form. `token` is the answer to send for
 * the file field; the file is deleted at `until`.
 */
export type UploadResponse = {
  status: 'success'
  token: string
  name: string
  bytes: number
  until: string
}
/**
 * POST /api/events/{id}/roll/ {field, value}: the columns of the member list row that the event
 * shows and that conditions may use.
 */
export type MemberRecordResponse = { status: 'success'; row: Record<string, string> }
export type WireQuote = {
  category: string
  period: string
  base: number
  gst: number
  total: number
  /** ISO 4217 code. Absent for INR. */
  currency?: string
  lines: WireLine[]
}

export function toWireQuote(quote: Quote): WireQuote {
  const { category, period, base, gst, total, currency, lines } = quote
  return {
    category,
    period,
    base: toMajorUnits(base, currency),
    gst: toMajorUnits(gst, currency),
    total: toMajorUnits(total, currency),
    ...toWireCurrency(currency),
    lines: toWireLines(lines, currency),
  }
}

/**
 * The values of the form that the browser posts to the gateway. They differ by gateway, and are listed in the gateways
 * file.
 */
export type PaymentData = {
  email: string
  orderid: string
  /** With as many decimals as its currency has: "7080.00". */
  amount: string
  payment_url: string
} & Record<string, string>

/**
 * 201 of the register call and of `/api/payment/retry/` and `/resume/`. If `payment_data` is absent, no payment is
 * due now, and `stands` gives the reason. `page`: the page with the instructions for manual payment.
 */
export type RegisterResponse = {
  status: 'success'
  message: string
  reg_no: string
  /** The payment state; any state is possible if the same form is sent again. */
  stands: PaymentState
  payment_data?: PaymentData
  page?: string
}

/** Values of the public registration response that are not answers. */
export type AnsweredValues = {
  reg_no: string
  order_id: string
  payment_status: PaymentStatus
  /** Whether a received payment does not match the request. The delegate sees it as pending. */
  in_review: boolean
  /** The kind of failure across all attempts; null if the payment has not failed. */
  failed_as: Failure | null
  /**
   * The kind of failure of the card payments that replaced a manual payment, which is due again.
   * Null if there were none, or if the manual payment is not due.
   */
  card_failed_as: Failure | null
  payment_date: string | null
  /**
   * The gateway's reference for the successful payment. Null if there is none, or if the request did not prove
   * ownership of the registration.
   */
  payment_id: string | null
  created_at: string
  /** When the newest payment attempt began; null if no payment was ever due. */
  attempted_at: string | null
  category: string | null
  category_label: string | null
  period: string | null
  base: number | null
  gst: number | null
  total: number | null
  /** ISO 4217 code of the amounts, which are in major units. Absent for INR. */
  currency?: string
  /** The lines of the total; empty for registrations stored before bills had lines, or imported. */
  lines: WireLine[]
  /** The payment state, which determines the content of the page. */
  stands: PaymentState
  /** The end of the price hold. Null if the hold has no end, or no payment is due. */
  held_until: string | null
  /**
   * The last day on which the price applies, as shown on the form, or the payment deadline. Null in the same cases as
   * `held_until`.
   */
  price_until: Day | null
  /** When the payment review began. Null if the payment is not in review. */
  review_since: string | null
  /** Whether the registration is paid and a further payment was received for it. */
  second_payment: boolean
  /** The part of the payment that has been refunded. */
  refunded_amount: number
  /** The balance after a correction; 0 if there is none. */
  difference_due: number
  /** The organisers' deadline for the approval decision. Null if no approval is needed. */
  decide_by: string | null
  /**
   * Whether the registration may be paid: POST `/api/payment/retry/` {order_id, price?} returns payment_data, or the
   * reason for a refusal.
   */
  may_pay: boolean
}
/**
 * The names of these values. No field id and no name in `api.returns` may equal one of them, because the value would
 * hide the answer.
 */
export const ANSWERED_NAMES = Object.keys({
  reg_no: true,
  order_id: true,
  payment_status: true,
  in_review: true,
  failed_as: true,
  card_failed_as: true,
  payment_date: true,
  payment_id: true,
  created_at: true,
  attempted_at: true,
  category: true,
  category_label: true,
  period: true,
  base: true,
  gst: true,
  total: true,
  currency: true,
  lines: true,
  stands: true,
  held_until: true,
  price_until: true,
  review_since: true,
  second_payment: true,
  refunded_amount: true,
  difference_due: true,
  decide_by: true,
  may_pay: true,
} satisfies Record<keyof AnsweredValues, true>)

/** An amount in major units of its currency, which may differ from that of the registration. */
export type WireReceivedAmount = { amount: number; currency?: string }

/**
 * GET of the event's registration path, and within `/api/my/{token}/`: answers under their field
 * ids, built-in values under `api.returns` names and their own.
 */
export type RegistrationResponse = {
  status: 'success'
  registration: AnsweredValues & Record<string, unknown>
  /**
   * Set if the request contained only the number: only name and state are returned. With the email
   * address, more is returned.
   */
  partial?: true
  /** The received amounts that staff are checking. Absent if there are none, or without proof of ownership. */
  under_review?: WireReceivedAmount[]
  /** How to pay by the manual payment method that is due. Absent without proof of ownership. */
  paying?: WirePaymentInstructions
  /** Set if the same person had already paid. Only for the browser that made or opened both registrations. */
  paid_twice?: WireSecondPayment
}

export type EventsResponse = { status: 'success'; events: EventCard[] }
export type EventCard = Pick<
  PublicEvent,
  | 'id'
  | 'title'
  | 'theme'
  | 'about'
  | 'from'
  | 'to'
  | 'hours'
  | 'venue'
  | 'status'
  | 'look'
  | 'routes'
> & {
  open: boolean
  /** The reason why registration is closed today. Null if it is open. */
  closed: ClosedBy | null
  /** Whether the event's last day has passed. */
  took_place: boolean
}
/** GET /api/events/{id}/ and the data block of the event's pages. */
export type EventResponse = {
  status: 'success'
  event: PublicEvent
  hash: string
  validator_url: string | null
  schema: object
  /** The server's time; in responses that are the same for every visitor, the start of the current day. */
  now: string
}

/** The id of the page element that lists the fonts to load, disabled until the page's script has started. */
export const FONTS_ELEMENT_ID = 'rollcall-faces'

/**
 * The data block that the server writes into every page, as `<script type="application/json"
 * id="page">`.
 */
export type PageData =
  /**
   * `buildTariff`: today's prices, without the seats left. Null if the browser requests them. `drawn`: whether the
   * page contains the rendered form, with this tariff and no answers.
   */
  | { page: 'event'; event: EventResponse; tariff: TariffResponse | null; drawn: boolean }
  | { page: 'result'; outcome: 'success' | 'failed'; event: EventResponse }
  | { page: 'office' | 'not-found'; site: unknown; events: EventCard[] }
  /** A delegate's self-service page, opened from an email link; `event` is null if the link is not recognised. */
  | { page: 'my'; event: EventResponse | null; site: unknown; events: EventCard[] }
  /** `message` is shown at the top of the page. Null if there is none. */
  | { page: 'site'; site: unknown; events: EventCard[]; message: string | null }
  | {
      page: 'organisers'
      site: unknown
      events: EventCard[]
      /** The registration number prefixes that are in use. */
      prefixes: string[]
      now: string
      shared: SharedFiles | null
    }
/**
 * A served event file as written by its author, except for the office's address; `path` is the name
 * used in findings.
 */
export type EventFile = { path: string; text: string }
/** GET /api/events/{id}/file/. */
export type EventFileResponse = { status: 'success' } & EventFile
