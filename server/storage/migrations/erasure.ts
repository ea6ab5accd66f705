/**
 * Allows personal data to be erased while the record of payments is kept.
 * Personal data can be removed from append-only rows, but nothing else in them can change.
 */
export const erasure = `
-- Null: not erased.
ALTER TABLE registrations ADD COLUMN erased_at INTEGER;

DROP TRIGGER gateway_notices_never_edited;
CREATE TRIGGER gateway_notices_never_edited BEFORE UPDATE ON gateway_notices
WHEN (NEW.id, NEW.gateway, NEW.kind, NEW.order_id, NEW.content_type, NEW.at) IS NOT (OLD.id, OLD.gateway, OLD.kind, OLD.order_id, OLD.content_type, OLD.at)
  OR NEW.body NOT IN (OLD.body, '')
BEGIN SELECT RAISE(ABORT, 'gateway_notices is append-only'); END;

DROP TRIGGER decisions_never_edited;
CREATE TRIGGER decisions_never_edited BEFORE UPDATE ON decisions
WHEN (NEW.id, NEW.registration_id, NEW.capture_id, NEW.what, NEW.who, NEW.second_person, NEW.at, NEW.about, NEW.amount)
  IS NOT (OLD.id, OLD.registration_id, OLD.capture_id, OLD.what, OLD.who, OLD.second_person, OLD.at, OLD.about, OLD.amount)
  OR NEW.why NOT IN (OLD.why, '')
BEGIN SELECT RAISE(ABORT, 'decisions is append-only'); END;

DROP TRIGGER refunds_frozen;
CREATE TRIGGER refunds_frozen BEFORE UPDATE OF capture_id, amount, why, who, at ON refunds
WHEN (NEW.capture_id, NEW.amount, NEW.who, NEW.at) IS NOT (OLD.capture_id, OLD.amount, OLD.who, OLD.at)
  OR NEW.why NOT IN (OLD.why, '')
BEGIN SELECT RAISE(ABORT, 'what a refund is for is frozen'); END;

-- The entry keeps its action, but the reason that follows it is removed.
DROP TRIGGER audit_log_never_edited;
CREATE TRIGGER audit_log_never_edited BEFORE UPDATE ON audit_log
WHEN (NEW.id, NEW.at, NEW.who, NEW.event_id, NEW.reg_no, NEW.registration_id, NEW.look)
  IS NOT (OLD.id, OLD.at, OLD.who, OLD.event_id, OLD.reg_no, OLD.registration_id, OLD.look)
  OR substr(OLD.what, 1, length(NEW.what)) <> NEW.what
BEGIN SELECT RAISE(ABORT, 'audit_log is append-only'); END;
`
