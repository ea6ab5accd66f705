/** Identifies paid registrations of one person: delegate and office are notified of a second payment. */
export const secondPayments = `
CREATE TABLE paid_persons (
  -- In the order in which they were paid.
  id INTEGER PRIMARY KEY,
  registration_id INTEGER NOT NULL UNIQUE REFERENCES registrations (id),
  event_id TEXT NOT NULL,
  -- Email address and name, normalised.
  person TEXT NOT NULL,
  -- The registration of the same person that was paid first; NULL: this one.
  first_id INTEGER REFERENCES registrations (id),
  -- The newest act when it became a second payment: a later note answers it.
  after_act INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX paid_persons_of ON paid_persons (event_id, person, id);
CREATE INDEX paid_persons_second ON paid_persons (event_id) WHERE first_id IS NOT NULL;
`
