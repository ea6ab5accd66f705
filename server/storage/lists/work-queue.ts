/**
 * Finds the registrations of each work queue condition in the engine's table.
 * Each query starts from an index over the waiting rows only, so that its cost depends on these and not on all
 * rows. EXISTS checks the event of a registration: with a join, SQLite would scan all of the event's
 * registrations.
 */
import { flatMapInOrder } from '../database/in-order.ts'
import { instant, SETTLED_WITHIN_DAYS, startOfDay, WORK_QUEUE_IDS } from '../../../engine/index.ts'
import type { Day, Instant, RegNo, WorkQueueId } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { OPEN_SECOND_PAYMENTS } from '../payments/find-duplicate-payments.ts'
import { BY_GATEWAY, UNDER_WAY } from '../refunds/refund-states-and-channels.ts'
import type { WaitingCount } from '../index.ts'

/** Whoever pays by card has done so, or has left, within a day. */
const PENDING_MS = 24 * 60 * 60 * 1000

const REFUND_OF = `SELECT c.registration_id FROM refunds f JOIN captures c ON c.id = f.capture_id
  WHERE EXISTS (SELECT 1 FROM registrations r WHERE r.id = c.registration_id AND r.event_id = :event)`

/** Each is bound to `event`, `at` and `limit`. A condition that says twice what it says is what its index is for. */
const IDS: Readonly<Record<Exclude<WorkQueueId, 'refund_unsettled'>, string>> = {
  // A refund that was refused, or of which nobody knows, waits for the same person.
  review: `SELECT id FROM registrations WHERE event_id = :event AND in_review
    UNION ${REFUND_OF} AND f.state = 'unsure' AND ${UNDER_WAY('f')}
    UNION ${REFUND_OF} AND f.state = 'refused' AND NOT EXISTS (SELECT 1 FROM decisions d WHERE d.about = 'R' || f.id)
    ORDER BY 1 DESC LIMIT :limit`,
  told: `SELECT id FROM registrations WHERE event_id = :event AND state = 'told'
    AND state IN ('to_approve', 'told') ORDER BY created_at DESC LIMIT :limit`,
  to_approve: `SELECT id FROM registrations WHERE event_id = :event AND state = 'to_approve'
    AND state IN ('to_approve', 'told') ORDER BY created_at DESC LIMIT :limit`,
  // The office answers by doing it, or by a note that says why not.
  cancel_asked: `SELECT DISTINCT a.registration_id AS id FROM acts a
    WHERE a.act = 'ask_cancel' AND EXISTS (SELECT 1 FROM registrations r
        WHERE r.id = a.registration_id AND r.event_id = :event AND r.state NOT IN ('cancelled', 'refused'))
      AND NOT EXISTS (SELECT 1 FROM acts b WHERE b.registration_id = a.registration_id AND b.id > a.id
        AND b.act IN ('note', 'cancel', 'refund', 'transfer'))
    ORDER BY 1 DESC LIMIT :limit`,
  second_payment: OPEN_SECOND_PAYMENTS,
  pay_back: `SELECT id FROM registrations WHERE event_id = :event AND due <> 0 AND due < 0
    ORDER BY id DESC LIMIT :limit`,
  mail_failed: `SELECT DISTINCT m.registration_id AS id FROM mail_queue m
    WHERE m.status = 'failed' AND EXISTS (SELECT 1 FROM registrations r WHERE r.id = m.registration_id AND r.event_id = :event)
      AND NOT EXISTS (SELECT 1 FROM mail_queue n WHERE n.registration_id = m.registration_id AND n.id > m.id AND n.status = 'sent')
      AND NOT EXISTS (SELECT 1 FROM acts b WHERE b.registration_id = m.registration_id AND b.at > m.created_at AND b.act = 'note')
    ORDER BY 1 DESC LIMIT :limit`,
  pending: `SELECT id FROM registrations WHERE event_id = :event AND payment_status = 'pending'
    AND state = 'to_pay' AND in_review = 0 AND created_at < :at - ${PENDING_MS} ORDER BY created_at DESC LIMIT :limit`,
}

const SETTLED_WITHIN_MS = SETTLED_WITHIN_DAYS * 24 * 60 * 60 * 1000
/**
 * Refunds of one account that ended before `before` and that no kept line covers; matched like `judgeSettled`, by reference, payment or order, and amount.
 * Two equal refunds of one payment need two lines. After a change of account, the order names it in a report of the other. The act `handle_refund` closes the matter.
 * `only`: what else holds of the registration.
 */
