/** Adds the previous numbers of imported registrations. */
/**
 * The registration's number in its previous system. Null if the registration was created here, or imported by an
 * older version, which kept the previous number as the registration number.
 */
export const importedNumbers = `
ALTER TABLE registrations ADD COLUMN former_no TEXT;
UPDATE registrations SET former_no = reg_no WHERE id IN (SELECT registration_id FROM audit_log WHERE who = 'import' AND what = 'imported');
CREATE UNIQUE INDEX registrations_by_former_no ON registrations (event_id, former_no) WHERE former_no IS NOT NULL;
`
