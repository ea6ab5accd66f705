/** Claims, delivers and reschedules queued emails. */
import { sql as raw } from 'kysely'
import { instant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { buildQuery, statement } from '../database/statements/statement.ts'
import { addAccessLink } from '../registrations/access-links.ts'
import type { NewLink } from '../payments/payment-types.ts'
import type { MailState, EmailsToRetry, FailedAttempt } from './email-list-types.ts'

/**
 * How long a claim is valid. Each SMTP step has a timeout of 30 seconds, so the process that sends the email has
 * finished or died by then.
 */
const CLAIM_MS = 10 * 60_000
/** How often an email is sent again after an attempt that was interrupted. */
const MAX_LOST_ATTEMPTS = 1

type EmailParams = { id: number; at: Instant }
const giveUpLostEmail = statement((builder, { id, at }: EmailParams) =>
  builder
    .updateTable('mail_queue')
    .set({
      status: 'failed',
      next_at: null,
      error: 'The email may not have been sent: two attempts were interrupted.',
    })
    .where('id', '=', id)
    .where('status', '=', 'queued')
    .where('next_at', '<=', at)
    .where('claimed_at', 'is not', null)
    .where('lost', '>=', MAX_LOST_ATTEMPTS),
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
const emailRecipient = statement((builder, { id }: { id: number }) =>
  builder.selectFrom('mail_queue').select('recipient').where('id', '=', id),
)
const registeredAddresses = statement((builder, { regNos }: { regNos: string }, dialect) =>
  builder
    .selectFrom('registrations')
    .select('email')
    .where(({ ref }) => dialect.isIn(ref('reg_no'), regNos)),
)
const endOutdatedEmail = statement((builder, { id }: { id: number }) =>
  builder
    .updateTable('mail_queue')
    .set({
      status: 'failed',
      next_at: null,
      error:
        'Not sent, because it contains a link to the registration, which now has another email address.',
    })
    .where('id', '=', id)
    .where('status', '=', 'queued'),
)
type Attempt = {
  id: number
  status: MailState
  nextAt: Instant | null
  /** 1 if the mail server responded. */
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
/** Removes the copy's recipient, because the copy was sent. */
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
 * Claims an email before it is sent, so that a full disk or a crash does not make the server send it over and over. A
 * claimed email without a result may have been sent; it is retried once. Returns false if the email is not due, if two
 * attempts were interrupted, or if the email contains a link to a registration that now has another address: the link
 * would give a former delegate, or a stranger with a mistyped address, access to the registration.
 */
export async function claimMail(
  sql: Sql,
  id: number,
  at: Instant,
  links: readonly NewLink[] = [],
): Promise<boolean> {
  if ((await giveUpLostEmail.run(sql, { id, at }).changes) === 1) return false
  if (!(await isSentToOwner(sql, id, links))) {
    endOutdatedEmail.run(sql, { id })
    return false
  }
  const until = instant(at + CLAIM_MS)
  if ((await claimEmail.run(sql, { id, at, until }).changes) !== 1) return false
  for (const link of links) addAccessLink(sql, link)
  return true
}

/** Returns true if all registrations that the links open have the email's recipient as their address. */
async function isSentToOwner(sql: Sql, id: number, links: readonly NewLink[]): Promise<boolean> {
  if (links.length === 0) return true
  const regNos = JSON.stringify(links.map(({ regNo }) => regNo))
  const addresses = await registeredAddresses.all(sql, { regNos })
  const recipient = (await emailRecipient.get(sql, { id }))?.recipient.toLowerCase()
  return addresses.every(({ email }) => email.toLowerCase() === recipient)
}

export function markMailSent(sql: Sql, id: number, at: Instant): void {
  markSent.run(sql, { id, at })
}

/** Records a failed attempt. The attempt does not count if no mail server responded. */
export function markMailFailed(
  sql: Sql,
  id: number,
  error: string,
  nextAt: Instant | null,
  attempt: FailedAttempt | null,
): void {
  const { at = null, firstAt = null, hasServerResponded = true, isCopySent = false } = attempt ?? {}
  if (isCopySent) removeCopy.run(sql, { id })
  saveFailedAttempt.run(sql, {
    id,
    status: nextAt === null ? 'failed' : 'queued',
    nextAt,
    reached: hasServerResponded ? 1 : 0,
    unreached: hasServerResponded ? 0 : 1,
    at,
    firstAt,
    error,
  })
}

/** Makes emails due now if no mail server responded to their latest attempt. Returns their number. */
export function makeUnreachedEmailsDue(sql: Sql, at: Instant): Promise<number> {
  return sendUnreachedNow.run(sql, { at }).changes
}

/** Reschedules emails that were scheduled while the clock was ahead. */
export function rescheduleEmails(sql: Sql, at: Instant): void {
  // A claimed email may be in transit, so it becomes due only when a claim made now would end.
  rescheduleClaimed.run(sql, { at, until: instant(at + CLAIM_MS) })
  rescheduleUnclaimed.run(sql, { at })
}

/** Restarts the attempts of failed emails, unless the recipient's data was erased. Returns the number of emails. */
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
    const emailsToRetry =
      ids === null
        ? emails.where('status', '=', raw.lit('failed'))
        : emails
            .where(({ ref }) => dialect.isIdIn(ref('id'), JSON.stringify(ids)))
            // If staff select an email, it is sent even if its next attempt is not due yet.
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
      ? emailsToRetry
      : emailsToRetry.where(({ fn, selectFrom }) =>
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