const unsettledOf = (
  only: string,
): string => `SELECT DISTINCT c.registration_id AS id FROM refunds f JOIN captures c ON c.id = f.capture_id
  LEFT JOIN payments p ON p.id = c.payment_id
  WHERE ${BY_GATEWAY('f')} AND f.done_at < :before AND (c.kind = 'sale' OR c.state = 'accepted') AND c.source = :source AND c.account IN (:account, '')
    AND EXISTS (SELECT 1 FROM registrations r WHERE r.id = c.registration_id AND r.event_id = :event)
    AND (SELECT count(*) FROM settlement_lines l WHERE l.source = c.source AND l.kind = 'refund'
        AND l.amount = f.amount AND NOT EXISTS (SELECT 1 FROM captures t JOIN bank_references b ON b.capture_id = t.id
          WHERE t.registration_id = c.registration_id AND t.source <> c.source AND b.key = l.reference)
        AND (l.order_id = p.order_id OR l.account = :account AND (l.reference = c.reference
          OR l.reference IN (SELECT g.reference FROM captures d JOIN refunds g ON g.capture_id = d.id WHERE d.payment_id = c.payment_id))))
      < (SELECT count(*) FROM captures d JOIN refunds g ON g.capture_id = d.id
        WHERE d.payment_id = c.payment_id AND ${BY_GATEWAY('g')} AND g.amount = f.amount AND g.id <= f.id)
    AND NOT EXISTS (SELECT 1 FROM acts b WHERE b.registration_id = c.registration_id AND b.act = 'handle_refund'
      AND b.at >= f.done_at) ${only}
  ORDER BY 1 DESC LIMIT :limit`

/** Only accounts whose settlements are kept, up to the last day that they cover: elsewhere every refund would be listed. */
async function unsettledRefunds(
  sql: Sql,
  { event, registrationId = null }: { event: string; registrationId?: number | null },
  at: Instant,
  limit: number,
): Promise<readonly { id: number }[]> {
  const only = registrationId === null ? '' : 'AND c.registration_id = :one'
  const accounts = await sql<{ source: string; account: string; day: Day | null }>(
    `SELECT s.source, s.account, (SELECT max(l.day) FROM settlement_lines l WHERE l.source = s.source AND l.account = s.account) AS day
     FROM (SELECT DISTINCT source, account FROM settlements) s`,
  ).all()
  const found = await flatMapInOrder(accounts, async ({ source, account, day }) => {
    if (day === null) return []
    const before = instant(Math.min(startOfDay(day), at - SETTLED_WITHIN_MS))
    return sql<{ id: number }>(unsettledOf(only)).all({
      event,
      source,
      account,
      before,
      limit,
      ...(registrationId === null ? {} : { one: registrationId }),
    })
  })
  return [...new Map(found.map((one) => [one.id, one])).values()]
    .toSorted((a, b) => b.id - a.id)
    .slice(0, limit)
}

/** Returns true if a refund of this registration is in no settlement report, and not marked as handled. */
export async function isRefundUnsettled(sql: Sql, regNo: RegNo, at: Instant): Promise<boolean> {
  // Few have a refund at all: for the others nobody looks through the settlements.
  const row = await sql<{ id: number; event_id: string }>(
    `SELECT id, event_id FROM registrations r WHERE reg_no = ? AND EXISTS (SELECT 1 FROM refunds f
       JOIN captures c ON c.id = f.capture_id WHERE c.registration_id = r.id AND ${BY_GATEWAY('f')})`,
  ).get(regNo)
  if (row === undefined) return false
  const { id: registrationId, event_id: event } = row
  return (await unsettledRefunds(sql, { event, registrationId }, at, 1)).length > 0
}

/** At most `limit` of them. */
export async function waitingIds(
  sql: Sql,
  eventId: string,
  { is, at }: { readonly is: WorkQueueId; readonly at: Instant },
  limit: number,
): Promise<readonly number[]> {
  const found =
    is === 'refund_unsettled'
      ? await unsettledRefunds(sql, { event: eventId }, at, limit)
      : await sql<{ id: number }>(IDS[is]).all({ event: eventId, at, limit })
  return found.map(({ id }) => id)
}

/** The dashboard counts no further: whoever has so many to see to has enough. */
const COUNT_MAX = 999

/** Returns counts by condition and event; leaves out zeros. */
export function waiting(
  sql: Sql,
  eventIds: readonly string[],
  at: Instant,
): Promise<readonly WaitingCount[]> {
  return flatMapInOrder(eventIds, async (eventId) =>
    flatMapInOrder(WORK_QUEUE_IDS, async (is) => {
      const found = (await waitingIds(sql, eventId, { is, at }, COUNT_MAX + 1)).length
      return found === 0
        ? []
        : [{ eventId, is, count: Math.min(found, COUNT_MAX), more: found > COUNT_MAX }]
    }),
  )
}
