/** Counts payments that staff accepted, either for the order under review or for a separate order. */
import { acceptPayment, assert, ok, toAmount } from '../../../engine/index.ts'
import type { Currency, DecisionRefusal, Instant, Amount, Result } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { issueReceipt } from '../documents/issue-documents.ts'
import { confirmByMail } from '../mail/email-queue.ts'
import { addOwedDifference } from '../payments/apply-payment-events.ts'
import { recordAdjustment } from '../payments/balance-adjustments.ts'
import { replaceByManualOrder, requestBalance } from '../payments/payment-attempts.ts'
import {
  bookAndIssueInvoice,
  readPayment,
  savePaymentState,
  removeReason,
} from '../payments/payment-state.ts'
import { settleRegistration } from '../payments/settle-registration.ts'
import { getSource } from '../payments/received-payments.ts'
import {
  recordRemainder,
  needsConfirmation,
  computeBalance,
  reduceBalance,
} from '../payments/stored-balance.ts'
import { readCaptureRow } from '../refunds/request-and-approve-refunds.ts'
import type { CaptureRow } from '../database/statements/money-tables.ts'
import { refundableAmount } from '../refunds/refund-states-and-channels.ts'
import { toPayment } from '../registrations/row-mapping.ts'
import type { JoinedPaymentRow } from '../registrations/row-mapping.ts'
import { recordRevenue } from '../reports/registration-and-revenue-counters.ts'
import type { NewMail } from '../index.ts'
import { refuseDecision } from './decision-history.ts'
import { joinRemainingReasons } from './open-reviews.ts'

const otherPaymentWithReference = statement(
  (builder, params: { gateway: string; reference: string; id: number }) =>
    builder
      .selectFrom('payments')
      .select('order_id')
      .where('gateway', '=', params.gateway)
      .where('reference', '=', params.reference)
      .where('id', '<>', params.id),
)
const setCountedPayment = statement(
  (builder, { id, paymentId }: { id: number; paymentId: number }) =>
    builder.updateTable('captures').set({ counts_for: paymentId }).where('id', '=', id),
)
const setCountedAmount = statement((builder, { id }: { id: number }) =>
  builder
    .updateTable('captures as c')
    .set({ counted: refundableAmount })
    .where('c.id', '=', id)
    .returning('counted')
    .$narrowType<{ counted: Amount }>(),
)
const markDecided = statement(
  (builder, { id, state }: { id: number; state: 'accepted' | 'refused' }) =>
    builder
      .updateTable('captures')
      .set({ state })
      .where('id', '=', id)
      .where('state', 'in', ['review', 'unmatched']),
)
const captureWithReference = statement(
  (builder, params: { source: string; account: string; reference: string }) =>
    builder
      .selectFrom('captures')
      .select('id')
      .where('source', '=', params.source)
      .where('account', '=', params.account)
      .where('reference', '=', params.reference),
)
const addAcceptedCapture = statement(
  (
    builder,
    params: {
      paymentId: number
      registrationId: number
      source: string
      account: string
      reference: string
      amount: Amount
      currency: Currency
      at: Instant
    },
  ) =>
    builder
      .insertInto('captures')
      .values({
        payment_id: params.paymentId,
        counts_for: params.paymentId,
        registration_id: params.registrationId,
        source: params.source,
        account: params.account,
        reference: params.reference,
        amount: params.amount,
        currency: params.currency,
        kind: 'sale',
        paid_at: params.at,
        seen_at: params.at,
        state: 'accepted',
      })
      .returning('id'),
)

export type CaptureIdResult = Result<number, DecisionRefusal>

/**
 * Counts a payment towards an attempt. If it is less than the amount of the attempt, the difference is waived or
 * requested.
 */
export async function acceptForOrder(
  sql: Sql,
  capture: CaptureRow,
  row: JoinedPaymentRow,
  review: string | null,
  at: Instant,
  email: NewMail | null,
  remainder: 'waived' | 'asked' = 'waived',
): Promise<CaptureIdResult> {
  const { reference, amount, paid_at: paidAt } = capture
  const countedAmount = await countCapture(sql, capture.id)
  // References are unique per gateway. References of payments outside the gateway are already unique per method.
  const otherPayment =
    row.gateway === null
      ? undefined
      : await otherPaymentWithReference.get(sql, { gateway: row.gateway, reference, id: row.id })
  if (otherPayment !== undefined) {
    // Front desks and banks choose references independently of the gateway, so a manual payment gets a separate order.
    const separateOrder =
      capture.source === row.gateway
        ? null
        : await replaceByManualOrder(sql, row, { method: capture.source, review }, at)
    if (separateOrder === null)
      return refuseDecision(
        'reference_taken',
        `The reference ${reference} was already used to pay ${otherPayment.order_id}.`,
      )
    setCountedPayment.run(sql, { id: capture.id, paymentId: separateOrder.id })
    return acceptForOrder(
      sql,
      { ...capture, counts_for: separateOrder.id },
      separateOrder,
      null,
      at,
      email,
      remainder,
    )
  }
  await reduceBalance(sql, row, countedAmount, at)
  if (remainder === 'asked') recordRemainder(sql, row, toAmount(row.amount - countedAmount), at)
  await savePaymentState(
    sql,
    row,
    acceptPayment({ ...toPayment(row), review }, { reference, amount, paidAt }, at),
    at,
  )
  await addOwedDifference(sql, row, at)
  if (remainder === 'asked') await requestBalance(sql, row, at)
  recordRevenue(sql, row, paidAt, amount)
  await bookAndIssueInvoice(sql, row, { id: capture.id, reference }, at)
  if (email !== null && remainder === 'waived' && (await needsConfirmation(sql, row)))
    confirmByMail(sql, row.registration_id, email, at)
  return ok(capture.id)
}

