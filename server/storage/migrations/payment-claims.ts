/** Adds payment claims: the payment method of an attempt, and the delegate's report. */
export const telling = `
-- By which way of the event file it is paid; null: through a gateway, or brought in.
ALTER TABLE payments ADD COLUMN way TEXT;

CREATE TABLE tellings (
  id INTEGER PRIMARY KEY,
  registration_id INTEGER NOT NULL REFERENCES registrations (id),
  at INTEGER NOT NULL,
  way TEXT NOT NULL,
  reference TEXT NOT NULL,
  -- As references are compared: without spaces, in capitals.
  folded TEXT NOT NULL,
  -- The day on which it was paid, YYYY-MM-DD; null: the way does not ask.
  paid_on TEXT,
  -- JSON: what was answered, by the way's question.
  answers TEXT NOT NULL,
  ended_at INTEGER,
  -- Null: nobody has looked for it yet; 'again': told anew.
  ended_as TEXT CHECK (ended_as IN ('found', 'not_found', 'again'))
) STRICT;
CREATE INDEX tellings_of ON tellings (registration_id);
-- A transfer is of one registration, whoever tells of it.
CREATE UNIQUE INDEX tellings_once ON tellings (folded) WHERE ended_as IS NULL OR ended_as = 'found';
`

/** A claim is unconfirmed, so its reference is held within its event only. */
export const tellingsOfEvent = `
ALTER TABLE tellings ADD COLUMN event_id TEXT NOT NULL DEFAULT '';
UPDATE tellings SET event_id = (SELECT event_id FROM registrations WHERE registrations.id = tellings.registration_id);
DROP INDEX tellings_once;
CREATE UNIQUE INDEX tellings_once ON tellings (event_id, folded) WHERE ended_as IS NULL OR ended_as = 'found';
`
