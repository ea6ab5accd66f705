/** API types for actions: a registration's state, the allowed actions, and its history. */
import type { Currency } from '../lib/money.ts'
import type { Day } from '../lib/time.ts'
import type {
  PaymentStatus,
  RegistrationState,
} from '../registration/registration-and-payment-states.ts'
import type { ActionName } from '../registration/states-and-actions.ts'
import type { WireClaimField, WirePaymentClaim } from './payment-methods.ts'
import type { DecisionResponse, WireReview } from './office.ts'

/** GET /admin/registrations/{reg_no}/acts/. */
export type ActionsResponse = {
  status: 'success'
  reg_no: string
  /** ISO 4217 code of all amounts, which are in major units. Absent for INR. */
  currency?: string
  state: RegistrationState
  /** The state in words: when and how the registration was paid, or why it is unpaid. */
  state_display: string
  /** The server's current date, which is the default payment date. */
  today: Day
  /** The balance after a correction; 0 if there is none. */
  due: number
  /**
   * The amount still to be paid: the price of an unpaid registration, or the balance after a correction; 0 if there is
   * none.
   */
  to_pay: number
  /**
   * The amounts to pay by methods whose price differs from `to_pay`, by the method id that *Record payment* sends.
   * Absent if there are none.
   */
  to_pay_by_method?: Record<string, number>
  /** Whether the price depends on the date received. Absent if not. */
  priced_on_credit?: true
  /**
   * The event file's own office methods that *Record payment* offers beside the built-in ones; `reference` labels their
   * slip number. Absent if there are none.
   */
  office_methods?: {
    id: string
    label: string
    reference: string
    required: boolean
    /** The other fields. POST their answers as `paid`. */
    fields: WireClaimField[]
  }[]
  /** The amount to refund, excluding refunds in progress; 0 if there is none. */
  pay_back: number
  /**
   * The amount that staff refunded as goodwill. It is not deducted from `pay_back`. 0 if there is none, or if the
   * registration was cancelled or refused.
   */
  goodwill: number
  /** Payments that count, before refunds: the amount paid in lists and on the payments page. */
  received: number
  /** The completed refunds of `received`. */
  refunded: number
  /** The refunds of `received` that are in progress. */
  refunding: number
  /** Payments that count, less refunds made or pending. Zero for imported payments, which cannot be refunded here. */
  kept: number
  /** The part of `kept` that was paid through the gateway and can be refunded through it; 0 if there is none. */
  back_by_gateway: number
  /** Warnings before a refund, as full sentences: a dispute, or a payment that is too old for its gateway to refund. */
  refund_notes: string[]
  /** Whether a refund is still missing from the settlement reports after five days and is not marked as handled. */
  refund_unsettled: boolean
  /** Set if this is the second payment for this email address and name; otherwise null. */
  second_payment: WireSecondPayment | null
  /**
   * A version token for the same person's other payments. Send it back with a refund or a cancellation. The server
   * rejects the action if one of these payments was made or refunded after that version, even in part.
   */
  duplicates_version: string
  /** Whether a refund of all of `kept` cancels the registration and frees its seats. */
  full_refund_cancels: boolean
  /**
   * The delegate's open cancellation request. `back`: the refund according to the event's refund scale on the day of
   * the request; null if the event has no scale, or if nothing is paid. Null if there is no request.
   */
  cancel_asked: { at: string; back: number | null } | null
  /**
   * The refund proposed for a cancellation today; for a second payment, its whole amount. Null if
   * the event file has no refund scale.
   */
  proposed_back: number | null
  /** How the proposed refund is calculated: proposed = owed + share − refunded. */
  cancellation: {
    paid: number
    /** Paid in excess of the price; always refunded. */
    owed: number
    /** The part of the payment that covers the price. */
    remaining: number
    percent: number | null
    /** The tax in `remaining`, which is not refunded. Absent if tax is refunded with the price. */
    tax_kept?: number
    /** The charge deducted from the share. Absent if there is none. */
    charge?: number
    share: number | null
    refunded: number
  }
  /** A version token for the cancellation figures. Send it back with the cancellation. */
  cancellation_version: string
  /** The actions that the requesting user may take now: POST to the same address {act, why, key?, …}. */
  allowed: ActionName[]
  /** The fields that can be corrected, in form order; empty for users without permission. */
  fields: WireEditableField[]
  /** The fields that identify a person. A transfer changes these fields. */
  persons: string[]
  /**
   * If approval is required: the documents to check, and the offer after a refusal. Null if no approval is needed.
   */
  approval: WireApproval | null
  /** The newest payment claim. Null if there is none. */
  told: WirePaymentClaim | null
  /** The open payment reviews: POST {act: accept | dismiss, review, why, reference?, amount?}. */
  reviews: WireReview[]
  /** The history, newest first. */
  trail: WireAction[]
}
export type WireSecondPayment = {
  /** The number of the registration that was paid first. */
  first: string
  /** The amount paid for that registration and not refunded, in `first_currency`, or in rupees if that is absent. */
  first_amount: number
  first_currency?: Currency
  /** The amount paid for this registration and not refunded, in the registration's currency. */
  amount: number
  /** When the delegate requested a refund. Null if there is no request. */
  asked_at: string | null
}
export type WireApproval = {
  /**
   * The documents to check, with the labels of their fields; `href` is null if the file was not uploaded or has been
   * deleted.
   */
  look_at: { id: string; label: string; name: string; href: string | null }[]
  decide_by: string | null
  /**
   * The current price, in the currency of the registration. Null if the registration has no price.
   */
  total: number | null
  offer: { label: string; total: number; currency?: string } | null
  /** The currency of `total`. */
  currency?: string
}
/**
 * A form field with its current answer: a list of options for `many`, otherwise text, which is empty if there is no
 * answer.
 */
export type WireEditableField = {
  id: string
  label: string
  kind: 'text' | 'date' | 'yes-no' | 'select' | 'many'
  options: { id: string; label: string }[]
  value: string | string[]
}
export type WireAction = { at: string; who: string; act: string; text: string; why: string }

/** POST /admin/registrations/{reg_no}/acts/. `repeated`: the same request was already processed. */
export type ActionResponse = {
  status: 'success'
  message: string
  reg_no: string
  state: RegistrationState
  /** The state of the refund that the action requested. Null if there is none. */
  refund: DecisionResponse['refund']
  /** Present if the recorded payment does not count until staff review it. */
  needs_review?: true
  repeated: boolean
}

/**
 * GET /admin/find/?q=: registrations of all events that the user can access. `more`: whether there are more results.
 */
export type SearchResponse = {
  status: 'success'
  more: boolean
  found: WireSearchResult[]
  /** Registrations whose name differs by one letter from the search text. Empty if the search has results. */
  similar: WireSearchResult[]
  /** The titles of the searched events. */
  events: string[]
}
export type WireSearchResult = {
  reg_no: string
  name: string
  phone: string
  /** The city in the answers; '' if the form does not ask for it. */
  city: string
  /** When the registration was paid, and the payment method in words ("by UPI"). Null and '' if unpaid or unknown. */
  paid_at: string | null
  paid_by: string
  event: { id: string; title: string }
  /** The path of the event's first list. Null if it has none. */
  route: string | null
  category: string
  total: number | null
  /** ISO 4217 code of the total. Absent for INR. */
  currency?: string
  payment_status: PaymentStatus
  payment_status_display: string
  in_review: boolean
  in_state: RegistrationState
  /** The balance of a paid registration. 0 if nothing is due, or if the registration is unpaid. */
  due: number
}
