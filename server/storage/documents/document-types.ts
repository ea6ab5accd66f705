/** Defines the types of documents for the rest of the server. */
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
  /** Absent for a receipt, or if issued before documents had tax forms. */
  readonly form?: TaxForm | undefined
  readonly serial: string
  readonly at: Instant
  /** The amount stated on the page; for a receipt, the amount received. */
  readonly total: Amount
  readonly currency: Currency
}

export interface DocumentStore {
  /** Returns the documents issued for a registration, oldest first. */
  documents(regNo: RegNo): Promise<readonly StoredDocument[]>
  /**
   * Returns the data of a document of this registration, fixed when it was issued. Null if it has no document with that
   * id.
   */
  document(regNo: RegNo, id: number): Promise<DocumentBody | null>
  /** Returns the newest exchange rates of an event, by day. */
  exchangeRates(eventId: string): Promise<readonly Omit<EnteredRate, 'eventId'>[]>
  /** Returns paid registrations whose invoice is waiting for a rate, earliest day of payment first. */
  waitingInvoices(eventId: string): Promise<readonly WaitingInvoice[]>
  /** Saves a rate. It replaces an earlier one for the same day; issued documents keep theirs. */
  saveExchangeRate(rate: EnteredRate): Promise<void>
  /** Issues the invoices of these registrations for which a rate now exists, and queues their emails. */
  issueWaitingInvoices(
    regNos: readonly RegNo[],
    at: Instant,
    emails?: readonly InvoiceEmail[],
  ): Promise<void>
}
