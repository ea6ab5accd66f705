/** Numbers that registrations had where they were brought in from. */
/**
 * The number that a registration from elsewhere had there; null: it was made here. Those that were
 * imported before have it as their own number, which people hold and which nobody takes from them.
 */
export const formerNumbers = `
ALTER TABLE registrations ADD COLUMN former_no TEXT;
UPDATE registrations SET former_no = reg_no WHERE id IN (SELECT registration_id FROM audit_log WHERE who = 'import' AND what = 'imported');
CREATE UNIQUE INDEX registrations_by_former_no ON registrations (event_id, former_no) WHERE former_no IS NOT NULL;
`
