/** Writes the email queue. */
import { assert, instant, mailboxKey } from '../../../engine/index.ts'
import { buildEmailsPausedEmail } from '../../../engine/messages.ts'
import type { Actor, Instant, RegNo } from '../../../engine/index.ts'
import type { Ran, Sql } from '../database/sqlite-connection.ts'
import { sentUnless } from '../recovery/held-during-recovery.ts'
import type { MailsToRetry, Tried } from './email-list-types.ts'
import { GIVEN_BACK } from '../refunds/record-refunds.ts'
import { sayingSecond } from '../payments/find-duplicate-payments.ts'
import type { MailSpacing, NewMail, QueuedMail } from '../index.ts'

/** Whoever sends a mail has ended by then, or died: a mail server is waited for 30 seconds at each step. */
const CLAIMED_MS = 10 * 60_000
/** How often a mail whose sending nobody ended is tried again. */
const LOST_MAX = 1

/** A mailbox gets at most so many emails that anyone can trigger. */
const LIMITED_MAX = 5
const LIMITED_MS = 60 * 60_000
/** What the office reads of an email that was not sent for it. */
const TOO_MANY = `Not sent: this address got ${LIMITED_MAX} emails within an hour. The delegate can request the link.`

/** Who triggers an email. A stranger can also trigger what delegates do, and its automatic consequences. */
export type Trigger = Actor | 'system'

