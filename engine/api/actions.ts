/** How acts travel: what the office is told of a registration's state, what it may do, and what was done. */
import type { PaymentStatus, RegistrationState } from '../registration/status.ts'
import type { ActName } from '../registration/states-and-actions.ts'
import type { WireTold } from './payment-methods.ts'
import type { WireReview } from './office.ts'

/** GET /admin/registrations/{reg_no}/acts/. Amounts are rupees. */
export type ActsAnswer = {
  status: 'success'
  reg_no: string
  state: RegistrationState
  /** The state as people say it. */
  state_display: string
  /** What a correction left to be paid; 0: nothing. */
  due: number
  /** What is to be paid back and is not on its way yet; 0: nothing. */
  pay_back: number
  /** What counts as paid, less what has gone back or is about to. */
  kept: number
  /** How much of that came through the gateway, and can go back through it; 0: nothing. */
  back_by_gateway: number
  /** Whether a refund is in no settlement report five days later, and not marked as handled. */
  refund_unsettled: boolean
  /** It is the second payment for this email address and name; null: it is not. */
  second_payment: WireSecondPayment | null
  /** The refund that is proposed for a cancellation today: all of a second payment; null: the event file has no scale. */
  proposed_back: number | null
  /** The figures of that refund: proposed = owed + share − refunded. */
  cancellation: {
    paid: number
    /** Paid beyond the price: refunded in any case. */
    owed: number
    /** What was paid of the price. */
    remaining: number
    percent: number | null
    share: number | null
    refunded: number
  }
  /** What whoever asks may do now: POST to the same address {act, why, key?, …}. */
  allowed: ActName[]
  /** What can be corrected, in form order; empty for whoever may not. */
  fields: WireEditable[]
  /** The fields that say who somebody is: what a transfer changes. */
  persons: string[]
  /** Of what somebody sees before it is paid: what to look at, and what a refusal may offer; null: nobody has to. */
  approval: WireApproval | null
  /** What the delegate told of money paid outside, the newest; null: nothing. */
  told: WireTold | null
  /** Its money that waits for a decision: POST {act: accept | dismiss, review, why, reference?, amount?}. */
  reviews: WireReview[]
  /** What was done, the newest first. */
  trail: WireAct[]
}
export type WireSecondPayment = {
  /** The number of the registration that was paid first. */
  first: string
  /** What was paid here and is still there, in rupees. */
  amount: number
  /** Since when the organisers have a request for a refund; null: none. */
  asked_at: string | null
}
export type WireApproval = {
  /** The files, by the label of their question; `href` null: it was not sent, or is not kept any more. */
  look_at: { id: string; label: string; name: string; href: string | null }[]
  decide_by: string | null
  /** What it costs as it is, in rupees; null: it states no price. */
  total: number | null
  offer: { label: string; total: number } | null
}
/** A question of the form with its answer now; a list of options for `many`, else text, empty where there is none. */
export type WireEditable = {
  id: string
  label: string
  kind: 'text' | 'date' | 'yes-no' | 'select' | 'many'
  options: { id: string; label: string }[]
  value: string | string[]
}
export type WireAct = { at: string; who: string; act: string; text: string; why: string }

/** POST /admin/registrations/{reg_no}/acts/. `repeated`: the same click had done it before. */
export type ActedAnswer = {
  status: 'success'
  message: string
  reg_no: string
  state: RegistrationState
  repeated: boolean
}

/** GET /admin/find/?q=: registrations of all events that one works for. `more`: there are others. */
export type FoundAnswer = {
  status: 'success'
  more: boolean
  found: WireFound[]
}
export type WireFound = {
  reg_no: string
  name: string
  event: { id: string; title: string }
  /** Of the event's first list; null: it has none. */
  route: string | null
  category: string
  total: number | null
  payment_status: PaymentStatus
  payment_status_display: string
  in_review: boolean
  in_state: RegistrationState
}
