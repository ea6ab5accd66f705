/**
 * Sends the queued emails: over SMTP, or as one .eml file each.
 * The row in the queue is authoritative: an email is claimed before it is sent, and marked once the other side
 * has accepted it. A failed email is retried at growing intervals for three days. If the process died or the disk
 * was full in between, it is unknown whether the email was sent: it is retried once, and no more.
 */
import {
  instant,
  removeForeignLinks,
  collectEventWords,
  type EventConfig,
  type Instant,
} from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import { repeating, within } from '../ops/clock.ts'
import { attachmentsOf } from './ticket-attachments.ts'
import { dashboardOf } from './send-daily-payment-reviews.ts'
import { textToSend } from '../registration/access-link.ts'
import { carrierOf, CONNECTIONS_MAX, oneAddress } from './email-transport.ts'
import type { MailEnvironment, Problem } from './email-transport.ts'
import type { Tried } from '../storage/mail/email-list-types.ts'
import type { QueuedMail } from '../storage/index.ts'

/** Delays after each attempt that a mail server refused; the last one repeats. */
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
/** Delay after an attempt without a response: one email at a time tests whether the server responds. */
const UNREACHED_AGAIN_MS = 60_000
/**
 * An email is given up this long after its first attempt; a mail server that is down over a weekend loses
 * nothing.
 */
export const GIVEN_UP_MS = 3 * 24 * 60 * 60_000
/** The longest time before a queued email is checked. */
const TICK_MS = 2_000
/** Rows read from the store at a time. */
const BATCH_ROWS = 50
/** The first pause after a mail server cannot be reached; it doubles each time up to the maximum. */
const REST_MS_MIN = 30_000
const REST_MS_MAX = 10 * 60_000
/** How long a stop waits for emails being sent. */
const STOP_MS_MAX = 3_000
/** How long it then waits for their results to be stored. */
const NOTE_MS_MAX = 1_000

export type Mailer = {
  /** Sends what is due; returns the number sent. */
  run(): Promise<number>
  /** Since when the mail server has not answered; null: it answered last, or was not asked yet. */
  silentSince(): Instant | null
  close(): Promise<void>
}
export type MailDeps = Pick<Deps, 'store' | 'clock' | 'log'> & {
  /** While the clock may be wrong, no email is given up; left out: the clock is never wrong. */
  readonly clockJumps?: Pick<Deps['clockJumps'], 'look'>
  readonly events: Pick<Deps['events'], 'byId'>
  readonly environment: MailEnvironment
}

/** `works` false: nothing is sent unless `run` is called. */
export function openMailer(
  deps: MailDeps,
  { works }: { readonly works: boolean } = { works: true },
): Mailer {
  const { store, clock, log, environment } = deps
  const carrier = carrierOf(environment)
  const rest = restingPlace(deps)
  let running: Promise<number> | null = null
  let isClosing = false

  const sendOne = async (mail: QueuedMail): Promise<boolean> => {
    // A disk that cannot take the claim could not take that it was sent either.
    if (!(await store.claimMail(mail.id, clock()))) return false
    const event = deps.events.byId(mail.eventId)?.config ?? null
    const safe = withoutStrangersLinks(event, mail, environment.publicUrl)
    const text = await textToSend(deps, safe)
    if (text === null) {
      await store.mailFailed(mail.id, 'It was not needed any more.', null)
      return false
    }
    const attachments = await attachmentsOf(store, event, mail, environment.publicUrl, clock())
    const html = event === null ? null : await inLook(event, { ...safe, text }, environment)
    const replyTo = event !== null && oneAddress.test(event.support) ? event.support : null
    const problem = await judged(await carrier.send({ ...safe, text, html, replyTo, attachments }))
    const at = clock()
    await rest.told(problem)
    if (problem === null) {
      await store.mailSent(mail.id, at)
      return true
    }
    const tried = {
      at,
      firstAt: instant(Math.min(mail.firstTriedAt ?? at, at)),
      isReached: !problem.isUnreachable,
      hasCopyGone: problem.hasCopyGone === true,
    }
    const next = problem.final ? null : nextTry(mail.attempts, tried, deps)
    log.warn(
      { mail: mail.id, event: mail.eventId, error: problem.code, givenUp: next === null },
      next === null
        ? 'an email is given up; rollcall email retry, or Emails in the office, tries it again'
        : 'an email could not be sent and is tried again',
    )
    await store.mailFailed(mail.id, problem.text, next, tried)
    return false
  }
  /** A connection may end because of the email on it: then the server still responds, and the others continue. */
  const judged = async (problem: Problem | null): Promise<Problem | null> =>
    problem?.isUnreachable !== true || isClosing || (await carrier.verify()) !== null
      ? problem
      : { ...problem, isUnreachable: false }
  const runOnce = async (): Promise<number> => {
    let sent = 0
    for (;;) {
      if (rest.isOn()) return sent
      const due = [...(await store.dueMails(clock(), BATCH_ROWS))]
      const isLast = due.length < BATCH_ROWS
      // Where nothing is to be sent, a question tells whether the server answers again.
      if (due.length === 0 && rest.isOver()) await rest.told(await carrier.verify())
      const worker = async (): Promise<void> => {
        for (
          let mail = due.shift();
          mail !== undefined;
          mail = rest.isOn() ? undefined : due.shift()
        )
          if (await sendOne(mail)) sent += 1
      }
      // After a pause, a single worker tests whether the server responds.
      const workers = rest.isOver() ? 1 : CONNECTIONS_MAX
      const ends = await Promise.allSettled(Array.from({ length: workers }, worker))
      const failed = ends.find((end) => end.status === 'rejected')
      if (failed !== undefined) throw failed.reason
      if (isLast) return sent
    }
  }
  // One run at a time: two runs over the same queue would send an email twice.
  const run = (): Promise<number> => {
    running ??= runOnce().finally(() => {
      running = null
    })
    return running
  }

  if (works)
    void carrier.verify().then((problem) => {
      if (problem === null) return
      rest.begins()
      log.error(
        { error: problem.code, text: problem.text },
        'the mail server does not take mails: they wait until it does',
      )
    })
  const stop = works
    ? repeating(TICK_MS, run, (error) =>
        log.error({ error: String(error) }, 'the mail queue stumbled'),
      )
    : null
  return {
    run,
    silentSince: rest.silentSince,
    close: async () => {
      isClosing = true
      const ended = Promise.all([stop?.(), running])
      // An email without a response is retried at the next start.
      await within(STOP_MS_MAX, ended, () => {})
      carrier.close()
      // What that has ended is noted, so that the next start need not wait until nobody can be sending it any more.
      await within(NOTE_MS_MAX, ended, () => {})
    },
  }
}

