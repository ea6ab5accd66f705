/** How mails go out: over SMTP, several at once, or without it as one file each. */
import type * as Nodemailer from 'nodemailer'
import { createHash } from 'node:crypto'
import { mkdir, open, rename } from 'node:fs/promises'
import path from 'node:path'
import { remember } from '../../engine/index.ts'
import type { Environment } from '../dependencies.ts'
import { isOwnMachine } from '../ops/environment.ts'
import { later } from '../ops/lazy-import.ts'
import type { Attachment } from './ticket-attachments.ts'
import type { QueuedMail } from '../storage/index.ts'

const nodemailer = later<typeof Nodemailer>('nodemailer')

/** Mail servers take some connections of one sender at a time, and more are refused. */
export const CONNECTIONS_MAX = 5
/** A mail server that does not answer a call for so long is tried again later. */
const ANSWER_MS_MAX = 10_000
/** One that takes a mail may scan it before it says so. */
const TIMEOUT_MS = 30_000
/** nodemailer's codes of what ends a connection or never makes one, a refused password among them. */
const UNREACHABLE =
  /^(ECONNECTION|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ESOCKET|EDNS|ETLS|EREQUIRETLS|EAUTH|ENOAUTH|EPROXY)$/
/** SMTP: the service is not available and the connection is closed. */
const CLOSING = 421
/** SMTP: what begins with this may pass, of a mailbox as of a server. */
const PASSING = 4
/** Commands that are about one email: their answers say nothing of the next. */
const OF_ONE_MAIL = /^(RCPT TO|DATA)$/

export type MailEnvironment = Pick<Environment, 'smtpUrl' | 'mailFrom' | 'dataDir' | 'publicUrl'>
export type Problem = {
  readonly code: string
  readonly text: string
  readonly final: boolean
  /** Nobody answers, or nobody lets us in: the next mail would fare no better. */
  readonly isUnreachable: boolean
  /** The copy went out, and the delegate's did not. */
  readonly hasCopyGone?: true
}
/** `html` and `replyTo` null: the event's file is gone. */
export type Outgoing = QueuedMail & {
  readonly html: string | null
  readonly replyTo: string | null
  readonly attachments: readonly Attachment[]
}
export type Carrier = {
  send(mail: Outgoing): Promise<Problem | null>
  /** Whether mails would be taken, without sending one. */
  verify(): Promise<Problem | null>
  close(): void
}

/** With SMTP it sends; without, each mail becomes one .eml file. */
export const carrierOf = (environment: MailEnvironment): Carrier =>
  environment.smtpUrl === null
    ? fileCarrier(environment)
    : smtpCarrier(environment, environment.smtpUrl)

