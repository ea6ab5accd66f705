/** Adds checkouts that the server created at a gateway, and the ids of processed webhook events. */
export const gatewayCheckouts = `
-- The gateway's ids for our orders. An order has several if a request that got no response created a checkout after
-- all.
CREATE TABLE checkouts (
  checkout_id TEXT PRIMARY KEY,
  order_id TEXT NOT NULL,
  amount INTEGER NOT NULL,
  currency TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX checkouts_of ON checkouts (order_id);
-- Gateways may send the same event several times.
CREATE TABLE webhook_events (
  event_id TEXT PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_events_by_age ON webhook_events (at);
`
