/** Defines which registrations hold seats and code uses. */

/**
 * True if a registration `r` holds its seats: it is paid, its payment needs review, it waits for approval or for
 * a payment deadline, or a delegate may still be paying. Parameters: how long it is held after the newest
 * hand-off, in milliseconds, and the instant. A payment that the bank is processing holds them until its result
 * is known.
 */
export const HOLDS = `(r.state NOT IN ('cancelled', 'refused') AND (r.payment_status = 'success' OR r.in_review = 1
  OR r.state IN ('to_approve', 'told') OR (r.state = 'to_pay' AND r.pay_until IS NOT NULL) OR (r.payment_status = 'pending' AND EXISTS (
  SELECT 1 FROM payments p WHERE p.registration_id = r.id AND p.status = 'pending'
    AND (p.last_answer = 'in-process' OR coalesce(p.handed_off_at, p.created_at) + ? > ?)))))`
