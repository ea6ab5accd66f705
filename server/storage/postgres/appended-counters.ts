/**
 * Counters on PostgreSQL: each change of a registration appends rows, and readers add them up.
 * One row for each day, category and status would be locked by every operation of that day.
 */
import { owed } from '../migrations/amounts-due.ts'
import { ended } from '../migrations/ended-registrations.ts'
import { COUNTED_BY } from '../migrations/batch-counters.ts'
import { deleteOldCommitKeys } from './commit-keys.ts'

const appended = (row: 'NEW' | 'OLD', sign: '' | '-'): string => `
  INSERT INTO counters (event_id, day, category, period, status, registrations, booked, owed, ended)
  VALUES (${row}.event_id, ${row}.created_day, coalesce(${row}.category, ''), coalesce(${row}.period, ''), ${row}.payment_status,
    ${sign}1, ${sign}${row}.booked, ${sign}(${owed(row)}), ${sign}(${ended(row)}));`
const columnsOf = (row: 'NEW' | 'OLD'): string =>
  COUNTED_BY.map((column) => `${row}.${column}`).join(', ')
const trigger = (name: string, body: string): string =>
  `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN ${body} END $body$`

/** Changes tables and triggers that were derived from SQLite's. */
export const appendedCounters: readonly string[] = [
  'ALTER TABLE counters DROP CONSTRAINT counters_pkey',
  'CREATE INDEX counters_of_event ON counters (event_id, day)',
  'ALTER TABLE revenue DROP CONSTRAINT revenue_pkey',
  'CREATE INDEX revenue_of_event ON revenue (event_id, day)',
  trigger('registrations_counted', `${appended('NEW', '')} RETURN NEW;`),
  'CREATE TRIGGER registrations_counted AFTER INSERT ON registrations FOR EACH ROW EXECUTE FUNCTION registrations_counted()',
  trigger(
    'registrations_recounted',
    `IF (${columnsOf('NEW')}) IS DISTINCT FROM (${columnsOf('OLD')}) THEN ${appended('OLD', '-')} ${appended('NEW', '')} END IF; RETURN NEW;`,
  ),
  trigger('registrations_uncounted', `${appended('OLD', '-')} RETURN OLD;`),
]

/** Days with more rows than this are added up. */
const ROWS_MAX = 50

/**
 * Statements that tidy up between operations: they delete old keys, and replace the rows of days with more than `rowsMax` by one for each category, period and status. Readers
 * see the same sums before and after.
 */
export const rollUp = (rowsMax = ROWS_MAX): readonly string[] => [
  `WITH many AS (SELECT event_id, day FROM counters GROUP BY 1, 2 HAVING count(*) > ${rowsMax}),
     gone AS (DELETE FROM counters c USING many m WHERE c.event_id = m.event_id AND c.day = m.day RETURNING c.*)
   INSERT INTO counters (event_id, day, category, period, status, registrations, booked, owed, ended)
   SELECT event_id, day, category, period, status, sum(registrations), sum(booked), sum(owed), sum(ended) FROM gone GROUP BY 1, 2, 3, 4, 5`,
  `WITH many AS (SELECT event_id, day FROM revenue GROUP BY 1, 2 HAVING count(*) > ${rowsMax}),
     gone AS (DELETE FROM revenue r USING many m WHERE r.event_id = m.event_id AND r.day = m.day RETURNING r.*)
   INSERT INTO revenue (event_id, day, amount) SELECT event_id, day, sum(amount) FROM gone GROUP BY 1, 2`,
  // Keys of forms are kept for a day, counted from the newest: the clock of the servers may be a simulated one.
  `DELETE FROM idempotency_keys WHERE at < (SELECT max(at) FROM idempotency_keys) - ${2 * 24 * 60 * 60 * 1000}`,
  deleteOldCommitKeys,
]
