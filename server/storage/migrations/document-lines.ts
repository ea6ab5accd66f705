/** Adds tax rates to bill lines, and to registrations the bill that their tax documents cover. */
export const documentLines = `
-- Percent as JSON ('18', or 'null' if untaxed). NULL for an adjustment, and for a line stored before lines had a
-- rate.
ALTER TABLE bill_lines ADD COLUMN rate TEXT;
-- For an adjustment, as JSON: its change to each line, [{line, base, gst}].
ALTER TABLE bill_lines ADD COLUMN parts TEXT;
-- The bill that the invoices less credit notes cover (less the bill's refunds). NULL if none was issued, or only
-- before this step.
ALTER TABLE registrations ADD COLUMN documented_bill INTEGER;
-- A bill that was paid without an invoice (imported, or before the event issued any): only the excess over it is
-- invoiced.
ALTER TABLE registrations ADD COLUMN bill_without_invoice INTEGER;
`
