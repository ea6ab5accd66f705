/** Applies payment events and gateway responses to stored payments. */
import type { Kysely } from 'kysely'
import { filterInOrder } from '../database/in-order.ts'
import {
  applyPaymentEvent as computePayment,
  assert,
  toAmount,
  findReviewReason,
} from '../../../engine/index.ts'
import type {
  Instant,
  OrderId,
  Payment,
  PaymentEvent,
  PaymentRefusal,
} from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { placeBalanceOrder, closeOpenPayments, requestBalance } from './payment-attempts.ts'
import {
  findCapture,
  isDecidedOtherwise,
  isFirstPayment,
  isWithoutMoney,
  saveCapture,
  UNCHANGED_CAPTURE,
} from './received-payments.ts'
import { restoreManualRequest } from './reprice-and-restore-orders.ts'
import { recordRevenue } from '../reports/registration-and-revenue-counters.ts'
import {
  needsConfirmation,
  computeBalance,
  priceAndCorrection,
  reduceBalance,
} from './stored-balance.ts'
import { recordAdjustment, getStoredBalance } from './balance-adjustments.ts'
import { storeMessage } from './stored-gateway-messages.ts'
import { isKnownEvent, splitEvent, writePaymentEvent } from './payment-events.ts'
import { confirmByMail } from '../mail/email-queue.ts'
import { findUnavailableSeat, readLostSeats } from '../seats/available-seats.ts'
import { insertRefund } from '../refunds/record-refunds.ts'
import { paymentOfOrder, toPayment, toStoredPayment } from '../registrations/row-mapping.ts'
import type { JoinedPaymentRow } from '../registrations/row-mapping.ts'
import {
  bookAndIssueInvoice,
  joinReasons,
  getPaymentAmounts,
  buildChangedRow,
  savePaymentState,
  recordReturnedAmount,
  removeReason,
} from './payment-state.ts'
import { prefetchFirstPayment, settleRegistration } from './settle-registration.ts'
import type { NewMail, PaymentKeys, RawResponse, StoredPayment } from '../index.ts'

type OrderParams = { orderId: OrderId }
type RegistrationKey = { registrationId: number }
const registrationState = statement((builder, { registrationId }: RegistrationKey) =>
  builder.selectFrom('registrations').select('state').where('id', '=', registrationId),
)
const otherPaidPayment = statement(
  (builder, { registrationId, id }: RegistrationKey & { id: number }) =>
    builder
      .selectFrom('payments')
      .select('reference')
      .where('registration_id', '=', registrationId)
      .where('id', '<>', id)
      .where('asks_for', '=', 'whole')
      .where('status', 'in', ['success', 'refunded']),
)
type Reference = { reference: string; id: number }
const selectOtherWithReference = (builder: Kysely<Tables>, { reference, id }: Reference) =>
  builder
    .selectFrom('payments')
    .select('order_id')
    .where('reference', '=', reference)
    .where('id', '<>', id)
const paymentWithReference = statement((builder, params: Reference & { gateway: string }) =>
  selectOtherWithReference(builder, params).where('gateway', '=', params.gateway),
)
const importedPaymentWithReference = statement((builder, params: Reference) =>
  selectOtherWithReference(builder, params).where('gateway', 'is', null),
)
const endClaim = statement((builder, { orderId }: OrderParams) =>
  builder
    .updateTable('payments')
    .set({ claimed_at: null })
    .where('order_id', '=', orderId)
    .where('claimed_at', 'is not', null),
)
const clearFreedAttempt = statement((builder, { registrationId }: RegistrationKey) =>
  builder
    .updateTable('registrations')
    .set({ freed_at_attempt: null })
    .where('id', '=', registrationId),
)
const laterDifference = statement(
  (builder, { registrationId, attempt }: RegistrationKey & { attempt: number }) =>
    builder
      .selectFrom('payments')
      .select('id')
      .where('registration_id', '=', registrationId)
      .where('asks_for', '=', 'difference')
      .where('status', 'in', ['pending', 'failed'])
      .where('attempt', '>', attempt),
)
const setRefundReference = statement(
  (builder, { id, reference }: { id: number; reference: string }) =>
    builder.updateTable('payments').set({ refund_reference: reference }).where('id', '=', id),
)
/** The resulting payment. If the event was refused, also the refusal code and the reason for a review. */
type PaymentChange = {
  readonly next: Payment
  readonly refusal: string | null
  readonly why: string | null
}

