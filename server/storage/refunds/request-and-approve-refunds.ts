/** Carries out decisions by staff on refunds, including refunds whose result at the gateway is unknown. */
import {
  getReceivedCurrency,
  explainWhyTooLateToRefund,
  assert,
  assertNever,
  formatMoney,
  checkGrounds,
  ok,
  toAmount,
  checkRefundAmount,
} from '../../../engine/index.ts'
import type {
  Currency,
  Decision,
  DecisionRefusal,
  GatewayKinds,
  DecisionGrounds,
  Instant,
  OrderId,
  Amount,
  RegNo,
  Result,
  Review,
} from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { CaptureRow } from '../database/statements/money-tables.ts'
import { statement } from '../database/statements/statement.ts'
import { recordDecision, refuseDecision } from '../reviews/decision-history.ts'
import type { DecisionResult } from '../reviews/decision-history.ts'
import type { WantedRefund } from '../payments/payment-types.ts'
import {
  endRefund,
  isRefundInProgress,
  isSameRefundInProgress,
  getRefundableAmount,
  findOrderOfRefund,
  addRefundRequest,
  completeSentRefund,
} from './record-refunds.ts'
import { explainRefundReference, selectNamedPayments } from './refund-references.ts'
import {
  countedCaptures,
  findLeastReturnedAmount,
  sortByLikelihood,
  splitRefund,
  sumCaptures,
} from './refundable-payments.ts'
import type { PayerNumber } from './refundable-payments.ts'
import { explainUnrecordedLoss } from '../reconciliation/disputes.ts'
import { isRefundableByGateway } from './refund-states-and-channels.ts'
import { updateReviewsOfReturnedLine } from './returned-lines.ts'
import { replaceRefusedRefunds } from './replaced-refunds.ts'
import { RollbackError } from '../database/rollback-error.ts'
import { scheduleGatewayQueries } from '../payments/gateway-queries.ts'
import { readPayment, recordReturnedAmount } from '../payments/payment-state.ts'
import { explainChangedPayments, getRetainedAmount } from '../payments/balance-adjustments.ts'
import { settleRegistration } from '../payments/settle-registration.ts'

const captureById = statement((builder, { id }: { id: number }) =>
  builder.selectFrom('captures').selectAll().where('id', '=', id),
)
const refundableCapture = statement((builder, { id }: { id: number }) =>
  builder
    .selectFrom('captures as c')
    .select('c.id')
    .where('c.id', '=', id)
    .where(isRefundableByGateway),
)
const refuseCapture = statement((builder, { id }: { id: number }) =>
  builder.updateTable('captures').set({ state: 'refused' }).where('id', '=', id),
)
const refundById = statement((builder, { id }: { id: number }) =>
  builder
    .selectFrom('refunds')
    .select(['capture_id', 'amount', 'reference', 'state'])
    .where('id', '=', id),
)
const registrationOrOrder = statement((builder, { regNo, orderId }: PayerNumber) =>
  builder
    .selectFrom('registrations')
    .select('id')
    .where('reg_no', '=', regNo)
    .unionAll(builder.selectFrom('payments').select('id').where('order_id', '=', orderId)),
)

export async function readCaptureRow(sql: Sql, id: number): Promise<CaptureRow> {
  const row = await captureById.get(sql, { id })
  assert(row !== undefined, 'an unknown capture')
  return row
}

export async function requestCaptureRefund(
  sql: Sql,
  capture: CaptureRow,
  amount: Amount,
  decisionGrounds: DecisionGrounds,
  at: Instant,
  kinds: GatewayKinds,
): Promise<Result<number, DecisionRefusal>> {
  if ((await refundableCapture.get(sql, { id: capture.id })) === undefined)
    return refuseDecision(
      'not_by_gateway',
      describeNotByGateway(toAmount(0), getReceivedCurrency(capture)),
    )
  const tooOld = explainWhyTooLateToRefund(toPayment(capture), kinds, at)
  if (tooOld !== null) return refuseDecision('not_by_gateway', tooOld)
  const unrecordedLoss = await explainUnrecordedLoss(sql, capture.reference)
  if (unrecordedLoss !== null) return refuseDecision('not_by_gateway', unrecordedLoss)
  if (await isRefundInProgress(sql, capture.id, amount))
    return refuseDecision(
      'under_way',
      `A refund of ${formatMoney(amount, getReceivedCurrency(capture))} for this payment is in progress. Wait until it is completed: the gateway can tell refunds apart only by their amounts.`,
    )
  return ok(await addRefundRequest(sql, capture.id, amount, decisionGrounds, at))
}