export async function enqueue(
  sql: Sql,
  registrationId: number,
  kind: 'confirmation' | 'again',
  mail: NewMail,
  at: Instant,
  trigger: Trigger,
): Promise<number> {
  const written = sql(
    'INSERT INTO mail_queue (registration_id, kind, recipient, copy_to, subject, body, next_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  ).run(registrationId, kind, mail.to, mail.copyTo, mail.subject, mail.text, at, at)
  const id = await written.lastInsertRowid
  if (trigger === 'delegate' || trigger === 'clock') await limitToMailbox(sql, id, mail, at, 'keep')
  return id
}

/**
 * To be called with each email that was just queued and that a stranger can trigger: what is too much for its mailbox is
 * not sent, and the first time in an hour one email says so. `keep`: the office sees the email that was not sent, and can
 * send it; `drop`: whoever asked for it can ask again. False: it is not sent.
 */
async function limitToMailbox(
  sql: Sql,
  id: number,
  mail: NewMail,
  at: Instant,
  unsent: 'keep' | 'drop',
): Promise<boolean> {
  const mailbox = mailboxKey(mail.to)
  sql('UPDATE mail_queue SET mailbox = ? WHERE id = ?').run(mailbox, id)
  // On both sides, because the clock may have been ahead when they were queued.
  const hour = [at - LIMITED_MS + 1, at + LIMITED_MS - 1]
  const { emails, pauses, first } = (await sql<{ emails: number; pauses: number; first: number }>(
    `SELECT sum(iif(kind <> 'paused', 1, 0)) AS emails, sum(iif(kind = 'paused', 1, 0)) AS pauses, min(created_at) AS first
     FROM mail_queue WHERE mailbox = ? AND created_at BETWEEN ? AND ?`,
  ).get(mailbox, ...hour)) ?? { emails: 0, pauses: 0, first: at }
  if (emails <= LIMITED_MAX) return true
  if (pauses === 0) {
    const pause = buildEmailsPausedEmail(mail.to, LIMITED_MAX, instant(first + LIMITED_MS))
    sql(
      `INSERT INTO mail_queue (registration_id, kind, recipient, copy_to, subject, body, next_at, created_at, mailbox)
       SELECT registration_id, 'paused', recipient, NULL, ?, ?, next_at, created_at, mailbox FROM mail_queue WHERE id = ?`,
    ).run(pause.subject, pause.text, id)
  }
  if (unsent === 'drop') sql('DELETE FROM mail_queue WHERE id = ?').run(id)
  else
    sql(
      "UPDATE mail_queue SET status = 'failed', next_at = NULL, mailbox = NULL, error = ? WHERE id = ?",
    ).run(TOO_MANY, id)
  return false
}

/**
 * Of a recovery `v`: the registration has paid before it began, as far as is known, and may have been told so. Where the gateway
 * names no time, the order was handed out before. Bound to the registration.
 */
const PAID_BEFORE = `EXISTS (SELECT 1 FROM payments p WHERE p.registration_id = ? AND p.status = 'success'
  AND (p.paid_at < v.begun_at OR (p.paid_at = p.status_at AND p.handed_off_at < v.begun_at)))`

/** Once per registration: one that a correction had made free was confirmed then, whatever is paid for it later. */
export async function confirmByMail(
  sql: Sql,
  registrationId: number,
  composed: NewMail,
  at: Instant,
): Promise<void> {
  const mail = await sayingSecond(sql, registrationId, composed)
  sql(
    `INSERT INTO mail_queue (registration_id, kind, recipient, copy_to, subject, body, next_at, created_at)
     VALUES (?, 'confirmation', ?, ?, ?, ?, ${sentUnless(PAID_BEFORE)}, ?) ON CONFLICT (registration_id) WHERE kind = 'confirmation' DO NOTHING`,
  ).run(registrationId, mail.to, mail.copyTo, mail.subject, mail.text, registrationId, at, at)
}

export async function queueMail(
  sql: Sql,
  regNo: RegNo,
  mail: NewMail,
  at: Instant,
): Promise<number> {
  const registration = await sql<{ id: number }>(
    'SELECT id FROM registrations WHERE reg_no = ?',
  ).get(regNo)
  assert(registration !== undefined, 'a mail for a registration that is not there')
  return enqueue(sql, registration.id, 'again', mail, at, 'system')
}

/** Queues the email with links for a delegate who lost theirs. */
export async function queueLinks(
  sql: Sql,
  regNo: RegNo,
  mail: NewMail,
  at: Instant,
): Promise<void> {
  const written = sql(
    `INSERT INTO mail_queue (registration_id, kind, recipient, copy_to, subject, body, next_at, created_at)
     SELECT id, 'links', ?, NULL, ?, ?, ?, ? FROM registrations WHERE reg_no = ?`,
  ).run(mail.to, mail.subject, mail.text, at, at, regNo)
  await wasQueued(sql, written, mail, at, 'drop')
}

export async function queueAsked(
  sql: Sql,
  regNo: RegNo,
  composed: NewMail,
  at: Instant,
  { apartMs, mailsMax }: MailSpacing,
): Promise<boolean> {
  const registration = await sql<{ id: number }>(
    'SELECT id FROM registrations WHERE reg_no = ?',
  ).get(regNo)
  const mail =
    registration === undefined ? composed : await sayingSecond(sql, registration.id, composed)
  const written = sql(
    `INSERT INTO mail_queue (registration_id, kind, recipient, copy_to, subject, body, next_at, created_at)
     SELECT r.id, 'asked', ?, NULL, ?, ?, ?, ? FROM registrations r WHERE r.reg_no = ?
       AND NOT EXISTS (SELECT 1 FROM mail_queue m WHERE m.registration_id = r.id AND m.created_at > ?)
       AND (SELECT count(*) FROM mail_queue m WHERE m.registration_id = r.id AND m.kind = 'asked') < ?`,
  ).run(mail.to, mail.subject, mail.text, at, at, regNo, at - apartMs, mailsMax)
  return wasQueued(sql, written, mail, at, 'drop')
}

export function queueAlready(
  sql: Sql,
  regNo: RegNo,
  mail: NewMail,
  at: Instant,
  after: Instant,
): Promise<boolean> {
  const written = sql(
    `INSERT INTO mail_queue (registration_id, kind, recipient, copy_to, subject, body, next_at, created_at)
     SELECT r.id, 'already', ?, ?, ?, ?, ?, ? FROM registrations r WHERE r.reg_no = ?
       AND NOT EXISTS (SELECT 1 FROM mail_queue m WHERE m.registration_id = r.id AND m.kind = 'already' AND m.created_at > ?)`,
  ).run(mail.to, mail.copyTo, mail.subject, mail.text, at, at, regNo, after)
  return wasQueued(sql, written, mail, at, 'drop')
}

/** Of a statement that queued one email, or none. */
async function wasQueued(
  sql: Sql,
  { changes, lastInsertRowid }: Written,
  mail: NewMail,
  at: Instant,
  unsent: 'keep' | 'drop',
): Promise<boolean> {
  return (
    (await changes) === 1 && (await limitToMailbox(sql, await lastInsertRowid, mail, at, unsent))
  )
}
type Written = Ran

export async function queueOnce(
  sql: Sql,
  once: string,
  eventId: string,
  mail: NewMail,
  at: Instant,
): Promise<boolean> {
  return (
    (await sql(
      `INSERT INTO mail_queue (event_id, kind, once, recipient, copy_to, subject, body, next_at, created_at)
       VALUES (?, 'reviews', ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (once) DO NOTHING`,
    ).run(eventId, once, mail.to, mail.copyTo, mail.subject, mail.text, at, at).changes) === 1
  )
}

export function queueUnfinished(
  sql: Sql,
  regNo: RegNo,
  mail: NewMail,
  at: Instant,
): Promise<boolean> {
  const stillOpen = "AND payment_status = 'pending' AND in_review = 0"
  const written = queuedOnce(sql, 'unfinished', `unfinished ${regNo}`, regNo, mail, at, stillOpen)
  return wasQueued(sql, written, mail, at, 'keep')
}

export async function queueGivenBack(
  sql: Sql,
  refundId: number,
  regNo: RegNo,
  mail: NewMail,
  at: Instant,
): Promise<boolean> {
  return (
    (await queuedOnce(sql, 'given-back', `${GIVEN_BACK} ${refundId}`, regNo, mail, at).changes) ===
    1
  )
}

/** To a registration, once per key. `where`: what else must be so of it. */
function queuedOnce(
  sql: Sql,
  kind: QueuedMail['kind'],
  once: string,
  regNo: RegNo,
  mail: NewMail,
  at: Instant,
  where = '',
): Written {
  return sql(
    `INSERT INTO mail_queue (registration_id, kind, once, recipient, copy_to, subject, body, next_at, created_at)
     SELECT id, '${kind}', ?, ?, ?, ?, ?, ${sentUnless('registrations.created_at < v.begun_at')}, ? FROM registrations WHERE reg_no = ? ${where} ON CONFLICT (once) DO NOTHING`,
  ).run(once, mail.to, mail.copyTo, mail.subject, mail.text, at, at, regNo)
}

/**
 * Before sending, so that a full disk or a dying process does not send an email repeatedly: an email claimed and
 * never marked may have been sent, and is retried once.
 */
export async function claimMail(sql: Sql, id: number, at: Instant): Promise<boolean> {
  const due = "WHERE id = ? AND status = 'queued' AND next_at <= ?"
  const givenUp = sql(
    `UPDATE mail_queue SET status = 'failed', next_at = NULL, error = ? ${due} AND claimed_at IS NOT NULL AND lost >= ?`,
  ).run('Whether it was sent is not known: it was tried twice.', id, at, LOST_MAX)
  if ((await givenUp.changes) === 1) return false
  return (
    (await sql(
      `UPDATE mail_queue SET lost = lost + (claimed_at IS NOT NULL), claimed_at = ?, next_at = ? ${due}`,
    ).run(at, at + CLAIMED_MS, id, at).changes) === 1
  )
}

export function mailSent(sql: Sql, id: number, at: Instant): void {
  sql(
    "UPDATE mail_queue SET status = 'sent', sent_at = ?, attempts = attempts + 1, next_at = NULL, claimed_at = NULL, error = NULL WHERE id = ? AND status = 'queued'",
  ).run(at, id)
}

/** An attempt that no mail server answered is not counted. */
export function mailFailed(
  sql: Sql,
  id: number,
  error: string,
  nextAt: Instant | null,
  tried: Tried | null,
): void {
  const { at = null, firstAt = null, isReached = true, hasCopyGone = false } = tried ?? {}
  sql(
    `UPDATE mail_queue SET status = ?, next_at = ?, attempts = attempts + ?, unreached = ?, tried_at = ?, first_tried_at = ?,
       copy_to = CASE WHEN ? = 1 THEN NULL ELSE copy_to END, claimed_at = NULL, error = ? WHERE id = ? AND status = 'queued'`,
  ).run(
    nextAt === null ? 'failed' : 'queued',
    nextAt,
    Number(isReached),
    Number(!isReached),
    at,
    firstAt,
    Number(hasCopyGone),
    error,
    id,
  )
}

/** Emails that no mail server answered are due at once; returns how many. */
export function hurryMails(sql: Sql, at: Instant): Promise<number> {
  return sql(
    "UPDATE mail_queue SET next_at = ? WHERE status = 'queued' AND next_at > ? AND claimed_at IS NULL AND unreached = 1",
  ).run(at, at).changes
}

/** Reschedules emails whose time was set by a clock that was ahead. */
export function planMailsAgain(sql: Sql, at: Instant): void {
  // One that was claimed may be on its way: it waits no longer than other claims do.
  sql(
    "UPDATE mail_queue SET next_at = ? WHERE status = 'queued' AND claimed_at > ? AND next_at > ?",
  ).run(at + CLAIMED_MS, at, at + CLAIMED_MS)
  sql(
    `UPDATE mail_queue SET next_at = ? WHERE status = 'queued' AND claimed_at IS NULL AND next_at > ?
     AND coalesce(tried_at, created_at) > ?`,
  ).run(at, at, at)
}

/** Retries failed emails from the beginning, except those of an erased person; returns how many. */
export function retryMails(sql: Sql, at: Instant, { ids, events }: MailsToRetry): Promise<number> {
  // Somebody who names it does not want to wait until it is due.
  const those =
    ids === null
      ? "status = 'failed'"
      : `id IN (SELECT value FROM json_each(?)) AND (status = 'failed' OR (status = 'queued' AND next_at IS NOT NULL AND claimed_at IS NULL AND error IS NOT NULL))`
  const ofEvents =
    events === null
      ? ''
      : `AND coalesce(event_id, (SELECT r.event_id FROM registrations r WHERE r.id = registration_id)) IN (SELECT value FROM json_each(?))`
  return sql(
    `UPDATE mail_queue SET status = 'queued', next_at = ?, attempts = 0, lost = 0, claimed_at = NULL, first_tried_at = NULL, unreached = 0
     WHERE recipient <> '' AND ${those} ${ofEvents}`,
  ).run(at, ...[ids, events].flatMap((some) => (some === null ? [] : [JSON.stringify(some)])))
    .changes
}
