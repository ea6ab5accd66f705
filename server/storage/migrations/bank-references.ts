/** Adds normalised bank references for all payment methods, each with its payment. */
export const bankReferences = `
-- A reference belongs to one payment. Each event numbers its own front-desk slips, so their keys begin with event and
-- method.
CREATE TABLE bank_references (
  key TEXT PRIMARY KEY,
  capture_id INTEGER NOT NULL REFERENCES captures (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX bank_references_of ON bank_references (capture_id);
CREATE TRIGGER bank_references_stay BEFORE DELETE ON bank_references
BEGIN SELECT RAISE(ABORT, 'a reference that was used is never free again'); END;
CREATE TRIGGER bank_references_frozen BEFORE UPDATE ON bank_references
BEGIN SELECT RAISE(ABORT, 'a reference stays with its payment'); END;

-- The bank reference of a gateway's payout, normalised in the same way.
DROP TRIGGER settlement_lines_never_edited;
ALTER TABLE settlement_lines ADD COLUMN utr_key TEXT NOT NULL DEFAULT '';
UPDATE settlement_lines SET utr_key = ltrim(replace(replace(replace(upper(utr), ' ', ''), '-', ''), '.', ''), '0');
CREATE TRIGGER settlement_lines_never_edited BEFORE UPDATE ON settlement_lines
BEGIN SELECT RAISE(ABORT, 'settlement_lines is append-only'); END;
CREATE INDEX settlement_lines_by_utr_key ON settlement_lines (utr_key);
`

// Another payment may take over the reference of a payment that is not counted, such as a dismissed one.
const CONDITION =
  "NEW.key <> OLD.key OR (SELECT state FROM captures WHERE id = OLD.capture_id) <> 'refused'"
const MESSAGE = 'a reference stays with its payment'

export const releasedReferences = `
DROP TRIGGER bank_references_frozen;
CREATE TRIGGER bank_references_frozen BEFORE UPDATE ON bank_references WHEN ${CONDITION}
BEGIN SELECT RAISE(ABORT, '${MESSAGE}'); END;
`

export const releasedReferencesOnPostgres: readonly string[] = [
  `CREATE OR REPLACE FUNCTION bank_references_frozen() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF ${CONDITION} THEN
    RAISE EXCEPTION '${MESSAGE}' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $body$`,
]