/** Returns when an email is retried; null: it is given up. */
function nextTry(
  attempts: number,
  { at, firstAt, isReached }: Tried,
  { clockJumps }: Pick<MailDeps, 'clockJumps'>,
): Instant | null {
  const wait = isReached
    ? (MAIL_AGAIN_MS[attempts] ?? MAIL_AGAIN_MS.at(-1) ?? UNREACHED_AGAIN_MS)
    : UNREACHED_AGAIN_MS
  const end = firstAt + GIVEN_UP_MS
  if (at < end) return instant(Math.min(at + wait, end))
  const isClockInDoubt = (clockJumps?.look() ?? null) !== null
  return isClockInDoubt ? instant(at + wait) : null
}

/**
 * Pauses the whole queue when the mail server cannot be reached; when it responds again, retries the emails of
 * that time at once.
 */
function restingPlace({ store, clock, log }: Pick<MailDeps, 'store' | 'clock' | 'log'>) {
  let rests = 0
  let until: Instant | null = null
  let silentSince: Instant | null = null
  // A clock that was set back also ends the pause.
  const isOn = (): boolean => until !== null && clock() < until && clock() >= until - REST_MS_MAX
  return {
    isOn,
    silentSince: (): Instant | null => silentSince,
    /** The server did not answer when it was asked without an email. The next email asks again. */
    begins: (): void => {
      if (rests > 0) return
      rests = 1
      silentSince = clock()
    },
    /** The pause has ended, and it is not known yet whether the server responds. */
    isOver: (): boolean => rests > 0 && !isOn(),
    /** Records the result of an email; null: it was accepted. */
    async told(problem: Problem | null): Promise<void> {
      const at = clock()
      if (problem?.isUnreachable === true) {
        // Other emails sent at the same time say nothing new.
        if (isOn()) return
        const ms = Math.min(REST_MS_MAX, REST_MS_MIN * 2 ** rests)
        rests += 1
        silentSince ??= at
        until = instant(at + ms)
        log.error({ error: problem.code, ms }, 'the mail server cannot be reached: all mails wait')
      } else if (rests > 0) {
        rests = 0
        until = null
        silentSince = null
        const hurried = await store.hurryMails(at)
        log.info({ hurried }, 'the mail server answers again')
      }
    },
  }
}

/**
 * Every email passes through here, whoever typed its content. Runs before the access link is inserted, so that
 * nobody can type one of our addresses either.
 */
function withoutStrangersLinks(
  event: EventConfig | null,
  mail: QueuedMail,
  publicUrl: string,
): QueuedMail {
  const known = collectEventWords(event ?? NO_EVENT)
  const ours = new Set([mail.to, mail.copyTo ?? mail.to, dashboardOf(publicUrl)])
  const safe = (text: string): string => removeForeignLinks(text, known, ours)
  return { ...mail, subject: safe(mail.subject), text: safe(mail.text) }
}
const NO_EVENT = {}

/** The renderer is loaded with the first email. */
async function inLook(
  event: EventConfig,
  mail: Pick<QueuedMail, 'subject' | 'text'>,
  { publicUrl }: MailDeps['environment'],
): Promise<string> {
  const { htmlOf } = await import('./email-html.ts')
  return htmlOf(event, mail, publicUrl)
}
