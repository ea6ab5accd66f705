/** Records failures of mail servers and clocks, and removed event files. */
export const failureTracking = `
-- The time of the first attempt determines when the server gives up on an email. unreached: the mail server did not
-- respond to the latest attempt.
ALTER TABLE mail_queue ADD COLUMN first_tried_at INTEGER;
ALTER TABLE mail_queue ADD COLUMN tried_at INTEGER;
ALTER TABLE mail_queue ADD COLUMN unreached INTEGER NOT NULL DEFAULT 0 CHECK (unreached IN (0, 1));
-- When the event's file was removed; null if it exists. A server that starts while the file is missing still
-- serves the event, but with registration closed.
ALTER TABLE event_files ADD COLUMN gone_at INTEGER;
-- The latest trusted time. waits_since: when the clock was first found to be days ahead of it. Until this is
-- resolved, erasure waits.
CREATE TABLE clock_seen (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  at INTEGER NOT NULL,
  waits_since INTEGER
) STRICT;
`
