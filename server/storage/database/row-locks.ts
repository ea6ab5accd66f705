/**
 * Locks the rows that an operation on PostgreSQL checks. SQLite has one writer and needs no locks.
 * Every operation locks in `LOCK_ORDER`, and rows of one kind by id, so that deadlocks are rare. PostgreSQL rolls
 * back one of the deadlocked operations, which is then retried.
 */
import { createHash } from 'node:crypto'
import type { Sql } from './sqlite-connection.ts'

/**
 * The number of lock slots for answers and for persons. Two values rarely share a slot, so operations rarely wait for
 * each other unnecessarily.
 */
export const LOCK_SLOTS = 1_024

/**
 * Locks answers, identified by event, rule and normalised answer, because other delegates may submit the same ones at
 * the same time.
 */
export function lockAnswers(
  sql: Sql,
  answers: readonly (readonly [eventId: string, rule: string, answer: string])[],
): void {
  if (answers.length === 0) return
  sql.lock(
    'unique answer',
    "SELECT 1 FROM row_locks WHERE kind = 'answer' AND slot = ANY($1) ORDER BY slot FOR UPDATE",
    answers.map(computeSlot),
  )
}

/** Prevents other operations from filling the unique answer indexes of these events until the transaction ends. */
export const lockRules = (sql: Sql, eventIds: readonly string[]): void =>
  lockAnswers(
    sql,
    eventIds.map((eventId) => [eventId, '', '']),
  )

const computeSlot = (parts: readonly string[]): number =>
  createHash('sha256').update(parts.join('\0')).digest().readUInt16BE() % LOCK_SLOTS

/** Delays other payments and refunds of these persons until the transaction ends. */
export const lockPersons = (
  sql: Sql,
  persons: readonly (readonly [eventId: string, person: string])[],
): void =>
  sql.lock(
    'person',
    "SELECT 1 FROM row_locks WHERE kind = 'person' AND slot = ANY($1) ORDER BY slot FOR UPDATE",
    persons.map(computeSlot),
  )

/**
 * Delays other emails that anyone can trigger to this mailbox until the transaction ends. Mailboxes share lock slots
 * with persons.
 */
export const lockMailbox = (sql: Sql, mailbox: string): void =>
  sql.lock(
    'mailbox',
    "SELECT 1 FROM row_locks WHERE kind = 'person' AND slot = $1 FOR UPDATE",
    computeSlot([mailbox]),
  )

/**
 * Delays other payments and refunds with these reference keys until the transaction ends. No row exists for a reference
 * before its first payment or refund, so the lock is on the key itself.
 */
export function lockReferences(sql: Sql, keys: readonly string[]): void {
  if (keys.length === 0) return
  sql.lock(
    'reference',
    `SELECT pg_advisory_xact_lock(hashtextextended(key, 0))
     FROM (SELECT DISTINCT key FROM unnest($1::text[]) AS key ORDER BY key) AS sorted`,
    keys,
  )
}

/** Makes sign-ins and changes of this user wait until the transaction ends. */
export const lockUser = (sql: Sql, id: number): void =>
  sql.lock('user', 'SELECT 1 FROM admins WHERE id = $1 FOR NO KEY UPDATE', id)

/**
 * Keeps a session and the permissions of its user until the transaction ends. Locks the user first, as a change of the
 * user does.
 */
export function lockSession(sql: Sql, tokenHash: string): void {
  sql.lock(
    'user',
    'SELECT 1 FROM admins WHERE id = (SELECT admin_id FROM sessions WHERE token_hash = $1) FOR SHARE',
    tokenHash,
  )
  sql.lock('user', 'SELECT 1 FROM sessions WHERE token_hash = $1 FOR KEY SHARE', tokenHash)
}

export const lockCode = (sql: Sql, eventId: string, normalisedCode: string): void =>
  sql.lock(
    'code',
    'SELECT 1 FROM codes WHERE event_id = $1 AND folded = $2 FOR UPDATE',
    eventId,
    normalisedCode,
  )

/**
 * Locks registrations before the operation reads and changes them. A concurrent change either waits or is included in
 * the read.
 */
export const lockRegistrationIds = (sql: Sql, ids: readonly number[]): void =>
  sql.lock(
    'registration',
    'SELECT id FROM registrations WHERE id = ANY($1) ORDER BY id FOR UPDATE',
    ids,
  )

/**
 * Keeps the active version of an event active until the transaction ends. A FOR KEY SHARE lock would not prevent an
 * update.
 */
export const lockVersion = (sql: Sql, eventId: string): void =>
  sql.lock('version', 'SELECT 1 FROM active_events WHERE event_id = $1 FOR SHARE', eventId)

/** Prevents changes to an event's quotas until the transaction ends. */
export const preventQuotaChanges = (sql: Sql, eventId: string): void =>
  sql.lock('seat', 'SELECT 1 FROM event_limits WHERE event_id = $1 FOR SHARE', eventId)

/** Locks the named seats of an event, and its quotas. */
export function lockSeats(sql: Sql, eventId: string, names: readonly string[]): void {
  preventQuotaChanges(sql, eventId)
  sql.lock(
    'seat',
    'SELECT id FROM places WHERE event_id = $1 AND place = ANY($2) ORDER BY id FOR UPDATE',
    eventId,
    names,
  )
}

/**
 * Locks the current seats of a registration, and the seats that it has lost. Another registration that takes a seat
 * with an expired hold releases that hold first.
 */
export function lockLostSeats(sql: Sql, registrationId: number): void {
  sql.lock(
    'seat',
    'SELECT 1 FROM places_taken WHERE registration_id = $1 ORDER BY place_id FOR UPDATE',
    registrationId,
  )
  sql.lock(
    'seat',
    `SELECT id FROM places WHERE id IN (SELECT place_id FROM places_taken WHERE registration_id = $1 AND state = 'free')
     ORDER BY id FOR UPDATE`,
    registrationId,
  )
}

/** Locks all seats of an event and its quotas, before the quotas change. */
export function lockQuotas(sql: Sql, eventId: string): void {
  sql.lock('seat', 'SELECT 1 FROM event_limits WHERE event_id = $1 FOR UPDATE', eventId)
  sql.lock('seat', 'SELECT id FROM places WHERE event_id = $1 ORDER BY id FOR UPDATE', eventId)
}
