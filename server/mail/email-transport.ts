/**
 * Sends several emails at once over SMTP, or writes each to a file if SMTP is not configured.
 * Runs in the background process.
 */
import type * as Nodemailer from 'nodemailer'
import { createHash } from 'node:crypto'
import { mkdir, open, rename } from 'node:fs/promises'
import path from 'node:path'
import { memoize } from '../../engine/index.ts'
import type { Environment } from '../dependencies.ts'
import { isOwnMachine } from '../ops/environment.ts'
import { importLazily } from '../ops/lazy-import.ts'
import type { QueuedMail } from '../storage/index.ts'

const loadNodemailer = importLazily<typeof Nodemailer>('nodemailer')

/** Mail servers accept only a few connections per sender. */
export const MAX_CONNECTIONS = 5
/** A mail server that does not accept a connection within this time is retried later. */
const CONNECT_TIMEOUT_MS = 10_000
/** A server may scan an email before it responds. */
const RESPONSE_TIMEOUT_MS = 30_000
/**
 * A server that occasionally sends a few bytes never times out. This limit covers the whole email, so that one slow
 * server cannot hold up the emails behind it.
 */
const MAX_SEND_MS = 90_000
/** nodemailer's codes for a connection that failed or ended, including a rejected password. */
const UNREACHABLE_CODES =
  /^(ECONNECTION|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ESOCKET|EDNS|ETLS|EREQUIRETLS|EAUTH|ENOAUTH|EPROXY)$/
/** The SMTP reply code with which an unavailable server closes the connection. */
const CLOSING_CODE = 421
/** SMTP replies that begin with this digit report temporary failures of mailboxes or servers. */
const TRANSIENT_DIGIT = 4
/** SMTP commands that apply to a single email. Their replies do not apply to the next email. */
const PER_EMAIL_COMMANDS = /^(RCPT TO|DATA)$/

export type MailEnvironment = Pick<Environment, 'smtpUrl' | 'mailFrom' | 'dataDir' | 'publicUrl'>
export type Problem = {
  readonly code: string
  readonly text: string
  readonly isFinal: boolean
  /** The server does not respond or rejects our credentials, so the next email would fail too. */
  readonly isUnreachable: boolean
  /** The copy was sent, but the delegate's email was not. */
  readonly isCopySent?: true
  /** The email could not be generated. */
  readonly isGenerationFailure?: true
}
export type Attachment = {
  readonly filename: string
  readonly content: Buffer
  readonly contentType: string
}
/** `html` and `replyTo` are null if the event's file was removed. */
export type OutgoingEmail = QueuedMail & {
  readonly html: string | null
  readonly replyTo: string | null
  readonly attachments: readonly Attachment[]
}
export type MailTransport = {
  send(email: OutgoingEmail): Promise<Problem | null>
  /** Checks whether emails would be accepted, without sending one. */
  verify(): Promise<Problem | null>
  close(): void
}

/** Creates a transport that sends over SMTP or, if SMTP is not configured, writes .eml files. */
export const createTransport = (environment: MailEnvironment): MailTransport =>
  environment.smtpUrl === null
    ? createFileTransport(environment)
    : createSmtpTransport(environment, environment.smtpUrl)

/**
 * Builds the message. The recipient is an object, so that a comma in an answer does not add a second recipient. No
 * header contains line breaks.
 */