/** Counts a capture. Returns the counted amount, which excludes amounts that staff have already refunded. */
async function countCapture(sql: Sql, captureId: number): Promise<Amount> {
  const row = await setCountedAmount.get(sql, { id: captureId })
  assert(row !== undefined, 'a capture that does not exist cannot be counted')
  return row.counted
}

export async function acceptCapture(
  sql: Sql,
  capture: CaptureRow,
  at: Instant,
  email: NewMail | null,
  remainder: 'waived' | 'asked' = 'waived',
): Promise<CaptureIdResult> {
  assert(capture.counts_for !== null, 'a capture without a payment cannot be accepted')
  const row = await readPayment(sql, capture.counts_for)
  const balanceBefore = await computeBalance(sql, row.registration_id)
  await closeReview(sql, capture, 'accepted')
  if (row.status === 'success') {
    await countCapture(sql, capture.id)
    const amount = (await computeBalance(sql, row.registration_id)) - balanceBefore
    recordAdjustment(sql, row.registration_id, { what: 'paid', amount, paymentId: row.id }, at)
    await addLaterPayment(sql, capture, row, at)
    // The order for the requested remainder requests at most the amount still due.
    if (amount !== 0) await requestBalance(sql, row, at)
    if (email !== null && (await needsConfirmation(sql, { ...row, asks_for: 'difference' })))
      confirmByMail(sql, row.registration_id, email, at)
    return ok(capture.id)
  }
  return acceptForOrder(
    sql,
    capture,
    row,
    removeReason(row.review, capture.why),
    at,
    email,
    remainder,
  )
}

/**
 * Counts an additional payment after a lower amount was accepted. Both payments count, and a receipt states the total.
 */
async function addLaterPayment(
  sql: Sql,
  capture: CaptureRow,
  row: JoinedPaymentRow,
  at: Instant,
): Promise<void> {
  recordRevenue(sql, row, capture.paid_at, capture.amount)
  const review = removeReason(row.review, capture.why)
  await savePaymentState(sql, row, { ...toPayment(row), review }, at)
  await settleRegistration(sql, row.registration_id)
  const { reference, paid_at: paidAt } = capture
  await issueReceipt(sql, row, { reference: `${row.reference}, ${reference}`, paidAt }, at)
  await bookAndIssueInvoice(sql, row, { id: capture.id, reference }, at)
}

export async function closeReview(
  sql: Sql,
  { id }: CaptureRow,
  state: 'accepted' | 'refused',
): Promise<void> {
  const changedRowCount = await markDecided.run(sql, { id, state }).changes
  assert(changedRowCount === 1, 'a capture was decided twice')
}

/**
 * Stores a payment that staff found in the merchant panel. The panel also shows payments that the status query does not
 * report.
 */
export async function acceptUndecided(
  sql: Sql,
  row: JoinedPaymentRow,
  { reference, amount }: { readonly reference: string | null; readonly amount: Amount },
  at: Instant,
  email: NewMail | null,
): Promise<CaptureIdResult> {
  assert(reference !== null, 'a payment without a reference was accepted')
  const [source, account] = [getSource(row.gateway), row.account ?? '']
  const existingCapture = await captureWithReference.get(sql, { source, account, reference })
  if (existingCapture !== undefined)
    return refuseDecision(
      'reference_taken',
      `A payment with the reference ${reference} is already recorded.`,
    )
  const newRow = await addAcceptedCapture.get(sql, {
    paymentId: row.id,
    registrationId: row.registration_id,
    source,
    account,
    reference,
    amount,
    currency: row.currency,
    at,
  })
  assert(newRow !== undefined, 'a capture that was added has no id')
  const remainingReason = await joinRemainingReasons(sql, row.id, row.review)
  return acceptForOrder(
    sql,
    await readCaptureRow(sql, newRow.id),
    row,
    removeReason(row.review, remainingReason),
    at,
    email,
  )
}
