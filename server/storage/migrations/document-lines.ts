/** Adds tax rates to bill lines, and records for each registration which bill its tax documents cover. */
export const documentLines = `
-- The tax rate in percent as JSON ('18', or 'null' if untaxed). NULL for an adjustment, and for a line stored before
-- lines had rates.
ALTER TABLE bill_lines ADD COLUMN rate TEXT;
-- For an adjustment, as JSON: its change to each line, [{line, base, gst}].
ALTER TABLE bill_lines ADD COLUMN parts TEXT;
-- The bill that the invoices less the credit notes add up to, apart from refunds. NULL if no invoice has been issued
-- since this step.
ALTER TABLE registrations ADD COLUMN documented_bill INTEGER;
-- A bill that was paid without an invoice, because it was imported or paid before the event issued invoices. Only
-- amounts above this bill are invoiced.
ALTER TABLE registrations ADD COLUMN bill_without_invoice INTEGER;
`
