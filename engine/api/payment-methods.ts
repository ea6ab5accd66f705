/**
 * API types for manual payments: instructions, fields and payment claims.
 *
 * Amounts are in major units of the currency that the response states for its registration.
 */
import type { BankNumber } from '../payments/payment-methods.ts'

/** How to pay by a manual payment method. */
export type WirePaymentInstructions = {
  label: string
  /** Payment instructions, as written by the organisers. */
  tell: string
  /** The account numbers in the instructions, for delegates to copy. */
  numbers: BankNumber[]
  /** The content of a QR code for UPI apps. Null if there is no UPI ID. */
  upi: string | null
  total: number
  /**
   * The last day on which this total applies, YYYY-MM-DD, if the price depends on the credit date. Null if the total
   * does not change.
   */
  price_until: string | null
  /** The payment deadline. Null if there is none. */
  pay_until: string | null
}
/** For a self-service page. Null if nothing can be paid outside a gateway. */
export type WireManualPayment = WirePaymentInstructions & {
  /** The id of the chosen payment method. */
  way: string
  asks: WireClaimField[]
  told: WirePaymentClaim | null
}
/** A field of a payment claim. */
export type WireClaimField = {
  id: string
  kind: 'text' | 'date' | 'select' | 'file'
  label: string
  hint: string | null
  required: boolean
  options: { id: string; label: string }[]
  /** For a file: the field name for its upload, its accepted types, and its maximum size. */
  file: { field: string; accept: string[]; bytes_max: number } | null
  /** The value in the latest claim. */
  value: string
}
/** The latest payment claim. */
export type WirePaymentClaim = {
  at: string
  label: string
  reference: string
  /** The amount to be paid. */
  amount: number
  /** YYYY-MM-DD. Null if the method does not ask for it. */
  paid_on: string | null
  /** By field, formatted for display; `href`: the link to a file, only for the office. */
  answers: { label: string; text: string; href?: string }[]
  /**
   * `looking`: not checked yet; `unconfirmed`: no longer checked, because the registration was paid by another method
   * or has ended.
   */
  stands: 'looking' | 'found' | 'not_found' | 'unconfirmed'
  /** Why the claim was rejected, in the office's words; otherwise empty. */
  why: string
}
