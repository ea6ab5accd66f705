/** Adds the office's search fields: payment references, phone numbers by digits, places of origin. */
export const finding = `
CREATE INDEX captures_by_reference ON captures (reference COLLATE NOCASE);
-- Read anew with what is searched since; that takes a while in the background, and finds everything meanwhile.
DELETE FROM search_index;
UPDATE search_progress SET last_id = 0;
`
