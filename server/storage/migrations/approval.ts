/** Adds approval before payment, and the payment deadline of registrations paid later. */
export const approval = `
-- The approval rule of the event file; null: no approval was needed.
ALTER TABLE registrations ADD COLUMN approval TEXT;
-- The deadline of the organisers' decision.
ALTER TABLE registrations ADD COLUMN decide_by INTEGER;
-- The category offered with a refusal, which the delegate may accept; null: none.
ALTER TABLE registrations ADD COLUMN offer TEXT;
-- When the registration expires unless it is paid. Until then, its seats are reserved. Null if it expires with the gateway's orders.
ALTER TABLE registrations ADD COLUMN pay_until INTEGER;
CREATE INDEX registrations_to_lapse ON registrations (pay_until) WHERE pay_until IS NOT NULL AND state = 'to_pay';
`
