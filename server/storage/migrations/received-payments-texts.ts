/**
 * Rewrites two stored texts in plain English.
 * They explain why a payment cannot be deleted, and why a statement line is under review.
 */
const OLD_REASON = 'It came to the bank, and nobody waits for it: '
const NEW_REASON = 'Bank payment that matches no registration: '

/** Rewrites the reasons, in both databases. */
export const rewriteReasons = `UPDATE captures SET why = '${NEW_REASON}' || substr(why, ${OLD_REASON.length + 1})
WHERE source = 'transfer' AND substr(why, 1, ${OLD_REASON.length}) = '${OLD_REASON}'`

export const receivedPaymentTexts = `
DROP TRIGGER captures_stay;
CREATE TRIGGER captures_stay BEFORE DELETE ON captures
BEGIN SELECT RAISE(ABORT, 'a received payment is never deleted'); END;
${rewriteReasons};
`
