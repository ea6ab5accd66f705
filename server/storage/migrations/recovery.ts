/** Adds recovery after a restore: held emails, pending payments, and payments of unknown orders. */
export const recoveryTables = `
-- Identifies the database. Copies of the database have the same name.
CREATE TABLE installation (only INTEGER PRIMARY KEY CHECK (only = 1), name TEXT NOT NULL) STRICT;
CREATE TABLE recoveries (
  id INTEGER PRIMARY KEY,
  -- Part of all document numbers issued since the recovery began.
  code TEXT NOT NULL UNIQUE,
  begun_at INTEGER NOT NULL,
  who TEXT NOT NULL,
  why TEXT NOT NULL,
  -- When the copy was made; null: unknown.
  copy_at INTEGER,
  -- The time of the newest record in the copy.
  stored_at INTEGER,
  -- When a server last recorded that it had served records newer than the copy; null if none did.
  served_at INTEGER,
  -- Null if the recovery has not ended.
  ended_at INTEGER,
  ended_by TEXT,
  -- What happened to the held emails.
  mails TEXT CHECK (mails IN ('send', 'copy', 'discard'))
) STRICT;
-- Payments that were pending in the copy.
CREATE TABLE recovery_payments (
  recovery_id INTEGER NOT NULL REFERENCES recoveries (id),
  payment_id INTEGER NOT NULL REFERENCES payments (id),
  PRIMARY KEY (recovery_id, payment_id)
) STRICT, WITHOUT ROWID;
-- Orders that are not in this database and may have been paid. The gateway is queried until it reports whether they
-- were paid.
CREATE TABLE unknown_orders (
  order_id TEXT PRIMARY KEY,
  event_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  next_ask_at INTEGER NOT NULL,
  asks INTEGER NOT NULL,
  -- 1 if a gateway message referred to the order. Anyone can send such a message.
  is_claimed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX unknown_orders_due ON unknown_orders (next_ask_at);
-- For a payment of an order that is not in this database: the order, and the payer as reported by the gateway (JSON).
ALTER TABLE captures ADD COLUMN unknown_order TEXT;
ALTER TABLE captures ADD COLUMN payer TEXT;
CREATE INDEX captures_of_unknown ON captures (unknown_order) WHERE unknown_order IS NOT NULL;
`
