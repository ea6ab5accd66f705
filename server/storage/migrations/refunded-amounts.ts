/** Adds the amount refunded from a registration's counted payments. `booked` is the amount that remains. */
export const refundedAmounts = `
ALTER TABLE registrations ADD COLUMN refunded INTEGER NOT NULL DEFAULT 0;
UPDATE registrations SET refunded =
  (SELECT coalesce(sum(f.amount), 0) FROM refunds f JOIN captures c ON c.id = f.capture_id JOIN payments p ON p.id = c.counts_for
    WHERE p.registration_id = registrations.id AND c.state IN ('fits', 'accepted') AND f.state = 'done')
  WHERE EXISTS (SELECT 1 FROM payments p JOIN captures c ON c.counts_for = p.id JOIN refunds f ON f.capture_id = c.id
    WHERE p.registration_id = registrations.id);
`
