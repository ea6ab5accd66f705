/**
 * Emails each office a daily list of payment reviews.
 * Logs a line when their number changes. At nine in the morning (Indian time), sends one email per event to the event's
 * office if a payment needs review.
 */
import {
  dayOf,
  formatDay,
  formatInstant,
  formatMoney,
  instant,
  startOfDay,
} from '../../engine/index.ts'
import type { Day, EventConfig, Instant, Review } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import { createPeriodicJob } from '../ops/clock.ts'
import type { PeriodicJob } from '../ops/clock.ts'
import type { NewMail, ReviewCounts } from '../storage/index.ts'

/** Nine in the morning, the beginning of the working day. */
const SEND_TIME_MS = 9 * 60 * 60_000
/** The interval between checks of the clock and the number of reviews. */
const CHECK_INTERVAL_MS = 60_000
/** The email lists at most this many reviews, and then states how many more there are. */
const MAX_LISTED_REVIEWS = 20

export type DailyDeps = Pick<Deps, 'store' | 'events' | 'clock' | 'log' | 'environment'>

/**
 * Starts the daily email. If it is disabled, emails are sent only when `run` is called. `run` returns the number of
 * emails queued.
 */
export function startDailyReviewEmail(
  deps: DailyDeps,
  { isEnabled }: { readonly isEnabled: boolean } = { isEnabled: true },
): PeriodicJob {
  const { store, clock, log } = deps
  let lastLogged: ReviewCounts = { reviews: 0, undecided: 0, unsure: 0 }
  /** The day of the last run, to avoid repeated queries. The store makes sure that each email is sent only once. */
  let lastSentOn: Day | null = null

  const run = async (): Promise<number> => {
    const at = clock()
    const counts = await store.reviewCounts()
    if (counts.reviews > 0 && counts.reviews !== lastLogged.reviews)
      log.warn(counts, 'payment reviews are pending')
    lastLogged = counts
    const today = dayOf(at)
    const morning = instant(startOfDay(today) + SEND_TIME_MS)
    if (at < morning || lastSentOn === today) return 0
    // Today's email may have been sent before the restore. The user who ends the recovery checks the reviews.
    if ((await store.recovery()) !== null) {
      lastSentOn = today
      return 0
    }
    const queuedCount = counts.reviews === 0 ? 0 : await queueReviewEmails(deps, today, morning)
    lastSentOn = today
    return queuedCount
  }

  return createPeriodicJob(run, isEnabled, CHECK_INTERVAL_MS, (error) =>
    log.error({ error: String(error) }, 'the daily review email failed'),
  )
}

/**
 * Queues one email per event. The next day's email lists reviews opened after nine, so a restart at noon does not send
 * a second email.
 */
async function queueReviewEmails(
  { store, events, clock, log, environment }: DailyDeps,
  today: Day,
  morning: Instant,
): Promise<number> {
  const pendingReviews = (await store.reviews(null)).filter(({ since }) => since < morning)
  let queuedCount = 0
  for (const [eventId, reviews] of Map.groupBy(pendingReviews, (review) => review.eventId)) {
    const event = eventId === null ? undefined : events.findById(eventId)?.config
    if (event === undefined) {
      log.warn({ event: eventId, reviews: reviews.length }, 'reviews of an event without a file')
      continue
    }
    const email = buildEmail(event, reviews, today, environment.publicUrl)
    if (await store.queueOnce(`reviews ${event.id} ${today}`, event.id, email, clock()))
      queuedCount += 1
  }
  return queuedCount
}

function buildEmail(
  event: EventConfig,
  reviews: readonly Review[],
  today: Day,
  publicUrl: string,
): NewMail {
  const countText = reviews.length === 1 ? 'One payment needs' : `${reviews.length} payments need`
  const unlistedCount = reviews.length - MAX_LISTED_REVIEWS
  return {
    to: event.office ?? event.support,
    copyTo: null,
    subject: `${event.title}: ${countText.toLowerCase()} review`,
    text: [
      `${countText} review (${formatDay(today)}).`,
      ...reviews.slice(0, MAX_LISTED_REVIEWS).map(formatLine),
      ...(unlistedCount > 0 ? [`… and ${unlistedCount} more.`] : []),
      `Open the office: ${getDashboardUrl(publicUrl)}\nOn the server, "rollcall payment reviews --event ${event.id}" lists them and "rollcall payment decide" resolves them.`,
    ].join('\n\n'),
  }
}

/** Returns the URL of the dashboard, the only one of our URLs that the text of a queued email may contain. */
export function getDashboardUrl(publicUrl: string): string {
  return `${publicUrl}/admin/dashboard`
}

function formatLine({
  id,
  regNo,
  name,
  came: received,
  currency,
  due,
  dueCurrency,
  why: reason,
  since,
}: Review): string {
  // The reason for a review of a wrong amount already states both amounts.
  const amountTexts = [
    {
      label: 'received',
      amount: received === null ? null : formatMoney(received.amount, currency),
    },
    { label: 'due', amount: due === null ? null : formatMoney(due, dueCurrency) },
  ].flatMap(({ label, amount }) =>
    amount === null || containsAmount(reason, amount) ? [] : [`${amount} ${label}`],
  )
  const details = [...amountTexts, `needs review since ${formatInstant(since)}`].join('; ')
  return [
    [id, regNo, name].filter((part) => part !== null && part !== '').join(' · '),
    reason,
    `${details.charAt(0).toUpperCase()}${details.slice(1)}`,
  ].join('\n')
}

/** Returns true if the text contains this amount, rather than a longer amount that begins with it. */
const containsAmount = (text: string, amount: string): boolean =>
  text
    .split(amount)
    .slice(1)
    .some((textAfterAmount) => !/^[,.]?\d/.test(textAfterAmount))
