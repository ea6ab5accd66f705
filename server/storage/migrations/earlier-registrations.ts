/** Adds the progress of processing earlier registrations after a change of an event file. */
export const earlierRegistrations = `
-- The seat types that do not yet count all earlier registrations, as JSON. Null if all do.
ALTER TABLE event_limits ADD COLUMN counting TEXT;
-- The last registration that was processed, in the order of an index.
ALTER TABLE event_limits ADD COLUMN counted_at INTEGER;
ALTER TABLE event_limits ADD COLUMN counted_id INTEGER;
-- The fields that the rule compares: JSON. Null for rules from before this step. Their index is complete.
ALTER TABLE unique_rules ADD COLUMN parts TEXT;
-- The last registration that the index contains. Null if it contains all registrations.
ALTER TABLE unique_rules ADD COLUMN filled_at INTEGER;
ALTER TABLE unique_rules ADD COLUMN filled_id INTEGER;
`
