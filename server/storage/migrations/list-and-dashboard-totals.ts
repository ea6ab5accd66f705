/** Adds totals for lists and the dashboard (amounts booked and owed), and indexes for the work queue. */
export const buildOwedSql = (row: 'NEW' | 'OLD' | 'registrations'): string => `
  CASE WHEN ${row}.state IN ('cancelled', 'refused', 'lapsed') THEN 0
    WHEN ${row}.payment_status = 'pending' THEN coalesce(${row}.total, 0)
    WHEN ${row}.payment_status = 'success' THEN max(${row}.due, 0) ELSE 0 END`

export const buildCountSql = (row: 'NEW' | 'OLD', sign: '' | '-'): string => `
  INSERT INTO counters (event_id, day, category, period, status, registrations, booked, owed)
  VALUES (${row}.event_id, ${row}.created_day, coalesce(${row}.category, ''), coalesce(${row}.period, ''), ${row}.payment_status,
    ${sign}1, ${sign}${row}.booked, ${sign}(${buildOwedSql(row)}))
  ON CONFLICT DO UPDATE SET registrations = registrations + excluded.registrations, booked = booked + excluded.booked, owed = owed + excluded.owed;`

export const listTotals = `
-- The registration's counted payments less refunds. Updated together with the revenue.
ALTER TABLE registrations ADD COLUMN booked INTEGER NOT NULL DEFAULT 0;
UPDATE registrations SET booked =
  coalesce((SELECT sum(c.amount) FROM captures c JOIN payments p ON p.id = c.counts_for
    WHERE p.registration_id = registrations.id AND c.state IN ('fits', 'accepted')), 0)
  - coalesce((SELECT sum(f.amount) FROM refunds f JOIN captures c ON c.id = f.capture_id JOIN payments p ON p.id = c.counts_for
    WHERE p.registration_id = registrations.id AND c.state IN ('fits', 'accepted') AND f.state = 'done'), 0);

DROP TRIGGER registrations_counted;
DROP TRIGGER registrations_recounted;
DROP TRIGGER registrations_uncounted;
ALTER TABLE counters ADD COLUMN booked INTEGER NOT NULL DEFAULT 0;
-- Amounts still to be paid: totals of unpaid registrations, and balances of paid ones.
ALTER TABLE counters ADD COLUMN owed INTEGER NOT NULL DEFAULT 0;
DELETE FROM counters;
INSERT INTO counters (event_id, day, category, period, status, registrations, booked, owed)
  SELECT event_id, created_day, coalesce(category, ''), coalesce(period, ''), payment_status, count(*), sum(booked), sum(${buildOwedSql('registrations')})
  FROM registrations GROUP BY 1, 2, 3, 4, 5;
CREATE TRIGGER registrations_counted AFTER INSERT ON registrations BEGIN ${buildCountSql('NEW', '')} END;
CREATE TRIGGER registrations_recounted
AFTER UPDATE OF event_id, created_day, category, period, payment_status, state, total, due, booked ON registrations
WHEN (NEW.event_id, NEW.created_day, NEW.category, NEW.period, NEW.payment_status, NEW.state, NEW.total, NEW.due, NEW.booked)
  IS NOT (OLD.event_id, OLD.created_day, OLD.category, OLD.period, OLD.payment_status, OLD.state, OLD.total, OLD.due, OLD.booked)
BEGIN ${buildCountSql('OLD', '-')} ${buildCountSql('NEW', '')} END;
CREATE TRIGGER registrations_uncounted AFTER DELETE ON registrations BEGIN ${buildCountSql('OLD', '-')} END;

CREATE INDEX mail_queue_failed ON mail_queue (registration_id) WHERE status = 'failed';
CREATE INDEX acts_cancel_asked ON acts (registration_id) WHERE act = 'ask_cancel';
`
