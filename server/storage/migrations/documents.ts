/**
 * Adds receipts, tax invoices and credit notes.
 * Their data never changes, and they are numbered without gaps where the law requires it.
 */
export const documents = `
-- The data that documents need from the event file served most recently, as JSON.
CREATE TABLE event_issuers (
  event_id TEXT PRIMARY KEY,
  issuer TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE documents (
  id INTEGER PRIMARY KEY,
  registration_id INTEGER NOT NULL REFERENCES registrations (id),
  payment_id INTEGER NOT NULL REFERENCES payments (id),
  kind TEXT NOT NULL CHECK (kind IN ('receipt', 'invoice', 'credit')),
  -- The account within which a serial is unique: the supplier's GSTIN; for a receipt, the event.
  account TEXT NOT NULL,
  -- The financial year; for a receipt, empty.
  year TEXT NOT NULL,
  serial TEXT NOT NULL,
  -- The content as JSON, from which every copy is rendered.
  body TEXT NOT NULL,
  at INTEGER NOT NULL,
  UNIQUE (account, year, serial)
) STRICT;
CREATE INDEX documents_of ON documents (registration_id);
-- The law requires that invoices are kept. The text of a receipt is erased with the person's data.
CREATE TRIGGER documents_never_rewritten BEFORE UPDATE ON documents
WHEN OLD.kind <> 'receipt' OR (NEW.id, NEW.registration_id, NEW.payment_id, NEW.kind, NEW.account, NEW.year, NEW.serial, NEW.at)
  IS NOT (OLD.id, OLD.registration_id, OLD.payment_id, OLD.kind, OLD.account, OLD.year, OLD.serial, OLD.at)
BEGIN SELECT RAISE(ABORT, 'documents are never rewritten'); END;
CREATE TRIGGER documents_never_deleted BEFORE DELETE ON documents BEGIN SELECT RAISE(ABORT, 'documents are never deleted'); END;
-- The latest number in each series.
CREATE TABLE document_series (
  account TEXT NOT NULL,
  year TEXT NOT NULL,
  pattern TEXT NOT NULL,
  last INTEGER NOT NULL,
  PRIMARY KEY (account, year, pattern)
) STRICT, WITHOUT ROWID;
`
