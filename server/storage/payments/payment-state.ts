/** Stores the state of a payment and its registration after a payment event, a refund or a staff decision. */
import { sql as raw } from 'kysely'
import {
  applyPaymentEvent as computePayment,
  assert,
  closePayment,
  toAmount,
  startWatch,
} from '../../../engine/index.ts'
import type { Instant, Amount, Payment, PaymentStatus } from '../../../engine/index.ts'
import { recordRevenue } from '../reports/registration-and-revenue-counters.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { CaptureState } from '../database/statements/money-tables.ts'
import { statement } from '../database/statements/statement.ts'
import { coverBill } from '../documents/cover-bill.ts'
import {
  predictReceiptReads,
  prefetchCoverData,
  issueReceipt,
  prefetchReceiptData,
  readRegistrationRow,
} from '../documents/issue-documents.ts'
import { recordAdjustment, getStoredBalance, recordCompletedRefund } from './balance-adjustments.ts'
import { findCapture } from './received-payments.ts'
import { computeBalance, priceAndCorrection } from './stored-balance.ts'
import { removeReturnedReason } from './returned-transfers.ts'
import { getRefundableAmount } from '../refunds/record-refunds.ts'
import type { CaptureRow } from '../database/statements/money-tables.ts'
import type { PlacedRefund } from '../refunds/record-refunds.ts'
import {
  predictReadsAfter,
  readAttempts,
  settleRegistration,
  prefetchSettlingData,
  stateIsSet,
} from './settle-registration.ts'
import { paymentWithId, toPayment } from '../registrations/row-mapping.ts'
import type { JoinedPaymentRow } from '../registrations/row-mapping.ts'

// Status, review, polling and revenue figures change together or not at all.