/**
 * Records that a payment under review was refunded outside the gateway, in full or in part. Closes the review when
 * nothing remains to be refunded.
 */
export async function recordManualRefund(
  sql: Sql,
  capture: CaptureRow,
  {
    amount,
    isAll,
    manualReference,
  }: { readonly amount: Amount; readonly isAll: boolean; readonly manualReference: string },
  decisionGrounds: DecisionGrounds,
  at: Instant,
): Promise<Result<null, DecisionRefusal>> {
  const reason = await explainRefundReference(sql, manualReference, capture, amount)
  if (reason !== null) return refuseDecision('reference_taken', reason)
  endRefund(
    sql,
    await addRefundRequest(sql, capture.id, amount, decisionGrounds, at),
    'done',
    manualReference,
    at,
  )
  if (!isAll) return ok(null)
  if (capture.counts_for !== null) {
    await recordReturnedAmount(sql, { capture, amount }, { reference: manualReference, at })
    return ok(null)
  }
  refuseCapture.run(sql, { id: capture.id })
  if (capture.registration_id !== null) await settleRegistration(sql, capture.registration_id)
  return ok(null)
}

export async function decideRefund(
  sql: Sql,
  review: Review,
  id: number,
  decision: Decision,
  decisionGrounds: DecisionGrounds,
  consequence:
    | { readonly does: 'refund-done'; readonly reference: string | null }
    | { readonly does: 'refund-again'; readonly amount: Amount }
    | { readonly does: 'refund-left' },
  at: Instant,
  kinds: GatewayKinds,
): Promise<DecisionResult> {
  const row = await refundById.get(sql, { id })
  assert(row !== undefined, 'an unknown refund')
  const capture = await readCaptureRow(sql, row.capture_id)
  const { amount } = row
  // The gateway is queried again, because a refund in the merchant panel could not be assigned while the result of
  // another refund was unknown.
  const orderId = await findOrderOfRefund(sql, id)
  if (orderId !== null) scheduleGatewayQueries(sql, orderId, at)
  switch (consequence.does) {
    case 'refund-done': {
      // A new refund is stored, because the refused one is closed, and the amount may since have been refunded by other
      // means.
      const isRefused = row.state === 'refused'
      const part = isRefused
        ? checkRefundAmount({ ...review, left: await getRefundableAmount(sql, capture.id) }, amount)
        : ok(amount)
      if (!part.ok) return part
      const reason =
        consequence.reference === null
          ? null
          : await explainRefundReference(sql, consequence.reference, capture, amount)
      if (reason !== null) return refuseDecision('reference_taken', reason)
      if (isRefused) {
        const newId = await addRefundRequest(sql, capture.id, amount, decisionGrounds, at)
        endRefund(sql, newId, 'done', consequence.reference, at)
      } else completeSentRefund(sql, id, consequence.reference, at)
      const reference = consequence.reference ?? row.reference ?? ''
      await recordReturnedAmount(sql, { capture, amount }, { reference, at })
      return recordDecision(sql, review, capture.id, decision, decisionGrounds, amount, at, {
        message: `${formatMoney(amount, review.currency)} was refunded.`,
      })
    }
    case 'refund-left':
      if (row.state !== 'refused') endRefund(sql, id, 'refused', null, at)
      return recordDecision(sql, review, capture.id, decision, decisionGrounds, null, at, {
        message: 'Refund withdrawn. The payment will not be refunded.',
      })
    case 'refund-again': {
      if (row.state !== 'refused') endRefund(sql, id, 'refused', null, at)
      const part = checkRefundAmount(
        { ...review, left: await getRefundableAmount(sql, capture.id) },
        consequence.amount,
      )
      if (!part.ok) return part
      if (
        capture.counts_for !== null &&
        (await isSameRefundInProgress(sql, capture.counts_for, part.value))
      )
        return refuseSameRefund(part.value, review.currency)
      const request = await requestCaptureRefund(
        sql,
        capture,
        part.value,
        decisionGrounds,
        at,
        kinds,
      )
      if (!request.ok) return request
      return recordDecision(sql, review, capture.id, decision, decisionGrounds, part.value, at, {
        message: `Refund of ${formatMoney(part.value, review.currency)} requested again.${describeRest(amount, part.value, review.currency)}`,
        refundIds: [request.value],
      })
    }
    default:
      return assertNever(consequence)
  }
}

