/** Adds the recipient's mailbox to emails that anyone can trigger, so that they can be counted per hour. */
export const emailLimits = `
-- Normalised. Null for an email that only staff or a payment can trigger.
ALTER TABLE mail_queue ADD COLUMN mailbox TEXT;
CREATE INDEX mail_queue_mailbox ON mail_queue (mailbox, created_at) WHERE mailbox IS NOT NULL;
`
