/** The PostgreSQL step that adds checkouts and processed webhook events (../../migrations/gateway-checkouts.ts). */
export const gatewayCheckouts: readonly string[] = [
  'CREATE TABLE checkouts (checkout_id text COLLATE "C" PRIMARY KEY, order_id text COLLATE "C" NOT NULL, amount bigint NOT NULL, currency text COLLATE "C" NOT NULL, at bigint NOT NULL)',
  'CREATE INDEX checkouts_of ON checkouts (order_id)',
  'CREATE TABLE webhook_events (event_id text COLLATE "C" PRIMARY KEY, at bigint NOT NULL)',
  'CREATE INDEX webhook_events_by_age ON webhook_events (at)',
]
