/** Files of registrations that nobody paid are dropped after a while: when each was, because the office is told. */
export const droppedProofs = `
-- Null: the file is kept. Noted before the file is removed, so that a crash in between loses nothing but time.
ALTER TABLE uploads ADD COLUMN dropped_at INTEGER;
`
