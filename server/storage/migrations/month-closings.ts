/** Adds month closings, and indexes of payments and tax documents by time. */
export const monthClosings = `
-- One row for each time that staff close a month for an event. The newest row applies. figures: the sums at that time,
-- as JSON.
CREATE TABLE month_closings (
  id INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL,
  month TEXT NOT NULL,
  who TEXT NOT NULL,
  at INTEGER NOT NULL,
  figures TEXT NOT NULL
) STRICT;
CREATE INDEX month_closings_of ON month_closings (month, event_id);
CREATE TRIGGER month_closings_never_edited BEFORE UPDATE ON month_closings BEGIN SELECT RAISE(ABORT, 'month_closings is append-only'); END;
CREATE TRIGGER month_closings_never_deleted BEFORE DELETE ON month_closings BEGIN SELECT RAISE(ABORT, 'month_closings is append-only'); END;
CREATE INDEX captures_by_time ON captures (paid_at);
CREATE INDEX documents_by_time ON documents (at) WHERE kind <> 'receipt';
`
