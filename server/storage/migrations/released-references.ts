/** Lets another payment take over the reference of a payment that is not counted, such as a dismissed one. */
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
