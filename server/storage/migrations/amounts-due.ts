/**
 * Computes the balance by the same rule in lists, exports, counters and the office's statement.
 * The rule covers declined cards, and reviewed payments that were dismissed, moved or refunded.
 */
import { buildRecountTriggersSql } from './batch-counters.ts'
import { buildEndedSql } from './ended-registrations.ts'

/** Builds the SQL for the current balance: the amount still due if paid, otherwise the full price. */
export const buildDueSql = (row: string): string => `CASE ${row}.payment_status
  WHEN 'success' THEN CASE WHEN ${row}.due > 0 THEN ${row}.due ELSE 0 END WHEN 'refunded' THEN 0 ELSE coalesce(${row}.total, 0) END`

/**
 * Builds the SQL for the balance of registrations that await payment. An ended or expired registration has no balance.
 */
export const buildOwedSql = (row: string): string =>
  `CASE WHEN ${row}.state IN ('cancelled', 'refused', 'lapsed') THEN 0 ELSE ${buildDueSql(row)} END`

const buildCountSql = (row: 'NEW' | 'OLD', sign: '' | '-'): string => `
  INSERT INTO counters (event_id, day, category, period, status, registrations, booked, owed, ended)
  VALUES (${row}.event_id, ${row}.created_day, coalesce(${row}.category, ''), coalesce(${row}.period, ''), ${row}.payment_status,
    ${sign}1, ${sign}${row}.booked, ${sign}(${buildOwedSql(row)}), ${sign}(${buildEndedSql(row)}))
  ON CONFLICT DO UPDATE SET registrations = registrations + excluded.registrations, booked = booked + excluded.booked,
    owed = owed + excluded.owed, ended = ended + excluded.ended;`

export const amountsDue = `
DROP TRIGGER registrations_recounted;
DROP TRIGGER registrations_uncounted;
UPDATE counters SET owed = 0;
INSERT INTO counters (event_id, day, category, period, status, registrations, owed)
  SELECT event_id, created_day, coalesce(category, ''), coalesce(period, ''), payment_status, 0, sum(${buildOwedSql('registrations')})
  FROM registrations WHERE id <= (SELECT last_id FROM counted) GROUP BY 1, 2, 3, 4, 5
  ON CONFLICT DO UPDATE SET owed = owed + excluded.owed;
${buildRecountTriggersSql(buildCountSql)}
`
