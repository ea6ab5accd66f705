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
/** One document, as listed. */
export type StoredDocument = {
  readonly id: number
  readonly kind: DocumentKind
  /** Absent for a receipt, or if issued before documents had a form. */
  readonly form?: TaxForm | undefined
  readonly serial: string
  readonly at: Instant
  /** The amount that the page states; for a receipt, the amount received. */
  readonly total: Amount
  readonly currency: Currency
}

export interface IssuedDocument {
  /** Returns the documents issued for a registration, oldest first. */
  documents(regNo: RegNo): Promise<readonly StoredDocument[]>
  /**
   * Returns the data of a document of this registration, frozen when it was issued. Null if it has none with that id.
   */
  document(regNo: RegNo, id: number): Promise<DocumentBody | null>
  /** The newest exchange rates of an event, by day. */
  exchangeRates(eventId: string): Promise<readonly Omit<EnteredRate, 'eventId'>[]>
  /** Paid registrations whose invoice waits for a rate; the earliest day of payment first. */
  waitingInvoices(eventId: string): Promise<readonly WaitingInvoice[]>
  /** A later rate for the same day replaces an earlier one; issued documents keep theirs. */
  saveExchangeRate(rate: EnteredRate): Promise<void>
  /** Issues the invoices of these registrations for which a rate exists now, and queues their emails. */
  issueWaitingInvoices(
    regNos: readonly RegNo[],
    at: Instant,
    emails?: readonly InvoiceEmail[],
  ): Promise<void>
}
