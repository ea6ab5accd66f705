/** Adds disputes: payments that the delegate's bank disputes with the gateway. */
export const disputes = `
-- The first three columns are ours; the rest is the gateway's response. Until the first response, the status is
-- 'unknown'.
CREATE TABLE disputes (
  dispute_id TEXT PRIMARY KEY,
  registration_id INTEGER NOT NULL REFERENCES registrations (id),
  order_id TEXT NOT NULL,
  reference TEXT NOT NULL,
  amount INTEGER NOT NULL,
  deducted INTEGER NOT NULL,
  currency TEXT NOT NULL,
  reason TEXT NOT NULL,
  phase TEXT NOT NULL,
  status TEXT NOT NULL,
  respond_by INTEGER,
  noted_at INTEGER NOT NULL,
  asked_at INTEGER NOT NULL,
  status_at INTEGER NOT NULL,
  next_ask_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX disputes_of ON disputes (registration_id);
CREATE INDEX disputes_by_status ON disputes (status);
CREATE INDEX disputes_due ON disputes (next_ask_at) WHERE next_ask_at IS NOT NULL;
`

export const disputesOnPostgres: readonly string[] = [
  `CREATE TABLE disputes (dispute_id text COLLATE "C" PRIMARY KEY, registration_id bigint NOT NULL REFERENCES registrations (id),
    order_id text COLLATE "C" NOT NULL, reference text COLLATE "C" NOT NULL, amount bigint NOT NULL, deducted bigint NOT NULL,
    currency text COLLATE "C" NOT NULL, reason text COLLATE "C" NOT NULL, phase text COLLATE "C" NOT NULL, status text COLLATE "C" NOT NULL,
    respond_by bigint, noted_at bigint NOT NULL, asked_at bigint NOT NULL, status_at bigint NOT NULL, next_ask_at bigint)`,
  'CREATE INDEX disputes_of ON disputes (registration_id)',
  'CREATE INDEX disputes_by_status ON disputes (status)',
  'CREATE INDEX disputes_due ON disputes (next_ask_at) WHERE next_ask_at IS NOT NULL',
]
