/** Adds recovery after a restore: held emails, pending payments, and payments for unknown orders. */
export const recoveries = `
-- Which database this is: copies of it have the same name.
CREATE TABLE installation (only INTEGER PRIMARY KEY CHECK (only = 1), name TEXT NOT NULL) STRICT;
CREATE TABLE recoveries (
  id INTEGER PRIMARY KEY,
  -- Stands in the numbers of documents from then on.
  code TEXT NOT NULL UNIQUE,
  begun_at INTEGER NOT NULL,
  who TEXT NOT NULL,
  why TEXT NOT NULL,
  -- When the copy was made; null: not known.
  copy_at INTEGER,
  -- The newest record in it.
  stored_at INTEGER,
  -- Until when a server noted that it served newer records; null: none did.
  served_at INTEGER,
  -- Null: it has not ended.
  ended_at INTEGER,
  ended_by TEXT,
  -- What became of the emails that were held.
  mails TEXT CHECK (mails IN ('send', 'copy', 'discard'))
) STRICT;
-- What was pending in the copy.
CREATE TABLE recovery_payments (
  recovery_id INTEGER NOT NULL REFERENCES recoveries (id),
  payment_id INTEGER NOT NULL REFERENCES payments (id),
  PRIMARY KEY (recovery_id, payment_id)
) STRICT, WITHOUT ROWID;
-- Orders that are not here and may have been paid: the gateway is asked about them until it says whether they were.
CREATE TABLE unknown_orders (
  order_id TEXT PRIMARY KEY,
  event_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  next_ask_at INTEGER NOT NULL,
  asks INTEGER NOT NULL,
  -- 1: a message named it, which anybody can write.
  is_claimed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX unknown_orders_due ON unknown_orders (next_ask_at);
-- Of money for an order that is not here: the order, and who paid it as the gateway says (JSON).
ALTER TABLE captures ADD COLUMN unknown_order TEXT;
ALTER TABLE captures ADD COLUMN payer TEXT;
CREATE INDEX captures_of_unknown ON captures (unknown_order) WHERE unknown_order IS NOT NULL;
`
