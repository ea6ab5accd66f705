/** Starts another payment attempt for a registration, or sends the delegate to the gateway with an open order. */
import type { Selectable } from 'kysely'
import { assert, MAX_ATTEMPTS, createOrderId, err, ok } from '../../../engine/index.ts'
import type { Answers, Instant, OrderId, RegNo, Result } from '../../../engine/index.ts'
import { isActive } from '../events/activate-versions.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import {
  placeBalanceOrder,
  insertPayment,
  findUnusedAttempt,
  UNKNOWN_GATEWAY,
} from '../payments/payment-attempts.ts'
import { applyPaymentEvent } from '../payments/apply-payment-events.ts'
import { settleRegistration } from '../payments/settle-registration.ts'
import type { NextAttempt, RetryRefusal } from '../payments/payment-types.ts'
import { saveLines } from '../payments/stored-bill-lines.ts'
import { holdAgain } from '../seats/keep-and-release-seats.ts'
import { checkStillAvailable } from '../seats/reserve-seats.ts'
import { addAuditEntry } from '../staff/audit-log-entries.ts'
import type { StoredPayment } from '../index.ts'
import type { ContextRefusal } from './pricing-context-types.ts'
import { paymentOfOrder, getQuote, toStoredPayment } from './row-mapping.ts'
import type { RegistrationRow } from './row-mapping.ts'

const registrationByNumber = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder.selectFrom('registrations').selectAll().where('reg_no', '=', regNo),
)
const newestAttempt = statement((builder, { id }: { id: number }) =>
  builder
    .selectFrom('payments')
    .selectAll()
    .where('registration_id', '=', id)
    .orderBy('attempt', 'desc')
    .limit(1),
)
const markNotCorrected = statement((builder, { id }: { id: number }) =>
  builder.updateTable('registrations').set({ is_corrected: 0 }).where('id', '=', id),
)
const unpaidByOrder = statement((builder, { orderId }: { orderId: OrderId }) =>
  builder
    .selectFrom('registrations')
    .select(['id', 'event_id', 'answers'])
    .where('id', '=', ({ selectFrom }) =>
      selectFrom('payments')
        .select('registration_id')
        .where('order_id', '=', orderId)
        .where('status', '=', 'pending')
        .where('review', 'is', null),
    ),
)
const markHandedOff = statement((builder, { orderId, at }: { orderId: OrderId; at: Instant }) =>
  builder
    .updateTable('payments')
    .set({ handed_off_at: at, next_ask_at: at, asks: 0 })
    .where('order_id', '=', orderId),
)

