/** Adds payment claims: the payment method of an attempt, and the delegate's report. */
export const paymentClaims = `
-- The attempt's payment method in the event file. Null if it is paid through a gateway, or imported.
ALTER TABLE payments ADD COLUMN way TEXT;

CREATE TABLE tellings (
  id INTEGER PRIMARY KEY,
  registration_id INTEGER NOT NULL REFERENCES registrations (id),
  at INTEGER NOT NULL,
  way TEXT NOT NULL,
  reference TEXT NOT NULL,
  -- The reference in the form in which it is compared: without spaces, in capitals.
  folded TEXT NOT NULL,
  -- The payment date, YYYY-MM-DD. Null if the payment method does not ask for it.
  paid_on TEXT,
  -- JSON: the answers, keyed by the fields of the payment method.
  answers TEXT NOT NULL,
  ended_at INTEGER,
  -- Null: not checked yet; 'again': replaced by another claim.
  ended_as TEXT CHECK (ended_as IN ('found', 'not_found', 'again'))
) STRICT;
CREATE INDEX tellings_of ON tellings (registration_id);
-- A transfer belongs to one registration, even if several delegates report it.
CREATE UNIQUE INDEX tellings_once ON tellings (folded) WHERE ended_as IS NULL OR ended_as = 'found';
`

/** Reserves a claim's reference only within its event, because the claim is unconfirmed. */
export const paymentClaimsByEvent = `
ALTER TABLE tellings ADD COLUMN event_id TEXT NOT NULL DEFAULT '';
UPDATE tellings SET event_id = (SELECT event_id FROM registrations WHERE registrations.id = tellings.registration_id);
DROP INDEX tellings_once;
CREATE UNIQUE INDEX tellings_once ON tellings (event_id, folded) WHERE ended_as IS NULL OR ended_as = 'found';
`