/** Checks an event: first its payment, in the engine, then the registration's other attempts, then other orders. */
async function checkPaymentEvent(
  sql: Sql,
  row: JoinedPaymentRow,
  event: PaymentEvent,
): Promise<PaymentChange> {
  const payment = toPayment(row)
  const refuse = (refusal: string, reason: string | null): PaymentChange => ({
    next: payment,
    refusal,
    why: reason,
  })
  const result = computePayment(payment, event)
  if (!result.ok) return refuse(result.error.code, findReviewReason(result.error))
  const next = result.value
  if (next.status.is === 'success' && row.status !== 'success') {
    const { reference } = next.status
    const { id, registration_id: registrationId, gateway } = row
    const { state } = (await registrationState.get(sql, { registrationId })) ?? { state: 'to_pay' }
    if (state === 'cancelled' || state === 'refused') {
      return refuse('ended', findReviewReason({ code: 'ended', state }))
    }
    const otherPayment =
      row.asks_for === 'difference'
        ? undefined
        : await otherPaidPayment.get(sql, { registrationId, id })
    if (otherPayment !== undefined) {
      const references = { first: otherPayment.reference ?? '', second: reference }
      return refuse('paid_twice', findReviewReason({ code: 'paid_twice', ...references }))
    }
    const paymentWithSameReference =
      gateway === null
        ? await importedPaymentWithReference.get(sql, { reference, id })
        : await paymentWithReference.get(sql, { gateway, reference, id })
    if (paymentWithSameReference !== undefined)
      return refuse(
        'reference_taken',
        `The gateway's reference ${reference} already belongs to the payment of ${paymentWithSameReference.order_id}.`,
      )
    const unavailableSeat =
      row.asks_for === 'difference'
        ? null
        : await findUnavailableSeat(sql, row.registration_id, event.at)
    if (unavailableSeat !== null) {
      const seatUnavailable = { code: 'place_gone', place: unavailableSeat.name } as const
      return refuse(seatUnavailable.code, findReviewReason(seatUnavailable))
    }
  }
  return { next, refusal: null, why: null }
}

type AppliedEvent = { changed: boolean; payment: StoredPayment; review: string | null }

export async function applyPaymentEvent(
  sql: Sql,
  orderId: OrderId,
  event: PaymentEvent,
  email: NewMail | null,
  response: RawResponse | null = null,
  keys: PaymentKeys | null = null,
): Promise<AppliedEvent> {
  let changed = false
  let unstoredResponse = response
  // A response from the gateway settles whether a gateway message was true. A timeout does not.
  if (event.type !== 'expired' && event.type !== 'undecided') endClaim.run(sql, { orderId })
  if (keys !== null) prefetchConfirmationData(sql, toRowKeys(keys), event)
  let isPaidNow = false
  // A refund in the same response is a separate event.
  for (const part of splitEvent(event)) {
    const row = await readPaymentRow(sql, orderId)
    const effect =
      part.type === 'refunded'
        ? await applyRefund(sql, row, part)
        : await applyEvent(sql, row, part)
    changed ||= effect.changed
    isPaidNow ||= effect.isPaidNow
    // Closed payments are polled for days, so a repeated response is not stored again.
    if (effect.isNew && unstoredResponse !== null) {
      storeMessage(sql, orderId, { ...unstoredResponse, kind: 'status' })
      unstoredResponse = null
    }
  }
  const updatedRow = await readPaymentRow(sql, orderId)
  // A payment that the same response refunds in full gets no confirmation.
  const isConfirmed = isPaidNow && updatedRow.status === 'success' && email !== null
  if (isConfirmed && (await needsConfirmation(sql, updatedRow)))
    confirmByMail(sql, updatedRow.registration_id, email, event.at)
  return { changed, payment: toStoredPayment(updatedRow), review: updatedRow.review }
}

/** `isNew`: the event had not been stored. `changed`: it changed the payment. `isPaidNow`: it confirmed the payment. */
type EventEffect = {
  readonly isNew: boolean
  readonly changed: boolean
  readonly isPaidNow: boolean
}

