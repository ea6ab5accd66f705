/** Records failures of mail servers and clocks, and removed event files. */
export const failureTracking = `
-- The time of the first attempt determines when an email is given up. unreached: the mail server did not respond to
-- the last attempt.
ALTER TABLE mail_queue ADD COLUMN first_tried_at INTEGER;
ALTER TABLE mail_queue ADD COLUMN tried_at INTEGER;
ALTER TABLE mail_queue ADD COLUMN unreached INTEGER NOT NULL DEFAULT 0 CHECK (unreached IN (0, 1));
-- Null if the event has a file. A server that starts without event files serves an event without a file as closed.
ALTER TABLE event_files ADD COLUMN gone_at INTEGER;
-- The last trusted time. waits_since: when the clock was first days ahead of that time, so that erasure waits.
CREATE TABLE clock_seen (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  at INTEGER NOT NULL,
  waits_since INTEGER
) STRICT;
`