/** One recipient, as an object, so that a comma in an answer makes no second one; no line breaks anywhere in a header. */
function messageOf(environment: MailEnvironment, mail: Outgoing) {
  const host = new URL(environment.publicUrl).hostname
  return {
    from: environment.mailFrom,
    to: { name: '', address: mail.to },
    ...(mail.copyTo === null ? {} : { bcc: { name: '', address: mail.copyTo } }),
    subject: mail.subject.replaceAll(/\s+/g, ' ').trim(),
    text: mail.text,
    ...(mail.html === null ? {} : { html: mail.html }),
    ...(mail.replyTo === null ? {} : { replyTo: { name: '', address: mail.replyTo } }),
    attachments: [...mail.attachments],
    // The same for every try of a mail, so that a server that saw it before can know it again; after a restore, a number may be another's.
    messageId: `<${createHash('sha256')
      .update(`${mail.id} ${nameOf(mail)} ${mail.at}`)
      .digest('hex')
      .slice(0, 32)}@${host}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** The registration's number, or the event where it is about none. */
const nameOf = ({ regNo, eventId }: QueuedMail): string => regNo ?? eventId

export const oneAddress = /^[^\s,;:<>()"\\]+@[^\s,;:<>()"\\@]+$/

/** Null when the addresses can stand in a header and in an SMTP command. */
function problemOf(mail: QueuedMail): Problem | null {
  const bad = [mail.to, mail.copyTo].some(
    (address) => address !== null && !oneAddress.test(address),
  )
  return bad
    ? {
        code: 'EADDRESS',
        text: 'Mail cannot be sent to this address.',
        final: true,
        isUnreachable: false,
      }
    : null
}

function smtpCarrier(environment: MailEnvironment, url: string): Carrier {
  const { protocol, username, hostname } = new URL(url)
  const transport = nodemailer().createTransport({
    url,
    pool: true,
    maxConnections: CONNECTIONS_MAX,
    // A password is said to nobody who listens. On the machine itself nobody does.
    requireTLS: protocol === 'smtp:' && username !== '' && !isOwnMachine(hostname),
    connectionTimeout: ANSWER_MS_MAX,
    greetingTimeout: ANSWER_MS_MAX,
    socketTimeout: TIMEOUT_MS,
  })
  return {
    send: async (mail) => {
      const problem = problemOf(mail)
      if (problem !== null) return problem
      try {
        const { rejected, rejectedErrors = [] } = await transport.sendMail(
          messageOf(environment, mail),
        )
        // With a copy the server may take the one and refuse the other; only the delegate counts.
        if (!rejected.includes(mail.to)) return null
        const mayPass = rejectedErrors.some(
          ({ recipient, responseCode = 0 }) =>
            recipient === mail.to && Math.floor(responseCode / 100) === PASSING,
        )
        return {
          code: 'EENVELOPE',
          text: mayPass
            ? 'The mail server does not take emails to this recipient now.'
            : 'The mail server refuses this recipient.',
          final: !mayPass,
          isUnreachable: false,
          hasCopyGone: true,
        }
      } catch (error) {
        return failureOf(error)
      }
    },
    verify: async () => {
      try {
        await transport.verify()
        return null
      } catch (error) {
        return failureOf(error)
      }
    },
    close: () => transport.close(),
  }
}

function failureOf(error: unknown): Problem {
  const {
    code = 'EUNKNOWN',
    responseCode = 0,
    message = String(error),
    command = '',
  } = (error ?? {}) as {
    readonly code?: string
    readonly responseCode?: number
    readonly message?: string
    readonly command?: string
  }
  // The server knows the recipient and says never. Everything else (it is down, it is full, our password is wrong) may pass.
  const final = code === 'EENVELOPE' && responseCode >= 500
  const isUnreachable =
    (UNREACHABLE.test(code) || responseCode === CLOSING) && !OF_ONE_MAIL.test(command)
  return { code, text: message.slice(0, 300), final, isUnreachable }
}

/** The file's name is the mail's number: a mail written twice, because the machine stopped in between, is still one file. */
function fileCarrier(environment: MailEnvironment): Carrier {
  const folder = path.join(environment.dataDir, 'mail')
  // With the first mail: a server that has none to send does without the package.
  const transportOf = remember((_: 'files') =>
    nodemailer().createTransport({ streamTransport: true, buffer: true, newline: 'unix' }),
  )
  return {
    send: async (mail) => {
      const problem = problemOf(mail)
      if (problem !== null) return problem
      try {
        const { message } = await transportOf('files').sendMail({
          ...messageOf(environment, mail),
          headers: {
            'Auto-Submitted': 'auto-generated',
            ...(mail.copyTo === null ? {} : { 'X-Copy-To': mail.copyTo }),
          },
        })
        await mkdir(folder, { recursive: true })
        const file = path.join(folder, `${String(mail.id).padStart(6, '0')}-${nameOf(mail)}.eml`)
        const handle = await open(`${file}.part`, 'w')
        try {
          await handle.writeFile(message as Buffer)
          await handle.sync()
        } finally {
          await handle.close()
        }
        await rename(`${file}.part`, file)
        return null
      } catch (error) {
        return failureOf(error)
      }
    },
    verify: () => Promise.resolve(null),
    close: () => {},
  }
}
