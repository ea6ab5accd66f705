/** Documents as the rest of the server sees them. */
import type {
  DocumentBody,
  DocumentKind,
  Instant,
  Paise,
  RegNo,
  TaxForm,
} from '../../../engine/index.ts'

/** One document, as it is listed. */
export type StoredDocument = {
  readonly id: number
  readonly kind: DocumentKind
  /** Absent: a receipt, or issued before documents had one. */
  readonly form?: TaxForm | undefined
  readonly serial: string
  readonly at: Instant
  /** What it is for, as the page states it: of a receipt what came. */
  readonly total: Paise
}

export interface Issued {
  /** What was issued for a registration, oldest first. */
  documents(regNo: RegNo): Promise<readonly StoredDocument[]>
  /** What a document of this registration states, frozen when it was issued; null: it has none of that id. */
  document(regNo: RegNo, id: number): Promise<DocumentBody | null>
}
