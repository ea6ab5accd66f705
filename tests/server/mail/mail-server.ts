/** A real mail server that accepts emails, rejects them or disconnects, as a test specifies. */
import { SMTPServer } from 'smtp-server'

type AcceptedEmail = {
  readonly from: string
  readonly to: readonly string[]
  readonly text: string
}
type SmtpError = readonly [number, string]
/**
 * `data` is the error for every email, `rcpt` the error for the default recipient, and `byRecipient` the errors for
 * other recipients. Without an error, the server accepts the email.
 */
export type MailServerBehaviour = {
  rcpt?: SmtpError | null
  data?: SmtpError | null
  byRecipient?: Readonly<Record<string, SmtpError>>
  /** Disconnects while receiving an email to this address. */
  disconnectsFor?: string
  /** Receives emails without sending a response. */
  isSilent?: boolean
}
export type MailServer = {
  readonly url: string
  readonly acceptedEmails: AcceptedEmail[]
  /** Returns the number of received RCPT commands. */
  readonly countRecipients: () => number
  /** Returns the number of emails received, whether or not the server has responded. */
  readonly countReceived: () => number
  /** Returns the number of opened connections. */
  readonly countConnections: () => number
  readonly behaviour: MailServerBehaviour
  close(): Promise<void>
}

/** The only recipient to whom the error `rcpt` applies. */
const DEFAULT_RECIPIENT = 'asha@example.org'

export async function openMailServer(
  behaviour: MailServerBehaviour = {},
  port = 0,
): Promise<MailServer> {
  const acceptedEmails: AcceptedEmail[] = []
  let recipientCount = 0
  let connectionCount = 0
  let receivedCount = 0
  const createSmtpError = ([responseCode, message]: SmtpError): Error =>
    Object.assign(new Error(message), { responseCode })
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    // The client's pool keeps connections open after the test that needed them has finished.
    closeTimeout: 1,
    onConnect: (_session, done) => {
      connectionCount += 1
      done()
    },
    onRcptTo: ({ address }, _session, done) => {
      recipientCount += 1
      const recipientError =
        behaviour.byRecipient?.[address] ?? (address === DEFAULT_RECIPIENT ? behaviour.rcpt : null)
      done(recipientError ? createSmtpError(recipientError) : null)
    },
    onData: (stream, session, done) => {
      const { mailFrom, rcptTo } = session.envelope
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        receivedCount += 1
        if (behaviour.isSilent === true) return undefined
        if (rcptTo.some(({ address }) => address === behaviour.disconnectsFor)) {
          for (const socket of server.connections) if (socket.session === session) socket.close()
          return
        }
        if (behaviour.data) return done(createSmtpError(behaviour.data))
        acceptedEmails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString('utf8'),
        })
        return done()
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.server.address()
  return {
    url: `smtp://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    acceptedEmails,
    countRecipients: () => recipientCount,
    countReceived: () => receivedCount,
    countConnections: () => connectionCount,
    behaviour,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}