export async function retryPayment(
  sql: Sql,
  regNo: RegNo,
  at: Instant,
  {
    expectedOrderId,
    replacesOpenOrder = false,
    eventHash,
    merchantAccount,
    gateway,
    price,
    externalContext: context,
  }: NextAttempt,
): Promise<Result<StoredPayment, RetryRefusal>> {
  const registration = await registrationByNumber.get(sql, { regNo })
  if (registration === undefined) return err({ code: 'not_found' })
  const newestRow = await newestAttempt.get(sql, { id: registration.id })
  if (newestRow === undefined) return err({ code: 'not_found' })
  if (newestRow.asks_for === 'difference' && registration.payment_status === 'success')
    return retryBalancePayment(sql, registration, newestRow, at, {
      expectedOrderId,
      replacesOpenOrder,
      merchantAccount,
      gateway,
    })
  // Refused while the registration is under review, so that the delegate does not pay twice.
  const canRetry =
    newestRow.status === 'failed' || (replacesOpenOrder && newestRow.status === 'pending')
  if (
    !canRetry ||
    newestRow.status !== registration.payment_status ||
    registration.in_review === 1 ||
    (expectedOrderId !== undefined && newestRow.order_id !== expectedOrderId)
  )
    return err({ code: 'not_failed' })
  const attempt = await findUnusedAttempt(sql, regNo, newestRow.attempt + 1)
  if (attempt > MAX_ATTEMPTS) return err({ code: 'too_many_attempts' })
  const eventId = registration.event_id
  if (
    eventHash !== undefined &&
    !(await isActive(sql, { eventId, hash: eventHash, takesNew: false }))
  )
    return err({ code: 'version_moved' })
  const refusal = await checkStillAvailable(sql, registration.id, {
    eventId: registration.event_id,
    answers: JSON.parse(registration.answers) as Answers,
    externalContext: context,
    at,
  })
  if (refusal !== null) return err(refusal)
  // The registration gets the price of the attempt, even if its own price was corrected.
  if (price !== undefined) markNotCorrected.run(sql, { id: registration.id })
  const orderId = createOrderId(regNo, attempt)
  const quote = price?.quote ?? getQuote(newestRow)
  const isInserted = await insertPayment(sql, {
    registrationId: registration.id,
    orderId,
    attempt,
    gateway: gateway ?? newestRow.gateway ?? UNKNOWN_GATEWAY,
    merchantAccount:
      merchantAccount ??
      (newestRow.account === null
        ? null
        : { account: newestRow.account, merchantId: newestRow.merchant_id }),
    amount: price?.quote.total ?? newestRow.amount,
    quote,
    holdUntil: price === undefined ? newestRow.hold_until : price.holdUntil,
    bill:
      price === undefined
        ? newestRow.bill
        : saveLines(sql, registration.id, attempt, price.quote.lines),
    at,
  })
  assert(isInserted, `order id ${attempt} of a registration is already used`)
  // Closes this order, because a registration never has two open orders. A payment that still arrives for it counts or
  // needs review. The new order is placed first, so that closing this order does not restore an earlier manual request.
  if (newestRow.status === 'pending')
    await applyPaymentEvent(sql, newestRow.order_id, { type: 'expired', at }, null)
  await settleRegistration(sql, registration.id)
  await holdAgain(sql, registration.event_id, registration.id, at)
  addAuditEntry(sql, {
    at,
    who: 'delegate',
    what: 'tried the payment again',
    eventId: registration.event_id,
    regNo,
  })
  const payment = await paymentOfOrder.get(sql, { orderId })
  assert(payment !== undefined, 'the new payment was not stored')
  return ok(toStoredPayment(payment))
}

/** Requests the balance of a corrected registration again, at its current amount. */
async function retryBalancePayment(
  sql: Sql,
  registration: RegistrationRow,
  lastPayment: Selectable<Tables['payments']>,
  at: Instant,
  {
    expectedOrderId,
    replacesOpenOrder,
    merchantAccount,
    gateway,
  }: {
    [key in 'expectedOrderId' | 'replacesOpenOrder' | 'merchantAccount' | 'gateway']:
      | NextAttempt[key]
      | undefined
  },
): Promise<Result<StoredPayment, RetryRefusal>> {
  const hasNewerAttempt = expectedOrderId !== undefined && lastPayment.order_id !== expectedOrderId
  const canRetryBalance =
    lastPayment.status === 'failed' || lastPayment.way !== null || replacesOpenOrder === true
  if (!canRetryBalance || registration.due <= 0 || hasNewerAttempt)
    return err({ code: 'not_failed' })
  if (lastPayment.attempt >= MAX_ATTEMPTS) return err({ code: 'too_many_attempts' })
  const merchant = merchantAccount ?? {
    account: lastPayment.account ?? '',
    merchantId: lastPayment.merchant_id,
  }
  const channel = {
    gateway: gateway ?? lastPayment.gateway ?? UNKNOWN_GATEWAY,
    merchantAccount: merchant,
  }
  const orderId = await placeBalanceOrder(sql, registration, channel, at)
  assert(orderId !== null, 'no order was created for the balance')
  const payment = await paymentOfOrder.get(sql, { orderId })
  assert(payment !== undefined, 'the new payment was not stored')
  return ok(toStoredPayment(payment))
}

/** Resumes an open order: holds its seats again, and schedules a gateway query. Refused if a seat is not available. */
export async function resumePayment(
  sql: Sql,
  orderId: OrderId,
  at: Instant,
  context: NextAttempt['externalContext'] | null,
): Promise<Result<null, ContextRefusal>> {
  const row = await unpaidByOrder.get(sql, { orderId })
  if (row === undefined) return ok(null)
  const answers = JSON.parse(row.answers) as Answers
  const refusal = await checkStillAvailable(sql, row.id, {
    eventId: row.event_id,
    answers,
    externalContext: context,
    at,
  })
  if (refusal !== null) return err(refusal)
  await holdAgain(sql, row.event_id, row.id, at)
  markHandedOff.run(sql, { orderId, at })
  return ok(null)
}
