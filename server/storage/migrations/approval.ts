/** Adds approval before payment, and the payment deadline for registrations that are paid later. */
export const approval = `
-- The approval rule in the event file; null: no approval was needed.
ALTER TABLE registrations ADD COLUMN approval TEXT;
-- The deadline for the organisers' decision.
ALTER TABLE registrations ADD COLUMN decide_by INTEGER;
-- The other category that the organisers offer when they refuse, which the delegate may accept; null: none.
ALTER TABLE registrations ADD COLUMN offer TEXT;
-- When the registration expires if it is unpaid. Its seats are reserved until then. Null if it expires with the
-- gateway's orders.
ALTER TABLE registrations ADD COLUMN pay_until INTEGER;
CREATE INDEX registrations_to_lapse ON registrations (pay_until) WHERE pay_until IS NOT NULL AND state = 'to_pay';
`
