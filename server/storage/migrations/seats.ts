/** Adds quotas and seats, counted where they are reserved. */
export const places = `
-- As the served event file states them: JSON, and how long a place is held while somebody pays, in milliseconds.
CREATE TABLE event_limits (
  event_id TEXT PRIMARY KEY,
  limits TEXT NOT NULL,
  hold_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE places (
  id INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL,
  -- A limit's id, or 'limit.option'.
  place TEXT NOT NULL,
  max INTEGER NOT NULL,
  -- Kept by triggers: how many are held or kept.
  taken INTEGER NOT NULL DEFAULT 0,
  UNIQUE (event_id, place)
) STRICT;
CREATE TABLE places_taken (
  registration_id INTEGER NOT NULL REFERENCES registrations (id) ON DELETE CASCADE,
  place_id INTEGER NOT NULL REFERENCES places (id),
  -- held: somebody may be paying; kept: for good; free: others may have it. It becomes free when it is needed, not when its time is up.
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
