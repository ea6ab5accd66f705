/** Links a recorded payment to the bank statement line that shows it. */
export const bankLinePayments = `
-- Added when a statement is uploaded, opened or decided on. A line may show several payments, but a payment has one line.
CREATE TABLE bank_line_payments (
  capture_id INTEGER PRIMARY KEY REFERENCES captures (id),
  bank_line_id INTEGER NOT NULL REFERENCES bank_lines (id)
) STRICT;
CREATE INDEX bank_line_payments_of ON bank_line_payments (bank_line_id);
-- Statements of older versions are matched again, because their payments have no lines yet.
UPDATE bank_statements SET open = open + matched, matched = 0;
`

export const bankLinePaymentsOnPostgres: readonly string[] = [
  `CREATE TABLE bank_line_payments (capture_id bigint PRIMARY KEY REFERENCES captures (id),
    bank_line_id bigint NOT NULL REFERENCES bank_lines (id))`,
  'CREATE INDEX bank_line_payments_of ON bank_line_payments (bank_line_id)',
]
/** Schedules another matching of bank statements in a database that already contains some. */
export const matchAgainOnPostgres: readonly string[] = [
  'UPDATE bank_statements SET open = open + matched, matched = 0',
]
