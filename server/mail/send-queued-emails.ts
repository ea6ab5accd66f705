/**
 * Sends the queued emails: over SMTP, or as one .eml file each.
 * The row in the queue is authoritative: an email is claimed before it is sent, and marked as sent once the mail server
 * has accepted it. A failed email is retried at growing intervals for three days. If the process dies or the disk is
 * full between these steps, it is unknown whether the email was sent, so the email is retried only once.
 */
import {
  instant,
  memoize,
  removeForeignLinks,
  collectEventWords,
  type EventConfig,
  type Instant,
} from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import { repeatTask, waitAtMost } from '../ops/clock.ts'
import { getDashboardUrl } from './send-daily-payment-reviews.ts'
import { prepareEmailText } from '../registration/access-link.ts'
import { createBackgroundTransport } from './background-transport.ts'
import { calculateNextAttempt } from './email-retry-schedule.ts'
import { MAX_CONNECTIONS, SINGLE_ADDRESS_PATTERN } from './email-transport.ts'
import type { MailEnvironment, Problem } from './email-transport.ts'
import type { EmailTheme } from './email-html.ts'
import { collectTicket } from './ticket-contents.ts'
import type { NewLink, QueuedMail } from '../storage/index.ts'

/** The longest time before the queue is checked again. */
const CHECK_INTERVAL_MS = 2_000
/** Rows read from the store at a time. */
const BATCH_ROWS = 50
/** The first pause when the mail server cannot be reached. The pause doubles each time, up to the maximum. */
const MIN_PAUSE_MS = 30_000
const MAX_PAUSE_MS = 10 * 60_000
/** The maximum time that the shutdown waits for emails being sent. */
const MAX_SHUTDOWN_MS = 3_000
/** The maximum time that the shutdown then waits for the results to be stored. */
const MAX_RESULT_STORE_MS = 1_000

export type Mailer = {
  /** Sends the emails that are due; returns their number. */
  run(): Promise<number>
  /** The time at which the mail server stopped responding; null if the last attempt succeeded or none was made. */
  unreachableSince(): Instant | null
  close(): Promise<void>
}
export type MailDeps = Pick<Deps, 'store' | 'clock' | 'log'> & {
  /**
   * Jumps of the clock. While the clock may be wrong, emails are retried without limit. If omitted, the clock is
   * trusted.
   */
  readonly clockJumps?: Pick<Deps['clockJumps'], 'findRecentJump'>
  readonly events: Pick<Deps['events'], 'findById'>
  readonly environment: MailEnvironment
}

/** Starts the mail queue. If it is disabled, emails are sent only when `run` is called. */
export function startMailQueue(
  deps: MailDeps,
  { isEnabled }: { readonly isEnabled: boolean } = { isEnabled: true },
): Mailer {
  const { store, clock, log, environment } = deps
  const transport = createBackgroundTransport(environment)
  const pause = openQueuePause(deps)
  let currentRun: Promise<number> | null = null
  let isClosing = false

  const sendOne = async (queuedEmail: QueuedMail): Promise<boolean> => {
    const event = deps.events.findById(queuedEmail.eventId)?.config ?? null
    const safeEmail = removeForeignLinksFromEmail(event, queuedEmail, environment.publicUrl)
    const links: NewLink[] = []
    const cachedStore = {
      ...store,
      // The link and the ticket belong to the same registration, so it is read only once.
      registration: memoize(store.registration),
      // Stores links together with the claim, so that each email needs only one write before it is sent.
      addAccessLink: async (link: NewLink) => void links.push(link),
    }
    const text = await prepareEmailText({ ...deps, store: cachedStore }, safeEmail)
    // If the claim cannot be stored because the disk is full, the result could not be stored either.
    if (!(await store.claimMail(queuedEmail.id, clock(), links))) return false
    if (text === null) {
      await store.mailFailed(queuedEmail.id, 'The email was no longer needed.', null)
      return false
    }
    const result = await transport.send({
      mail: { ...safeEmail, text },
      theme: event === null ? null : pickTheme(event),
      replyTo: event !== null && SINGLE_ADDRESS_PATTERN.test(event.support) ? event.support : null,
      ticket: await collectTicket(cachedStore, event, queuedEmail, clock()),
    })
    if (result === 'unknown') {
      // Keeps the claim, so that the email is retried once.
      log.warn(
        { mail: queuedEmail.id, event: queuedEmail.eventId },
        'the background process ended while it was sending an email; the email will be retried once',
      )
      return false
    }
    const problem = await checkServer(result)
    const at = clock()
    await pause.recordResult(problem)
    if (problem === null) {
      await store.mailSent(queuedEmail.id, at)
      return true
    }
    const attempt = {
      at,
      firstAt: instant(Math.min(queuedEmail.firstTriedAt ?? at, at)),
      hasServerResponded: !problem.isUnreachable && problem.isGenerationFailure !== true,
      isCopySent: problem.isCopySent === true,
    }
    const isClockInDoubt = (deps.clockJumps?.findRecentJump() ?? null) !== null
    const nextAttemptAt = problem.isFinal
      ? null
      : calculateNextAttempt(queuedEmail.attempts, attempt, isClockInDoubt)
    log.warn(
      {
        mail: queuedEmail.id,
        event: queuedEmail.eventId,
        error: problem.code,
        givenUp: nextAttemptAt === null,
      },
      nextAttemptAt === null
        ? 'gave up on an email; send it again with rollcall email retry or on the Emails page of the office'
        : 'an email could not be sent; it will be retried',
    )
    await store.mailFailed(queuedEmail.id, problem.text, nextAttemptAt, attempt)
    return false
  }
  /**
   * Checks whether the server still responds. A connection may end because of one particular email; sending then
   * continues with the other emails.
   */
  const checkServer = async (problem: Problem | null): Promise<Problem | null> =>
    problem?.isUnreachable !== true || isClosing || (await transport.verify()) !== null
      ? problem
      : { ...problem, isUnreachable: false }
  const runOnce = async (): Promise<number> => {
    let sentCount = 0
    for (;;) {
      if (pause.isOn()) return sentCount
      const dueEmails = [...(await store.dueMails(clock(), BATCH_ROWS))]
      const isLast = dueEmails.length < BATCH_ROWS
      // If the queue is empty, checks whether the server responds again.
      if (dueEmails.length === 0 && pause.isUnconfirmed())
        await pause.recordResult(await transport.verify())
      const runWorker = async (): Promise<void> => {
        for (
          let queuedEmail = dueEmails.shift();
          queuedEmail !== undefined;
          queuedEmail = pause.isOn() ? undefined : dueEmails.shift()
        )
          if (await sendOne(queuedEmail)) sentCount += 1
      }
      // After a pause, a single worker tests whether the server responds.
      const workers = pause.isUnconfirmed() ? 1 : MAX_CONNECTIONS
      const results = await Promise.allSettled(Array.from({ length: workers }, runWorker))
      const failedWorker = results.find((result) => result.status === 'rejected')
      if (failedWorker !== undefined) throw failedWorker.reason
      if (isLast) return sentCount
    }
  }
  // One run at a time: two runs of the same queue would send an email twice.
  const run = (): Promise<number> => {
    currentRun ??= runOnce().finally(() => {
      currentRun = null
    })
    return currentRun
  }

  if (isEnabled)
    void transport.verify().then((problem) => {
      if (problem === null) return
      pause.start()
      log.error(
        { error: problem.code, text: problem.text },
        'the mail server is not accepting emails; they stay queued',
      )
    })
  const stopQueue = isEnabled
    ? repeatTask(CHECK_INTERVAL_MS, run, (error) =>
        log.error({ error: String(error) }, 'processing the mail queue failed'),
      )
    : null
  return {
    run,
    unreachableSince: pause.unreachableSince,
    close: async () => {
      isClosing = true
      const allEnded = Promise.all([stopQueue?.(), currentRun])
      // Emails without a response are retried at the next start.
      await waitAtMost(MAX_SHUTDOWN_MS, allEnded, () => {})
      transport.close()
      // Records the results of finished emails, so that the next process does not have to wait until their claims
      // expire.
      await waitAtMost(MAX_RESULT_STORE_MS, allEnded, () => {})
    },
  }
}