/**
 * Refunds counted payments of a registration or an order, in full or in part. The gateway refunds only gateway
 * payments. A manual refund is made from the payment that its reference names. Otherwise, if possible, the whole amount
 * is refunded from a single payment. Otherwise it is split between payments, oldest first, because no payment can be
 * refunded beyond its amount.
 */
export async function requestRefund(sql: Sql, request: WantedRefund): Promise<DecisionResult> {
  const { of: regNoOrOrderId, amount, at, manualReference, shownPaidAmount = null } = request
  const { gatewayKinds: kinds = {} } = request
  const decisionGrounds = checkGrounds(request)
  if (!decisionGrounds.ok) return decisionGrounds
  const payer = { regNo: regNoOrOrderId as RegNo, orderId: regNoOrOrderId as OrderId }
  const captures = await countedCaptures.all(sql, payer)
  const [first] = captures
  if (first === undefined) {
    const payerRow = await registrationOrOrder.get(sql, payer)
    return payerRow === undefined
      ? refuseDecision('not_there', `No registration or order ${regNoOrOrderId}.`)
      : refuseDecision(
          'not_paid',
          `${regNoOrOrderId} has no counted payment, so there is nothing to refund.`,
        )
  }
  const payment = await readPayment(sql, first.counts_for)
  const { reg_no: regNo, event_id: eventId, currency } = payment
  const paidAmount = await getRetainedAmount(sql, payment.registration_id)
  const change = explainChangedPayments(
    shownPaidAmount,
    paidAmount,
    currency,
    'Nothing was refunded. Check the registration again.',
  )
  if (change !== null) return refuseDecision('review_changed', change)
  const named =
    manualReference === undefined ? [] : await selectNamedPayments(sql, manualReference, captures)
  const namedAmount = sumCaptures(named)
  if (named.length > 0 && (namedAmount === 0 || (amount ?? 0) > namedAmount))
    return refuseMoreThanNamed(namedAmount, currency, manualReference ?? '')
  const candidates = named.length > 0 ? named : captures
  const refundAmount = checkRefundAmount({ left: sumCaptures(candidates), currency }, amount)
  if (!refundAmount.ok) return refundAmount
  // No second refund can have the reference, so the rest of the returned amount could not be recorded.
  const returnedAmount = await findLeastReturnedAmount(sql, named, manualReference ?? '')
  if (refundAmount.value < returnedAmount)
    return refuseLessThanReturned(returnedAmount, currency, manualReference ?? '')
  const refundableCaptures =
    manualReference === undefined
      ? captures.filter(
          (capture) =>
            capture.is_refundable_by_gateway === 1 &&
            explainWhyTooLateToRefund(toPayment(capture), kinds, at) === null,
        )
      : await sortByLikelihood(sql, candidates, refundAmount.value)
  if (sumCaptures(refundableCaptures) < refundAmount.value)
    return refuseDecision(
      'not_by_gateway',
      (sumCaptures(refundableCaptures) === 0
        ? explainWhyTooLateToRefund(toPayment(first), kinds, at)
        : null) ?? describeNotByGateway(sumCaptures(refundableCaptures), currency),
    )
  const parts = splitRefund(refundableCaptures, refundAmount.value)
  if (manualReference !== undefined)
    for (const [capture] of parts) {
      const reason = await explainRefundReference(sql, manualReference, capture, refundAmount.value)
      if (reason !== null) return refuseDecision('reference_taken', reason)
    }
  // A request that states the paid amount cannot be performed twice, because the first refund changes this amount.
  if (
    shownPaidAmount === null &&
    (await isSameRefundInProgress(sql, first.counts_for, refundAmount.value))
  )
    return refuseSameRefund(refundAmount.value, currency)
  const refundIds: number[] = []
  const amounts = parts.map(([, part]) => part)
  const replacement = await replaceRefusedRefunds(sql, first.id, amounts, decisionGrounds.value, at)
  for (const [capture, part] of parts) {
    const refund =
      manualReference === undefined
        ? await requestCaptureRefund(sql, capture, part, decisionGrounds.value, at, kinds)
        : ok(await addRefundRequest(sql, capture.id, part, decisionGrounds.value, at))
    // The refunds that were stored for the other parts are rolled back.
    if (!refund.ok) throw new RollbackError(refund)
    if (manualReference !== undefined) {
      endRefund(sql, refund.value, 'done', manualReference, at)
      await recordReturnedAmount(sql, { capture, amount: part }, { reference: manualReference, at })
      if (named.length > 0) await updateReviewsOfReturnedLine(sql, capture, manualReference, at)
    }
    const decisionText = manualReference === undefined ? 'refund' : 'refund by hand'
    await recordDecision(
      sql,
      { id: `C${capture.id}`, regNo, eventId, currency },
      capture.id,
      { what: decisionText },
      decisionGrounds.value,
      part,
      at,
      {
        message: '',
      },
    )
    refundIds.push(refund.value)
  }
  const splitText = refundIds.length === 1 ? '' : `, split between ${refundIds.length} payments`
  const message =
    manualReference === undefined
      ? `Refund of ${formatMoney(refundAmount.value, currency)} requested${splitText}.`
      : `${formatMoney(refundAmount.value, currency)} was refunded outside Rollcall${splitText}.`
  return ok({
    regNo,
    message: `${message}${replacement}`,
    refundIds: manualReference === undefined ? refundIds : [],
  })
}