type RegistrationParams = { registrationId: number }
type NewState = {
  id: number
  status: PaymentStatus
  statusAt: Instant
  review: string | null
  reference: string | null
  reason: string | null
  paidAt: Instant | null
  watchUntil: Instant | null
  nextAskAt: Instant | null
  statusBefore: PaymentStatus
  reviewBefore: string | null
}
/** Changes nothing if another operation has changed the status or the review since they were read. */
const setState = statement((builder, next: NewState) =>
  builder
    .updateTable('payments')
    .set({
      status: next.status,
      status_at: next.statusAt,
      review: next.review,
      reference: next.reference,
      reason: next.reason,
      paid_at: next.paidAt,
      watch_until: next.watchUntil,
      next_ask_at: next.nextAskAt,
      last_answer: null,
    })
    .where('id', '=', next.id)
    .where('status', '=', next.statusBefore)
    .where(({ ref }) => raw<boolean>`${ref('review')} is not distinct from ${next.reviewBefore}`),
)
/** Closes open claims. Their references stay reserved until a new claim releases them. */
export const closeOpenClaims = statement(
  (builder, { registrationId, at }: RegistrationParams & { at: Instant }) =>
    builder
      .updateTable('tellings')
      .set({ ended_as: 'again', ended_at: at })
      .where('registration_id', '=', registrationId)
      .where('ended_as', 'is', null),
)
const otherManualPayments = statement(
  (builder, { registrationId, paymentId }: RegistrationParams & { paymentId: number }) =>
    builder
      .selectFrom('payments')
      .select('id')
      .where('registration_id', '=', registrationId)
      .where('id', '<>', paymentId)
      .where('asks_for', '=', 'whole')
      .where('status', '=', 'pending')
      .where('way', 'is not', null)
      .where('review', 'is', null),
)
const completedRefundsOfPayment = statement((builder, { captureId }: { captureId: number }) =>
  builder
    .selectFrom('refunds')
    .select(['amount', 'done_at', 'reference'])
    .where('capture_id', '=', captureId)
    .where('state', '=', 'done')
    .orderBy('id')
    .$narrowType<{ done_at: Instant }>(),
)
const uncountedAmount = statement((builder, { captureId }: { captureId: number }) =>
  builder
    .selectFrom('captures')
    .select(({ eb, fn }) =>
      eb('amount', '-', fn.coalesce('counted', 'amount').$castTo<Amount>()).as('amount'),
    )
    .where('id', '=', captureId),
)
const stateAndBalance = statement((builder, { registrationId }: RegistrationParams) =>
  builder.selectFrom('registrations').select(['state', 'due']).where('id', '=', registrationId),
)
const openBalanceOrders = statement((builder, { registrationId }: RegistrationParams) =>
  builder
    .selectFrom('payments')
    .select('id')
    .where('registration_id', '=', registrationId)
    .where('asks_for', '=', 'difference')
    .where('status', '=', 'pending'),
)
const setCaptureRefused = statement(
  (builder, { id, stateBefore }: { id: number; stateBefore: CaptureState }) =>
    builder
      .updateTable('captures')
      .set({ state: 'refused' })
      .where('id', '=', id)
      .where('state', '=', stateBefore),
)
const amountsOfPayment = statement((builder, { paymentId }: { paymentId: number }) =>
  builder
    .selectFrom('captures as c')
    .select(({ fn, lit, selectFrom }) => [
      fn.sum<number | null>('c.amount').as('counted'),
      fn
        .coalesce(
          fn.sum<number>(
            selectFrom('refunds as f')
              .select((f) => f.fn.sum<number>('f.amount').as('amount'))
              .whereRef('f.capture_id', '=', 'c.id')
              .where('f.state', '=', 'done'),
          ),
          lit(0),
        )
        .as('refunded'),
    ])
    .where('c.counts_for', '=', paymentId)
    .where('c.state', 'in', ['fits', 'accepted']),
)
/** Returns the payment row as it will be after the change. */
export function buildChangedRow(row: JoinedPaymentRow, { status, review }: Payment, at: Instant) {
  // A payment is polled from the time at which it is closed or goes to review. Imported payments are not, because our
  // gateways do not know them.
  const isStatusChanged = status.is !== row.status
  const startsWatch = isStatusChanged || (status.is === 'pending' && row.watch_until === null)
  const watch = startsWatch && row.gateway !== null ? startWatch(status.is, at) : null
  return {
    ...row,
    status: status.is,
    status_at: status.is === 'pending' ? row.status_at : status.at,
    review,
    reference: status.is === 'success' ? status.reference : row.reference,
    reason: status.is === 'failed' ? status.reason : row.reason,
    paid_at: status.is === 'success' ? status.paidAt : row.paid_at,
    watch_until: watch?.watchUntil ?? row.watch_until,
    next_ask_at: watch?.nextPollAt ?? row.next_ask_at,
    last_answer: null,
  }
}

/**
 * Writes the state of a payment and its registration. Returns false if it is unchanged. Once the payment is closed, it
 * is polled. `isFirst`: the registration has no other payment, capture or document, so the results of all later reads
 * are predicted.
 */
export async function savePaymentState(
  sql: Sql,
  row: JoinedPaymentRow,
  next: Payment,
  at: Instant,
  isFirst = false,
): Promise<boolean> {
  const { status } = next
  const isStatusChanged = status.is !== row.status
  if (!isStatusChanged && next.review === row.review) return false
  const { registration_id: registrationId } = row
  const attempts = isFirst ? await readAttempts(sql, registrationId) : null
  const updatedRow = buildChangedRow(row, next, at)
  const updateResult = setState.run(sql, {
    id: row.id,
    status: updatedRow.status,
    statusAt: updatedRow.status_at,
    review: updatedRow.review,
    reference: updatedRow.reference,
    reason: updatedRow.reason,
    paidAt: updatedRow.paid_at,
    watchUntil: updatedRow.watch_until,
    nextAskAt: updatedRow.next_ask_at,
    statusBefore: row.status,
    reviewBefore: row.review,
  })
  const isPaid = isStatusChanged && status.is === 'success'
  if (attempts === null) {
    sql.batch?.prefetch(() => [
      ...prefetchSettlingData(sql, registrationId),
      ...(isPaid ? prefetchReceiptData(sql, row) : []),
      ...(isPaid ? [findCapture(sql, row, status.reference)] : []),
      ...(isPaid && row.asks_for === 'whole'
        ? [otherManualPayments.all(sql, { registrationId, paymentId: row.id })]
        : []),
    ])
    assert((await updateResult.changes) === 1, 'another operation has changed the payment')
  } else {
    stateIsSet.run(sql, updatedRow)
    attempts.predict(updatedRow)
    predictReceiptReads(sql, row.id)
    otherManualPayments.predict(sql, { registrationId, paymentId: row.id }, [])
  }
  const registrationBefore = isFirst ? await readRegistrationRow(sql, registrationId) : null
  if (isPaid) {
    await issueReceipt(sql, row, status, at)
    await endOtherManualPayments(sql, row, at)
  }
  const capture =
    isPaid && !isFirst && sql.batch !== null
      ? await findCapture(sql, row, status.reference)
      : undefined
  await settleRegistration(sql, registrationId, (settledColumns) => {
    if (isPaid && registrationBefore !== null)
      predictReadsAfter(sql, row, { ...registrationBefore, ...settledColumns }, status)
    else if (isPaid) sql.batch?.prefetch(() => prefetchAfterPayment(sql, row, capture))
  })
  return true
}

