/** An SMTP server that accepts and stores every email. */
import { SMTPServer } from 'smtp-server'

export type Email = { readonly to: string; readonly text: string }
export type Inbox = {
  /** Value for SMTP_URL. */
  readonly url: string
  readonly emails: readonly Email[]
  /** Waits for an email to this address that contains this text, and returns the newest such email. */
  waitForEmail(to: string, phrase: string): Promise<string>
  close(): Promise<void>
}

export async function openInbox(): Promise<Inbox> {
  const emails: Email[] = []
  const waitingListeners: (() => void)[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    // Clients keep pooled connections open after the test has ended.
    closeTimeout: 1,
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const text = Buffer.concat(chunks)
          .toString('utf8')
          .replaceAll(/=\r?\n/g, '')
          .replaceAll('=3D', '=')
        for (const { address } of session.envelope.rcptTo) emails.push({ to: address, text })
        callback()
        for (const listener of waitingListeners.splice(0)) listener()
      })
    },
  })
  // If Rollcall is killed, it does not close its connection, and the server reports an error.
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const serverAddress = server.server.address()
  return {
    url: `smtp://127.0.0.1:${typeof serverAddress === 'object' && serverAddress !== null ? serverAddress.port : 0}`,
    emails,
    waitForEmail: async (to, phrase) => {
      for (;;) {
        const newestEmail = emails.findLast(
          (email) => email.to === to && email.text.includes(phrase),
        )
        if (newestEmail !== undefined) return newestEmail.text
        await new Promise<void>((resolve) => waitingListeners.push(resolve))
      }
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** Returns the link to the self-service page in an email, or an empty string if there is none. */
export const findLink = (text: string): string =>
  /https?:\/\/127\.0\.0\.1:\d+\/my\/[\w-]+/.exec(text)?.[0] ?? ''
