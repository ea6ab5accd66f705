/** Claims, delivers and reschedules queued emails. */
import { sql as raw } from 'kysely'
import { instant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { buildQuery, statement } from '../database/statements/statement.ts'
import { addAccessLink } from '../registrations/access-links.ts'
import type { NewLink } from '../payments/payment-types.ts'
import type { MailState, EmailsToRetry, FailedAttempt } from './email-list-types.ts'

/** By then the process that sends the email has finished or died: each SMTP step has a timeout of 30 seconds. */
const CLAIM_MS = 10 * 60_000
/** The number of retries of an email whose sending never finished. */
const LOST_ATTEMPTS_MAX = 1

type EmailParams = { id: number; at: Instant }
const giveUpLostEmail = statement((builder, { id, at }: EmailParams) =>
  builder
    .updateTable('mail_queue')
    .set({
      status: 'failed',
      next_at: null,
      error: 'It is unknown whether the email was sent: two attempts were interrupted.',
    })
    .where('id', '=', id)
    .where('status', '=', 'queued')
    .where('next_at', '<=', at)
    .where('claimed_at', 'is not', null)
    .where('lost', '>=', LOST_ATTEMPTS_MAX),
)
const claimEmail = statement((builder, { id, at, until }: EmailParams & { until: Instant }) =>
  builder
    .updateTable('mail_queue')
    .set((eb) => ({
      lost: eb('lost', '+', eb.case().when('claimed_at', 'is', null).then(0).else(1).end()),
      claimed_at: at,
      next_at: until,
    }))
    .where('id', '=', id)
    .where('status', '=', 'queued')
    .where('next_at', '<=', at),
)
const markSent = statement((builder, { id, at }: EmailParams) =>
  builder
    .updateTable('mail_queue')
    .set((eb) => ({
      status: 'sent',
      sent_at: at,
      attempts: eb('attempts', '+', 1),
      next_at: null,
      claimed_at: null,
      error: null,
    }))
    .where('id', '=', id)
    .where('status', '=', 'queued'),
)
type Attempt = {
  id: number
  status: MailState
  nextAt: Instant | null
  /** 1 if a mail server responded. */
  reached: 0 | 1
  unreached: 0 | 1
  at: Instant | null
  firstAt: Instant | null
  error: string
}
const saveFailedAttempt = statement((builder, attempt: Attempt) =>
  builder
    .updateTable('mail_queue')
    .set((eb) => ({
      status: attempt.status,
      next_at: attempt.nextAt,
      attempts: eb('attempts', '+', attempt.reached),
      unreached: attempt.unreached,
      tried_at: attempt.at,
      first_tried_at: attempt.firstAt,
      claimed_at: null,
      error: attempt.error,
    }))
    .where('id', '=', attempt.id)
    .where('status', '=', 'queued'),
)
/** The copy was sent, so the next attempt sends none. */
const removeCopy = statement((builder, { id }: { id: number }) =>
  builder
    .updateTable('mail_queue')
    .set({ copy_to: null })
    .where('id', '=', id)
    .where('status', '=', 'queued'),
)
const sendUnreachedNow = statement((builder, { at }: { at: Instant }) =>
  builder
    .updateTable('mail_queue')
    .set({ next_at: at })
    .where('status', '=', 'queued')
    .where('next_at', '>', at)
    .where('claimed_at', 'is', null)
    .where('unreached', '=', 1),
)
const rescheduleClaimed = statement((builder, { at, until }: { at: Instant; until: Instant }) =>
  builder
    .updateTable('mail_queue')
    .set({ next_at: until })
    .where('status', '=', 'queued')
    .where('claimed_at', '>', at)
    .where('next_at', '>', until),
)
const rescheduleUnclaimed = statement((builder, { at }: { at: Instant }) =>
  builder
    .updateTable('mail_queue')
    .set({ next_at: at })
    .where('status', '=', 'queued')
    .where('claimed_at', 'is', null)
    .where('next_at', '>', at)
    .where(({ fn }) => fn.coalesce('tried_at', 'created_at'), '>', at),
)

/**
 * Called before sending, so that a full disk or a dying process does not send an email repeatedly. An email claimed and
 * never marked may have been sent, and is retried once.
 */
export async function claimMail(
  sql: Sql,
  id: number,
  at: Instant,
  links: readonly NewLink[] = [],
): Promise<boolean> {
  if ((await giveUpLostEmail.run(sql, { id, at }).changes) === 1) return false
  const until = instant(at + CLAIM_MS)
  if ((await claimEmail.run(sql, { id, at, until }).changes) !== 1) return false
  for (const link of links) addAccessLink(sql, link)
  return true
}

export function markMailSent(sql: Sql, id: number, at: Instant): void {
  markSent.run(sql, { id, at })
}

/** An attempt without a response from a mail server is not counted. */
export function markMailFailed(
  sql: Sql,
  id: number,
  error: string,
  nextAt: Instant | null,
  attempt: FailedAttempt | null,
): void {
  const { at = null, firstAt = null, isReached = true, hasCopyGone = false } = attempt ?? {}
  if (hasCopyGone) removeCopy.run(sql, { id })
  saveFailedAttempt.run(sql, {
    id,
    status: nextAt === null ? 'failed' : 'queued',
    nextAt,
    reached: isReached ? 1 : 0,
    unreached: isReached ? 0 : 1,
    at,
    firstAt,
    error,
  })
}

/** Emails that got no response from a mail server are due immediately. Returns how many. */
export function makeMailsDue(sql: Sql, at: Instant): Promise<number> {
  return sendUnreachedNow.run(sql, { at }).changes
}

/** Reschedules emails whose time was set by a clock that was ahead. */
export function planMailsAgain(sql: Sql, at: Instant): void {
  // A claimed email may be in transit: it waits no longer than other claims.
  rescheduleClaimed.run(sql, { at, until: instant(at + CLAIM_MS) })
  rescheduleUnclaimed.run(sql, { at })
}

/** Retries failed emails from the beginning, except those of an erased person; returns their number. */
export function retryMails(sql: Sql, at: Instant, { ids, events }: EmailsToRetry): Promise<number> {
  return buildQuery(sql, (builder, dialect) => {
    const emails = builder
      .updateTable('mail_queue')
      .set({
        status: 'queued',
        next_at: at,
        attempts: 0,
        lost: 0,
        claimed_at: null,
        first_tried_at: null,
        unreached: 0,
      })
      .where('recipient', '<>', '')
    const condition =
      ids === null
        ? emails.where('status', '=', raw.lit('failed'))
        : emails
            .where(({ ref }) => dialect.isIdIn(ref('id'), JSON.stringify(ids)))
            // An email that staff select is also sent before it is due.
            .where(({ and, eb, or }) =>
              or([
                eb('status', '=', raw.lit('failed')),
                and([
                  eb('status', '=', raw.lit('queued')),
                  eb('next_at', 'is not', null),
                  eb('claimed_at', 'is', null),
                  eb('error', 'is not', null),
                ]),
              ]),
            )
    return events === null
      ? condition
      : condition.where(({ fn, selectFrom }) =>
          dialect.isIn(
            fn.coalesce(
              'event_id',
              selectFrom('registrations as r')
                .select('r.event_id')
                .whereRef('r.id', '=', 'registration_id'),
            ),
            JSON.stringify(events),
          ),
        )
  }).run().changes
}