/** Prefetches the data for the steps after a payment is confirmed: the balance and the documents. */
const prefetchAfterPayment = (
  sql: Sql,
  row: JoinedPaymentRow,
  capture: CaptureRow | undefined,
): readonly Promise<unknown>[] => {
  const { registration_id: registrationId } = row
  return [
    priceAndCorrection.get(sql, { registrationId }),
    computeBalance(sql, registrationId),
    getStoredBalance(sql, registrationId),
    ...prefetchCoverData(sql, row),
    ...(capture === undefined
      ? []
      : [
          completedRefundsOfPayment.all(sql, { captureId: capture.id }),
          uncountedAmount.get(sql, { captureId: capture.id }),
        ]),
  ]
}

/** Closes other manual orders once the registration is paid, because no gateway query would close them. */
async function endOtherManualPayments(sql: Sql, row: JoinedPaymentRow, at: Instant): Promise<void> {
  if (row.asks_for !== 'whole') return
  // Open claims do not need to be matched now. Their references stay reserved.
  const { id: paymentId, registration_id: registrationId } = row
  closeOpenClaims.run(sql, { registrationId, at })
  const openPayments = await otherManualPayments.all(sql, { registrationId, paymentId })
  for (const { id } of openPayments) {
    const payment = await readPayment(sql, id)
    const closedPayment = closePayment(toPayment(payment), 'paid by another method', at)
    await savePaymentState(sql, payment, closedPayment, at)
  }
}

/** Updates figures, payment and registration after a refund. */
export async function recordReturnedAmount(
  sql: Sql,
  { capture, amount }: PlacedRefund,
  { reference, at }: { readonly reference: string; readonly at: Instant },
): Promise<boolean> {
  const row = capture.counts_for === null ? null : await readPayment(sql, capture.counts_for)
  if (row === null) return false
  if (capture.state === 'fits' || capture.state === 'accepted') {
    recordRevenue(sql, row, at, -amount)
    await recordCompletedRefund(sql, row.registration_id, amount, at)
    const [amounts, remainingAmount] = await Promise.all([
      getPaymentAmounts(sql, row.id),
      getRefundableAmount(sql, capture.id),
    ])
    const { counted, refunded } = amounts ?? { counted: capture.amount, refunded: amount }
    const review = await removeReturnedReason(sql, row.review, {
      id: capture.id,
      isFullyRefunded: remainingAmount <= 0,
      amount,
    })
    const money = { came: counted, back: toAmount(refunded - amount) }
    const paymentBefore = { ...toPayment(row), review, money }
    const refundResult = computePayment(paymentBefore, { type: 'refunded', reference, amount, at })
    assert(refundResult.ok, 'the refund exceeds the payment')
    const changed = await savePaymentState(sql, row, refundResult.value, at)
    await waiveBalance(sql, row.registration_id, at)
    await coverBill(sql, row.registration_id, at, { refund: { reference } })
    return changed
  }
  if (capture.state !== 'review' || (await getRefundableAmount(sql, capture.id)) > 0) return false
  // The payment is fully refunded, so it needs no decision.
  return endUncountedCapture(sql, capture, row, 'refunded', at)
}

