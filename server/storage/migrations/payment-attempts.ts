/** Adds the price and the gateway's latest response to each payment attempt, and links to unpaid registrations. */
export const paymentAttempts = `
-- The parts of the attempt's price, which add up to its amount. Null for rows imported without them.
ALTER TABLE payments ADD COLUMN period TEXT;
ALTER TABLE payments ADD COLUMN base INTEGER;
ALTER TABLE payments ADD COLUMN gst INTEGER;
-- The latest response to a query, if it was inconclusive; null: not queried, or the response was a payment event.
ALTER TABLE payments ADD COLUMN last_answer TEXT CHECK (last_answer IN ('no-record', 'in-process', 'unreachable'));
-- When a message last reported a payment of which the gateway had no record.
ALTER TABLE payments ADD COLUMN claimed_at INTEGER;
UPDATE payments SET (period, base, gst) = (SELECT r.period, r.base, r.gst FROM registrations r WHERE r.id = payments.registration_id AND r.total = payments.amount);
UPDATE payments SET handed_off_at = created_at WHERE handed_off_at IS NULL AND gateway IS NOT NULL;

CREATE TABLE links (
  -- SHA-256 in hex, so that a person who reads the database cannot open a link.
  token_hash TEXT PRIMARY KEY,
  registration_id INTEGER NOT NULL REFERENCES registrations (id),
  purpose TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- When the link was last opened. A link may be opened several times.
  used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX links_of ON links (registration_id);
`
