/**
 * The mail queue's worker. With SMTP it sends; without, each mail becomes one .eml file. The row in
 * the queue is the truth: a mail is claimed before it is sent and marked once the other side has taken it; one
 * that could not be sent is tried again at growing intervals until it is given up. Where the process died, or
 * the disk was full, between the two, nobody knows whether it went out: it is tried once more, and no more.
 */
import { createHash } from 'node:crypto'
import { mkdir, open, rename } from 'node:fs/promises'
import path from 'node:path'
import nodemailer from 'nodemailer'
import { instant, type EventConfig } from '../engine/index.ts'
import type { Deps, Environment } from './deps.ts'
import { repeating } from './machine/clock.ts'
import { attachmentsOf, type Attachment } from './registering/ticket-mail.ts'
import { textToSend } from './registering/own-link.ts'
import type { QueuedMail } from './store/store.ts'

/** After each failed try; a mail server that is down over a weekend loses nothing. */
export const MAIL_AGAIN_MS: readonly number[] = [
  60,
  300,
  900,
  3_600,
  4 * 3_600,
  12 * 3_600,
  24 * 3_600,
  24 * 3_600,
].map((seconds) => seconds * 1000)
/** A mail waits at most so long before it is looked at. */
const TICK_MS = 2_000
/** Read from the store at a time. */
const BATCH_ROWS = 50
/** A mail server that says nothing for so long is tried again later. */
const TIMEOUT_MS = 30_000

export type Mailer = {
  /** Sends what is due; answers how many went out. */
  run(): Promise<number>
  close(): Promise<void>
}
export type MailDeps = Pick<Deps, 'store' | 'clock' | 'log'> & {
  readonly events: Pick<Deps['events'], 'byId'>
  readonly environment: Pick<Environment, 'smtpUrl' | 'mailFrom' | 'dataDir' | 'publicUrl'>
}

/** `works` false: nothing is sent unless somebody calls `run`. */
export function openMailer(
  deps: MailDeps,
  { works }: { readonly works: boolean } = { works: true },
): Mailer {
  const { store, clock, log, environment } = deps
  const carrier =
    environment.smtpUrl === null
      ? fileCarrier(environment)
      : smtpCarrier(environment, environment.smtpUrl)
  let running: Promise<number> | null = null

  const sendOne = async (mail: QueuedMail): Promise<boolean> => {
    // A disk that cannot take the claim could not take that it was sent either.
    if (!(await store.claimMail(mail.id, clock()))) return false
    const text = await textToSend(deps, mail)
    if (text === null) {
      await store.mailFailed(mail.id, 'It was not needed any more.', null)
      return false
    }
    const event = deps.events.byId(mail.eventId)?.config ?? null
    const attachments = await attachmentsOf(store, event, mail, environment.publicUrl, clock())
    const html = event === null ? null : await inLook(event, { ...mail, text }, environment)
    const replyTo = event !== null && oneAddress.test(event.support) ? event.support : null
    const problem = await carrier.send({ ...mail, text, html, replyTo, attachments })
    const at = clock()
    if (problem === null) {
      await store.mailSent(mail.id, at)
      return true
    }
    const wait = problem.final ? undefined : MAIL_AGAIN_MS[mail.attempts]
    log.warn(
      { mail: mail.id, event: mail.eventId, error: problem.code, givenUp: wait === undefined },
      'a mail could not be sent',
    )
    await store.mailFailed(mail.id, problem.text, wait === undefined ? null : instant(at + wait))
    return false
  }
  const runOnce = async (): Promise<number> => {
    let sent = 0
    for (;;) {
      const due = await store.dueMails(clock(), BATCH_ROWS)
      for (const mail of due) if (await sendOne(mail)) sent += 1
      if (due.length < BATCH_ROWS) return sent
    }
  }
  // One at a time: two runs over the same queue would send a mail twice.
  const run = (): Promise<number> => {
    running ??= runOnce().finally(() => {
      running = null
    })
    return running
  }

  const stop = works
    ? repeating(TICK_MS, run, (error) =>
        log.error({ error: String(error) }, 'the mail queue stumbled'),
      )
    : null
  return {
    run,
    close: async () => {
      await stop?.()
      await running?.catch(() => 0)
      carrier.close()
    },
  }
}

/** What draws it is read when the first mail goes out. */
async function inLook(
  event: EventConfig,
  mail: Pick<QueuedMail, 'subject' | 'text'>,
  { publicUrl }: MailDeps['environment'],
): Promise<string> {
  const { htmlOf } = await import('./mail-html.ts')
  return htmlOf(event, mail, publicUrl)
}

type Problem = { readonly code: string; readonly text: string; readonly final: boolean }
/** `html` and `replyTo` null: the event's file is gone. */
type Outgoing = QueuedMail & {
  readonly html: string | null
  readonly replyTo: string | null
  readonly attachments: readonly Attachment[]
}
type Carrier = { send(mail: Outgoing): Promise<Problem | null>; close(): void }

/** One recipient, as an object, so that a comma in an answer makes no second one; no line breaks anywhere in a header. */
function messageOf(environment: MailDeps['environment'], mail: Outgoing) {
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
    // The same for every try of a mail, so that a server that saw it before can know it again.
    messageId: `<${createHash('sha256')
      .update(`${mail.id} ${nameOf(mail)}`)
      .digest('hex')
      .slice(0, 32)}@${host}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** The registration's number, or the event where it is about none. */
const nameOf = ({ regNo, eventId }: QueuedMail): string => regNo ?? eventId

const oneAddress = /^[^\s,;:<>()"\\]+@[^\s,;:<>()"\\@]+$/

/** Null when the addresses can stand in a header and in an SMTP command. */
function problemOf(mail: QueuedMail): Problem | null {
  const bad = [mail.to, mail.copyTo].some(
    (address) => address !== null && !oneAddress.test(address),
  )
  return bad
    ? { code: 'EADDRESS', text: 'Mail cannot be sent to this address.', final: true }
    : null
}

function smtpCarrier(environment: MailDeps['environment'], url: string): Carrier {
  const transport = nodemailer.createTransport({
    url,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  })
  return {
    send: async (mail) => {
      const problem = problemOf(mail)
      if (problem !== null) return problem
      try {
        const { rejected } = await transport.sendMail(messageOf(environment, mail))
        // With a copy the server may take the one and refuse the other; only the delegate counts.
        const refused = rejected.includes(mail.to)
        return refused
          ? {
              code: 'EENVELOPE',
              text: 'The mail server refuses this recipient.',
              final: true,
            }
          : null
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
  } = (error ?? {}) as {
    readonly code?: string
    readonly responseCode?: number
    readonly message?: string
  }
  // The server knows the recipient and says never. Everything else (it is down, it is full, our password is wrong) may pass.
  const final = code === 'EENVELOPE' && responseCode >= 500
  return { code, text: message.slice(0, 300), final }
}

/** The file's name is the mail's number: a mail written twice, because the machine stopped in between, is still one file. */
function fileCarrier(environment: MailDeps['environment']): Carrier {
  const folder = path.join(environment.dataDir, 'mail')
  const transport = nodemailer.createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'unix',
  })
  return {
    send: async (mail) => {
      const problem = problemOf(mail)
      if (problem !== null) return problem
      try {
        const { message } = await transport.sendMail({
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
    close: () => transport.close(),
  }
}
