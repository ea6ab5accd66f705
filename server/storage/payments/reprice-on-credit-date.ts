/** Applies the price of the credit date, for events where that date sets the price. */
import { ATTEMPTS_MAX, orderIdOf } from '../../../engine/index.ts'
import type { Instant, Quote, RegNo } from '../../../engine/index.ts'
import { endOpenPayments, insertPayment, nextAttempt } from './payment-attempts.ts'
import { keepLines } from './bill-lines.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { PaymentRow } from '../registrations/row-mapping.ts'
import { settleRegistration } from './payment-state.ts'

/** An unpaid registration gets the price of its payment day: another attempt, at another price. */
export function priceAnew(
  sql: Sql,
  { id, regNo }: { readonly id: number; readonly regNo: RegNo },
  quote: Quote,
  at: Instant,
): void {
  const newest = sql<PaymentRow>(
    "SELECT * FROM payments WHERE registration_id = ? AND asks_for = 'whole' ORDER BY attempt DESC LIMIT 1",
  ).get(id)
  const attempt = nextAttempt(sql, id)
  const isOpen = newest?.status === 'pending' || newest?.status === 'failed'
  if (newest === undefined || !isOpen || newest.amount === quote.total || attempt > ATTEMPTS_MAX)
    return
  endOpenPayments(sql, id, 'corrected', at)
  sql('UPDATE registrations SET is_corrected = 0 WHERE id = ?').run(id)
  insertPayment(sql, {
    registrationId: id,
    orderId: orderIdOf(regNo, attempt),
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
  settleRegistration(sql, id)
}
