/** Applies the price of the credit date, for events where that date sets the price. */
import { filterInOrder } from '../database/in-order.ts'
import { ATTEMPTS_MAX, createOrderId } from '../../../engine/index.ts'
import type { Instant, Quote, RegNo } from '../../../engine/index.ts'
import { endOpenPayments, insertPayment, nextAttempt } from './payment-attempts.ts'
import { keepLines } from './stored-bill-lines.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { PaymentRow } from '../registrations/row-mapping.ts'
import { settleRegistration } from './payment-state.ts'

/**
 * Changes unpaid registrations to the price of a day, so that every list and page shows what a payment of that day
 * has to bring. Left out: what was paid, changed its payment method or is under review meanwhile. Returns how many
 * changed.
 */
export async function priceOfDay(
  sql: Sql,
  prices: readonly {
    readonly regNo: RegNo
    readonly ways: readonly string[]
    readonly quote: Quote
  }[],
  at: Instant,
): Promise<number> {
  const changed = await filterInOrder(prices, async ({ regNo, ways, quote }) => {
    const row = await sql<{ id: number }>(
      `SELECT r.id FROM registrations r JOIN payments p ON p.id = (SELECT id FROM payments WHERE registration_id = r.id ORDER BY attempt DESC LIMIT 1)
       WHERE r.reg_no = ? AND r.state IN ('to_pay', 'told', 'lapsed') AND r.payment_status NOT IN ('success', 'refunded') AND r.in_review = 0
         AND p.way IN (SELECT value FROM json_each(?))`,
    ).get(regNo, JSON.stringify(ways))
    return row !== undefined && (await priceAnew(sql, { id: row.id, regNo }, quote, at))
  })
  return changed.length
}

/** An unpaid registration gets the price of its payment day: another attempt, at another price. False: it had it. */
export async function priceAnew(
  sql: Sql,
  { id, regNo }: { readonly id: number; readonly regNo: RegNo },
  quote: Quote,
  at: Instant,
): Promise<boolean> {
  const newest = await sql<PaymentRow>(
    "SELECT * FROM payments WHERE registration_id = ? AND asks_for = 'whole' ORDER BY attempt DESC LIMIT 1",
  ).get(id)
  const attempt = await nextAttempt(sql, id)
  const isOpen = newest?.status === 'pending' || newest?.status === 'failed'
  if (newest === undefined || !isOpen || newest.amount === quote.total || attempt > ATTEMPTS_MAX)
    return false
  await endOpenPayments(sql, id, 'corrected', at)
  sql('UPDATE registrations SET is_corrected = 0 WHERE id = ?').run(id)
  await insertPayment(sql, {
    registrationId: id,
    orderId: createOrderId(regNo, attempt),
    attempt,
    gateway: null,
    way: newest.way,
    askedOf: null,
    amount: quote.total,
    quote,
    holdUntil: newest.hold_until,
    bill: keepLines(sql, id, attempt, quote.lines),
    at,
  })
  await settleRegistration(sql, id)
  return true
}
