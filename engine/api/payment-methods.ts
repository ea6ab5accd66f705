/** How money that delegates pay by themselves travels: where to pay and what is asked, and what was told. Amounts are rupees. */
import type { BankNumber } from '../payments/payment-methods.ts'

/** Of a delegate's own page; null where nothing is to be paid but through a gateway. */
export type WirePaying = {
  /** The way that was chosen, by its id. */
  way: string
  label: string
  /** Where to pay, as the organisers wrote it. */
  tell: string
  /** The numbers in it that one copies. */
  numbers: BankNumber[]
  /** What a code holds that an app for UPI reads; null: there is no UPI ID. */
  upi: string | null
  total: number
  /** Until which day this total holds where the day of credit decides, YYYY-MM-DD; null: it holds. */
  price_until: string | null
  /** Until when it waits; null: without an end. */
  pay_until: string | null
  asks: WireAsk[]
  told: WireTold | null
}
/** A question to whoever has paid. */
export type WireAsk = {
  id: string
  kind: 'text' | 'date' | 'select' | 'file'
  label: string
  hint: string | null
  required: boolean
  options: { id: string; label: string }[]
  /** file: the name under which it is sent ahead, what it may be, and how big. */
  file: { field: string; accept: string[]; bytes_max: number } | null
  /** Last told. */
  value: string
}
/** What was told last. */
export type WireTold = {
  at: string
  label: string
  reference: string
  /** What is to be paid. */
  amount: number
  /** YYYY-MM-DD; null: not asked. */
  paid_on: string | null
  /** By question, as people read it; `href`: a file, of the office only. */
  answers: { label: string; text: string; href?: string }[]
  /** `looking`: nobody has looked yet; `unconfirmed`: nobody looks any more, because it was paid otherwise or has ended. */
  stands: 'looking' | 'found' | 'not_found' | 'unconfirmed'
  /** Why it was not found, in the words of the office; else empty. */
  why: string
}
