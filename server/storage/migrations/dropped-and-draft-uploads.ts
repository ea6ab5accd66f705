/** Files of registrations that nobody paid are dropped after a while: when each was, because the office is told. */
export const droppedProofs = `
-- Null: the file is kept. Noted before the file is removed, so that a crash in between loses nothing but time.
ALTER TABLE uploads ADD COLUMN dropped_at INTEGER;
`

/** Proofs that are sent when they are chosen, before there is a registration: what is kept of each until one takes it. */
export const draftProofs = `
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
