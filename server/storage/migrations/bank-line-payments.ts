/** Links a recorded payment to the bank statement line that shows it. */
export const bankLinePayments = `
-- Rows are added when a statement is uploaded or opened, or its lines are decided on. A line may show several payments,
-- but a payment has one line.
CREATE TABLE bank_line_payments (
  capture_id INTEGER PRIMARY KEY REFERENCES captures (id),
  bank_line_id INTEGER NOT NULL REFERENCES bank_lines (id)
) STRICT;
CREATE INDEX bank_line_payments_of ON bank_line_payments (bank_line_id);
-- Statements saved by older versions are matched again, because their payments have no lines yet.
UPDATE bank_statements SET open = open + matched, matched = 0;
`

export const bankLinePaymentsOnPostgres: readonly string[] = [
  `CREATE TABLE bank_line_payments (capture_id bigint PRIMARY KEY REFERENCES captures (id),
    bank_line_id bigint NOT NULL REFERENCES bank_lines (id))`,
  'CREATE INDEX bank_line_payments_of ON bank_line_payments (bank_line_id)',
]
/** Makes the server match stored bank statements again. */
export const matchAgainOnPostgres: readonly string[] = [
  'UPDATE bank_statements SET open = open + matched, matched = 0',
]