/**
 * Pauses the whole queue when the mail server cannot be reached. When it responds again, immediately retries the emails
 * that failed in the meantime.
 */
function openQueuePause({ store, clock, log }: Pick<MailDeps, 'store' | 'clock' | 'log'>) {
  let failedAttempts = 0
  let pausedUntil: Instant | null = null
  let unreachableSince: Instant | null = null
  // A clock that was set back also ends the pause.
  const isPaused = (): boolean =>
    pausedUntil !== null && clock() < pausedUntil && clock() >= pausedUntil - MAX_PAUSE_MS
  return {
    isOn: isPaused,
    unreachableSince: (): Instant | null => unreachableSince,
    /** Records that the server did not respond to a check. Sending the next email tests it again. */
    start: (): void => {
      if (failedAttempts > 0) return
      failedAttempts = 1
      unreachableSince = clock()
    },
    /** True if the pause has ended but it is not yet known whether the server responds. */
    isUnconfirmed: (): boolean => failedAttempts > 0 && !isPaused(),
    /** Records the result of an email. Null if it was accepted. */
    async recordResult(problem: Problem | null): Promise<void> {
      const at = clock()
      if (problem?.isGenerationFailure === true) return
      if (problem?.isUnreachable === true) {
        // Other emails that failed at the same time do not extend the pause.
        if (isPaused()) return
        const pauseMs = Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** failedAttempts)
        failedAttempts += 1
        unreachableSince ??= at
        pausedUntil = instant(at + pauseMs)
        log.error(
          { error: problem.code, ms: pauseMs },
          'the mail server cannot be reached; emails stay queued',
        )
      } else if (failedAttempts > 0) {
        failedAttempts = 0
        pausedUntil = null
        unreachableSince = null
        const rescheduledCount = await store.makeUnreachedEmailsDue(at)
        log.info({ hurried: rescheduledCount }, 'the mail server responds again')
      }
    },
  }
}

/**
 * Removes links to other sites from every email. Runs before the access link is inserted, so that it also removes links
 * to our own site that a delegate entered.
 */
function removeForeignLinksFromEmail(
  event: EventConfig | null,
  email: QueuedMail,
  publicUrl: string,
): QueuedMail {
  const eventWords = collectEventWords(event ?? NO_EVENT)
  const allowedAddresses = new Set([email.to, email.copyTo ?? email.to, getDashboardUrl(publicUrl)])
  const sanitise = (text: string): string => removeForeignLinks(text, eventWords, allowedAddresses)
  return { ...email, subject: sanitise(email.subject), text: sanitise(email.text) }
}
const NO_EVENT = {}

const pickTheme = ({ title, support, look: { colour } }: EventConfig): EmailTheme => ({
  title,
  support,
  look: { colour },
})
