/** Defines the document types that the rest of the server uses. */
import type {
  Currency,
  DocumentBody,
  DocumentKind,
  Instant,
  Amount,
  RegNo,
  TaxForm,
} from '../../../engine/index.ts'
import type { NewMail } from '../registrations/registration-types.ts'
import type { EnteredRate, WaitingInvoice } from './exchange-rates.ts'

export type InvoiceEmail = { readonly regNo: RegNo; readonly email: NewMail }
/** One document in a list. */
export type StoredDocument = {
  readonly id: number
  readonly kind: DocumentKind
  /** Absent for a receipt, and for a document issued before tax forms were introduced. */
  readonly form?: TaxForm | undefined
  readonly serial: string
  readonly at: Instant
  /** For a credit note: when the credited invoice was issued. */
  readonly creditedAt?: Instant
  /** The amount stated on the page; for a receipt, the amount received. */
  readonly total: Amount
  readonly currency: Currency
}

export interface DocumentStore {
  /** Returns the documents issued for a registration, oldest first. */
  documents(regNo: RegNo): Promise<readonly StoredDocument[]>
  /**
   * Returns the data of a document of this registration as issued. Null if the registration has no document with that
   * id.
   */
  document(regNo: RegNo, id: number): Promise<DocumentBody | null>
  /** Returns the newest exchange rates for an event, by date. */
  exchangeRates(eventId: string): Promise<readonly Omit<EnteredRate, 'eventId'>[]>
  /** Returns paid registrations whose invoice is waiting for a rate, by payment date, oldest first. */
  waitingInvoices(eventId: string): Promise<readonly WaitingInvoice[]>
  /** Saves a rate. Replaces an earlier rate for the same date. Issued documents do not change. */
  saveExchangeRate(rate: EnteredRate): Promise<void>
  /** Issues the invoices of these registrations if their rate has been entered, and queues the emails. */
  issueWaitingInvoices(
    regNos: readonly RegNo[],
    at: Instant,
    emails?: readonly InvoiceEmail[],
  ): Promise<void>
}