function buildMessage(environment: MailEnvironment, email: OutgoingEmail) {
  const host = new URL(environment.publicUrl).hostname
  return {
    from: environment.mailFrom,
    to: { name: '', address: email.to },
    ...(email.copyTo === null ? {} : { bcc: { name: '', address: email.copyTo } }),
    subject: email.subject.replaceAll(/\s+/g, ' ').trim(),
    text: email.text,
    ...(email.html === null ? {} : { html: email.html }),
    ...(email.replyTo === null ? {} : { replyTo: { name: '', address: email.replyTo } }),
    attachments: email.attachments.map(encodeAttachment),
    // The message id is the same for every attempt, so that a server can recognise a repeated email. It includes more
    // than the row's id, which may be reused after a restore.
    messageId: `<${createHash('sha256')
      .update(`${email.id} ${getRegNoOrEventId(email)} ${email.at}`)
      .digest('hex')
      .slice(0, 32)}@${host}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** A name that needs no encoding in a header. */
const PLAIN_NAME_PATTERN = /^[\w.-]+$/
const BASE64_LINE_PATTERN = /.{76}/g

/**
 * Encodes an attachment in one step: nodemailer would pass it through several streams, which takes longer than building
 * the rest of the message.
 */
function encodeAttachment({ filename, content, contentType }: Attachment) {
  if (!PLAIN_NAME_PATTERN.test(filename)) return { filename, content, contentType }
  const message = [
    `Content-Type: ${contentType};`,
    ` name=${filename}`,
    'Content-Transfer-Encoding: base64',
    'Content-Disposition: attachment;',
    ` filename=${filename}`,
    '',
    content.toString('base64').replaceAll(BASE64_LINE_PATTERN, '$&\r\n'),
    '',
  ].join('\r\n')
  return { raw: message }
}

/** Returns the registration number, or the event id if the email does not concern a registration. */
const getRegNoOrEventId = ({ regNo, eventId }: QueuedMail): string => regNo ?? eventId

export const SINGLE_ADDRESS_PATTERN = /^[^\s,;:<>()"\\]+@[^\s,;:<>()"\\@]+$/

/** Returns a problem; null if the addresses are safe in a header and in an SMTP command. */
function findAddressProblem(email: QueuedMail): Problem | null {
  const isInvalid = [email.to, email.copyTo].some(
    (address) => address !== null && !SINGLE_ADDRESS_PATTERN.test(address),
  )
  return isInvalid
    ? {
        code: 'EADDRESS',
        text: 'Mail cannot be sent to this address.',
        isFinal: true,
        isUnreachable: false,
      }
    : null
}

function createSmtpTransport(environment: MailEnvironment, url: string): MailTransport {
  const { protocol, username, hostname } = new URL(url)
  const settings = {
    url,
    pool: true as const,
    maxConnections: MAX_CONNECTIONS,
    // A password must not be sent unencrypted over a network. Localhost is exempt.
    requireTLS: protocol === 'smtp:' && username !== '' && !isOwnMachine(hostname),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: RESPONSE_TIMEOUT_MS,
  }
  let transport = loadNodemailer().createTransport(settings)
  /** Replaces the connections, because a connection that is stuck on one email cannot send others. */
  const replaceTransport = (): void => {
    const previous = transport
    transport = loadNodemailer().createTransport(settings)
    // Emails in progress on the old connections may finish.
    previous.close()
    setTimeout(() => previous.close({ force: true }), MAX_SEND_MS).unref()
  }
  return {
    send: async (email) => {
      const problem = findAddressProblem(email)
      if (problem !== null) return problem
      try {
        const result = await withTimeout(transport.sendMail(buildMessage(environment, email)))
        if (result === null) {
          replaceTransport()
          return TIMEOUT_PROBLEM
        }
        const { rejected, rejectedErrors = [] } = result
        // The server may accept one recipient and reject the other. Only the delegate's address counts.
        if (!rejected.includes(email.to)) return null
        const isTransient = rejectedErrors.some(
          ({ recipient, responseCode = 0 }) =>
            recipient === email.to && Math.floor(responseCode / 100) === TRANSIENT_DIGIT,
        )
        return {
          code: 'EENVELOPE',
          text: isTransient
            ? 'The mail server is temporarily not accepting email for this recipient.'
            : 'The mail server rejected this recipient.',
          isFinal: !isTransient,
          isUnreachable: false,
          isCopySent: true,
        }
      } catch (error) {
        return toProblem(error)
      }
    },
    verify: async () => {
      try {
        return (await withTimeout(transport.verify())) === null ? TIMEOUT_PROBLEM : null
      } catch (error) {
        return toProblem(error)
      }
    },
    // Also closes connections that are waiting for a response, because the process is exiting.
    close: () => transport.close({ force: true }),
  }
}

const TIMEOUT_PROBLEM: Problem = {
  code: 'ETIMEDOUT',
  text: 'The mail server timed out on this email.',
  isFinal: false,
  isUnreachable: true,
}

/** Limits the duration of an operation. Returns null if it takes too long, and ignores a later result. */
async function withTimeout<T>(operation: Promise<T>): Promise<T | null> {
  const timeout = Promise.withResolvers<null>()
  const timer = setTimeout(() => timeout.resolve(null), MAX_SEND_MS)
  timer.unref()
  operation.catch(() => {})
  try {
    return await Promise.race([operation, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}

function toProblem(error: unknown): Problem {
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
  // Only a permanent rejection of this recipient is final. All other failures (server down, mailbox full, wrong
  // password) may be temporary.
  const isPermanent = code === 'EENVELOPE' && responseCode >= 500
  const isUnreachable =
    (UNREACHABLE_CODES.test(code) || responseCode === CLOSING_CODE) &&
    !PER_EMAIL_COMMANDS.test(command)
  return { code, text: message.slice(0, 300), isFinal: isPermanent, isUnreachable }
}

/**
 * Creates a transport that writes emails to files. The file name contains the email's id, so that an email that is
 * written again after a crash replaces the earlier file.
 */
function createFileTransport(environment: MailEnvironment): MailTransport {
  const folder = path.join(environment.dataDir, 'mail')
  // Loads the package when the first email is sent, because a server that sends no emails does not need it.
  const getStreamTransport = memoize((_: 'files') =>
    loadNodemailer().createTransport({ streamTransport: true, buffer: true, newline: 'unix' }),
  )
  return {
    send: async (email) => {
      const problem = findAddressProblem(email)
      if (problem !== null) return problem
      try {
        const { message } = await getStreamTransport('files').sendMail({
          ...buildMessage(environment, email),
          headers: {
            'Auto-Submitted': 'auto-generated',
            ...(email.copyTo === null ? {} : { 'X-Copy-To': email.copyTo }),
          },
        })
        await mkdir(folder, { recursive: true })
        const file = path.join(
          folder,
          `${String(email.id).padStart(6, '0')}-${getRegNoOrEventId(email)}.eml`,
        )
        const fileHandle = await open(`${file}.part`, 'w')
        try {
          await fileHandle.writeFile(message as Buffer)
          await fileHandle.sync()
        } finally {
          await fileHandle.close()
        }
        await rename(`${file}.part`, file)
        return null
      } catch (error) {
        return toProblem(error)
      }
    },
    verify: () => Promise.resolve(null),
    close: () => {},
  }
}
