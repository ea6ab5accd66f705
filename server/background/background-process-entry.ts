/**
 * Entry point of the background process, which generates documents and emails, and sends the emails.
 * This work would block the server's event loop. The process exits when the server exits.
 */
import { setPriority } from 'node:os'
import { createTransport } from '../mail/email-transport.ts'
import type { MailEnvironment, MailTransport } from '../mail/email-transport.ts'
import { generateEmail } from '../mail/generate-email.ts'
import { typesetDocument } from '../documents/typeset-document.ts'
import type { BackgroundRequest, BackgroundResponse } from './background-messages.ts'

/** Lower priority, so that registrations take precedence if both need the processor. */
const NICENESS = 10

const transports = new Map<number, MailTransport>()

function getTransport(number: number, environment: MailEnvironment): MailTransport {
  const transport = transports.get(number) ?? createTransport(environment)
  transports.set(number, transport)
  return transport
}

/** Sends a response to the server. Resolves when it has been sent; then this process may exit. */
const respond = (response: BackgroundResponse): Promise<void> =>
  new Promise((resolve, reject) => {
    process.send?.(response, undefined, undefined, (error) =>
      error === null ? resolve() : reject(error),
    )
  })

async function runTask(request: BackgroundRequest): Promise<BackgroundResponse> {
  const { id } = request
  if (request.task === 'pdf') {
    const pdf = typesetDocument(request)
    return { id, is: 'pdf', base64: pdf.toString('base64') }
  }
  if (request.task === 'close') {
    transports.get(request.transport)?.close()
    transports.delete(request.transport)
    return { id, is: 'sent', problem: null }
  }
  const transport = getTransport(request.transport, request.environment)
  if (request.task === 'verify') return { id, is: 'sent', problem: await transport.verify() }
  const email = generateEmail(request.job, request.environment.publicUrl)
  // Notifies the server before passing the email to the mail server. Otherwise, the server would send it again after a
  // crash.
  await respond({ id, is: 'sending' })
  return { id, is: 'sent', problem: await transport.send(email) }
}

try {
  setPriority(NICENESS)
} catch {
  // If this is not permitted, the process keeps the server's priority.
}
// Only the server ends this process, although Ctrl-C and process managers signal all processes of a group.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit())
process.on('message', (request: BackgroundRequest) => {
  void runTask(request)
    .catch((error: unknown) => ({ id: request.id, is: 'failed' as const, error: String(error) }))
    .then(respond)
    // If the server has exited, this process exits too.
    .catch(() => process.exit())
})
