/**
 * Adds decisions on payment reviews, and lets a process claim an email before sending it.
 * Records the attempt for which a capture counts, the time of a refund and the subject of a decision. Allows emails
 * that are not about a registration.
 */
export const reviewDecisions = `
-- The attempt for which the capture counts or is under review. payment_id still identifies the order that received it.
ALTER TABLE captures ADD COLUMN counts_for INTEGER REFERENCES payments (id);
UPDATE captures SET counts_for = payment_id;
DROP INDEX captures_in_review;
CREATE INDEX captures_to_decide ON captures (seen_at) WHERE state IN ('review', 'unmatched');
CREATE INDEX captures_counting ON captures (counts_for);
CREATE INDEX payments_in_review ON payments (id) WHERE review IS NOT NULL;

ALTER TABLE refunds ADD COLUMN done_at INTEGER;
UPDATE refunds SET done_at = at WHERE state = 'done';
CREATE INDEX refunds_refused ON refunds (id) WHERE state = 'refused';

-- The reference shown to staff: C, P or R followed by the number of the capture, payment or refund.
ALTER TABLE decisions ADD COLUMN about TEXT;
ALTER TABLE decisions ADD COLUMN amount INTEGER;
CREATE INDEX decisions_about ON decisions (about) WHERE about IS NOT NULL;

CREATE TABLE mails (
  id INTEGER PRIMARY KEY,
  -- Null if the email is about an event as a whole.
  registration_id INTEGER REFERENCES registrations (id),
  event_id TEXT,
  -- 'confirmation': the only email sent when a registration succeeds; 'again': requested by the office; 'reviews':
  -- payments that the treasurer has to review.
  kind TEXT NOT NULL,
  -- The key of an email that is sent at most once.
  once TEXT UNIQUE,
  recipient TEXT NOT NULL,
  copy_to TEXT,
  subject TEXT NOT NULL,
  body TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'sent', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER,
  created_at INTEGER NOT NULL,
  sent_at INTEGER,
  error TEXT,
  -- When a process began to send the email. The process may have died since. Null if no process is sending it.
  claimed_at INTEGER,
  -- The number of claims that ended without a known result.
  lost INTEGER NOT NULL DEFAULT 0,
  CHECK (registration_id IS NOT NULL OR event_id IS NOT NULL)
) STRICT;
INSERT INTO mails (id, registration_id, kind, recipient, copy_to, subject, body, status, attempts, next_at, created_at, sent_at, error)
  SELECT id, registration_id, kind, recipient, copy_to, subject, body, status, attempts, next_at, created_at, sent_at, error FROM mail_queue;
DROP TABLE mail_queue;
ALTER TABLE mails RENAME TO mail_queue;
CREATE INDEX mail_queue_due ON mail_queue (next_at) WHERE status = 'queued';
CREATE INDEX mail_queue_of ON mail_queue (registration_id);
CREATE UNIQUE INDEX mail_queue_one_confirmation ON mail_queue (registration_id) WHERE kind = 'confirmation';
`