type RowKeys = Pick<JoinedPaymentRow, 'id' | 'registration_id' | 'event_id' | 'gateway' | 'account'>
const toRowKeys = ({ paymentId, registrationId, eventId, ...keys }: PaymentKeys): RowKeys => ({
  ...keys,
  id: paymentId,
  registration_id: registrationId,
  event_id: eventId,
})

/** Prefetches the data that every confirmation needs. */
function prefetchConfirmationData(sql: Sql, row: RowKeys, event: PaymentEvent): void {
  const { id, registration_id: registrationId, gateway } = row
  if (event.type !== 'confirmed') return
  const { reference } = event
  sql.batch?.prefetch(() => [
    isKnownEvent(sql, id, event),
    findCapture(sql, row, reference),
    registrationState.get(sql, { registrationId }),
    otherPaidPayment.get(sql, { registrationId, id }),
    ...(gateway === null ? [] : [paymentWithReference.get(sql, { gateway, reference, id })]),
    ...readLostSeats(sql, registrationId),
    isWithoutMoney(sql, registrationId),
    ...prefetchFirstPayment(sql, row),
  ])
}

async function applyEvent(
  sql: Sql,
  row: JoinedPaymentRow,
  event: PaymentEvent,
): Promise<EventEffect> {
  if (row.status !== 'success') prefetchConfirmationData(sql, row, event)
  const isNew = !(await isKnownEvent(sql, row.id, event))
  const confirmed = event.type === 'confirmed' ? await removeDecided(sql, row, event) : event
  if (confirmed === null) {
    if (isNew) writePaymentEvent(sql, row.id, event, ALREADY_DECIDED)
    return { isNew, changed: false, isPaidNow: false }
  }
  const { next: nextPayment, refusal, why: reason } = await checkPaymentEvent(sql, row, confirmed)
  const isFirst = await isFirstPayment(sql, row, confirmed, nextPayment)
  const { clearedReason, isAdded } =
    confirmed.type === 'confirmed'
      ? await saveCapture(sql, row, confirmed, refusal, reason)
      : UNCHANGED_CAPTURE
  if (confirmed.type === 'confirmed')
    for (const capture of confirmed.further ?? []) {
      const { reference: first } = confirmed
      const paidTwice = { code: 'paid_twice', first, second: capture.reference } as const
      const extra = buildConfirmation(confirmed, capture)
      await saveCapture(sql, row, extra, paidTwice.code, findReviewReason(paidTwice))
    }
  // A repeated event is no reason for another review, because staff may have decided in the meantime.
  const isRepeated = !isNew && nextPayment.status.is === row.status
  const review = joinReasons(
    removeReason(isRepeated ? row.review : nextPayment.review, clearedReason),
    isNew ? reason : null,
  )
  if (isNew) writePaymentEvent(sql, row.id, event, refusal)
  const next = { ...nextPayment, review }
  const isPaidNow = next.status.is === 'success' && row.status !== 'success'
  if (isPaidNow) await reduceBalance(sql, row, row.amount, event.at)
  if (next.status.is === 'failed') await restoreManualRequest(sql, row, next, event.at)
  const changed = await savePaymentState(sql, row, next, event.at, isFirst)
  // The payment may have been under review until now, and part of it may have been refunded during that time.
  const countedCapture =
    isPaidNow && next.status.is === 'success' && !isAdded
      ? await findCapture(sql, row, next.status.reference)
      : undefined
  if (isPaidNow) await addOwedDifference(sql, row, event.at)
  if (isPaidNow) await bookAndIssueInvoice(sql, row, countedCapture, event.at)
  if (next.status.is === 'success' && isPaidNow)
    recordRevenue(sql, row, next.status.paidAt, row.amount)
  if (isFirst)
    paymentOfOrder.predict(sql, { orderId: row.order_id }, [
      { ...buildChangedRow(row, next, event.at), declined_code: null },
    ])
  return { isNew, changed, isPaidNow }
}

/**
 * Records the difference from the current price, as a balance or a refund, if a payment's order was placed before a
 * correction or staff accepted a different amount. The payment counts even if the price was zero.
 */
