/** The PostgreSQL triggers of a new database. */
import { bankStatementTriggersOnPostgres } from '../../migrations/bank-statements.ts'
import { seatCountTriggers } from './seat-counts.ts'

/** Builds a trigger that refuses a change. If `condition` is given, only changes that meet it are refused. */
export const buildRefusingTrigger = (
  name: string,
  change: string,
  message: string,
  condition?: string,
): readonly string[] => [
  `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  ${buildRefusal(message, condition)}
  RETURN ${change.startsWith('BEFORE DELETE') ? 'OLD' : 'NEW'};
END $body$`,
  `CREATE TRIGGER ${name} ${change} FOR EACH ROW EXECUTE FUNCTION ${name}()`,
]
const buildRefusal = (message: string, condition: string | undefined): string => {
  const raiseStatement = `RAISE EXCEPTION '${message}' USING ERRCODE = 'check_violation';`
  return condition === undefined
    ? raiseStatement
    : `IF ${condition} THEN\n  ${raiseStatement}\n  END IF;`
}

export const triggers: readonly string[] = [
  ...buildRefusingTrigger(
    'registrations_paid_stay',
    'BEFORE DELETE ON registrations',
    'a paid registration is never deleted',
    "OLD.payment_status IN ('success', 'refunded') OR OLD.in_review = 1",
  ),
  ...buildRefusingTrigger(
    'payments_amount_frozen',
    'BEFORE UPDATE OF amount, order_id, registration_id ON payments',
    'what a payment asked for is frozen',
  ),
  ...buildRefusingTrigger(
    'payments_one_way',
    'BEFORE UPDATE OF status ON payments',
    'a success never becomes a failure',
    "(OLD.status = 'success' AND NEW.status NOT IN ('success', 'refunded')) OR (OLD.status = 'refunded' AND NEW.status <> 'refunded')",
  ),
  ...buildRefusingTrigger(
    'payments_paid_stay',
    'BEFORE DELETE ON payments',
    'a paid payment is never deleted',
    "OLD.status IN ('success', 'refunded')",
  ),
  ...buildRefusingTrigger(
    'payment_facts_never_edited',
    'BEFORE UPDATE ON payment_facts',
    'payment_facts is append-only',
  ),
  ...buildRefusingTrigger(
    'payment_facts_never_deleted',
    'BEFORE DELETE ON payment_facts',
    'payment_facts is append-only',
  ),
  ...buildRefusingTrigger(
    'gateway_notices_never_deleted',
    'BEFORE DELETE ON gateway_notices',
    'gateway_notices is append-only',
  ),
  ...buildRefusingTrigger(
    'audit_log_never_deleted',
    'BEFORE DELETE ON audit_log',
    'audit_log is append-only',
  ),
  ...buildRefusingTrigger(
    'captures_named_once',
    'BEFORE UPDATE OF source, account, reference, payment_id ON captures',
    'what a capture is named by is frozen',
  ),
  ...buildRefusingTrigger(
    'captures_amount_frozen',
    'BEFORE UPDATE OF amount, currency, kind ON captures',
    'the amount of a capture that was judged is frozen',
    "OLD.state <> 'review'",
  ),
  ...buildRefusingTrigger(
    'captures_stay',
    'BEFORE DELETE ON captures',
    'a received payment is never deleted',
  ),
  ...buildRefusingTrigger(
    'refunds_within',
    'BEFORE INSERT ON refunds',
    'never more goes back than came',
    `NEW.amount + (SELECT coalesce(sum(amount), 0) FROM refunds WHERE capture_id = NEW.capture_id AND state <> 'refused')
  > (SELECT amount FROM captures WHERE id = NEW.capture_id)`,
  ),
  ...buildRefusingTrigger(
    'refunds_one_way',
    'BEFORE UPDATE OF state ON refunds',
    'a refund that has ended stays so',
    "OLD.state IN ('done', 'refused') AND NEW.state <> OLD.state",
  ),
  ...buildRefusingTrigger('refunds_stay', 'BEFORE DELETE ON refunds', 'a refund is never deleted'),
  ...buildRefusingTrigger(
    'decisions_never_deleted',
    'BEFORE DELETE ON decisions',
    'decisions is append-only',
  ),
  ...buildRefusingTrigger('bill_lines_frozen', 'BEFORE UPDATE ON bill_lines', 'a bill is frozen'),
  ...buildRefusingTrigger(
    'codes_frozen',
    'BEFORE UPDATE OF event_id, kind, code, folded ON codes',
    'what a code gives is frozen',
  ),
  ...buildRefusingTrigger(
    'acts_never_edited',
    'BEFORE UPDATE ON acts',
    'acts is append-only',
    `(NEW.id, NEW.registration_id, NEW.at, NEW.who, NEW.act, NEW.was, NEW.became) IS DISTINCT FROM (OLD.id, OLD.registration_id, OLD.at, OLD.who, OLD.act, OLD.was, OLD.became)
  OR NEW.why NOT IN (OLD.why, '') OR NEW.data NOT IN (OLD.data, '{}')`,
  ),
  ...buildRefusingTrigger('acts_never_deleted', 'BEFORE DELETE ON acts', 'acts is append-only'),
  ...buildRefusingTrigger('dues_never_edited', 'BEFORE UPDATE ON dues', 'dues is append-only'),
  ...buildRefusingTrigger('dues_never_deleted', 'BEFORE DELETE ON dues', 'dues is append-only'),
  ...buildRefusingTrigger(
    'documents_never_deleted',
    'BEFORE DELETE ON documents',
    'documents are never deleted',
  ),
  ...buildRefusingTrigger(
    'gateway_notices_never_edited',
    'BEFORE UPDATE ON gateway_notices',
    'gateway_notices is append-only',
    `(NEW.id, NEW.gateway, NEW.kind, NEW.order_id, NEW.content_type, NEW.at) IS DISTINCT FROM (OLD.id, OLD.gateway, OLD.kind, OLD.order_id, OLD.content_type, OLD.at)
  OR NEW.body NOT IN (OLD.body, '')`,
  ),
  ...buildRefusingTrigger(
    'decisions_never_edited',
    'BEFORE UPDATE ON decisions',
    'decisions is append-only',
    `(NEW.id, NEW.registration_id, NEW.capture_id, NEW.what, NEW.who, NEW.second_person, NEW.at, NEW.about, NEW.amount)
  IS DISTINCT FROM (OLD.id, OLD.registration_id, OLD.capture_id, OLD.what, OLD.who, OLD.second_person, OLD.at, OLD.about, OLD.amount)
  OR NEW.why NOT IN (OLD.why, '')`,
  ),
  ...buildRefusingTrigger(
    'refunds_frozen',
    'BEFORE UPDATE OF capture_id, amount, why, who, at ON refunds',
    'what a refund is for is frozen',
    `(NEW.capture_id, NEW.amount, NEW.who, NEW.at) IS DISTINCT FROM (OLD.capture_id, OLD.amount, OLD.who, OLD.at)
  OR NEW.why NOT IN (OLD.why, '')`,
  ),
  ...buildRefusingTrigger(
    'audit_log_never_edited',
    'BEFORE UPDATE ON audit_log',
    'audit_log is append-only',
    `(NEW.id, NEW.at, NEW.who, NEW.event_id, NEW.reg_no, NEW.registration_id, NEW.look)
  IS DISTINCT FROM (OLD.id, OLD.at, OLD.who, OLD.event_id, OLD.reg_no, OLD.registration_id, OLD.look)
  OR substr(OLD.what, 1, length(NEW.what)) <> NEW.what`,
  ),
  ...buildRefusingTrigger(
    'documents_never_rewritten',
    'BEFORE UPDATE ON documents',
    'documents are never rewritten',
    `OLD.kind <> 'receipt' OR (NEW.id, NEW.registration_id, NEW.payment_id, NEW.kind, NEW.account, NEW.year, NEW.serial, NEW.at, NEW.credit_number)
  IS DISTINCT FROM (OLD.id, OLD.registration_id, OLD.payment_id, OLD.kind, OLD.account, OLD.year, OLD.serial, OLD.at, OLD.credit_number)`,
  ),
  ...buildRefusingTrigger(
    'settlements_never_edited',
    'BEFORE UPDATE ON settlements',
    'settlements is append-only',
  ),
  ...buildRefusingTrigger(
    'settlements_never_deleted',
    'BEFORE DELETE ON settlements',
    'settlements is append-only',
  ),
  ...buildRefusingTrigger(
    'settlement_lines_never_deleted',
    'BEFORE DELETE ON settlement_lines',
    'settlement_lines is append-only',
  ),
  ...buildRefusingTrigger(
    'bank_references_stay',
    'BEFORE DELETE ON bank_references',
    'a reference that was used is never free again',
  ),
  ...buildRefusingTrigger(
    'bank_references_frozen',
    'BEFORE UPDATE ON bank_references',
    'a reference stays with its payment',
  ),
  ...buildRefusingTrigger(
    'settlement_lines_never_edited',
    'BEFORE UPDATE ON settlement_lines',
    'settlement_lines is append-only',
  ),
  ...seatCountTriggers,
  `CREATE FUNCTION dues_summed() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  UPDATE registrations SET due = due + NEW.amount WHERE id = NEW.registration_id;
  RETURN NEW;
END $body$`,
  'CREATE TRIGGER dues_summed AFTER INSERT ON dues FOR EACH ROW EXECUTE FUNCTION dues_summed()',
  `CREATE FUNCTION registrations_recounted() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN IF (NEW.event_id, NEW.created_day, NEW.category, NEW.period, NEW.payment_status, NEW.state, NEW.total, NEW.due, NEW.booked) IS DISTINCT FROM (OLD.event_id, OLD.created_day, OLD.category, OLD.period, OLD.payment_status, OLD.state, OLD.total, OLD.due, OLD.booked) THEN 
  INSERT INTO counters (event_id, day, category, period, status, registrations, booked, owed, ended)
  VALUES (OLD.event_id, OLD.created_day, coalesce(OLD.category, ''), coalesce(OLD.period, ''), OLD.payment_status,
    -1, -OLD.booked, -(CASE WHEN OLD.state IN ('cancelled', 'refused', 'lapsed') THEN 0 ELSE CASE OLD.payment_status
  WHEN 'success' THEN CASE WHEN OLD.due > 0 THEN OLD.due ELSE 0 END WHEN 'refunded' THEN 0 ELSE coalesce(OLD.total, 0) END END), -(CASE WHEN OLD.state IN ('cancelled', 'refused') THEN 1 ELSE 0 END)); 
  INSERT INTO counters (event_id, day, category, period, status, registrations, booked, owed, ended)
  VALUES (NEW.event_id, NEW.created_day, coalesce(NEW.category, ''), coalesce(NEW.period, ''), NEW.payment_status,
    1, NEW.booked, (CASE WHEN NEW.state IN ('cancelled', 'refused', 'lapsed') THEN 0 ELSE CASE NEW.payment_status
  WHEN 'success' THEN CASE WHEN NEW.due > 0 THEN NEW.due ELSE 0 END WHEN 'refunded' THEN 0 ELSE coalesce(NEW.total, 0) END END), (CASE WHEN NEW.state IN ('cancelled', 'refused') THEN 1 ELSE 0 END)); END IF; RETURN NEW; END $body$`,
  'CREATE TRIGGER registrations_recounted AFTER UPDATE OF event_id, created_day, category, period, payment_status, state, total, due, booked ON registrations FOR EACH ROW EXECUTE FUNCTION registrations_recounted()',
  `CREATE FUNCTION registrations_uncounted() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN 
  INSERT INTO counters (event_id, day, category, period, status, registrations, booked, owed, ended)
  VALUES (OLD.event_id, OLD.created_day, coalesce(OLD.category, ''), coalesce(OLD.period, ''), OLD.payment_status,
    -1, -OLD.booked, -(CASE WHEN OLD.state IN ('cancelled', 'refused', 'lapsed') THEN 0 ELSE CASE OLD.payment_status
  WHEN 'success' THEN CASE WHEN OLD.due > 0 THEN OLD.due ELSE 0 END WHEN 'refunded' THEN 0 ELSE coalesce(OLD.total, 0) END END), -(CASE WHEN OLD.state IN ('cancelled', 'refused') THEN 1 ELSE 0 END)); RETURN OLD; END $body$`,
  'CREATE TRIGGER registrations_uncounted AFTER DELETE ON registrations FOR EACH ROW EXECUTE FUNCTION registrations_uncounted()',
  `CREATE FUNCTION registrations_counted() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN 
  INSERT INTO counters (event_id, day, category, period, status, registrations, booked, owed, ended)
  VALUES (NEW.event_id, NEW.created_day, coalesce(NEW.category, ''), coalesce(NEW.period, ''), NEW.payment_status,
    1, NEW.booked, (CASE WHEN NEW.state IN ('cancelled', 'refused', 'lapsed') THEN 0 ELSE CASE NEW.payment_status
  WHEN 'success' THEN CASE WHEN NEW.due > 0 THEN NEW.due ELSE 0 END WHEN 'refunded' THEN 0 ELSE coalesce(NEW.total, 0) END END), (CASE WHEN NEW.state IN ('cancelled', 'refused') THEN 1 ELSE 0 END)); RETURN NEW; END $body$`,
  'CREATE TRIGGER registrations_counted AFTER INSERT ON registrations FOR EACH ROW EXECUTE FUNCTION registrations_counted()',
  ...bankStatementTriggersOnPostgres,
]
