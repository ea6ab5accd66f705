/** Changes that a careless person might try in a database shell, and the error for each. */
export const CARELESS_CHANGES: readonly (readonly [
  what: string,
  sql: string,
  message: string | RegExp,
])[] = [
  ['a payment event edited', "UPDATE payment_facts SET type = 'declined'", 'append-only'],
  ['a payment event deleted', 'DELETE FROM payment_facts', 'append-only'],
  ['a gateway message edited', "UPDATE gateway_notices SET body = 'other'", 'append-only'],
  [
    'a gateway message erased with a new date',
    "UPDATE gateway_notices SET body = '', at = 1",
    'append-only',
  ],
  ['a gateway message deleted', 'DELETE FROM gateway_notices', 'append-only'],
  ['the audit log edited', "UPDATE audit_log SET who = 'other user'", 'append-only'],
  ['a line of the audit log', "UPDATE audit_log SET what = what || '!'", 'append-only'],
  ['the audit log deleted', 'DELETE FROM audit_log', 'append-only'],
  [
    'a paid registration deleted',
    'DELETE FROM registrations',
    'a paid registration is never deleted',
  ],
  ['a capture deleted', 'DELETE FROM captures', 'a received payment is never deleted'],
  ["a capture's amount changed", 'UPDATE captures SET amount = 1', 'frozen'],
  ["a capture's reference changed", "UPDATE captures SET reference = 'X'", 'frozen'],
  [
    'a refund above the received amount',
    "INSERT INTO refunds (capture_id, amount, state, why, who, at) SELECT id, amount + 1, 'wanted', 'w', 'w', 1 FROM captures",
    'never more goes back than came',
  ],
  ['a paid payment deleted', 'DELETE FROM payments', 'a paid payment is never deleted'],
  [
    'a success changed to a failure',
    "UPDATE payments SET status = 'failed'",
    'a success never becomes a failure',
  ],
  ['the amount changed', 'UPDATE payments SET amount = 1', 'frozen'],
  [
    'a second confirmation email',
    'INSERT INTO mail_queue (registration_id, kind, recipient, subject, body, created_at) SELECT registration_id, kind, recipient, subject, body, created_at FROM mail_queue',
    /unique/i,
  ],
  ['a total that does not add up', 'UPDATE registrations SET total = 1', /check/i],
]
