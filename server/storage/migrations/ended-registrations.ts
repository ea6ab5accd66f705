/**
 * Counts ended registrations (cancelled or refused) separately, so that none of them is displayed as "Paid".
 * These counts are in addition to those by payment status. Also adds an index for the list of ended registrations.
 */
import { buildRecountTriggersSql } from './batch-counters.ts'
import { buildOwedSql } from './list-and-dashboard-totals.ts'

const IN_ENDED_STATES = "IN ('cancelled', 'refused')"
export const buildEndedSql = (row: 'NEW' | 'OLD' | 'registrations'): string =>
  `CASE WHEN ${row}.state ${IN_ENDED_STATES} THEN 1 ELSE 0 END`

const buildCountSql = (row: 'NEW' | 'OLD', sign: '' | '-'): string => `
  INSERT INTO counters (event_id, day, category, period, status, registrations, booked, owed, ended)
  VALUES (${row}.event_id, ${row}.created_day, coalesce(${row}.category, ''), coalesce(${row}.period, ''), ${row}.payment_status,
    ${sign}1, ${sign}${row}.booked, ${sign}(${buildOwedSql(row)}), ${sign}(${buildEndedSql(row)}))
  ON CONFLICT DO UPDATE SET registrations = registrations + excluded.registrations, booked = booked + excluded.booked,
    owed = owed + excluded.owed, ended = ended + excluded.ended;`

export const endedRegistrationCounts = `
CREATE INDEX registrations_ended ON registrations (event_id, state, created_at, id) WHERE state ${IN_ENDED_STATES};
ALTER TABLE counters ADD COLUMN ended INTEGER NOT NULL DEFAULT 0;
INSERT INTO counters (event_id, day, category, period, status, registrations, ended)
  SELECT event_id, created_day, coalesce(category, ''), coalesce(period, ''), payment_status, 0, count(*)
  FROM registrations WHERE state ${IN_ENDED_STATES} AND id <= (SELECT last_id FROM counted) GROUP BY 1, 2, 3, 4, 5
  ON CONFLICT DO UPDATE SET ended = ended + excluded.ended;
DROP TRIGGER registrations_recounted;
DROP TRIGGER registrations_uncounted;
${buildRecountTriggersSql(buildCountSql)}
`
