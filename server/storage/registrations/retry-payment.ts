/** Starts another payment attempt of a stored registration, or hands an open one to the gateway again. */
import type { Selectable } from 'kysely'
import { assert, ATTEMPTS_MAX, createOrderId, err, ok } from '../../../engine/index.ts'
import type { Answers, Instant, OrderId, RegNo, Result } from '../../../engine/index.ts'
import { isActive } from '../events/activate-versions.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import {
  askDifference,
  insertPayment,
  unusedAttempt,
  UNNAMED_GATEWAY,
} from '../payments/payment-attempts.ts'
import { applyPaymentEvent } from '../payments/apply-payment-events.ts'
import { settleRegistration } from '../payments/settle-registration.ts'
import type { NextAttempt, RetryRefusal } from '../payments/payment-types.ts'
import { keepLines } from '../payments/stored-bill-lines.ts'
import { holdAgain } from '../seats/keep-and-release-seats.ts'
import { whetherStillFree } from '../seats/reserve-seats.ts'
import { addAuditEntry } from '../staff/audit-log-entries.ts'
import type { StoredPayment } from '../index.ts'
import type { OutsideRefusal } from './pricing-context-types.ts'
import { paymentOfOrder, quoteOf, toStoredPayment } from './row-mapping.ts'
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

export async function retry(
  sql: Sql,
  regNo: RegNo,
  at: Instant,
  { after, replaces = false, eventHash, askedOf, gateway, price, outside }: NextAttempt,
): Promise<Result<StoredPayment, RetryRefusal>> {
  const registration = await registrationByNumber.get(sql, { regNo })
  if (registration === undefined) return err({ code: 'not_found' })
  const newest = await newestAttempt.get(sql, { id: registration.id })
  if (newest === undefined) return err({ code: 'not_found' })
  if (newest.asks_for === 'difference' && registration.payment_status === 'success')
    return retryDifference(sql, registration, newest, at, {
      after,
      replaces,
      askedOf,
      gateway,
    })
  // In review money has arrived that does not fit: asking for more of it would be wrong.
  const isFree = newest.status === 'failed' || (replaces && newest.status === 'pending')
  if (
    !isFree ||
    newest.status !== registration.payment_status ||
    registration.in_review === 1 ||
    (after !== undefined && newest.order_id !== after)
  )
    return err({ code: 'not_failed' })
  const attempt = await unusedAttempt(sql, regNo, newest.attempt + 1)
  if (attempt > ATTEMPTS_MAX) return err({ code: 'too_many_attempts' })
  const eventId = registration.event_id
  if (
    eventHash !== undefined &&
    !(await isActive(sql, { eventId, hash: eventHash, takesNew: false }))
  )
    return err({ code: 'version_moved' })
  const gone = await whetherStillFree(sql, registration.id, {
    eventId: registration.event_id,
    answers: JSON.parse(registration.answers) as Answers,
    outside,
    at,
  })
  if (gone !== null) return err(gone)
  // Two orders are never open at once. Money that comes for this one all the same is a success, or before a person.
  if (newest.status === 'pending')
    await applyPaymentEvent(sql, newest.order_id, { type: 'expired', at }, null)
  // A price of its own becomes the registration's, also of one that was corrected.
  if (price !== undefined) markNotCorrected.run(sql, { id: registration.id })
  const orderId = createOrderId(regNo, attempt)
  const quote = price?.quote ?? quoteOf(newest)
  const added = await insertPayment(sql, {
    registrationId: registration.id,
    orderId,
    attempt,
    gateway: gateway ?? newest.gateway ?? UNNAMED_GATEWAY,
    askedOf:
      askedOf ??
      (newest.account === null
        ? null
        : { account: newest.account, merchantId: newest.merchant_id }),
    amount: price?.quote.total ?? newest.amount,
    quote,
    holdUntil: price === undefined ? newest.hold_until : price.holdUntil,
    bill:
      price === undefined
        ? newest.bill
        : keepLines(sql, registration.id, attempt, price.quote.lines),
    at,
  })
  assert(added, `order id ${attempt} of a registration is taken`)
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
  assert(payment !== undefined, 'a payment just written is not there')
  return ok(toStoredPayment(payment))
}

/** What a correction left, once more; how much that is by now is what it asks for. */
async function retryDifference(
  sql: Sql,
  registration: RegistrationRow,
  newest: Selectable<Tables['payments']>,
  at: Instant,
  {
    after,
    replaces,
    askedOf,
    gateway,
  }: { [key in 'after' | 'replaces' | 'askedOf' | 'gateway']: NextAttempt[key] | undefined },
): Promise<Result<StoredPayment, RetryRefusal>> {
  const isQuicker = after !== undefined && newest.order_id !== after
  const isFree = newest.status === 'failed' || newest.way !== null || replaces === true
  if (!isFree || registration.due <= 0 || isQuicker) return err({ code: 'not_failed' })
  if (newest.attempt >= ATTEMPTS_MAX) return err({ code: 'too_many_attempts' })
  const asked = askedOf ?? { account: newest.account ?? '', merchantId: newest.merchant_id }
  const through = { gateway: gateway ?? newest.gateway ?? UNNAMED_GATEWAY, askedOf: asked }
  const orderId = await askDifference(sql, registration, through, at)
  assert(orderId !== null, 'a difference that is due was not asked for')
  const payment = await paymentOfOrder.get(sql, { orderId })
  assert(payment !== undefined, 'a payment just written is not there')
  return ok(toStoredPayment(payment))
}

/** Polling queries it soon, and its hold starts anew. Its seats may be taken by now. */
export async function resumePayment(
  sql: Sql,
  orderId: OrderId,
  at: Instant,
  outside: NextAttempt['outside'] | null,
): Promise<Result<null, OutsideRefusal>> {
  const row = await unpaidByOrder.get(sql, { orderId })
  if (row === undefined) return ok(null)
  const answers = JSON.parse(row.answers) as Answers
  const gone = await whetherStillFree(sql, row.id, { eventId: row.event_id, answers, outside, at })
  if (gone !== null) return err(gone)
  await holdAgain(sql, row.event_id, row.id, at)
  markHandedOff.run(sql, { orderId, at })
  return ok(null)
}
