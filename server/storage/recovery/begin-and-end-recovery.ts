/**
 * Starts and ends recoveries, and counts the differences.
 * A recovery follows from a database that is older than the one served before. It starts and ends in one
 * transaction each.
 */
import {
  dayOf,
  financialYear,
  recoveryCode,
  seriesAfter,
  WATCHED_MS,
} from '../../../engine/index.ts'
import type { HeldEmails, Instant } from '../../../engine/index.ts'
import { audit } from '../staff/audit-log-entries.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { IS_HELD } from './held-during-recovery.ts'
import type {
  Counted,
  EndedRecovery,
  RecoveryMark,
  NewRecovery,
  Recovery,
  RecoveryFigures,
} from './recovery-types.ts'
import { noteNextAttempts } from '../payments/unknown-orders.ts'
import { UNDER_WAY } from '../refunds/refund-states-and-channels.ts'

/** Rows are only added to these, and each gets a number above all before it. */
const GROWING = [
  'registrations',
  'payments',
  'payment_facts',
  'captures',
  'refunds',
  'documents',
  'acts',
  'audit_log',
] as const
/** The page shows so many emails; the rest is counted. */
const MAILS_SHOWN = 50

const RECOVERY = `code, begun_at AS begunAt, who, why, copy_at AS copyAt, stored_at AS storedAt, served_at AS servedAt`

/** Null: none is open. Reads only; also runs outside the writer's transaction. */
export async function recoveryOf(sql: Sql): Promise<Recovery | null> {
  return (
    (await sql<Recovery>(
      `SELECT ${RECOVERY} FROM recoveries WHERE ended_at IS NULL ORDER BY id DESC LIMIT 1`,
    ).get()) ?? null
  )
}

/** Reads only; also runs outside the writer's transaction. */
export async function counted(
  sql: Sql,
): Promise<{ readonly name: string | null; readonly counted: Counted }> {
  const last = GROWING.map((table) => `(SELECT max(id) FROM ${table}) AS ${table}`)
  const row =
    (await sql<Readonly<Record<string, number | null>>>(`SELECT ${last.join(', ')}`).get()) ?? {}
  const name = (await sql<{ name: string }>('SELECT name FROM installation').get())?.name ?? null
  return {
    name,
    counted: Object.fromEntries(GROWING.map((table) => [table, row[table] ?? 0])),
  }
}

export async function mark(sql: Sql, name: string): Promise<RecoveryMark> {
  const found = await counted(sql)
  if (found.name !== null) return { ...found, name: found.name }
  sql('INSERT INTO installation (only, name) VALUES (1, ?)').run(name)
  return { ...found, name }
}

/**
 * Returns the present pattern of a series: a number possibly issued in the lost time is not issued again in its
 * financial year.
 */
export async function seriesNow(sql: Sql, pattern: string, year: string): Promise<string> {
  const last = await sql<{ code: string; begun_at: Instant }>(
    'SELECT code, begun_at FROM recoveries ORDER BY id DESC LIMIT 1',
  ).get()
  return last === undefined || financialYear(dayOf(last.begun_at)) !== year
    ? pattern
    : seriesAfter(pattern, last.code)
}

