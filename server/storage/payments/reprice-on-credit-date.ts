/** Applies the price of the credit date, for events where that date sets the price. */
import { filterInOrder } from '../database/in-order.ts'
import { ATTEMPTS_MAX, createOrderId } from '../../../engine/index.ts'
import type { Instant, ManualMethod, Quote, RegNo } from '../../../engine/index.ts'
import { endOpenPayments, insertPayment, nextAttempt } from './payment-attempts.ts'
import { keepLines } from './stored-bill-lines.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { settleRegistration } from './settle-registration.ts'

/** Unpaid, not under review, and paid by one of these methods. */
const unpaidRegistration = statement(
  (builder, { regNo, ways }: { regNo: RegNo; ways: string }, dialect) =>
    builder
      .selectFrom('registrations as r')
      .innerJoin('payments as p', (join) =>
        join.on('p.id', '=', ({ selectFrom }) =>
          selectFrom('payments')
            .select('id')
            .whereRef('registration_id', '=', 'r.id')
            .orderBy('attempt', 'desc')
            .limit(1),
        ),
      )
      .select('r.id')
      .where('r.reg_no', '=', regNo)
      .where('r.state', 'in', ['to_pay', 'told', 'lapsed'])
      .where('r.payment_status', 'not in', ['success', 'refunded'])
      .where('r.in_review', '=', 0)
      .where(({ ref }) => dialect.isIn(ref('p.way'), ways)),
)
const newestPayment = statement((builder, { registrationId }: { registrationId: number }) =>
  builder
    .selectFrom('payments')
    .select(['status', 'amount', 'way', 'hold_until'])
    .where('registration_id', '=', registrationId)
    .where('asks_for', '=', 'whole')
    .orderBy('attempt', 'desc')
    .limit(1),
)
const setUncorrected = statement((builder, { id }: { id: number }) =>
  builder.updateTable('registrations').set({ is_corrected: 0 }).where('id', '=', id),
)

/**
 * Changes unpaid registrations to the price of a day, so that every list and page shows the amount due for a payment on
 * that day. Registrations that were paid, changed their payment method or are under review meanwhile are skipped.
 * Returns how many changed.
 */
export async function repriceByCreditDate(
  sql: Sql,
  prices: readonly {
    readonly regNo: RegNo
    readonly ways: readonly string[]
    readonly quote: Quote
  }[],
  at: Instant,
): Promise<number> {
  const changed = await filterInOrder(prices, async ({ regNo, ways, quote }) => {
    const row = await unpaidRegistration.get(sql, { regNo, ways: JSON.stringify(ways) })
    return row !== undefined && (await reprice(sql, { id: row.id, regNo }, quote, at))
  })
  return changed.length
}

/**
 * Gives an unpaid registration the price of its payment day: another attempt, at another price. False if the price is
 * the same.
 */
export async function reprice(
  sql: Sql,
  { id, regNo }: { readonly id: number; readonly regNo: RegNo },
  quote: Quote,
  at: Instant,
  /** The method that paid an order of the gateway, which then ends. */
  manualMethod: ManualMethod | null = null,
): Promise<boolean> {
  const [newest, attempt] = await Promise.all([
    newestPayment.get(sql, { registrationId: id }),
    nextAttempt(sql, id),
  ])
  const isOpen = newest?.status === 'pending' || newest?.status === 'failed'
  if (newest === undefined || !isOpen || newest.amount === quote.total || attempt > ATTEMPTS_MAX)
    return false
  await endOpenPayments(sql, id, 'corrected', at)
  setUncorrected.run(sql, { id })
  await insertPayment(sql, {
    registrationId: id,
    orderId: createOrderId(regNo, attempt),
    attempt,
    gateway: null,
    way: newest.way ?? manualMethod,
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
