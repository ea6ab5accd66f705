/** What a delegate's own page reads and sends: a registration with all that belongs to it, for whoever has its link. */
import type { RegistrationState } from './acts.ts'
import type { DocumentsAnswer } from './documents.ts'
import type { RegistrationAnswer } from './wire.ts'

/** GET /api/my/{token}/. Amounts are rupees, instants ISO 8601 with offset. */
export type MyAnswer = {
  status: 'success'
  /** With every answer: the link is the delegate's own. */
  registration: RegistrationAnswer['registration']
  state: RegistrationState
  /** Each is a PDF at /api/my/{token}/documents/{id}/. */
  documents: DocumentsAnswer['documents']
}
