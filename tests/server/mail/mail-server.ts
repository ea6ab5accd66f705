/** A real mail server that takes, refuses and breaks off, as a test tells it. */
import { SMTPServer } from 'smtp-server'

type Taken = { readonly from: string; readonly to: readonly string[]; readonly text: string }
type Refusal = readonly [number, string]
/** `data` and `rcpt`: what it answers to each mail and recipient; `of`: to that recipient. None: it takes them. */
export type MailServerAnswer = {
  rcpt?: Refusal | null
  data?: Refusal | null
  of?: Readonly<Record<string, Refusal>>
  /** The connection of a mail to this address is cut in the middle of the mail. */
  cuts?: string
  /** It receives emails and does not answer. */
  holds?: boolean
}
export type MailServer = {
  readonly url: string
  readonly taken: Taken[]
  /** How many recipients were named to it. */
  readonly tried: () => number
  /** How many emails it received, answered or not. */
  readonly received: () => number
  /** How many were ever opened. */
  readonly connections: () => number
  readonly answer: MailServerAnswer
  close(): Promise<void>
}

/** `rcpt` is answered to this recipient alone. */
const USUAL = 'asha@example.org'

export async function openMailServer(answer: MailServerAnswer = {}, port = 0): Promise<MailServer> {
  const taken: Taken[] = []
  let tried = 0
  let connections = 0
  let received = 0
  const refusal = ([responseCode, message]: Refusal): Error =>
    Object.assign(new Error(message), { responseCode })
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    // A pool keeps its connections open, and a test that ends has nothing more to take from them.
    closeTimeout: 1,
    onConnect: (_session, done) => {
      connections += 1
      done()
    },
    onRcptTo: ({ address }, _session, done) => {
      tried += 1
      const own = answer.of?.[address] ?? (address === USUAL ? answer.rcpt : null)
      done(own ? refusal(own) : null)
    },
    onData: (stream, session, done) => {
      const { mailFrom, rcptTo } = session.envelope
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        received += 1
        if (answer.holds === true) return undefined
        if (rcptTo.some(({ address }) => address === answer.cuts)) {
          for (const one of server.connections) if (one.session === session) one.close()
          return
        }
        if (answer.data) return done(refusal(answer.data))
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
