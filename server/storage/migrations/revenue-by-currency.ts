/** Stores revenue by currency. Before this step, an event had one currency. */

/** Valid in both SQL dialects. */
const REVENUE_CURRENCY = `UPDATE revenue SET currency = coalesce(
  (SELECT r.currency FROM registrations r WHERE r.event_id = revenue.event_id LIMIT 1), 'INR')`

export const revenueByCurrency = `
CREATE TABLE revenue_by_currency (
  event_id TEXT NOT NULL,
  day TEXT NOT NULL,
  currency TEXT NOT NULL DEFAULT 'INR',
  amount INTEGER NOT NULL,
  PRIMARY KEY (event_id, day, currency)
) STRICT, WITHOUT ROWID;
INSERT INTO revenue_by_currency (event_id, day, amount) SELECT event_id, day, amount FROM revenue;
DROP TABLE revenue;
ALTER TABLE revenue_by_currency RENAME TO revenue;
${REVENUE_CURRENCY};
`

export const revenueByCurrencyOnPostgres: readonly string[] = [
  `ALTER TABLE revenue ADD COLUMN currency text COLLATE "C" NOT NULL DEFAULT 'INR'`,
  REVENUE_CURRENCY,
]
