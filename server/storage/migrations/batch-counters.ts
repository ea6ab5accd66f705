/**
 * Counts new registrations once per transaction instead of with a trigger per row, which took an eighth of the writer's
 * time.
 * Triggers still update the counts of counted registrations, so that no statement can miss a change.
 */
import { buildCountSql } from './list-and-dashboard-totals.ts'

const IS_COUNTED = 'OLD.id <= (SELECT last_id FROM counted)'
const COUNTED_BY = [
  'event_id',
  'created_day',
  'category',
  'period',
  'payment_status',
  'state',
  'total',
  'due',
  'booked',
]
const buildAllSql = (row: 'NEW' | 'OLD'): string =>
  COUNTED_BY.map((column) => `${row}.${column}`).join(', ')

type Count = (row: 'NEW' | 'OLD', sign: '' | '-') => string

/** Builds the statement that keeps counting changes of registrations that are already counted. */
export const buildFollowedSql = (
  by: Count,
): string => `CREATE TRIGGER registrations_recounted AFTER UPDATE OF ${COUNTED_BY.join(', ')} ON registrations
WHEN ${IS_COUNTED} AND (${buildAllSql('NEW')}) IS NOT (${buildAllSql('OLD')})
BEGIN ${by('OLD', '-')} ${by('NEW', '')} END;
CREATE TRIGGER registrations_uncounted AFTER DELETE ON registrations WHEN ${IS_COUNTED} BEGIN ${by('OLD', '-')} END;`

export const batchCounters = `
-- The last registration that was counted; ids are never reused.
CREATE TABLE counted (only INTEGER PRIMARY KEY CHECK (only = 1), last_id INTEGER NOT NULL) STRICT;
INSERT INTO counted SELECT 1, coalesce(max(id), 0) FROM registrations;
DROP TRIGGER registrations_counted;
DROP TRIGGER registrations_recounted;
DROP TRIGGER registrations_uncounted;
${buildFollowedSql(buildCountSql)}
`
