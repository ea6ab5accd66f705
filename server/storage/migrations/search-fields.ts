/** Adds search fields of the office: payment references, phone numbers by digits, place names. */
export const searchFields = `
CREATE INDEX captures_by_reference ON captures (reference COLLATE NOCASE);
-- Rebuilt with the new fields. This takes a while in the background; until then, searches still find everything.
DELETE FROM search_index;
UPDATE search_progress SET last_id = 0;
`
