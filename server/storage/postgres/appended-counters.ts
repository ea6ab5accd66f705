/**
 * Maintains counters on PostgreSQL: each change of a registration appends rows, and readers add them up. One row for
 * each day, category and status would be locked by every operation of that day.
 */
import { deleteOldCommitKeys } from './commit-keys.ts'

/** The rows of days with more rows than this are replaced by their sums. */
const ROWS_MAX = 50

/**
 * Statements that clean up between operations: they delete old keys, and replace the rows of days with more than
 * `rowsMax` by one for each category, period and status. Readers see the same sums before and after.
 */
export const rollUp = (rowsMax = ROWS_MAX): readonly string[] => [
  `WITH many AS (SELECT event_id, day FROM counters GROUP BY 1, 2 HAVING count(*) > ${rowsMax}),
     gone AS (DELETE FROM counters c USING many m WHERE c.event_id = m.event_id AND c.day = m.day RETURNING c.*)
   INSERT INTO counters (event_id, day, category, period, status, registrations, booked, owed, ended)
   SELECT event_id, day, category, period, status, sum(registrations), sum(booked), sum(owed), sum(ended) FROM gone GROUP BY 1, 2, 3, 4, 5`,
  `WITH many AS (SELECT event_id, day FROM revenue GROUP BY 1, 2 HAVING count(*) > ${rowsMax}),
     gone AS (DELETE FROM revenue r USING many m WHERE r.event_id = m.event_id AND r.day = m.day RETURNING r.*)
   INSERT INTO revenue (event_id, day, currency, amount) SELECT event_id, day, currency, sum(amount) FROM gone GROUP BY 1, 2, 3`,
  // Idempotency keys are kept for a day, counted from the newest: the servers' clock may be a simulated one.
  `DELETE FROM idempotency_keys WHERE at < (SELECT max(at) FROM idempotency_keys) - ${2 * 24 * 60 * 60 * 1000}`,
  deleteOldCommitKeys,
]
