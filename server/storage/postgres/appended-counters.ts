/** Maintains counters on PostgreSQL: each change appends rows, and readers add them up. */
import { deleteOldCommitKeys } from './commit-keys.ts'

// With a single row per day, category and status, all operations on a day would lock the same rows.

/** A day's rows are replaced by totals if there are more than this. */
const MAX_ROWS_PER_DAY = 50

/**
 * Builds statements that clean up between operations. They delete old keys. If a day has more than `maxRows` rows, they
 * replace these by one row per category, period and status, so that readers get the same sums as before.
 */
export const buildCleanupStatements = (maxRows = MAX_ROWS_PER_DAY): readonly string[] => [
  `WITH many AS (SELECT event_id, day FROM counters GROUP BY 1, 2 HAVING count(*) > ${maxRows}),
     gone AS (DELETE FROM counters c USING many m WHERE c.event_id = m.event_id AND c.day = m.day RETURNING c.*)
   INSERT INTO counters (event_id, day, category, period, status, registrations, booked, owed, ended)
   SELECT event_id, day, category, period, status, sum(registrations), sum(booked), sum(owed), sum(ended) FROM gone GROUP BY 1, 2, 3, 4, 5`,
  `WITH many AS (SELECT event_id, day FROM revenue GROUP BY 1, 2 HAVING count(*) > ${maxRows}),
     gone AS (DELETE FROM revenue r USING many m WHERE r.event_id = m.event_id AND r.day = m.day RETURNING r.*)
   INSERT INTO revenue (event_id, day, currency, amount) SELECT event_id, day, currency, sum(amount) FROM gone GROUP BY 1, 2, 3`,
  // Idempotency keys are kept for one day. Their age is measured from the newest key, because the server's clock may be
  // simulated.
  `DELETE FROM idempotency_keys WHERE at < (SELECT max(at) FROM idempotency_keys) - ${2 * 24 * 60 * 60 * 1000}`,
  deleteOldCommitKeys,
]