export async function beginRecovery(
  sql: Sql,
  { at, who, why, copyAt, servedAt, taken }: NewRecovery,
  since: Instant | null,
): Promise<Recovery | null> {
  const begun = await sql<{ code: string; begun_at: Instant }>(
    'SELECT code, begun_at FROM recoveries ORDER BY id',
  ).all()
  const newest = begun.at(-1)
  if (since !== null && newest !== undefined && newest.begun_at >= since) return null
  const code = recoveryCode(at, [...taken, ...begun.map((one) => one.code)])
  // A copy that was made during a recovery is in it: another one follows, with a series of its own.
  sql(
    "UPDATE recoveries SET ended_at = ?, ended_by = 'rollcall', mails = 'send' WHERE ended_at IS NULL",
  ).run(at)
  sql(
    'INSERT INTO recoveries (code, begun_at, who, why, copy_at, stored_at, served_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  ).run(code, at, who, why, copyAt, await storedAt(sql), servedAt)
  sql(
    `INSERT INTO recovery_payments (recovery_id, payment_id)
     SELECT (SELECT max(id) FROM recoveries), p.id FROM payments p WHERE p.status = 'pending' AND p.gateway IS NOT NULL`,
  ).run()
  sql("UPDATE mail_queue SET next_at = NULL, claimed_at = NULL WHERE status = 'queued'").run()
  askAtOnce(sql, at)
  await noteNextAttempts(sql, at)
  const what = `began a recovery, numbers of documents with ${code}: ${why}`
  audit(sql, { at, who, what, eventId: null, regNo: null })
  return recoveryOf(sql)
}

/** Null: there was no recovery. */
export const newestRecoveryAt = async (sql: Sql): Promise<Instant | null> =>
  (await sql<{ at: Instant | null }>('SELECT max(begun_at) AS at FROM recoveries').get())?.at ??
  null

/** Of what is kept with its time and never edited. */
export async function storedAt(sql: Sql): Promise<Instant | null> {
  const newest = await sql<{ at: Instant | null }>(
    `SELECT max(at) AS at FROM (SELECT max(created_at) AS at FROM registrations
       UNION ALL SELECT max(at) AS at FROM payment_facts UNION ALL SELECT max(at) AS at FROM audit_log) AS newest`,
  ).get()
  return newest?.at ?? null
}

/** About what was pending, what had ended lately, and every payment of which a refund is under way: it may have gone back meanwhile. */
function askAtOnce(sql: Sql, at: Instant): void {
  sql(
    `UPDATE payments SET watch_until = max(coalesce(watch_until, 0), CAST(? AS bigint)) WHERE gateway IS NOT NULL AND id IN (
       SELECT c.payment_id FROM captures c JOIN refunds f ON f.capture_id = c.id WHERE ${UNDER_WAY('f')})`,
  ).run(at + WATCHED_MS)
  sql(
    `UPDATE payments SET next_ask_at = 0, asking_until = NULL
     WHERE gateway IS NOT NULL AND (watch_until IS NOT NULL OR (status = 'pending' AND review IS NULL))`,
  ).run()
}

export async function endRecovery(
  sql: Sql,
  { at, who, mails }: { readonly at: Instant; readonly who: string; readonly mails: HeldEmails },
): Promise<{
  readonly recovery: Recovery
  readonly sent: number
  readonly discarded: number
} | null> {
  const recovery = await recoveryOf(sql)
  if (recovery === null) return null
  sql('UPDATE recoveries SET ended_at = ?, ended_by = ?, mails = ? WHERE ended_at IS NULL').run(
    at,
    who,
    mails,
  )
  const sent =
    mails === 'discard'
      ? 0
      : await sql(`UPDATE mail_queue SET next_at = ? WHERE ${IS_HELD} AND created_at < ?`).run(
          at,
          mails === 'send' ? LAST : recovery.begunAt,
        ).changes
  const discarded = await sql(
    `UPDATE mail_queue SET status = 'failed', error = ? WHERE ${IS_HELD}`,
  ).run(DISCARDED).changes
  const what = `ended the recovery ${recovery.code}; held emails: ${sent} to be sent, ${discarded} discarded`
  audit(sql, { at, who, what, eventId: null, regNo: null })
  return { recovery, sent, discarded }
}
/** Behind every instant. */
const LAST = 8_640_000_000_000_000
/** What the office reads of an email that was discarded. */
const DISCARDED = 'Discarded at the end of a recovery. Try again to send it.'

/** Runs on the reader thread, because it counts. */
export async function recoveryFigures(
  sql: Sql,
  keepOver: readonly string[],
): Promise<RecoveryFigures> {
  const count = async (text: string, ...bound: readonly unknown[]): Promise<number> =>
    (await sql<{ n: number }>(text).get(...bound))?.n ?? 0
  const last = await sql<{ id: number; code: string; begun_at: Instant }>(
    'SELECT id, code, begun_at FROM recoveries ORDER BY id DESC LIMIT 1',
  ).get()
  const wasPending = (more = '', ...bound: readonly unknown[]): Promise<number> =>
    count(
      `SELECT count(*) AS n FROM recovery_payments v JOIN payments p ON p.id = v.payment_id WHERE v.recovery_id = ? ${more}`,
      last?.id ?? 0,
      ...bound,
    )
  return {
    pending: {
      all: await wasPending(),
      asked: await wasPending(
        "AND (p.asked_at >= ? OR p.status <> 'pending' OR p.review IS NOT NULL)",
        last?.begun_at ?? 0,
      ),
      ended: await wasPending("AND (p.status <> 'pending' OR p.review IS NOT NULL)"),
    },
    unknown: {
      toDecide: await count(
        "SELECT count(*) AS n FROM captures WHERE unknown_order IS NOT NULL AND state = 'unmatched'",
      ),
      toAsk: await count('SELECT count(*) AS n FROM unknown_orders'),
    },
    held: {
      mails: await count(`SELECT count(*) AS n FROM mail_queue WHERE ${IS_HELD}`),
      since: await count(
        `SELECT count(*) AS n FROM mail_queue WHERE ${IS_HELD} AND created_at >= ?`,
        last?.begun_at ?? 0,
      ),
      refunds: await count("SELECT count(*) AS n FROM refunds WHERE state = 'wanted'"),
      erasures: await count(
        'SELECT count(*) AS n FROM registrations WHERE erased_at IS NULL AND event_id IN (SELECT value FROM json_each(?))',
        JSON.stringify(keepOver),
      ),
    },
    ahead: {
      mails: await count("SELECT count(*) AS n FROM mail_queue WHERE status = 'queued'"),
      pending: await count(
        "SELECT count(*) AS n FROM payments WHERE status = 'pending' AND gateway IS NOT NULL",
      ),
    },
    mails: await sql<RecoveryFigures['mails'][number]>(
      `SELECT m.id, m.recipient AS "to", m.subject, coalesce(m.event_id, r.event_id) AS eventId, m.created_at AS at
       FROM mail_queue m LEFT JOIN registrations r ON r.id = m.registration_id
       WHERE m.status = 'queued' AND m.next_at IS NULL ORDER BY m.id LIMIT ${MAILS_SHOWN}`,
    ).all(),
    series: (
      await sql<RecoveryFigures['series'][number]>(
        'SELECT pattern, year, last FROM document_series ORDER BY year, pattern',
      ).all()
    ).filter(({ pattern }) => last !== undefined && pattern.includes(last.code)),
    past: await sql<EndedRecovery>(
      `SELECT code, begun_at AS begunAt, ended_at AS endedAt, ended_by AS endedBy, mails FROM recoveries
       WHERE ended_at IS NOT NULL ORDER BY id DESC`,
    ).all(),
  }
}

/** Runs on the reader thread, because there are many. */
export async function filesReferred(sql: Sql): Promise<readonly string[]> {
  return (
    await sql<{ sha256: string }>(
      'SELECT sha256 FROM uploads WHERE dropped_at IS NULL UNION SELECT sha256 FROM draft_proofs',
    ).all()
  ).map(({ sha256 }) => sha256)
}
