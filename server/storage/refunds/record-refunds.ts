/**
 * Stores refunds: requested by staff, sent to the gateway, done when its status call confirms it.
 * A refund is marked as sent before the gateway gets the request, so that no crash sends it twice.
 */
import { someInOrder } from '../database/in-order.ts'
import { bankKey, formatMoney, isUtr, referenceKeys, paise } from '../../../engine/index.ts'
import type {
  Grounds,
  Instant,
  OrderId,
  Paise,
  ReportedRefund,
  RegNo,
} from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { isReturned } from '../payments/returned-transfers.ts'
import { paymentsUnder } from '../reconciliation/bank-references.ts'
import { NOT_IN_RECOVERY, wasDiscarded } from '../recovery/held-during-recovery.ts'
import type {
  GivenBack,
  RefundResponse,
  RefundToSend,
  StoredRefund,
} from '../payments/payment-types.ts'
import { LIMIT } from '../registrations/row-mapping.ts'
import { UNDER_WAY } from './refund-states-and-channels.ts'

/** Between two tries of a refund that could not be sent. */
const REFUND_AGAIN_MS = 5 * 60_000
/** The gateway is waited for 30 seconds; whatever is silent for so long has died over it. */
const SILENT_MS = 5 * 60_000
/** A refund that could not be sent for so long moves no money any more: a person looks. */
const NOT_SENT_MS_MAX = 24 * 60 * 60_000
/** Gateways give back within days; what is begun and not seen done by then needs a person. */
const BEGUN_MS_MAX = 5 * 24 * 60 * 60_000
/** What `said` holds of a refund that the gateway has begun. */
const BEGUN = 'The gateway started the refund.'
/** What `said` holds of a refund that was begun and never confirmed as done. */
const BEGUN_TOO_LONG = 'The gateway started the refund but has not confirmed it for days.'
/** Of what the gateway said, as much as a line takes. */
const SAID_CHARACTERS_MAX = 300

export type CaptureRow = {
  readonly id: number
  readonly payment_id: number | null
  readonly counts_for: number | null
  readonly registration_id: number | null
  readonly source: string
  readonly account: string
  readonly reference: string
  readonly amount: Paise
  readonly currency: string
  readonly kind: 'sale' | 'other' | 'test'
  readonly paid_at: Instant
  readonly seen_at: Instant
  readonly state: 'fits' | 'review' | 'accepted' | 'refused' | 'unmatched'
  readonly why: string | null
}
type RefundRow = {
  readonly id: number
  readonly capture_id: number
  readonly amount: Paise
  readonly state: StoredRefund['state']
  readonly reference: string | null
}

/** The part of a capture that was not refunded and is not about to be. */
export const LEFT =
  "c.amount - (SELECT coalesce(sum(f.amount), 0) FROM refunds f WHERE f.capture_id = c.id AND f.state <> 'refused')"

export async function leftOf(sql: Sql, captureId: number): Promise<Paise> {
  const row = await sql<{ left: number }>(
    `SELECT ${LEFT} AS left FROM captures c WHERE c.id = ?`,
  ).get(captureId)
  return paise(row?.left ?? 0)
}

/**
 * Returns true if one of the same amount is in progress: the gateway identifies refunds by amount, and could not
 * distinguish two.
 */
export async function isUnderWay(sql: Sql, captureId: number, amount: Paise): Promise<boolean> {
  return (
    (await sql(
      `SELECT 1 FROM refunds f WHERE f.capture_id = ? AND f.amount = ? AND ${UNDER_WAY('f')}`,
    ).get(captureId, amount)) !== undefined
  )
}

/**
 * Explains why a refund cannot be recorded under a reference again; null: it can. A bank reference belongs to one
 * refund anywhere, and not to a payment that came in, unless the bank returned that payment under it; any other,
 * such as a receipt number, belongs to one refund of its registration.
 */
export async function whyRefunded(
  sql: Sql,
  reference: string,
  { id: captureId, registration_id: registrationId }: Pick<CaptureRow, 'id' | 'registration_id'>,
): Promise<string | null> {
  type Row = {
    reference: string
    amount: Paise
    capture_id: number
    registration_id: number | null
  }
  const key = bankKey(reference) || reference.trim()
  const incoming = await paymentsUnder(sql, referenceKeys(reference).filter(isUtr))
  if (await someInOrder(incoming, async ([, { id }]) => !(await isReturned(sql, id))))
    return `${reference} is the reference of a payment that was received. Enter the reference of the refund itself.`
  const rows = await sql<Row>(
    `SELECT r.reference, r.amount, r.capture_id, c.registration_id FROM refunds r JOIN captures c ON c.id = r.capture_id
     WHERE r.state = 'done' AND r.reference IS NOT NULL ORDER BY r.id`,
  ).all()
  const isOfThis = (row: Row): boolean =>
    row.capture_id === captureId ||
    (registrationId !== null && row.registration_id === registrationId)
  const found = rows.find(
    (row) =>
      (isUtr(key) || isOfThis(row)) && (bankKey(row.reference) || row.reference.trim()) === key,
  )
  if (found === undefined) return null
  return isOfThis(found)
    ? `A refund of ${formatMoney(found.amount)} is already recorded under ${reference}. Enter the reference of this refund.`
    : `${reference} is already the reference of another refund.`
}

