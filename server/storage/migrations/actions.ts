/** Adds registration states, actions, and the balance adjustments of corrections and cancellations. */
export const acts = `
ALTER TABLE registrations ADD COLUMN state TEXT NOT NULL DEFAULT 'to_pay'
  CHECK (state IN ('to_approve', 'refused', 'to_pay', 'told', 'complete', 'cancelled', 'lapsed'));
-- Kept by a trigger: the sum of its lines among the dues. Above 0: still to be paid; below: to be paid back.
ALTER TABLE registrations ADD COLUMN due INTEGER NOT NULL DEFAULT 0;
-- Its price is that of a correction, and not that of the attempt that paid it.
ALTER TABLE registrations ADD COLUMN is_corrected INTEGER NOT NULL DEFAULT 0;
-- 'whole': it asks for the registration's price; 'difference': for what a correction left.
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
  -- JSON: what the act was of.
  data TEXT NOT NULL,
  was TEXT NOT NULL,
  became TEXT NOT NULL
) STRICT;
CREATE INDEX acts_of ON acts (registration_id);
CREATE INDEX acts_at ON acts (at);
-- When a person is erased the words go, and that something was done stays.
CREATE TRIGGER acts_never_edited BEFORE UPDATE ON acts
WHEN (NEW.id, NEW.registration_id, NEW.at, NEW.who, NEW.act, NEW.was, NEW.became) IS NOT (OLD.id, OLD.registration_id, OLD.at, OLD.who, OLD.act, OLD.was, OLD.became)
  OR NEW.why NOT IN (OLD.why, '') OR NEW.data NOT IN (OLD.data, '{}')
BEGIN SELECT RAISE(ABORT, 'acts is append-only'); END;
CREATE TRIGGER acts_never_deleted BEFORE DELETE ON acts BEGIN SELECT RAISE(ABORT, 'acts is append-only'); END;

-- A click that comes twice does once: what was answered to it is answered again.
CREATE TABLE act_keys (
  key TEXT PRIMARY KEY,
  registration_id INTEGER NOT NULL REFERENCES registrations (id),
  -- The request without its key, hashed; the answer, as JSON.
  fingerprint TEXT NOT NULL,
  answer TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX act_keys_age ON act_keys (at);

-- What is to be paid or paid back beside the bill, and what was: whole paise, signed.
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
