/** Adds the progress of applying a changed event file to earlier registrations. */
export const earlierRegistrations = `
-- The quotas in which not all earlier registrations are counted yet, as JSON. Null if there are none.
ALTER TABLE event_limits ADD COLUMN counting TEXT;
-- The last registration that was processed, in the order of an index.
ALTER TABLE event_limits ADD COLUMN counted_at INTEGER;
ALTER TABLE event_limits ADD COLUMN counted_id INTEGER;
-- JSON: the fields that the rule compares. Null for rules stored before this step, whose index is complete.
ALTER TABLE unique_rules ADD COLUMN parts TEXT;
-- The last registration in the index. Null if the index is complete.
ALTER TABLE unique_rules ADD COLUMN filled_at INTEGER;
ALTER TABLE unique_rules ADD COLUMN filled_id INTEGER;
`
