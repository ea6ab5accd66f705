/** Adds the time at which the files of an unpaid registration were deleted. The office displays it. */
export const droppedUploads = `
-- Null if the file has not been deleted. Set before the deletion, so that a deletion interrupted by a crash is
-- completed later.
ALTER TABLE uploads ADD COLUMN dropped_at INTEGER;
`

/**
 * Adds draft uploads: files that are uploaded as soon as the delegate chooses them. Their data is stored until a
 * registration uses them.
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
