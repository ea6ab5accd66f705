/** Records failures: of mail servers, of clocks, and of removed event files. */
export const failures = `
-- The first try decides when an email is given up. 1: its last try failed because the mail server did not answer.
ALTER TABLE mail_queue ADD COLUMN first_tried_at INTEGER;
ALTER TABLE mail_queue ADD COLUMN tried_at INTEGER;
ALTER TABLE mail_queue ADD COLUMN unreached INTEGER NOT NULL DEFAULT 0 CHECK (unreached IN (0, 1));
-- Null: the event has a file. A start without event files serves such an event closed.
ALTER TABLE event_files ADD COLUMN gone_at INTEGER;
-- The last time that counts as right. waits_since: the clock is days ahead of it since then, and erasure waits.
CREATE TABLE clock_seen (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  at INTEGER NOT NULL,
  waits_since INTEGER
) STRICT;
`
