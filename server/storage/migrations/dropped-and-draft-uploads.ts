/** Adds the time at which files of unpaid registrations were deleted, which the office displays. */
export const droppedUploads = `
-- Null if the file is kept. Set before the file is removed, so that the file is still removed after a crash.
ALTER TABLE uploads ADD COLUMN dropped_at INTEGER;
`

/**
 * Adds draft uploads, which are sent when a delegate chooses a file. Their data is stored until a registration uses
 * them.
 */
export const draftUploads = `
CREATE TABLE draft_proofs (
  token_hash TEXT PRIMARY KEY,
  event_id TEXT NOT NULL,
  field TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX draft_proofs_age ON draft_proofs (at);
CREATE INDEX draft_proofs_file ON draft_proofs (sha256);
`
