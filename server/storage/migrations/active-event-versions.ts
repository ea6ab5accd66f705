/**
 * Adds the active version of each event, for servers that share a database.
 * Empty for a single server, which uses its own files.
 */
export const activeEvents = `
CREATE TABLE active_events (
  event_id TEXT PRIMARY KEY,
  hash TEXT NOT NULL REFERENCES event_files (hash),
  -- 1: its file has gone, and nobody registers any more.
  is_gone INTEGER NOT NULL CHECK (is_gone IN (0, 1)),
  place INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Counted on with each change, so that a server sees by one number whether it serves what all do.
CREATE TABLE activation (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  number INTEGER NOT NULL,
  -- JSON: the words of the landing page.
  site TEXT
) STRICT;
`