/** Returns the refund's id. */
export async function want(
  sql: Sql,
  captureId: number,
  amount: Paise,
  { why, who }: Grounds,
  at: Instant,
): Promise<number> {
  const written = sql(
    "INSERT INTO refunds (capture_id, amount, state, why, who, at) VALUES (?, ?, 'wanted', ?, ?, ?)",
  ).run(captureId, amount, why, who, at)
  return written.lastInsertRowid
}

export function endRefund(
  sql: Sql,
  id: number,
  state: 'done' | 'refused',
  reference: string | null,
  at: Instant,
): void {
  sql(
    'UPDATE refunds SET state = ?, reference = coalesce(?, reference), done_at = ? WHERE id = ?',
  ).run(state, reference, state === 'done' ? at : null, id)
}

/** The payment of a refund that the gateway reports, and the part of the amount that is new. */
export type PlacedRefund = { readonly capture: CaptureRow; readonly amount: Paise }

/**
 * Assigns a refund that the gateway reports for an order. The gateway names an amount and a reference of its own,
 * and not always the refunded payment: so it is first one of ours in progress, then all of a capture in review,
 * then a counted one. Null: it matches no payment. A refund reported before is not new.
 */
export async function placeRefund(
  sql: Sql,
  paymentId: number,
  { reference, amount }: ReportedRefund,
  at: Instant,
): Promise<PlacedRefund | 'known' | null> {
  const captures = await sql<CaptureRow & { left: Paise }>(
    `SELECT c.*, ${LEFT} AS left FROM captures c WHERE c.payment_id = ? ORDER BY c.id`,
  ).all(paymentId)
  const rows = await sql<RefundRow>(
    'SELECT r.id, r.capture_id, r.amount, r.state, r.reference FROM refunds r JOIN captures c ON c.id = r.capture_id WHERE c.payment_id = ? ORDER BY r.id',
  ).all(paymentId)
  const named = rows.filter((row) => row.reference === reference)
  const heard = named
    .filter(({ state }) => state === 'done')
    .reduce((sum, row) => sum + row.amount, 0)
  if (heard >= amount) return 'known'
  const rest = paise(amount - heard)
  const isOpen = ({ state, amount: of }: RefundRow): boolean =>
    of === rest && (state === 'asked' || state === 'unsure')
  const ours =
    named.find(isOpen) ??
    rows.find(isOpen) ??
    // Given back in the panel before we asked: asking now would give it back twice.
    rows.find(({ state, amount: of }) => of === rest && state === 'wanted')
  if (ours !== undefined) {
    endRefund(sql, ours.id, 'done', reference, at)
    const capture = captures.find(({ id }) => id === ours.capture_id)
    return capture === undefined ? null : { capture, amount: rest }
  }
  const waits = ({ state }: CaptureRow): boolean => state === 'review'
  const counts = ({ state }: CaptureRow): boolean => state === 'fits' || state === 'accepted'
  const withRoom = captures.filter(({ left }) => left >= rest)
  const capture =
    withRoom.find((one) => waits(one) && one.left === rest) ??
    withRoom.find(counts) ??
    withRoom.find(waits) ??
    withRoom[0]
  if (capture === undefined) return null
  sql(
    "INSERT INTO refunds (capture_id, amount, state, reference, why, who, at, done_at) VALUES (?, ?, 'done', ?, 'The gateway says so.', 'gateway', ?, ?)",
  ).run(capture.id, rest, reference, at, at)
  return { capture, amount: rest }
}

/** Returns refunds to send now, oldest first. Reads only; also runs outside the writer's transaction. */
export function refundsToSend(
  sql: Sql,
  at: Instant,
  limit: number,
): Promise<readonly RefundToSend[]> {
  return sql<RefundToSend>(
    `SELECT r.id, r.amount, c.reference, p.order_id AS orderId FROM refunds r
     JOIN captures c ON c.id = r.capture_id JOIN payments p ON p.id = c.payment_id
     WHERE r.state = 'wanted' AND ${NOT_IN_RECOVERY} AND (r.asked_at IS NULL OR abs(? - r.asked_at) >= ${REFUND_AGAIN_MS}) ORDER BY r.id ${LIMIT}`,
  ).all(at, limit)
}

/** False: another process is sending it, or it has ended. */
export async function claimRefund(sql: Sql, id: number, at: Instant): Promise<boolean> {
  return (
    (await sql(
      `UPDATE refunds SET state = 'asked', asked_at = ?, said = NULL WHERE id = ? AND state = 'wanted' AND ${NOT_IN_RECOVERY}`,
    ).run(at, id).changes) === 1
  )
}

