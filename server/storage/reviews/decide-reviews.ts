/**
 * Applies staff's decisions on payment reviews.
 * Each decision is made in one transaction, based on the current state of the review, and its record never changes.
 * Even if several users decide at the same time, only one decision is applied.
 */
import {
  assert,
  assertNever,
  closePayment,
  decideReview as computeDecision,
  formatMoney,
  isManualMethod,
  ok,
  toAmount,
} from '../../../engine/index.ts'
import type {
  Decision,
  GatewayKinds,
  DecisionGrounds,
  Instant,
  Amount,
  RegNo,
  Review,
} from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { LOST_PERMISSION_MESSAGE } from '../staff/lost-permission-error.ts'
import { hasLostPermission } from '../staff/sessions.ts'
import type { StaffSender } from '../staff/staff-types.ts'
import { statement } from '../database/statements/statement.ts'
import { recordDecision, findPastDecision, refuseDecision } from './decision-history.ts'
import type { DecisionResult } from './decision-history.ts'
import { acceptCapture, acceptUndecided, closeReview, acceptForOrder } from './accept-payments.ts'
import type { CaptureIdResult } from './accept-payments.ts'
import {
  readCaptureRow,
  decideRefund,
  recordManualRefund,
  requestCaptureRefund,
} from '../refunds/request-and-approve-refunds.ts'
import {
  closeManualPayment,
  reprice,
  restoreOrder,
} from '../payments/reprice-and-restore-orders.ts'
import { RollbackError } from '../database/rollback-error.ts'
import type { CaptureRow } from '../database/statements/money-tables.ts'
import { parseReviewNumber, joinRemainingReasons, findReview } from './open-reviews.ts'
import { findMoveTarget } from './move-target.ts'
import { toPayment } from '../registrations/row-mapping.ts'
import type { JoinedPaymentRow } from '../registrations/row-mapping.ts'
import {
  endUncountedCapture,
  joinReasons,
  readPayment,
  savePaymentState,
  removeReason,
} from '../payments/payment-state.ts'
import { settleRegistration } from '../payments/settle-registration.ts'
import type { NewMail } from '../index.ts'

const removePayer = statement((builder, { id }: { id: number }) =>
  builder
    .updateTable('captures')
    .set({ payer: null })
    .where('id', '=', id)
    .where('payer', 'is not', null)
    .where('state', 'not in', ['review', 'unmatched']),
)
const unpaidRegistration = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder
    .selectFrom('registrations')
    .select(['id', 'reg_no as regNo'])
    .where('reg_no', '=', regNo)
    .where('state', 'in', ['to_pay', 'told', 'lapsed']),
)
const balanceOfRegistration = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder.selectFrom('registrations').select('due').where('reg_no', '=', regNo),
)
const newestPayment = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder
    .selectFrom('payments as p')
    .innerJoin('registrations as g', 'g.id', 'p.registration_id')
    .select('p.id')
    .where('g.reg_no', '=', regNo)
    .orderBy('p.attempt', 'desc')
    .limit(1),
)
const saveMove = statement(
  (builder, params: { id: number; registrationId: number; paymentId: number; why: string }) =>
    builder
      .updateTable('captures')
      .set({
        registration_id: params.registrationId,
        counts_for: params.paymentId,
        why: params.why,
        state: 'review',
      })
      .where('id', '=', params.id)
      .where('state', 'in', ['review', 'unmatched']),
)

/**
 * Decides a review. Queues the email only if this decision confirms a registration. A refused decision changes nothing.
 */
export async function decideReview(
  sql: Sql,
  id: string,
  decision: Decision,
  at: Instant,
  email: NewMail | null,
  kinds: GatewayKinds = {},
  sender: StaffSender | null = null,
): Promise<DecisionResult> {
  if (sender !== null && (await hasLostPermission(sql, sender)))
    return refuseDecision('not_your_role', LOST_PERMISSION_MESSAGE)
  const result = await decideReviewInTransaction(sql, id, decision, { at, email, kinds })
  if (!result.ok) throw new RollbackError(result)
  // Deletes the payer's details, which were stored only for this decision.
  const number = parseReviewNumber(id)
  if (id.startsWith('C') && number !== null) removePayer.run(sql, { id: number })
  return result
}

