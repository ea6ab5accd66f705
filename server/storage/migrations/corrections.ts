/** Records whether a correction made a registration free, and the series of an invoice's credit notes. */
export const corrections = `
-- How many payment attempts the registration had when a correction made it free. If a later correction gives it a price
-- again, its state does not depend on these attempts. Null if no correction made it free.
ALTER TABLE registrations ADD COLUMN freed_at_attempt INTEGER;

-- For an invoice, the number pattern of its credit notes. It is stored because the setting may later be removed from
-- the event file.
DROP TRIGGER documents_never_rewritten;
ALTER TABLE documents ADD COLUMN credit_number TEXT;
UPDATE documents SET credit_number = (SELECT e.issuer ->> '$.invoice.creditNumber' FROM event_issuers e
  JOIN registrations r ON r.event_id = e.event_id WHERE r.id = documents.registration_id) WHERE kind = 'invoice';
CREATE TRIGGER documents_never_rewritten BEFORE UPDATE ON documents
WHEN OLD.kind <> 'receipt' OR (NEW.id, NEW.registration_id, NEW.payment_id, NEW.kind, NEW.account, NEW.year, NEW.serial, NEW.at, NEW.credit_number)
  IS NOT (OLD.id, OLD.registration_id, OLD.payment_id, OLD.kind, OLD.account, OLD.year, OLD.serial, OLD.at, OLD.credit_number)
BEGIN SELECT RAISE(ABORT, 'documents are never rewritten'); END;
`
