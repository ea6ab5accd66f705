/**
 * What travels between server and browser, as JSON. Amounts here are rupees (7080, 4237.5), instants
 * ISO 8601 with offset. One shape of error everywhere.
 */
import type { TariffAnswer } from './tariff.ts'
import type { WireLine } from './bill-lines.ts'
import type { SharedFiles } from '../event/source-files.ts'
import type { PublicEvent, ClosedBy } from '../event/config.ts'
import type { FieldErrors } from '../event/answer-types.ts'
import type { Failure, Stands } from '../payments/payment.ts'
import type { PaymentStatus } from '../registration/status.ts'

export type ErrorAnswer = {
  status: 'error'
  code: string
  message: string
  /** Of what is the server's fault: the id of the request, as in its log. */
  request_id?: string
  errors?: FieldErrors
  /** What holds now. */
  quote?: WireQuote | null
  /** Of `price_moved`: what was held before. */
  was?: WireQuote
  /** Of `registered_already`: the same once more with `confirmed: true` registers all the same. */
  may_confirm?: true
  /** Of `full`: the place that is gone, a limit's id or `limit.option`, and how many of it are left. */
  place?: string
  left?: number
}

/** POST /api/events/{id}/code/ {code}: what a code gives. */
export type CodeAnswer = { status: 'success'; kind: string; label: string }
/** POST /api/events/{id}/proofs/, one file: a proof sent ahead. `token` stands in its place among the answers, `until` is when it is no longer kept. */
export type ProofAnswer = {
  status: 'success'
  token: string
  name: string
  bytes: number
  until: string
}
/** POST /api/events/{id}/roll/ {field, value}: of the row, what the event shows and what conditions may ask for. */
export type RollAnswer = { status: 'success'; row: Record<string, string> }
export type WireQuote = {
  category: string
  period: string
  base: number
  gst: number
  total: number
  lines: WireLine[]
}

export type PaymentData = {
  email: string
  first_name: string
  last_name: string
  orderid: string
  /** Two decimals: "7080.00". */
  amount: string
  mercid: string
  privatekey: string
  checksum: string
  payment_url: string
} & Record<string, string>

/** 201 of the register call and of `/api/payment/retry/` and `/resume/`; without payment_data there is nothing to pay now: `stands` says why. `page`: where it says how to pay outside. */
export type RegisterAnswer = {
  status: 'success'
  message: string
  reg_no: string
  /** How it stands with the money; of the same form sent again it may be anything. */
  stands: Stands
  payment_data?: PaymentData
  page?: string
}

/** What the public read of a registration says of it by itself. */
export type AnsweredValues = {
  reg_no: string
  order_id: string
  payment_status: PaymentStatus
  /** Money came that does not fit; to the delegate this is pending. */
  in_review: boolean
  /** How a failed payment failed, over all attempts; null where it has not. */
  failed_as: Failure | null
  payment_date: string | null
  /** The gateway's reference of what was paid; null: nothing was, or whoever asks has shown no proof that it is theirs. */
  payment_id: string | null
  created_at: string
  /** When the newest attempt to pay began; null where no payment was ever due. */
  attempted_at: string | null
  category: string | null
  category_label: string | null
  period: string | null
  base: number | null
  gst: number | null
  total: number | null
  /** What the total is made of; empty for what was stored before bills had lines, or brought in. */
  lines: WireLine[]
  /** How it stands with the money: what the page is about. */
  stands: Stands
  /** Until when the price is held; null: it has no end, or nothing is to be paid. */
  held_until: string | null
  /** Since when a person has to decide about money that does not fit; null: nobody has to. */
  review_since: string | null
  /** It is paid, and more money came for it. */
  second_payment: boolean
  /** Rupees given back of what was paid. */
  refunded_amount: number
  /** Rupees that a correction left to be paid beside what was; 0: nothing. */
  difference_due: number
  /** By when the organisers decide whether it is approved; null: nobody has to. */
  decide_by: string | null
  /** It may be paid: POST `/api/payment/retry/` {order_id, price?} answers payment_data, or why not. */
  may_pay: boolean
}
/** Its names: no field and no name of `api.returns` may be one of them, or its answer would never arrive. */
export const ANSWERED_NAMES = Object.keys({
  reg_no: true,
  order_id: true,
  payment_status: true,
  in_review: true,
  failed_as: true,
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
  lines: true,
  stands: true,
  held_until: true,
  review_since: true,
  second_payment: true,
  refunded_amount: true,
  difference_due: true,
  decide_by: true,
  may_pay: true,
} satisfies Record<keyof AnsweredValues, true>)

/** GET of the event's registration path, and within `/api/my/{token}/`: answers under their field ids, engine values under `api.returns` names and their own. */
export type RegistrationAnswer = {
  status: 'success'
  registration: AnsweredValues & Record<string, unknown>
  /** Whoever asked has shown the number alone, and is told who it is and how it stands; with the email address, more. */
  partial?: true
}

export type EventsAnswer = { status: 'success'; events: EventCard[] }
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
  /** Why one cannot register today; null: one can. */
  closed: ClosedBy | null
  /** Its last day is over. */
  took_place: boolean
}
/** GET /api/events/{id}/ and the data block of the event's pages. */
export type EventAnswer = {
  status: 'success'
  event: PublicEvent
  hash: string
  validator_url: string | null
  schema: object
  now: string
}

/** The element of a page that holds the faces to be fetched, switched off until its script has taken over. */
export const FACES = 'rollcall-faces'

/** What the server writes into every page it serves, as `<script type="application/json" id="page">`. */
export type PageData =
  /**
   * `tariff`: today's prices, without what is left of places; null: the browser asks for them. `drawn`: the
   * whole form stands in the page, drawn with this tariff and no answers.
   */
  | { page: 'event'; event: EventAnswer; tariff: TariffAnswer | null; drawn: boolean }
  | { page: 'result'; outcome: 'success' | 'failed'; event: EventAnswer }
  | { page: 'office' | 'not-found'; site: unknown; events: EventCard[] }
  /** A delegate's own page, to which a link from a mail leads; `event` null: nobody knows the link. */
  | { page: 'my'; event: EventAnswer | null; site: unknown; events: EventCard[] }
  /** `message` is said above everything else; null: nothing is. */
  | { page: 'site'; site: unknown; events: EventCard[]; message: string | null }
  | {
      page: 'organisers'
      site: unknown
      events: EventCard[]
      now: string
      sample: EventFile | null
      shared: SharedFiles | null
    }
/** A served event file as its author wrote it, but for the office's address; `path` as the findings name it. */
export type EventFile = { path: string; text: string }
/** GET /api/events/{id}/file/. */
export type EventFileAnswer = { status: 'success' } & EventFile
