/**
 * Emails each office a daily list of payment reviews.
 * Logs a line when their number changes. At nine in the morning in India, sends one email per event to its office
 * if a decision is needed.
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
import { byItself } from '../ops/clock.ts'
import type { ByItself } from '../ops/clock.ts'
import type { NewMail, ReviewCounts } from '../storage/index.ts'

/** Nine in the morning: before the day's work, and not at night. */
const MAIL_AT_MS = 9 * 60 * 60_000
/** How often the clock and the number of reviews are checked. */
const TICK_MS = 60_000
/** The email lists this many; the rest are counted. */
const NAMED_MAX = 20

export type DailyDeps = Pick<Deps, 'store' | 'events' | 'clock' | 'log' | 'environment'>

/** `works` false: nothing is sent unless `run` is called. `run` returns the number of emails queued. */
export function openDailyMail(
  deps: DailyDeps,
  { works }: { readonly works: boolean } = { works: true },
): ByItself {
  const { store, clock, log } = deps
  let logged: ReviewCounts = { reviews: 0, undecided: 0, unsure: 0 }
  /** Only avoids repeated queries: the store ensures that an email is sent once. */
  let toldOn: Day | null = null

  const run = async (): Promise<number> => {
    const at = clock()
    const counts = await store.reviewCounts()
    if (counts.reviews !== logged.reviews) log.warn(counts, 'payments wait for a person')
    logged = counts
    const today = dayOf(at)
    const morning = instant(startOfDay(today) + MAIL_AT_MS)
    if (at < morning || toldOn === today) return 0
    // Today's email may have gone out before a restore; the user who ends the recovery checks the reviews.
    if ((await store.recovery()) !== null) {
      toldOn = today
      return 0
    }
    const queued = counts.reviews === 0 ? 0 : await tellOffices(deps, today, morning)
    toldOn = today
    return queued
  }

  return byItself(run, works, TICK_MS, (error) =>
    log.error({ error: String(error) }, 'the daily mail stumbled'),
  )
}

/** Reviews after nine wait for the next day's email, so that a restart at noon sends no second one. */
async function tellOffices(
  { store, events, clock, log, environment }: DailyDeps,
  today: Day,
  morning: Instant,
): Promise<number> {
  const waiting = (await store.reviews(null)).filter(({ since }) => since < morning)
  let queued = 0
  for (const [eventId, reviews] of Map.groupBy(waiting, (review) => review.eventId)) {
    const event = eventId === null ? undefined : events.byId(eventId)?.config
    if (event === undefined) {
      log.warn({ event: eventId, reviews: reviews.length }, 'reviews of an event without a file')
      continue
    }
    const mail = mailOf(event, reviews, today, environment.publicUrl)
    if (await store.queueOnce(`reviews ${event.id} ${today}`, event.id, mail, clock())) queued += 1
  }
  return queued
}

function mailOf(
  event: EventConfig,
  reviews: readonly Review[],
  today: Day,
  publicUrl: string,
): NewMail {
  const many = reviews.length === 1 ? 'One payment needs' : `${reviews.length} payments need`
  const rest = reviews.length - NAMED_MAX
  return {
    to: event.office ?? event.support,
    copyTo: null,
    subject: `${event.title}: ${many.toLowerCase()} a decision`,
    text: [
      `${many} a decision (${formatDay(today)}).`,
      ...reviews.slice(0, NAMED_MAX).map(lineOf),
      ...(rest > 0 ? [`… and ${rest} more.`] : []),
      `They are counted on the dashboard: ${dashboardOf(publicUrl)}\nOn the server, "rollcall payment reviews --event ${event.id}" lists them and "rollcall payment decide" ends them.`,
    ].join('\n\n'),
  }
}

/** Returns the only address of ours that an email names in its text. */
export function dashboardOf(publicUrl: string): string {
  return `${publicUrl}/admin/dashboard`
}

function lineOf({ id, regNo, name, came, due, why, since }: Review): string {
  const money = [
    came === null ? null : `${formatMoney(came.amount)} came`,
    due === null ? null : `${formatMoney(due)} was due`,
  ].filter((part) => part !== null)
  return [
    [id, regNo, name].filter((part) => part !== null && part !== '').join(' · '),
    why,
    `${money.join('; ')}${money.length > 0 ? '; ' : ''}waiting since ${formatInstant(since)}`,
  ].join('\n')
}