/**
 * When a payment begins to count, issues its full invoice, and one credit note for all earlier refunds. Each of these
 * refunds reduces the revenue of the date on which it was made.
 */
export async function bookAndIssueInvoice(
  sql: Sql,
  row: JoinedPaymentRow,
  capture: Pick<CaptureRow, 'id' | 'reference'> | undefined,
  at: Instant,
): Promise<void> {
  const [completedRefunds, uncounted] =
    capture === undefined
      ? [[], undefined]
      : await Promise.all([
          completedRefundsOfPayment.all(sql, { captureId: capture.id }),
          uncountedAmount.get(sql, { captureId: capture.id }),
        ])
  const refundedBefore =
    completedRefunds.reduce((sum, { amount }) => sum + amount, 0) - (uncounted?.amount ?? 0)
  await coverBill(sql, row.registration_id, at, { refundedBefore })
  for (const refund of completedRefunds) recordRevenue(sql, row, refund.done_at, -refund.amount)
  const reference = completedRefunds.at(-1)?.reference ?? capture?.reference ?? ''
  if (refundedBefore > 0) await coverBill(sql, row.registration_id, at, { refund: { reference } })
}

/** Waives the balance that is still due for a cancelled registration after a refund. */
async function waiveBalance(sql: Sql, registrationId: number, at: Instant): Promise<void> {
  const row = await stateAndBalance.get(sql, { registrationId })
  if (row?.state !== 'cancelled' || row.due <= 0) return
  recordAdjustment(sql, registrationId, { what: 'given up', amount: -row.due }, at)
  const balanceOrders = await openBalanceOrders.all(sql, { registrationId })
  for (const { id } of balanceOrders) {
    const payment = await readPayment(sql, id)
    await savePaymentState(sql, payment, closePayment(toPayment(payment), 'cancelled', at), at)
  }
}

/** Closes a capture without counting it. A review is closed when its last reason is removed. */
export async function endUncountedCapture(
  sql: Sql,
  capture: CaptureRow,
  row: JoinedPaymentRow,
  reason: string,
  at: Instant,
): Promise<boolean> {
  const updateResult = setCaptureRefused.run(sql, { id: capture.id, stateBefore: capture.state })
  assert((await updateResult.changes) === 1, 'a capture was decided twice')
  const review = removeReason(row.review, capture.why)
  const payment = { ...toPayment(row), review }
  if (
    await savePaymentState(
      sql,
      row,
      review === null ? closePayment(payment, reason, at) : payment,
      at,
    )
  )
    return true
  // If another capture paid the order, only this capture kept the registration in review.
  await settleRegistration(sql, row.registration_id)
  return false
}

/** Returns a payment's counted and refunded amounts. Null if no amount is counted. */
export async function getPaymentAmounts(
  sql: Sql,
  paymentId: number,
): Promise<{ counted: Amount; refunded: Amount } | null> {
  const row = await amountsOfPayment.get(sql, { paymentId })
  return row === undefined || row.counted === null
    ? null
    : { counted: toAmount(row.counted), refunded: toAmount(row.refunded) }
}

export async function readPayment(sql: Sql, id: number): Promise<JoinedPaymentRow> {
  const row = await paymentWithId.get(sql, { id })
  assert(row !== undefined, 'an unknown payment')
  return row
}

/** Removes an obsolete reason from the review reasons. Returns null if none remain. */
export function removeReason(review: string | null, obsolete: string | null): string | null {
  if (review === null || obsolete === null) return review
  const remaining = review.replace(obsolete, '').replaceAll(/ {2,}/g, ' ').trim()
  return remaining === '' ? null : remaining
}

/** Joins two review reasons. A reason that is already included is not repeated. */
export function joinReasons(first: string | null, second: string | null): string | null {
  if (first === null || second === null) return first ?? second
  return first.includes(second) ? first : `${first} ${second}`
}
