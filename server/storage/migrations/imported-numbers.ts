/**
 * Adds the previous numbers of imported registrations.
 * Null if the registration was not imported. An older version used the previous number as the registration number.
 */
export const importedNumbers = `
ALTER TABLE registrations ADD COLUMN former_no TEXT;
UPDATE registrations SET former_no = reg_no WHERE id IN (SELECT registration_id FROM audit_log WHERE who = 'import' AND what = 'imported');
CREATE UNIQUE INDEX registrations_by_former_no ON registrations (event_id, former_no) WHERE former_no IS NOT NULL;
`
