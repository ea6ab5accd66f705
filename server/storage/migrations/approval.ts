/** Adds approval before payment, and the payment deadline of registrations paid later. */
export const approving = `
-- The rule of the event file by which somebody sees it; null: nobody had to.
ALTER TABLE registrations ADD COLUMN approval TEXT;
-- By when the organisers decide.
ALTER TABLE registrations ADD COLUMN decide_by INTEGER;
-- The category offered with a refusal, which the delegate may accept; null: none.
ALTER TABLE registrations ADD COLUMN offer TEXT;
-- When it lapses unless it is paid; until then its places are kept. Null: as the gateway's orders expire.
ALTER TABLE registrations ADD COLUMN pay_until INTEGER;
CREATE INDEX registrations_to_lapse ON registrations (pay_until) WHERE pay_until IS NOT NULL AND state = 'to_pay';
`