/** Explains that the rest of a refused refund is not requested, if only a part was requested again. */
const describeRest = (refused: Amount, again: Amount, currency: Currency): string =>
  again < refused
    ? ` The other ${formatMoney(toAmount(refused - again), currency)} of that refund is not requested.`
    : ''

const refuseSameRefund = (amount: Amount, currency: Currency) =>
  refuseDecision(
    'under_way',
    `A refund of ${formatMoney(amount, currency)} for this registration is in progress. Wait until it is completed. Otherwise the amount could be refunded twice.`,
  )

const refuseMoreThanNamed = (left: Amount, currency: Currency, reference: string) =>
  refuseDecision(
    'bad_amount',
    `${left === 0 ? 'Nothing' : `Only ${formatMoney(left, currency)}`} is left to refund of the payment that ${reference} names. Record any other refund under its own reference.`,
  )

const refuseLessThanReturned = (returned: Amount, currency: Currency, reference: string) =>
  refuseDecision(
    'bad_amount',
    `The bank returned ${formatMoney(returned, currency)} of the payment that ${reference} names. Record this amount under ${reference}, and any other refund under its own reference.`,
  )

const toPayment = ({ source, paid_at: paidAt }: CaptureRow) => ({ source, paidAt })

const describeNotByGateway = (maxRefundable: Amount, currency: Currency): string =>
  maxRefundable === 0
    ? 'This payment was not made through the gateway, so the gateway cannot refund it. Refund it yourself, then record it in the office as already refunded outside Rollcall, with the reference.'
    : `The gateway can refund only ${formatMoney(maxRefundable, currency)}. Refund the rest in another way, and record the reference of that refund.`
