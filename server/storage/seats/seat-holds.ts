/** Who holds what there are not enough of: a place, a use of a code. */

/**
 * Whether a registration `r` holds what it took: it is paid, its money is with a person, it waits for one or for a
 * day until which it can be paid, or somebody may still be paying. To be bound: how long that is held after the newest hand-off, in milliseconds, and the instant.
 * What the bank has in process is held until it says how that ended.
 */
export const HOLDS = `(r.state NOT IN ('cancelled', 'refused') AND (r.payment_status = 'success' OR r.in_review = 1
  OR r.state IN ('to_approve', 'told') OR (r.state = 'to_pay' AND r.pay_until IS NOT NULL) OR (r.payment_status = 'pending' AND EXISTS (
  SELECT 1 FROM payments p WHERE p.registration_id = r.id AND p.status = 'pending'
    AND (p.last_answer = 'in-process' OR coalesce(p.handed_off_at, p.created_at) + ? > ?)))))`
