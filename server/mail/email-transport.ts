/** Sends emails over SMTP, several at once, or writes each to a file if SMTP is not configured. */
import type * as Nodemailer from 'nodemailer'
import { createHash } from 'node:crypto'
import { mkdir, open, rename } from 'node:fs/promises'
import path from 'node:path'
import { memoize } from '../../engine/index.ts'
import type { Environment } from '../dependencies.ts'
import { isOwnMachine } from '../ops/environment.ts'
import { later } from '../ops/lazy-import.ts'
import type { Attachment } from './ticket-attachments.ts'
import type { QueuedMail } from '../storage/index.ts'

const nodemailer = later<typeof Nodemailer>('nodemailer')

/** Mail servers accept a few connections per sender; more are refused. */
export const CONNECTIONS_MAX = 5
/** A mail server that does not accept a connection within this time is tried again later. */
const ANSWER_MS_MAX = 10_000
/** A server that accepts an email may scan it before it responds. */
const TIMEOUT_MS = 30_000
/**
 * A server that sends a word now and then is never inactive: with this limit on a whole email it holds up the others
 * for no longer.
 */
const SEND_MS_MAX = 90_000
/** nodemailer's codes for a connection that failed or ended, including a refused password. */
const UNREACHABLE =
  /^(ECONNECTION|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ESOCKET|EDNS|ETLS|EREQUIRETLS|EAUTH|ENOAUTH|EPROXY)$/
/** SMTP: the service is not available and the connection is closed. */
const CLOSING = 421
/** SMTP: replies with this first digit are temporary, for a mailbox as for a server. */
const PASSING = 4
/** Commands about one email: their replies say nothing about the next. */
const OF_ONE_MAIL = /^(RCPT TO|DATA)$/

export type MailEnvironment = Pick<Environment, 'smtpUrl' | 'mailFrom' | 'dataDir' | 'publicUrl'>
export type Problem = {
  readonly code: string
  readonly text: string
  readonly final: boolean
  /** The server does not respond or refuses our sign-in, so the next email would fail too. */
  readonly isUnreachable: boolean
  /** The copy was sent, but the delegate's email was not. */
  readonly hasCopyGone?: true
}
/** `html` and `replyTo` null: the event's file was removed. */
export type Outgoing = QueuedMail & {
  readonly html: string | null
  readonly replyTo: string | null
  readonly attachments: readonly Attachment[]
}
export type Carrier = {
  send(mail: Outgoing): Promise<Problem | null>
  /** Checks whether emails would be accepted, without sending one. */
  verify(): Promise<Problem | null>
  close(): void
}

/** Sends with SMTP; without it, writes each email to an .eml file. */
export const carrierOf = (environment: MailEnvironment): Carrier =>
  environment.smtpUrl === null
    ? fileCarrier(environment)
    : smtpCarrier(environment, environment.smtpUrl)

/**
 * A single recipient as an object, so that a comma in an answer does not add a second one; no line breaks in any
 * header.
 */
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
    // The same for every attempt, so that a server can recognise a repeated email. Includes more than the id,
    // because after a restore an id may be reused.
    messageId: `<${createHash('sha256')
      .update(`${mail.id} ${nameOf(mail)} ${mail.at}`)
      .digest('hex')
      .slice(0, 32)}@${host}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** Returns the registration number, or the event id for an email about none. */
const nameOf = ({ regNo, eventId }: QueuedMail): string => regNo ?? eventId

export const oneAddress = /^[^\s,;:<>()"\\]+@[^\s,;:<>()"\\@]+$/

/** Null when the addresses are safe in a header and in an SMTP command. */
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
  const settings = {
    url,
    pool: true as const,
    maxConnections: CONNECTIONS_MAX,
    // A password must not be sent unencrypted over a network. On the machine itself there is none.
    requireTLS: protocol === 'smtp:' && username !== '' && !isOwnMachine(hostname),
    connectionTimeout: ANSWER_MS_MAX,
    greetingTimeout: ANSWER_MS_MAX,
    socketTimeout: TIMEOUT_MS,
  }
  let transport = nodemailer().createTransport(settings)
  /** The connection of an email without an end would be missing for the others. */
  const replace = (): void => {
    const before = transport
    transport = nodemailer().createTransport(settings)
    // What others are sending over it may end.
    before.close()
    setTimeout(() => before.close({ force: true }), SEND_MS_MAX).unref()
  }
  return {
    send: async (mail) => {
      const problem = problemOf(mail)
      if (problem !== null) return problem
      try {
        const sent = await inTime(transport.sendMail(messageOf(environment, mail)))
        if (sent === null) {
          replace()
          return TOO_SLOW
        }
        const { rejected, rejectedErrors = [] } = sent
        // The server may accept one recipient and refuse the other; only the delegate counts.
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
        return (await inTime(transport.verify())) === null ? TOO_SLOW : null
      } catch (error) {
        return failureOf(error)
      }
    },
    // Also those that are waiting for an answer: the process ends.
    close: () => transport.close({ force: true }),
  }
}

const TOO_SLOW: Problem = {
  code: 'ETIMEDOUT',
  text: 'The mail server did not finish with this email in time.',
  final: false,
  isUnreachable: true,
}

/** Null: it took too long, and whatever it answers then is of no interest. */
async function inTime<T>(work: Promise<T>): Promise<T | null> {
  const late = Promise.withResolvers<null>()
  const timer = setTimeout(() => late.resolve(null), SEND_MS_MAX)
  timer.unref()
  work.catch(() => {})
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
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
  // The server knows the recipient and refuses permanently. Everything else (server down, mailbox full, wrong
  // password) may be temporary.
  const final = code === 'EENVELOPE' && responseCode >= 500
  const isUnreachable =
    (UNREACHABLE.test(code) || responseCode === CLOSING) && !OF_ONE_MAIL.test(command)
  return { code, text: message.slice(0, 300), final, isUnreachable }
}

/**
 * The file is named after the email's id: an email written twice, because the machine stopped in between, is
 * still one file.
 */
function fileCarrier(environment: MailEnvironment): Carrier {
  const folder = path.join(environment.dataDir, 'mail')
  // Loaded with the first email: a server that sends none does not need the package.
  const transportOf = memoize((_: 'files') =>
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
