/** A mail server that takes everything, for what a server process sends by SMTP. */
import { SMTPServer } from 'smtp-server'

export type Mail = { readonly to: string; readonly text: string }
export type Inbox = {
  /** For SMTP_URL. */
  readonly url: string
  readonly mails: readonly Mail[]
  /** The text of the newest mail to somebody with these words in it, as soon as there is one. */
  mailTo(to: string, words: string): Promise<string>
  close(): Promise<void>
}

export async function openInbox(): Promise<Inbox> {
  const mails: Mail[] = []
  const heard: (() => void)[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    // A pool keeps its connections open, and a test that ends has nothing more to take from them.
    closeTimeout: 1,
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const text = Buffer.concat(chunks)
          .toString('utf8')
          .replaceAll(/=\r?\n/g, '')
          .replaceAll('=3D', '=')
        for (const { address } of session.envelope.rcptTo) mails.push({ to: address, text })
        done()
        for (const listener of heard.splice(0)) listener()
      })
    },
  })
  // A server that is killed leaves its connection as it is.
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const at = server.server.address()
  return {
    url: `smtp://127.0.0.1:${typeof at === 'object' && at !== null ? at.port : 0}`,
    mails,
    mailTo: async (to, words) => {
      for (;;) {
        const found = mails.findLast((mail) => mail.to === to && mail.text.includes(words))
        if (found !== undefined) return found.text
        await new Promise<void>((resolve) => heard.push(resolve))
      }
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** The address of the own page that a mail brings. */
export const linkIn = (text: string): string =>
  /http:\/\/127\.0\.0\.1:\d+\/my\/[\w-]+/.exec(text)?.[0] ?? ''
