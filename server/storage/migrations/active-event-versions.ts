/**
 * Adds tables for the active version of each event, which servers that share a database use.
 * The tables of a single server stay empty, because it uses its own files.
 */
export const activeEvents = `
CREATE TABLE active_events (
  event_id TEXT PRIMARY KEY,
  hash TEXT NOT NULL REFERENCES event_files (hash),
  -- 1 if the event's file was removed, so that registration is closed.
  is_gone INTEGER NOT NULL CHECK (is_gone IN (0, 1)),
  place INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Incremented with each change, so that a server can tell from one number whether it serves the same versions as the
-- others.
CREATE TABLE activation (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  number INTEGER NOT NULL,
  -- JSON: the texts of the landing page.
  site TEXT
) STRICT;
`