export async function addOwedDifference(
  sql: Sql,
  row: JoinedPaymentRow,
  at: Instant,
): Promise<void> {
  if (row.asks_for === 'difference') return requestRemainder(sql, row, at)
  const { registration_id: id, reg_no, gateway, account, merchant_id: merchantId } = row
  const priceRow = await priceAndCorrection.get(sql, { registrationId: id })
  if (priceRow !== undefined && priceRow.freed_at_attempt !== null)
    clearFreedAttempt.run(sql, { registrationId: id })
  if (priceRow?.total == null) return
  const difference = (await computeBalance(sql, id)) - (await getStoredBalance(sql, id))
  if (difference === 0) return
  recordAdjustment(sql, id, { what: 'corrected', amount: difference }, at)
  if (priceRow.is_corrected === 0) return
  // The order that is open at the gateway at the corrected price would request the full amount.
  await closeOpenPayments(sql, id, 'corrected', at)
  const merchantAccount = { account: account ?? '', merchantId }
  const channel = { gateway: gateway ?? '', merchantAccount }
  await placeBalanceOrder(sql, { id, reg_no, due: await getStoredBalance(sql, id) }, channel, at)
  await settleRegistration(sql, id)
}

/** If an earlier balance is paid late, makes the later order request only the remaining balance. */
async function requestRemainder(sql: Sql, row: JoinedPaymentRow, at: Instant): Promise<void> {
  const { registration_id: registrationId, attempt } = row
  const later = await laterDifference.get(sql, { registrationId, attempt })
  if (later !== undefined) await requestBalance(sql, row, at)
}

type Confirmation = PaymentEvent & { readonly type: 'confirmed' }

/** The refusal code for an event about a payment on which staff have already decided. */
const ALREADY_DECIDED = 'decided'

/** Returns the confirmation without payments on which staff have decided. Null if no payment remains. */
async function removeDecided(
  sql: Sql,
  row: JoinedPaymentRow,
  event: Confirmation,
): Promise<Confirmation | null> {
  const isDecided = async ({ reference }: { readonly reference: string }): Promise<boolean> =>
    isDecidedOtherwise(await findCapture(sql, row, reference), row.id)
  const { further = [], ...first } = event
  const openCaptures = await filterInOrder(further, async (capture) => !(await isDecided(capture)))
  if (!(await isDecided(first)))
    return openCaptures.length === 0 ? first : { ...first, further: openCaptures }
  const [next, ...rest] = openCaptures.map((capture) => ({ currency: first.currency, ...capture }))
  if (next === undefined) return null
  const remaining = buildConfirmation(first, next)
  return rest.length === 0 ? remaining : { ...remaining, further: rest }
}

/** Returns another payment in the same response as a separate confirmation with its own time. */
function buildConfirmation(
  first: Confirmation,
  capture: NonNullable<Confirmation['further']>[number],
): Confirmation {
  const { type, at, currency, refunds } = first
  return { type, at, currency, ...(refunds === undefined ? {} : { refunds }), ...capture }
}

/** Applies a refund that the gateway reports. A refund that matches no received payment goes to review. */
async function applyRefund(
  sql: Sql,
  row: JoinedPaymentRow,
  event: PaymentEvent & { readonly type: 'refunded' },
): Promise<EventEffect> {
  const placedRefund = await insertRefund(sql, row.id, event, event.at)
  if (placedRefund === 'known') return { isNew: false, changed: false, isPaidNow: false }
  if (placedRefund !== null) {
    writePaymentEvent(sql, row.id, event, null)
    setRefundReference.run(sql, { id: row.id, reference: event.reference })
    const changed = await recordReturnedAmount(sql, placedRefund, event)
    return { isNew: true, changed, isPaidNow: false }
  }
  const isNew = !(await isKnownEvent(sql, row.id, event))
  if (!isNew) return { isNew, changed: false, isPaidNow: false }
  const amounts = await getPaymentAmounts(sql, row.id)
  const refusal: PaymentRefusal =
    amounts === null
      ? { code: 'not_paid' }
      : {
          code: 'more_back_than_came',
          came: amounts.counted,
          got: toAmount(amounts.refunded + event.amount),
          currency: row.currency,
        }
  writePaymentEvent(sql, row.id, event, refusal.code)
  const review = joinReasons(row.review, findReviewReason(refusal))
  return {
    isNew,
    changed: await savePaymentState(sql, row, { ...toPayment(row), review }, event.at),
    isPaidNow: false,
  }
}

async function readPaymentRow(sql: Sql, orderId: OrderId): Promise<JoinedPaymentRow> {
  const row = await paymentOfOrder.get(sql, { orderId })
  assert(row !== undefined, 'a payment event for an unknown order')
  return row
}
