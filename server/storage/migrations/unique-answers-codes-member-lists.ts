/** Adds unique answers, discount codes with their uses, and member lists. */
export const pricingContextTables = `
-- Normalised answers, keyed by the rule that compares them. The answers of earlier registrations are added when the
-- rule is first used.
CREATE TABLE unique_answers (
  event_id TEXT NOT NULL,
  rule TEXT NOT NULL,
  folded TEXT NOT NULL,
  registration_id INTEGER NOT NULL REFERENCES registrations (id) ON DELETE CASCADE,
  PRIMARY KEY (event_id, rule, folded, registration_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX unique_answers_of ON unique_answers (registration_id);
-- The rules whose index contains all registrations of the event.
CREATE TABLE unique_rules (
  event_id TEXT NOT NULL,
  rule TEXT NOT NULL,
  PRIMARY KEY (event_id, rule)
) STRICT, WITHOUT ROWID;

CREATE TABLE codes (
  id INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- The code as issued, and normalised for look-ups.
  code TEXT NOT NULL,
  folded TEXT NOT NULL,
  uses_max INTEGER NOT NULL CHECK (uses_max > 0),
  -- The last day, in India, on which the code is valid. Null if there is no limit.
  last_day TEXT,
  note TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  made_by TEXT NOT NULL,
  withdrawn_at INTEGER,
  UNIQUE (event_id, folded)
) STRICT;
CREATE TRIGGER codes_frozen BEFORE UPDATE OF event_id, kind, code, folded ON codes
BEGIN SELECT RAISE(ABORT, 'what a code gives is frozen'); END;
CREATE TABLE code_uses (
  registration_id INTEGER PRIMARY KEY REFERENCES registrations (id) ON DELETE CASCADE,
  code_id INTEGER NOT NULL REFERENCES codes (id)
) STRICT;
CREATE INDEX code_uses_of ON code_uses (code_id);

CREATE TABLE roll_rows (
  event_id TEXT NOT NULL,
  roll TEXT NOT NULL,
  -- Normalised for look-ups.
  key TEXT NOT NULL,
  -- JSON: column → text, as in the file.
  cells TEXT NOT NULL,
  PRIMARY KEY (event_id, roll, key)
) STRICT, WITHOUT ROWID;
`
