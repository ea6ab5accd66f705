/** What a delegate's own page reads and sends: a registration with all that belongs to it, for whoever has its link. */
import type { RegistrationState } from '../registration/status.ts'
import type { WireEditable, WireSecondPayment } from './actions.ts'
import type { DocumentsAnswer } from '../documents/documents.ts'
import type { WirePaying } from './payment-methods.ts'
import type { RegistrationAnswer } from './registration.ts'

/** GET /api/my/{token}/. Amounts are rupees, instants ISO 8601 with offset. */
export type MyAnswer = {
  status: 'success'
  /** With every answer: the link is the delegate's own. */
  registration: RegistrationAnswer['registration']
  state: RegistrationState
  /** Where to pay, and what was told of it; null: it is not paid outside, or not due. */
  paying: WirePaying | null
  /** Each is a PDF at /api/my/{token}/documents/{id}/. */
  documents: DocumentsAnswer['documents']
  /** What may be changed: POST to acts/ {act: 'edit', answers}. `until`: the last day; empty fields: nothing may. */
  edit: { fields: WireEditable[]; until: string | null }
  /** Files that may be handed in; `name`: what is there; null: nothing is. A file is sent to proofs/, and its token is its answer. */
  files: WireFile[]
  /** Null: it cannot be asked for now. POST to acts/ {act: 'ask_cancel', why?}. */
  cancel: WireCancel | null
  /** It is the second payment for this email address and name; null: it is not, or the link is not from an email. POST to acts/ {act: 'ask_refund'}. */
  second_payment: WireSecondPayment | null
  /** Of one that the organisers have refused; null: they have not. */
  refused: WireRefused | null
}
export type WireFile = {
  id: string
  label: string
  name: string | null
  /** File name endings, and the most bytes. */
  accept: string[]
  bytes_max: number
}
export type WireCancel = {
  /** Since when the organisers have the request; null: nobody has asked. */
  asked_at: string | null
  /** What was paid and is still there. */
  kept: number
  /** What the organisers' scale gives back today; null: there is none. */
  back: number | null
}
/** Why, and the category as which one may take part instead, at its price in rupees; null: none. */
export type WireRefused = {
  why: string
  say: string | null
  offer: { category: string; label: string; total: number } | null
}
