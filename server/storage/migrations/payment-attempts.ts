/** Adds price and last gateway answer to each payment attempt, and links to unpaid registrations. */
export const paying = `
-- What the attempt asked for, taken apart; its total is its amount. Null: rows brought in without it.
ALTER TABLE payments ADD COLUMN period TEXT;
ALTER TABLE payments ADD COLUMN base INTEGER;
ALTER TABLE payments ADD COLUMN gst INTEGER;
-- Of a question whose answer ended nothing; null: not asked, or the answer is a fact.
ALTER TABLE payments ADD COLUMN last_answer TEXT CHECK (last_answer IN ('no-record', 'in-process', 'unreachable'));
-- When a message last claimed money that the gateway did not know of.
ALTER TABLE payments ADD COLUMN claimed_at INTEGER;
UPDATE payments SET (period, base, gst) = (SELECT r.period, r.base, r.gst FROM registrations r WHERE r.id = payments.registration_id AND r.total = payments.amount);
UPDATE payments SET handed_off_at = created_at WHERE handed_off_at IS NULL AND gateway IS NOT NULL;

CREATE TABLE links (
  -- Hex SHA-256: who reads the database opens no link.
  token_hash TEXT PRIMARY KEY,
  registration_id INTEGER NOT NULL REFERENCES registrations (id),
  purpose TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- When it was last followed; a link may be followed several times.
  used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX links_of ON links (registration_id);
`
