/** Defines documents as the rest of the server sees them. */
import type {
  Currency,
  DocumentBody,
  DocumentKind,
  Instant,
  Amount,
  RegNo,
  TaxForm,
} from '../../../engine/index.ts'

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
}
