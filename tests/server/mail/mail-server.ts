/** A real mail server that accepts, rejects or disconnects, as the test sets it. */
import { SMTPServer } from 'smtp-server'

type AcceptedEmail = {
  readonly from: string
  readonly to: readonly string[]
  readonly text: string
}
type SmtpError = readonly [number, string]
/**
 * `data` is the response to each email, `rcpt` to the default recipient, `of` to named recipients.
 * Without a response, the server accepts.
 */
export type MailServerResponse = {
  rcpt?: SmtpError | null
  data?: SmtpError | null
  of?: Readonly<Record<string, SmtpError>>
  /** Disconnects in the middle of an email to this address. */
  cuts?: string
  /** Receives emails without sending a response. */
  holds?: boolean
}
export type MailServer = {
  readonly url: string
  readonly taken: AcceptedEmail[]
  /** The number of received RCPT commands. */
  readonly tried: () => number
  /** The number of received emails, with or without a response. */
  readonly received: () => number
  /** The number of opened connections. */
  readonly connections: () => number
  readonly answer: MailServerResponse
  close(): Promise<void>
}

/** The response `rcpt` applies to this recipient only. */
const DEFAULT_RECIPIENT = 'asha@example.org'

export async function openMailServer(
  answer: MailServerResponse = {},
  port = 0,
): Promise<MailServer> {
  const taken: AcceptedEmail[] = []
  let tried = 0
  let connections = 0
  let received = 0
  const createSmtpError = ([responseCode, message]: SmtpError): Error =>
    Object.assign(new Error(message), { responseCode })
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    // A pool keeps connections open that an ended test no longer needs.
    closeTimeout: 1,
    onConnect: (_session, done) => {
      connections += 1
      done()
    },
    onRcptTo: ({ address }, _session, done) => {
      tried += 1
      const recipientError =
        answer.of?.[address] ?? (address === DEFAULT_RECIPIENT ? answer.rcpt : null)
      done(recipientError ? createSmtpError(recipientError) : null)
    },
    onData: (stream, session, done) => {
      const { mailFrom, rcptTo } = session.envelope
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        received += 1
        if (answer.holds === true) return undefined
        if (rcptTo.some(({ address }) => address === answer.cuts)) {
          for (const socket of server.connections) if (socket.session === session) socket.close()
          return
        }
        if (answer.data) return done(createSmtpError(answer.data))
        taken.push({
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
    taken,
    tried: () => tried,
    received: () => received,
    connections: () => connections,
    answer,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}
