/** Adds tax rates to bill lines, and to each registration the bill that its tax documents cover. */
export const documentLines = `
-- Percent as JSON ('18', 'null' where untaxed). NULL: an adjustment, or stored before lines had one.
ALTER TABLE bill_lines ADD COLUMN rate TEXT;
-- Of an adjustment, as JSON: what it changes of each line, [{line, base, gst}].
ALTER TABLE bill_lines ADD COLUMN parts TEXT;
-- The bill that invoices less credit notes cover (less what was refunded of it). NULL: none yet, or issued before this step.
ALTER TABLE registrations ADD COLUMN documented_bill INTEGER;
-- A bill that was paid without an invoice (imported, or before the event issued any): only what exceeds it is invoiced.
ALTER TABLE registrations ADD COLUMN bill_without_invoice INTEGER;
`