async function decideReviewInTransaction(
  sql: Sql,
  id: string,
  decision: Decision,
  {
    at,
    email,
    kinds,
  }: { readonly at: Instant; readonly email: NewMail | null; readonly kinds: GatewayKinds },
): Promise<DecisionResult> {
  const review = await findReview(sql, id)
  if (review === null) return findPastDecision(sql, id)
  const target = decision.what === 'move' ? await priceTarget(sql, review, decision, at) : null
  const decisionPlan = computeDecision(review, decision, target)
  if (!decisionPlan.ok) return decisionPlan
  const consequence = decisionPlan.value
  const decisionGrounds: DecisionGrounds = { why: decision.why.trim(), who: decision.who.trim() }
  const number = parseReviewNumber(id)
  assert(number !== null, 'a review without a number')
  switch (consequence.does) {
    case 'accept': {
      const acceptResult = id.startsWith('C')
        ? await acceptCapture(sql, await readCaptureRow(sql, number), at, email)
        : await acceptUndecided(sql, await readPayment(sql, number), consequence, at, email)
      if (!acceptResult.ok) return acceptResult
      return recordDecision(
        sql,
        review,
        acceptResult.value,
        decision,
        decisionGrounds,
        consequence.amount,
        at,
        {
          message: await describeAcceptance(sql, review, consequence.amount),
        },
      )
    }
    case 'ask': {
      const capture = await readCaptureRow(sql, number)
      const partialAcceptResult = await acceptCapture(sql, capture, at, null, 'asked')
      if (!partialAcceptResult.ok) return partialAcceptResult
      return recordDecision(
        sql,
        review,
        partialAcceptResult.value,
        decision,
        decisionGrounds,
        consequence.amount,
        at,
        { message: await describeRequestedAmount(sql, review, consequence.amount) },
      )
    }
    case 'give-back': {
      const capture = await readCaptureRow(sql, number)
      if (consequence.manualReference !== null) {
        const refundResult = await recordManualRefund(
          sql,
          capture,
          { ...consequence, manualReference: consequence.manualReference },
          decisionGrounds,
          at,
        )
        if (!refundResult.ok) return refundResult
        if (consequence.isAll && capture.counts_for !== null && isManualMethod(capture.source))
          await restoreOrder(sql, await readPayment(sql, capture.counts_for), capture, at)
        return recordDecision(
          sql,
          review,
          capture.id,
          { what: 'refund by hand' },
          decisionGrounds,
          consequence.amount,
          at,
          {
            message: `${formatMoney(consequence.amount, review.currency)} was refunded outside Rollcall.`,
          },
        )
      }
      const requestResult = await requestCaptureRefund(
        sql,
        capture,
        consequence.amount,
        decisionGrounds,
        at,
        kinds,
      )
      if (!requestResult.ok) return requestResult
      if (consequence.isAll) {
        assert(capture.counts_for !== null, 'a capture without a payment cannot be refunded')
        await closeCapture(sql, capture, capture.counts_for, 'given back', at)
      }
      return recordDecision(
        sql,
        review,
        capture.id,
        decision,
        decisionGrounds,
        consequence.amount,
        at,
        {
          message: `Refund of ${formatMoney(consequence.amount, review.currency)} requested.`,
          refundIds: [requestResult.value],
        },
      )
    }
    case 'dismiss': {
      const captureId = id.startsWith('C') ? number : null
      if (captureId === null) await dismissPayment(sql, await readPayment(sql, number), at)
      else await dismissCapture(sql, await readCaptureRow(sql, captureId), at)
      return recordDecision(sql, review, captureId, decision, decisionGrounds, null, at, {
        message:
          review.is === 'returned'
            ? 'Warning closed. The payment remains applied to its registration.'
            : 'Payment ignored. It is not applied to any registration and is not refunded.',
      })
    }
    case 'move': {
      const moveResult = await moveCapture(
        sql,
        await readCaptureRow(sql, number),
        consequence,
        at,
        email,
      )
      if (!moveResult.ok) return moveResult
      return recordDecision(sql, review, number, decision, decisionGrounds, review.left, at, {
        message: consequence.fits
          ? `${formatMoney(review.left, review.currency)} moved to ${consequence.to}, which is now paid.`
          : `${formatMoney(review.left, review.currency)} moved to ${consequence.to}, where it needs review.`,
        movedTo: target,
      })
    }
    case 'refund-done':
    case 'refund-again':
    case 'refund-left':
      return decideRefund(sql, review, number, decision, decisionGrounds, consequence, at, kinds)
    default:
      return assertNever(consequence)
  }
}

/**
 * Returns the registration to which a payment is moved, with the price by the payment's method, which becomes its bill.
 * A gateway payment of another amount does not change the bill, because the delegate may still pay by the chosen method.
 */
async function priceTarget(
  sql: Sql,
  { came: received, left }: Review,
  { to, price }: Decision & { readonly what: 'move' },
  at: Instant,
): ReturnType<typeof findMoveTarget> {
  const row = await unpaidRegistration.get(sql, { regNo: to.trim() as RegNo })
  const source = received?.source ?? ''
  const method = isManualMethod(source) ? source : null
  const isPriced = row !== undefined && price !== undefined
  if (isPriced && (method !== null || price.total === left))
    await reprice(sql, row, price, at, method)
  const target = await findMoveTarget(sql, to.trim())
  return isPriced && target?.due != null ? { ...target, due: price.total } : target
}

