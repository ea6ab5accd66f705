/** Creates the first tables: registrations, payments, events, messages, files, emails, users, log. */
import { createAppendOnlyTrigger } from './append-only-trigger.ts'

const buildCountSql = (row: 'NEW' | 'OLD', by: '+ 1' | '- 1'): string => `
  INSERT INTO counters (event_id, day, category, period, status, registrations)
  VALUES (${row}.event_id, ${row}.created_day, coalesce(${row}.category, ''), coalesce(${row}.period, ''), ${row}.payment_status, 0 ${by})
  ON CONFLICT DO UPDATE SET registrations = registrations ${by};`

export const initialSchema = `
CREATE TABLE registrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id TEXT NOT NULL,
  event_hash TEXT NOT NULL,
  reg_no TEXT NOT NULL UNIQUE,
  full_name TEXT NOT NULL,
  email TEXT NOT NULL,
  phone TEXT NOT NULL,
  council_no TEXT NOT NULL,
  answers TEXT NOT NULL,
  category TEXT,
  period TEXT,
  base INTEGER, gst INTEGER, total INTEGER,
  payment_status TEXT NOT NULL CHECK (payment_status IN ('pending', 'success', 'failed', 'refunded')),
  in_review INTEGER NOT NULL DEFAULT 0,
  payment_id TEXT,
  paid_at INTEGER,
  created_at INTEGER NOT NULL,
  created_day TEXT NOT NULL,
  CHECK (base + gst = total)
) STRICT;
-- A covering index: the ids of a page are read from it alone, unless the page is filtered by an answer.
CREATE INDEX registrations_newest ON registrations (event_id, created_at, id, payment_status, category, period);
CREATE INDEX registrations_by_status ON registrations (event_id, payment_status, created_at, id, category, period);
CREATE INDEX registrations_in_review ON registrations (event_id, created_at) WHERE in_review;
CREATE TRIGGER registrations_paid_stay BEFORE DELETE ON registrations WHEN OLD.payment_status IN ('success', 'refunded') OR OLD.in_review
BEGIN SELECT RAISE(ABORT, 'a paid registration is never deleted'); END;

CREATE TABLE payments (
  id INTEGER PRIMARY KEY,
  registration_id INTEGER NOT NULL REFERENCES registrations (id),
  order_id TEXT NOT NULL UNIQUE,
  attempt INTEGER NOT NULL,
  -- Null if the payment did not use one of our gateways (imported rows).
  gateway TEXT,
  amount INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'success', 'failed', 'refunded')),
  reference TEXT,
  refund_reference TEXT,
  reason TEXT,
  review TEXT,
  created_at INTEGER NOT NULL,
  status_at INTEGER NOT NULL,
  paid_at INTEGER,
  asks INTEGER NOT NULL DEFAULT 0,
  asked_at INTEGER,
  next_ask_at INTEGER,
  UNIQUE (registration_id, attempt),
  UNIQUE (gateway, reference)
) STRICT;
CREATE INDEX payments_to_ask ON payments (next_ask_at) WHERE status = 'pending' AND review IS NULL;
CREATE TRIGGER payments_amount_frozen BEFORE UPDATE OF amount, order_id, registration_id ON payments
BEGIN SELECT RAISE(ABORT, 'what a payment asked for is frozen'); END;
CREATE TRIGGER payments_one_way BEFORE UPDATE OF status ON payments
WHEN (OLD.status = 'success' AND NEW.status NOT IN ('success', 'refunded')) OR (OLD.status = 'refunded' AND NEW.status <> 'refunded')
BEGIN SELECT RAISE(ABORT, 'a success never becomes a failure'); END;
CREATE TRIGGER payments_paid_stay BEFORE DELETE ON payments WHEN OLD.status IN ('success', 'refunded')
BEGIN SELECT RAISE(ABORT, 'a paid payment is never deleted'); END;

CREATE TABLE payment_facts (
  id INTEGER PRIMARY KEY,
  payment_id INTEGER NOT NULL REFERENCES payments (id),
  type TEXT NOT NULL,
  body TEXT NOT NULL,
  -- The code of the engine's refusal; null: the event was applied.
  refusal TEXT,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX payment_facts_of ON payment_facts (payment_id);
${createAppendOnlyTrigger('payment_facts')}

CREATE TABLE gateway_notices (
  id INTEGER PRIMARY KEY,
  gateway TEXT NOT NULL,
  kind TEXT NOT NULL,
  order_id TEXT,
  body TEXT NOT NULL,
  content_type TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX gateway_notices_of ON gateway_notices (order_id);
${createAppendOnlyTrigger('gateway_notices')}

CREATE TABLE uploads (
  registration_id INTEGER NOT NULL REFERENCES registrations (id),
  field TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (registration_id, field)
) STRICT, WITHOUT ROWID;
CREATE INDEX uploads_by_content ON uploads (sha256);

CREATE TABLE mail_queue (
  id INTEGER PRIMARY KEY,
  registration_id INTEGER NOT NULL REFERENCES registrations (id),
  -- 'confirmation': the only email sent when a registration succeeds; 'again': requested by the office.
  kind TEXT NOT NULL,
  recipient TEXT NOT NULL,
  copy_to TEXT,
  subject TEXT NOT NULL,
  body TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'sent', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER,
  created_at INTEGER NOT NULL,
  sent_at INTEGER,
  error TEXT
) STRICT;
CREATE INDEX mail_queue_due ON mail_queue (next_at) WHERE status = 'queued';
CREATE INDEX mail_queue_of ON mail_queue (registration_id);
CREATE UNIQUE INDEX mail_queue_one_confirmation ON mail_queue (registration_id) WHERE kind = 'confirmation';

CREATE TABLE admins (
  id INTEGER PRIMARY KEY,
  username TEXT NOT NULL UNIQUE COLLATE NOCASE,
  password_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL
) STRICT;
CREATE TABLE sessions (
  token_hash TEXT PRIMARY KEY,
  admin_id INTEGER NOT NULL REFERENCES admins (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_of ON sessions (admin_id);
CREATE INDEX sessions_expire ON sessions (expires_at);

CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  who TEXT NOT NULL,
  what TEXT NOT NULL,
  event_id TEXT,
  reg_no TEXT
) STRICT;
CREATE INDEX audit_log_of ON audit_log (reg_no) WHERE reg_no IS NOT NULL;
${createAppendOnlyTrigger('audit_log')}

CREATE TABLE event_files (
  hash TEXT PRIMARY KEY,
  event_id TEXT NOT NULL,
  text TEXT NOT NULL,
  shared TEXT NOT NULL,
  first_at INTEGER NOT NULL,
  served_at INTEGER NOT NULL
) STRICT;
CREATE INDEX event_files_of ON event_files (event_id, served_at);

CREATE TABLE idempotency_keys (
  event_id TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  registration_id INTEGER NOT NULL REFERENCES registrations (id),
  at INTEGER NOT NULL,
  PRIMARY KEY (event_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_age ON idempotency_keys (at);

-- Updated by triggers, so that no statement can forget to. Registrations without a category or period are counted under
-- ''.
CREATE TABLE counters (
  event_id TEXT NOT NULL,
  day TEXT NOT NULL,
  category TEXT NOT NULL,
  period TEXT NOT NULL,
  status TEXT NOT NULL,
  registrations INTEGER NOT NULL,
  PRIMARY KEY (event_id, day, category, period, status)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER registrations_counted AFTER INSERT ON registrations BEGIN ${buildCountSql('NEW', '+ 1')} END;
CREATE TRIGGER registrations_recounted AFTER UPDATE OF event_id, created_day, category, period, payment_status ON registrations
BEGIN ${buildCountSql('OLD', '- 1')} ${buildCountSql('NEW', '+ 1')} END;
CREATE TRIGGER registrations_uncounted AFTER DELETE ON registrations BEGIN ${buildCountSql('OLD', '- 1')} END;
-- By the date of the payment or refund.
CREATE TABLE revenue (
  event_id TEXT NOT NULL,
  day TEXT NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (event_id, day)
) STRICT, WITHOUT ROWID;

-- Filled in batches after the transactions that register delegates. Searches scan the rows after last_id instead.
CREATE VIRTUAL TABLE search_index USING fts5(words, tokenize = 'trigram', content = '', contentless_delete = 1);
CREATE TABLE search_progress (only INTEGER PRIMARY KEY CHECK (only = 1), last_id INTEGER NOT NULL) STRICT;
INSERT INTO search_progress VALUES (1, 0);
CREATE TABLE pings (only INTEGER PRIMARY KEY CHECK (only = 1), at INTEGER NOT NULL) STRICT;
`
