/** Adds registration states, actions, and balance adjustments for corrections and cancellations. */
export const actionTables = `
ALTER TABLE registrations ADD COLUMN state TEXT NOT NULL DEFAULT 'to_pay'
  CHECK (state IN ('to_approve', 'refused', 'to_pay', 'told', 'complete', 'cancelled', 'lapsed'));
-- The sum of the registration's rows in dues, updated by a trigger. Positive: still to be paid; negative: still to be
-- refunded.
ALTER TABLE registrations ADD COLUMN due INTEGER NOT NULL DEFAULT 0;
-- 1 if the price was set by a correction, not by the attempt that paid it.
ALTER TABLE registrations ADD COLUMN is_corrected INTEGER NOT NULL DEFAULT 0;
-- 'whole': requests the registration's price; 'difference': requests the balance after a correction.
ALTER TABLE payments ADD COLUMN asks_for TEXT NOT NULL DEFAULT 'whole' CHECK (asks_for IN ('whole', 'difference'));

UPDATE registrations SET state = CASE payment_status WHEN 'success' THEN 'complete' WHEN 'refunded' THEN 'cancelled'
  WHEN 'failed' THEN iif((SELECT p.reason FROM payments p WHERE p.registration_id = registrations.id ORDER BY p.attempt DESC LIMIT 1) = 'expired'
    OR NOT EXISTS (SELECT 1 FROM payments p WHERE p.registration_id = registrations.id AND p.gateway IS NOT NULL), 'lapsed', 'to_pay')
  ELSE 'to_pay' END;
CREATE INDEX registrations_waiting ON registrations (event_id, state, created_at) WHERE state IN ('to_approve', 'told');
CREATE INDEX registrations_to_settle ON registrations (event_id) WHERE due <> 0;

CREATE TABLE acts (
  id INTEGER PRIMARY KEY,
  registration_id INTEGER NOT NULL REFERENCES registrations (id),
  at INTEGER NOT NULL,
  who TEXT NOT NULL,
  act TEXT NOT NULL,
  why TEXT NOT NULL,
  -- JSON: the details of the action.
  data TEXT NOT NULL,
  was TEXT NOT NULL,
  became TEXT NOT NULL
) STRICT;
CREATE INDEX acts_of ON acts (registration_id);
CREATE INDEX acts_at ON acts (at);
-- If a person's data is erased, the texts are removed and the record of the action is kept.
CREATE TRIGGER acts_never_edited BEFORE UPDATE ON acts
WHEN (NEW.id, NEW.registration_id, NEW.at, NEW.who, NEW.act, NEW.was, NEW.became) IS NOT (OLD.id, OLD.registration_id, OLD.at, OLD.who, OLD.act, OLD.was, OLD.became)
  OR NEW.why NOT IN (OLD.why, '') OR NEW.data NOT IN (OLD.data, '{}')
BEGIN SELECT RAISE(ABORT, 'acts is append-only'); END;
CREATE TRIGGER acts_never_deleted BEFORE DELETE ON acts BEGIN SELECT RAISE(ABORT, 'acts is append-only'); END;

-- Responses to requests. A repeated request is performed once and gets the same response.
CREATE TABLE act_keys (
  key TEXT PRIMARY KEY,
  registration_id INTEGER NOT NULL REFERENCES registrations (id),
  -- The hash of the request without its key, and the response as JSON.
  fingerprint TEXT NOT NULL,
  answer TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX act_keys_age ON act_keys (at);

-- Amounts to be paid or refunded in addition to the bill, and payments and refunds of such amounts: signed, in whole
-- paise.
CREATE TABLE dues (
  id INTEGER PRIMARY KEY,
  registration_id INTEGER NOT NULL REFERENCES registrations (id),
  at INTEGER NOT NULL,
  what TEXT NOT NULL CHECK (what IN ('corrected', 'cancelled', 'paid', 'paid back', 'given up')),
  amount INTEGER NOT NULL CHECK (amount <> 0),
  payment_id INTEGER REFERENCES payments (id)
) STRICT;
CREATE INDEX dues_of ON dues (registration_id);
CREATE TRIGGER dues_never_edited BEFORE UPDATE ON dues BEGIN SELECT RAISE(ABORT, 'dues is append-only'); END;
CREATE TRIGGER dues_never_deleted BEFORE DELETE ON dues BEGIN SELECT RAISE(ABORT, 'dues is append-only'); END;
CREATE TRIGGER dues_summed AFTER INSERT ON dues
BEGIN UPDATE registrations SET due = due + NEW.amount WHERE id = NEW.registration_id; END;
`
