/** Adds exchange rates, and the registrations whose invoice is waiting for a rate. */
export const exchangeRates = `
-- The rate is in rupees per unit of the currency, as entered by staff.
CREATE TABLE exchange_rates (
  event_id TEXT NOT NULL,
  currency TEXT NOT NULL,
  day TEXT NOT NULL,
  rate TEXT NOT NULL,
  source TEXT NOT NULL,
  who TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (event_id, currency, day)
) STRICT, WITHOUT ROWID;
CREATE TABLE waiting_invoices (
  registration_id INTEGER PRIMARY KEY REFERENCES registrations (id),
  event_id TEXT NOT NULL,
  currency TEXT NOT NULL,
  day TEXT NOT NULL
) STRICT;
CREATE INDEX waiting_invoices_of ON waiting_invoices (event_id, day);
`

export const exchangeRatesOnPostgres: readonly string[] = [
  `CREATE TABLE exchange_rates (event_id text COLLATE "C" NOT NULL, currency text COLLATE "C" NOT NULL, day text COLLATE "C" NOT NULL,
    rate text COLLATE "C" NOT NULL, source text COLLATE "C" NOT NULL, who text COLLATE "C" NOT NULL, at bigint NOT NULL,
    PRIMARY KEY (event_id, currency, day))`,
  `CREATE TABLE waiting_invoices (registration_id bigint PRIMARY KEY REFERENCES registrations (id), event_id text COLLATE "C" NOT NULL,
    currency text COLLATE "C" NOT NULL, day text COLLATE "C" NOT NULL)`,
  'CREATE INDEX waiting_invoices_of ON waiting_invoices (event_id, day)',
]
