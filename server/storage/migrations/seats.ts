/** Adds quotas, and seats that are counted when they are reserved. */
export const seatTables = `
-- The quotas of the served event file as JSON, and how long a seat is held during payment, in milliseconds.
CREATE TABLE event_limits (
  event_id TEXT PRIMARY KEY,
  limits TEXT NOT NULL,
  hold_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE places (
  id INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL,
  -- The id of a quota, or 'quota.option'.
  place TEXT NOT NULL,
  max INTEGER NOT NULL,
  -- The number of seats that are held or kept, updated by triggers.
  taken INTEGER NOT NULL DEFAULT 0,
  UNIQUE (event_id, place)
) STRICT;
CREATE TABLE places_taken (
  registration_id INTEGER NOT NULL REFERENCES registrations (id) ON DELETE CASCADE,
  place_id INTEGER NOT NULL REFERENCES places (id),
  -- held: the delegate may be paying; kept: the seat is reserved permanently; free: others may take the seat. An
  -- expired hold becomes free only when the seat is needed.
  state TEXT NOT NULL CHECK (state IN ('held', 'kept', 'free')),
  until INTEGER,
  PRIMARY KEY (registration_id, place_id),
  CHECK ((state = 'held') = (until IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX places_held ON places_taken (place_id, until) WHERE state = 'held';
CREATE TRIGGER places_counted AFTER INSERT ON places_taken WHEN NEW.state <> 'free'
BEGIN UPDATE places SET taken = taken + 1 WHERE id = NEW.place_id; END;
CREATE TRIGGER places_recounted AFTER UPDATE OF state ON places_taken WHEN (OLD.state = 'free') <> (NEW.state = 'free')
BEGIN UPDATE places SET taken = taken + iif(NEW.state = 'free', -1, 1) WHERE id = NEW.place_id; END;
CREATE TRIGGER places_uncounted AFTER DELETE ON places_taken WHEN OLD.state <> 'free'
BEGIN UPDATE places SET taken = taken - 1 WHERE id = OLD.place_id; END;
`
