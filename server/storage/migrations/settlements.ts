/** Adds settlements, which store each line of a gateway's reports once, and the event of unmatched payments. */
export const settlements = `
CREATE TABLE settlements (
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  account TEXT NOT NULL,
  -- The event for which the settlement was loaded. Several events may share an account.
  event_id TEXT NOT NULL,
  -- The hash of the file, in hex.
  sha256 TEXT NOT NULL,
  who TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE TRIGGER settlements_never_edited BEFORE UPDATE ON settlements BEGIN SELECT RAISE(ABORT, 'settlements is append-only'); END;
CREATE TRIGGER settlements_never_deleted BEFORE DELETE ON settlements BEGIN SELECT RAISE(ABORT, 'settlements is append-only'); END;

CREATE TABLE settlement_lines (
  id INTEGER PRIMARY KEY,
  settlement_id INTEGER NOT NULL REFERENCES settlements (id),
  source TEXT NOT NULL,
  account TEXT NOT NULL,
  -- Identifies the line within the account, so that a file that is loaded twice is stored once.
  key TEXT NOT NULL,
  line INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('sale', 'refund', 'other')),
  -- Our order and the gateway's reference; '': not stated.
  order_id TEXT NOT NULL,
  reference TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  fee INTEGER NOT NULL,
  tax INTEGER NOT NULL,
  -- The line's part of the bank payout, signed.
  net INTEGER NOT NULL,
  -- YYYY-MM-DD; null: not stated.
  day TEXT,
  utr TEXT NOT NULL,
  paid_on TEXT,
  nth INTEGER NOT NULL,
  UNIQUE (source, account, key)
) STRICT;
CREATE INDEX settlement_lines_named ON settlement_lines (reference);
CREATE INDEX settlement_lines_ordered ON settlement_lines (order_id);
CREATE INDEX settlement_lines_by_utr ON settlement_lines (utr);
CREATE TRIGGER settlement_lines_never_edited BEFORE UPDATE ON settlement_lines
BEGIN SELECT RAISE(ABORT, 'settlement_lines is append-only'); END;
CREATE TRIGGER settlement_lines_never_deleted BEFORE DELETE ON settlement_lines
BEGIN SELECT RAISE(ABORT, 'settlement_lines is append-only'); END;

-- The event of an unmatched payment. Null if the payment belongs to a registration, or if its event is unknown.
ALTER TABLE captures ADD COLUMN found_for TEXT;
`
