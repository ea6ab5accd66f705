/** Generates and sends emails in the background process, and reports the results. */
import { runInBackground } from '../background/background-process.ts'
import type { TaskResult } from '../background/background-process.ts'
import type { MailEnvironment, Problem } from './email-transport.ts'
import type { EmailJob } from './generate-email.ts'

/** `unknown` means that the background process ended while it was sending the email. */
export type SendResult = Problem | null | 'unknown'
export type BackgroundTransport = {
  send(job: EmailJob): Promise<SendResult>
  /** Checks whether emails would be accepted, without sending one. */
  verify(): Promise<Problem | null>
  /** Closes all connections, including those that are waiting for a response. */
  close(): void
}

let lastTransportId = 0
/** Resolves when the last email has been generated or has failed. */
let lastGeneration: Promise<void> = Promise.resolve()

export function createBackgroundTransport({
  smtpUrl,
  mailFrom,
  dataDir,
  publicUrl,
}: MailEnvironment): BackgroundTransport {
  // Passes on only the required variables, because the caller's environment contains all the server's secrets.
  const environment = { smtpUrl, mailFrom, dataDir, publicUrl }
  const transportId = ++lastTransportId
  let isUsed = false
  return {
    send: async (job) => {
      isUsed = true
      // Generates one email at a time. Otherwise, an email that crashes the process would make the others fail too.
      const previous = lastGeneration
      const generation = Promise.withResolvers<void>()
      lastGeneration = generation.promise
      await previous
      let isSending = false
      const result = await runInBackground(
        { task: 'email', transport: transportId, environment, job },
        () => {
          isSending = true
          generation.resolve()
        },
      )
      generation.resolve()
      if (result.is === 'sent') return result.problem
      return isSending ? 'unknown' : toProblem(result)
    },
    verify: async () => {
      // Without SMTP, emails are written to files.
      if (smtpUrl === null) return null
      isUsed = true
      const result = await runInBackground({ task: 'verify', transport: transportId, environment })
      return result.is === 'sent' ? result.problem : toProblem(result)
    },
    close: () => {
      if (isUsed) void runInBackground({ task: 'close', transport: transportId })
    },
  }
}

/** Converts a failed task to a problem: no email was sent, and the mail server was not contacted. */
const toProblem = (result: TaskResult): Problem => ({
  code: 'EGENERATE',
  text: `The email could not be generated: ${'error' in result ? result.error : result.is}`.slice(
    0,
    300,
  ),
  isFinal: false,
  isUnreachable: false,
  isGenerationFailure: true,
})