async function describeAcceptance(
  sql: Sql,
  { is, due, dueCurrency: currency, regNo }: Review,
  amount: Amount,
): Promise<string> {
  const purposeText =
    amount === due
      ? 'counts'
      : `counts as the payment of ${due === null ? 'the balance' : formatMoney(due, currency)}`
  // After a later correction, there may be an amount to pay or to refund.
  const registration = regNo === null ? undefined : await balanceOfRegistration.get(sql, { regNo })
  const openBalance = registration?.due ?? toAmount(0)
  const countsText =
    is === 'rest'
      ? `${formatMoney(amount, currency)} is added`
      : `${formatMoney(amount, currency)} ${purposeText}`
  if (openBalance > 0) return `${countsText}: ${formatMoney(openBalance, currency)} is still due.`
  if (openBalance < 0)
    return `${countsText}: the registration is paid. To refund: ${formatMoney(toAmount(-openBalance), currency)}.`
  return `${countsText}: the registration is paid.`
}

async function describeRequestedAmount(
  sql: Sql,
  { dueCurrency: currency, regNo }: Review,
  amount: Amount,
): Promise<string> {
  const registration = regNo === null ? undefined : await balanceOfRegistration.get(sql, { regNo })
  return `${formatMoney(amount, currency)} counts, and ${formatMoney(registration?.due ?? toAmount(0), currency)} is still due.`
}

async function dismissCapture(sql: Sql, capture: CaptureRow, at: Instant): Promise<void> {
  if (capture.counts_for !== null) {
    await closeCapture(sql, capture, capture.counts_for, 'dismissed', at)
    return
  }
  await closeReview(sql, capture, 'refused')
  // The registration no longer has this payment under review.
  if (capture.registration_id !== null) await settleRegistration(sql, capture.registration_id)
}

/** Closes a capture that does not count towards any payment, together with the order that received it. */
async function closeCapture(
  sql: Sql,
  capture: CaptureRow,
  paymentId: number,
  reason: 'dismissed' | 'given back',
  at: Instant,
): Promise<void> {
  const row = await readPayment(sql, paymentId)
  if (!isManualMethod(capture.source)) await endUncountedCapture(sql, capture, row, reason, at)
  else {
    await closeReview(sql, capture, 'refused')
    await closeManualPayment(sql, capture, row, reason, at)
  }
}

async function dismissPayment(sql: Sql, row: JoinedPaymentRow, at: Instant): Promise<void> {
  const review = removeReason(row.review, await joinRemainingReasons(sql, row.id, row.review))
  const payment = { ...toPayment(row), review }
  await savePaymentState(
    sql,
    row,
    review === null ? closePayment(payment, 'dismissed', at) : payment,
    at,
  )
}

async function moveCapture(
  sql: Sql,
  capture: CaptureRow,
  { to, fits, why: reason }: { readonly to: string; readonly fits: boolean; readonly why: string },
  at: Instant,
  email: NewMail | null,
): Promise<CaptureIdResult> {
  const newestRow = await newestPayment.get(sql, { regNo: to as RegNo })
  assert(newestRow !== undefined, 'a payment was moved to a registration without an order')
  const target = await readPayment(sql, newestRow.id)
  saveMove.run(sql, {
    id: capture.id,
    registrationId: target.registration_id,
    paymentId: target.id,
    why: reason,
  })
  // The payment is no longer a reason to review the registration that it was moved from.
  if (capture.counts_for !== null) {
    const previousPayment = await readPayment(sql, capture.counts_for)
    if (isManualMethod(capture.source))
      await closeManualPayment(sql, capture, previousPayment, 'moved', at)
    else {
      const review = removeReason(previousPayment.review, capture.why)
      const payment = { ...toPayment(previousPayment), review }
      const closedPayment = review === null ? closePayment(payment, 'moved', at) : payment
      await savePaymentState(sql, previousPayment, closedPayment, at)
    }
  }
  if (capture.registration_id !== null) await settleRegistration(sql, capture.registration_id)
  const movedRow = await readCaptureRow(sql, capture.id)
  if (fits) {
    await closeReview(sql, movedRow, 'accepted')
    return acceptForOrder(sql, movedRow, target, target.review, at, email)
  }
  await savePaymentState(
    sql,
    target,
    { ...toPayment(target), review: joinReasons(target.review, reason) },
    at,
  )
  return ok(capture.id)
}
