/**
 * Reads a registration's counted payments for the engine's balance rule: amounts to pay and to refund.
 */
import { calculateBalance, paise } from '../../../engine/index.ts'
import type { Instant, MoneyOfBill, Paise } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { addDue } from './balance-adjustments.ts'
import type { OwnedPaymentRow } from '../registrations/row-mapping.ts'

type Paid = {
  readonly attempt: number
  readonly asked: Paise
  /** What the registration cost when this was asked for. */
  readonly bill: Paise
  readonly came: Paise
}

/** Without what staff had refunded of it before it began to count. */
export const COUNTED = `SELECT sum(coalesce(c.counted, c.amount)) FROM captures c WHERE c.counts_for = p.id AND c.state IN ('fits', 'accepted')`

function paymentsOf(sql: Sql, registrationId: number): Promise<readonly Paid[]> {
  return sql<Paid>(
    `SELECT p.attempt, p.amount AS asked, coalesce(p.bill_total, p.amount) AS bill, coalesce((${COUNTED}), p.amount) AS came
     FROM payments p WHERE p.registration_id = ? AND p.status IN ('success', 'refunded') ORDER BY p.attempt`,
  ).all(registrationId)
}

/** Reads only; also runs outside the writer's transaction. `next`: a payment that is about to count. */
export async function moneyOfBill(
  sql: Sql,
  registrationId: number,
  next: Paid | null = null,
): Promise<MoneyOfBill> {
  const { paidBack } = (await sql<{ paidBack: Paise }>(
    `SELECT coalesce(sum(d.amount), 0) AS "paidBack" FROM dues d WHERE d.registration_id = ? AND d.what = 'paid back'
       AND NOT EXISTS (SELECT 1 FROM dues c WHERE c.registration_id = d.registration_id AND c.what = 'cancelled' AND c.id < d.id)`,
  ).get(registrationId)) ?? { paidBack: paise(0) }
  const paid = [
    ...(await paymentsOf(sql, registrationId)),
    ...(next === null ? [] : [next]),
  ].toSorted((a, b) => a.attempt - b.attempt)
  // By the status of the payment, so that the capture of `next` is not counted twice.
  const { left } = (await sql<{ left: number }>(
    `SELECT coalesce(sum(c.amount - (SELECT coalesce(sum(f.amount), 0) FROM refunds f WHERE f.capture_id = c.id AND f.state = 'done')), 0) AS "left"
     FROM captures c JOIN payments p ON p.id = c.counts_for
     WHERE p.registration_id = ? AND c.state IN ('fits', 'accepted') AND p.status IN ('success', 'refunded')`,
  ).get(registrationId)) ?? { left: 0 }
  return {
    came: paise(paid.reduce((sum, { came }) => sum + came, 0)),
    paidBack,
    left: paise(Math.max(0, left + (next?.came ?? 0))),
    letGo: paid.flatMap(({ asked, bill, came }) =>
      came < asked ? [{ bill, amount: paise(asked - came) }] : [],
    ),
    billPaid: paid.length === 0 ? null : paise(Math.max(...paid.map(({ bill }) => bill))),
  }
}

/**
 * Computes the balance of bill and payments by the rule; the stored balance also includes changes from before the
 * rule.
 */
export async function balance(
  sql: Sql,
  registrationId: number,
  next: Paid | null = null,
): Promise<number> {
  const { total } = (await sql<{ total: Paise | null }>(
    'SELECT total FROM registrations WHERE id = ?',
  ).get(registrationId)) ?? { total: null }
  return calculateBalance(total ?? paise(0), await moneyOfBill(sql, registrationId, next))
}

/** A difference is about to be paid with this payment: reduces the balance. */
export async function payDifference(
  sql: Sql,
  row: Pick<
    OwnedPaymentRow,
    'id' | 'registration_id' | 'attempt' | 'amount' | 'bill_total' | 'asks_for'
  >,
  came: Paise,
  at: Instant,
): Promise<void> {
  if (row.asks_for !== 'difference') return
  const { id: paymentId, registration_id: id, attempt, amount: asked, bill_total: bill } = row
  const after = await balance(sql, id, { attempt, asked, bill: bill ?? asked, came })
  addDue(sql, id, { what: 'paid', amount: after - (await balance(sql, id)), paymentId }, at)
}

/**
 * Converts databases in which staff accepted other amounts before this rule existed. A surplus over the price is
 * to be refunded; an amount that never arrived is not. An order for a difference stays as requested.
 */
export async function balanceOlder(sql: Sql): Promise<void> {
  const older = await sql<{
    id: number
    due: Paise
    total: Paise
    at: Instant
    gone: Paise
    back: Paise
  }>(
    `SELECT r.id, r.due, r.total, max(p.status_at) AS at,
       (SELECT coalesce(sum(f.amount), 0) FROM refunds f JOIN captures c ON c.id = f.capture_id JOIN payments q ON q.id = c.counts_for
         WHERE q.registration_id = r.id AND c.state IN ('fits', 'accepted') AND f.state = 'done') AS gone,
       (SELECT coalesce(sum(d.amount), 0) FROM dues d WHERE d.registration_id = r.id AND d.what = 'paid back') AS back
     FROM registrations r JOIN payments p ON p.registration_id = r.id AND p.status = 'success'
     WHERE r.payment_status = 'success' AND r.state NOT IN ('cancelled', 'refused') AND r.due <= 0 AND r.total IS NOT NULL
       AND EXISTS (SELECT 1 FROM captures c WHERE c.registration_id = r.id AND c.state = 'accepted')
     GROUP BY r.id, r.due, r.total ORDER BY r.id`,
  ).all()
  for (const { id, due, total, at, gone, back } of older) {
    const money = await moneyOfBill(sql, id)
    // Without regard to what is left: refunds are deducted below.
    const ruled = calculateBalance(total, { ...money, left: money.came })
    if (ruled > due) addDue(sql, id, { what: 'corrected', amount: Math.min(0, ruled) - due }, at)
    if (ruled >= due) continue
    addDue(sql, id, { what: 'corrected', amount: ruled - due }, at)
    const returned = Math.max(0, Math.min(due - ruled, gone - back))
    addDue(sql, id, { what: 'paid back', amount: returned }, at)
  }
}
