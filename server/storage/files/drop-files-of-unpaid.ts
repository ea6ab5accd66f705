/**
 * Drops the files of unpaid registrations.
 * They are personal data without a purpose, and a way for a stranger to fill the disk.
 */
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { NOT_IN_RECOVERY } from '../recovery/held-during-recovery.ts'

/** So many registrations in one write, so that nobody who registers waits for long. */
const BATCH_ROWS = 100

/**
 * Of a registration `r`: all its attempts failed before an instant and none of them is asked about any
 * more, no money came under any name, and nobody has to decide anything. Takes that instant, and now.
 */
const UNPAID = `r.payment_status = 'failed' AND r.in_review = 0
  AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.registration_id = r.id
    AND (p.status <> 'failed' OR p.review IS NOT NULL OR p.status_at > ? OR coalesce(p.watch_until, 0) > ?))
  AND NOT EXISTS (SELECT 1 FROM captures c WHERE c.registration_id = r.id)
  AND NOT EXISTS (SELECT 1 FROM payments p JOIN captures c ON p.id IN (c.payment_id, c.counts_for) WHERE p.registration_id = r.id)`

/** Returns the ids of some whose files are still stored; runs on the reader thread, because it scans many rows. */
export async function unpaidWithFiles(
  sql: Sql,
  failedBefore: Instant,
  at: Instant,
): Promise<readonly number[]> {
  return (
    await sql<{ id: number }>(
      `SELECT r.id FROM registrations r
     WHERE r.id IN (SELECT registration_id FROM uploads WHERE dropped_at IS NULL) AND ${UNPAID} AND ${NOT_IN_RECOVERY}
     LIMIT ${BATCH_ROWS}`,
    ).all(failedBefore, at)
  ).map(({ id }) => id)
}

/** Marks their files as dropped if the conditions still hold; returns the number of registrations. */
export async function dropFiles(
  sql: Sql,
  ids: readonly number[],
  failedBefore: Instant,
  at: Instant,
  why: string,
): Promise<number> {
  let dropped = 0
  for (const id of ids) {
    const changes = await sql(
      `UPDATE uploads SET dropped_at = ? WHERE registration_id = ? AND dropped_at IS NULL
       AND EXISTS (SELECT 1 FROM registrations r WHERE r.id = uploads.registration_id AND ${UNPAID})`,
    ).run(at, id, failedBefore, at).changes
    if (changes === 0) continue
    dropped += 1
    sql(
      `INSERT INTO audit_log (at, who, what, event_id, reg_no, registration_id)
       SELECT ?, 'rollcall', ?, event_id, reg_no, id FROM registrations WHERE id = ?`,
    ).run(at, `dropped the files: ${why}`, id)
  }
  return dropped
}