/**
 * Applies the gateway's answer, which the caller stores verbatim; does nothing for a refund that has ended
 * meanwhile.
 */
export function refundTold(sql: Sql, id: number, told: RefundResponse, at: Instant): void {
  const open = "WHERE id = ? AND state IN ('asked', 'unsure')"
  const said = told.said.slice(0, SAID_CHARACTERS_MAX)
  switch (told.is) {
    case 'begun':
      sql(`UPDATE refunds SET state = 'asked', reference = ?, said = ? ${open}`).run(
        told.reference,
        BEGUN,
        id,
      )
      return
    case 'not-sent':
      sql(
        `UPDATE refunds SET state = iif(? - at >= ${NOT_SENT_MS_MAX}, 'refused', 'wanted'), said = ? ${open}`,
      ).run(at, said, id)
      return
    case 'refused':
    case 'unsure':
      sql(`UPDATE refunds SET state = ?, said = ? ${open}`).run(told.is, said, id)
  }
}

/** Marks refunds sent and never answered, or started and not completed for days, as unsure. */
export async function silentRefunds(sql: Sql, at: Instant): Promise<number> {
  const silent = sql(
    `UPDATE refunds SET state = 'unsure', said = 'The gateway gave no answer.'
     WHERE state = 'asked' AND said IS NULL AND abs(? - asked_at) >= ${SILENT_MS}`,
  ).run(at)
  const begun = sql(
    `UPDATE refunds SET state = 'unsure', said = ? WHERE state = 'asked' AND said = ? AND abs(? - asked_at) >= ${BEGUN_MS_MAX}`,
  ).run(BEGUN_TOO_LONG, BEGUN, at)
  return (await silent.changes) + (await begun.changes)
}

/**
 * After a clock that was ahead: a refund that it marked as unsure gets its days again, unless staff have decided
 * meanwhile.
 */
export function reopenBegunRefunds(sql: Sql, at: Instant): void {
  sql(
    `UPDATE refunds SET state = 'asked', said = ? WHERE state = 'unsure' AND said = ? AND abs(? - asked_at) < ${BEGUN_MS_MAX}`,
  ).run(BEGUN, BEGUN_TOO_LONG, at)
}

/** For one registration, oldest first. Reads only; also runs outside the writer's transaction. */
export function refundsOf(sql: Sql, regNo: RegNo): Promise<readonly StoredRefund[]> {
  return sql<StoredRefund>(
    `SELECT r.id, r.capture_id AS captureId, r.amount, r.state, r.reference, r.why, r.who, r.at, r.said
     FROM refunds r JOIN captures c ON c.id = r.capture_id JOIN registrations g ON g.id = c.registration_id
     WHERE g.reg_no = ? ORDER BY r.id`,
  ).all(regNo)
}

/** With the refund's id: the key under which its email is queued once. */
export const GIVEN_BACK = 'given back'

/** What was brought in had gone back elsewhere, and its person heard of it there. */
const BROUGHT_IN = "f.who IN ('import', 'migration')"

/**
 * Returns refunds since then without an email, oldest first. Reads only; also runs outside the writer's
 * transaction.
 */
export function givenBack(
  sql: Sql,
  after: Instant,
  eventIds: readonly string[],
  limit: number,
): Promise<readonly GivenBack[]> {
  return sql<GivenBack>(
    `SELECT f.id, g.reg_no AS regNo, f.amount, f.reference, f.done_at AS at FROM refunds f JOIN captures c ON c.id = f.capture_id
     LEFT JOIN payments p ON p.id = c.counts_for JOIN registrations g ON g.id = coalesce(p.registration_id, c.registration_id)
     WHERE f.state = 'done' AND f.done_at > ? AND NOT ${BROUGHT_IN} AND g.email <> '' AND g.event_id IN (SELECT value FROM json_each(?))
       AND NOT EXISTS (SELECT 1 FROM mail_queue m WHERE m.once = '${GIVEN_BACK} ' || f.id)
       AND NOT ${wasDiscarded('g.created_at < v.begun_at AND f.done_at BETWEEN v.begun_at AND v.ended_at')}
     ORDER BY f.done_at, f.id ${LIMIT}`,
  ).all(after, JSON.stringify(eventIds), limit)
}

/** Returns the order to query about a refund; null: it did not come through a gateway. */
export async function orderOfRefund(sql: Sql, id: number): Promise<OrderId | null> {
  return (
    (
      await sql<{ order_id: OrderId }>(
        `SELECT p.order_id FROM refunds r JOIN captures c ON c.id = r.capture_id JOIN payments p ON p.id = c.payment_id WHERE r.id = ?`,
      ).get(id)
    )?.order_id ?? null
  )
}
