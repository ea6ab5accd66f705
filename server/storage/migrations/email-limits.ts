/** Which mailbox an email that anyone can trigger goes to, so that the emails of an hour can be counted. */
export const mailLimits = `
-- Normalised; null: an email that only staff or a payment can trigger.
ALTER TABLE mail_queue ADD COLUMN mailbox TEXT;
CREATE INDEX mail_queue_mailbox ON mail_queue (mailbox, created_at) WHERE mailbox IS NOT NULL;
`
