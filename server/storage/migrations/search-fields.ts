/** Adds fields to the office's search: payment references, the digits of phone numbers, and place names. */
export const searchFields = `
CREATE INDEX captures_by_reference ON captures (reference COLLATE NOCASE);
-- The index is rebuilt in the background with the new fields, which takes a while. Searches find everything in the
-- meantime.
DELETE FROM search_index;
UPDATE search_progress SET last_id = 0;
`
