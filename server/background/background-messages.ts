/** Defines the messages between the server and its background process. */
import type { Instant } from '../../engine/index.ts'
import type { PrintedDocument } from '../documents/document-contents.ts'
import type { PrintedEvidence } from '../documents/evidence-contents.ts'
import type { Problem, MailEnvironment } from '../mail/email-transport.ts'
import type { EmailJob } from '../mail/generate-email.ts'

export type PdfJob = { readonly document: PrintedDocument | PrintedEvidence; readonly at: Instant }

/** `transport` is the number of a mail transport: a process may have several, each for a different mail server. */
export type BackgroundRequest =
  | ({ readonly id: number; readonly task: 'pdf' } & PdfJob)
  | ({ readonly id: number; readonly transport: number } & (
      | { readonly task: 'email'; readonly environment: MailEnvironment; readonly job: EmailJob }
      | { readonly task: 'verify'; readonly environment: MailEnvironment }
      | { readonly task: 'close' }
    ))

export type BackgroundResponse = { readonly id: number } & (
  | { readonly is: 'pdf'; readonly base64: string }
  /** The email is complete. From now on it may reach the mail server. */
  | { readonly is: 'sending' }
  | { readonly is: 'sent'; readonly problem: Problem | null }
  /** Nothing was sent. */
  | { readonly is: 'failed'; readonly error: string }
)
