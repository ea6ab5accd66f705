/**
 * Stores received payments: one capture per reference of a gateway account.
 * This does not depend on what happens to its attempt. A payment that does not match waits there for a staff
 * decision.
 */
import type { PaymentEvent, RegNo } from '../../../engine/index.ts'
import { nameImport } from '../reconciliation/bank-references.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { LEFT } from '../refunds/record-refunds.ts'
import type { CaptureRow } from '../refunds/record-refunds.ts'
import type { OwnedPaymentRow } from '../registrations/row-mapping.ts'
import type { ImportRow, StoredCapture } from '../index.ts'

type Confirmed = PaymentEvent & { readonly type: 'confirmed' }

/**
 * References are unique per source; the unnamed gateway of the tests, and imported rows, have a source of their
 * own.
 */
export function sourceOf(gateway: string | null): string {
  return gateway === null ? 'import' : gateway === '' ? 'gateway' : gateway
}

/** For a capture `c`: the payment came through the gateway for one of our orders, so the gateway can refund it. */
export const CAME_BY_GATEWAY = `EXISTS (SELECT 1 FROM payments o WHERE o.id = c.payment_id AND o.gateway IS NOT NULL
  AND c.source = CASE WHEN o.gateway = '' THEN 'gateway' ELSE o.gateway END)`

/** Returns the capture with this reference of the gateway, if known. */
export function captureNamed(
  sql: Sql,
  row: OwnedPaymentRow,
  reference: string,
): Promise<CaptureRow | undefined> {
  return sql<CaptureRow>(
    'SELECT * FROM captures WHERE source = ? AND account = ? AND reference = ?',
  ).get(sourceOf(row.gateway), row.account ?? '', reference)
}

/** Returns true if staff have decided otherwise than to count it for this payment. */
export function isDecidedElsewise(capture: CaptureRow | undefined, paymentId: number): boolean {
  return (
    capture !== undefined &&
    (capture.state === 'refused' ||
      (capture.state === 'accepted' && capture.counts_for !== paymentId) ||
      (capture.state === 'review' && capture.counts_for !== capture.payment_id))
  )
}

/**
 * Stores a payment that the gateway has confirmed. The same reference changes nothing, unless it was in review
 * and matches now: an incomplete answer may be followed by a complete one. Returns the sentence that is no review
 * reason any more; null: none.
 */
export async function keepCapture(
  sql: Sql,
  row: OwnedPaymentRow,
  fact: Confirmed,
  refusal: string | null,
  why: string | null,
): Promise<string | null> {
  // Its money is another order's, and stands there.
  if (refusal === 'reference_taken') return null
  const there = await captureNamed(sql, row, fact.reference)
  if (there === undefined) {
    sql(
      `INSERT INTO captures (payment_id, counts_for, registration_id, source, account, reference, amount, currency, kind, paid_at, seen_at, state, why)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      row.id,
      row.id,
      row.registration_id,
      sourceOf(row.gateway),
      row.account ?? '',
      fact.reference,
      fact.amount,
      fact.currency,
      fact.kind,
      fact.paidAt ?? fact.at,
      fact.at,
      refusal === null ? 'fits' : 'review',
      refusal === null ? null : (why ?? refusal),
    )
    return null
  }
  if (there.state !== 'review' || there.payment_id !== row.id || refusal !== null) return null
  sql(
    "UPDATE captures SET state = 'fits', amount = ?, currency = ?, kind = ?, paid_at = ?, why = NULL WHERE id = ?",
  ).run(fact.amount, fact.currency, fact.kind, fact.paidAt ?? fact.at, there.id)
  return there.why
}

/** Returns true if an imported row was paid, or paid and refunded. */
export const wasPaid = ({ total, paymentStatus }: ImportRow): boolean =>
  total !== null && (paymentStatus === 'success' || paymentStatus === 'refunded')

/**
 * Stores the payment of an imported row. Imported rows may share a word such as "cash", or have no reference:
 * then the registration number distinguishes them.
 */
export async function keepImported(sql: Sql, id: number, row: ImportRow): Promise<void> {
  if (row.total === null || !wasPaid(row)) return
  const at = row.paidAt ?? row.createdAt
  const write = async (reference: string): Promise<boolean> =>
    (await sql(
      `INSERT INTO captures (payment_id, counts_for, registration_id, source, account, reference, amount, currency, kind, paid_at, seen_at, state)
       SELECT p.id, p.id, p.registration_id, ?, '', ?, ?, 'INR', 'sale', ?, ?, 'fits' FROM payments p WHERE p.registration_id = ?
       ON CONFLICT (source, account, reference) DO NOTHING`,
    ).run(sourceOf(null), reference, row.total, at, at, id).changes) === 1
  if (!(await write(row.paymentId ?? row.regNo))) await write(`${row.paymentId} ${row.regNo}`)
  const kept = await sql<{ id: number }>('SELECT id FROM captures WHERE registration_id = ?').get(
    id,
  )
  if (row.paymentId !== null && kept !== undefined)
    nameImport(sql, kept.id, { ...row, reference: row.paymentId })
  if (row.paymentStatus === 'refunded' && row.total > 0)
    sql(
      `INSERT INTO refunds (capture_id, amount, state, why, who, at, done_at)
       SELECT c.id, c.amount, 'done', 'It was refunded before it was brought in.', 'import', ?, ? FROM captures c WHERE c.registration_id = ?`,
    ).run(at, at, id)
}

const capture = `SELECT c.id, r.reg_no AS regNo, r.event_id AS eventId, p.order_id AS orderId, c.source, c.account, c.reference, c.amount, c.currency, c.kind,
  c.paid_at AS paidAt, c.seen_at AS seenAt, c.state, c.why, t.order_id AS countsFor,
  CASE WHEN c.state IN ('fits', 'accepted') AND ${CAME_BY_GATEWAY} THEN ${LEFT} ELSE 0 END AS backByGateway
  FROM captures c LEFT JOIN payments t ON t.id = c.counts_for LEFT JOIN registrations r ON r.id = c.registration_id LEFT JOIN payments p ON p.id = c.payment_id`

/** For one registration, oldest first. Reads only; also runs outside the writer's transaction. */
export function capturesOf(sql: Sql, regNo: RegNo): Promise<readonly StoredCapture[]> {
  return sql<StoredCapture>(`${capture} WHERE r.reg_no = ? ORDER BY c.id`).all(regNo)
}
