/** Handles cancellation, refunds and decisions on payment reviews. */
import { explainInvalidReference, ok, getOwn, toAmount } from '../../../engine/index.ts'
import { buildCancelledEmail } from '../../../engine/messages.ts'
import {
  sendRequestedRefunds,
  prepareDecision,
  readGatewayKinds,
} from '../../payments/decide-payment-review.ts'
import { readAmountParameter, readShownPaidAmount, refuseData, readText } from './action-input.ts'
import type { ActionRequest, ActionHandler, ActionResult } from './action-input.ts'
import {
  calculateCancellationRefund,
  calculateRefundDue,
  computeCancellationVersion,
} from './balance-due.ts'

/**
 * Cancels a registration. Parameters: `{pay_back?: rupees, kept?: rupees, cancellation_version?}`. `pay_back` is the
 * amount to refund. If it is missing or too low, the minimum refund applies: the amount that is owed in any case.
 * Goodwill refunds count towards that amount, as in the proposal. The refund itself is a separate action. `kept` is the
 * paid amount that the page showed, and `cancellation_version` the version of its other figures. If one of them has
 * changed, for example because of a new payment or a correction, the cancellation is refused. A client that sends
 * neither is not checked.
 */
export const cancel: ActionHandler = async ({ deps, served, registration, newAction, params }) => {
  const amount = readAmountParameter(params, 'pay_back', registration.currency)
  if (!amount.ok) return amount
  const shownAmount = readShownPaidAmount(params, registration.currency)
  if (!shownAmount.ok) return shownAmount
  const shownVersion = params['cancellation_version']
  if (shownVersion !== undefined && typeof shownVersion !== 'string')
    return refuseData('Send cancellation_version as the string returned in the list of actions.')
  const { regNo, total, due } = registration
  const [refunds, paidAmount, money] = await Promise.all([
    deps.store.refunds(regNo),
    deps.store.netAmountPaid(regNo),
    deps.store.paymentsOutsideBill(regNo),
  ])
  const refundDue = calculateRefundDue(registration, refunds)
  const proposal = calculateCancellationRefund(
    served.config,
    registration,
    { money, kept: paidAmount },
    newAction.at,
  )
  const isCurrent = shownVersion === computeCancellationVersion(registration, refundDue, proposal)
  const lowestRefund = toAmount(Math.min(refundDue, proposal.proposed ?? refundDue))
  const refundAmount = toAmount(Math.max(lowestRefund, amount.value ?? 0))
  const email = buildCancelledEmail(served.config, registration, refundAmount)
  return deps.store.cancel(newAction, {
    refundAmount,
    minRefund: lowestRefund,
    shownPaidAmount: shownAmount.value ?? (isCurrent ? paidAmount : null),
    shownBill: shownVersion === undefined ? null : { total, due, isCurrent },
    mail: email,
  })
}

/**
 * Refunds an amount. Parameters: `{amount?: rupees, kept?: rupees, by_hand?: true, reference?}`. Without an amount,
 * refunds the remaining amount; an empty amount is refused. `kept` has the same meaning as for a cancellation. With
 * `by_hand`, the amount was already refunded outside Rollcall, with this reference; otherwise requests the refund from
 * the gateway immediately.
 */
export const refund: ActionHandler = async (request) => {
  const { deps, registration, newAction, params } = request
  const sentAmount = getOwn(params, 'amount')
  if (sentAmount === null || (typeof sentAmount === 'string' && sentAmount.trim() === ''))
    return refuseData(NO_AMOUNT, { amount: NO_AMOUNT })
  const amount = readAmountParameter(params, 'amount', registration.currency)
  if (!amount.ok) return amount
  const shownAmount = readShownPaidAmount(params, registration.currency)
  if (!shownAmount.ok) return shownAmount
  const reference = readText(params, 'reference')
  const isByHand = params['by_hand'] === true || params['by_hand'] === 'true'
  if (isByHand && reference === '')
    return refuseData('Enter the transfer reference or the slip number of the refund.')
  const problem = explainInvalidReference(reference)
  if (problem !== null) return refuseData(problem)
  // Otherwise the gateway would pay an amount that was already refunded.
  if (!isByHand && reference !== '')
    return refuseData(
      'A reference is only for a refund that was already made outside Rollcall (by_hand).',
    )
  const options = {
    amount: amount.value,
    manualReference: isByHand ? reference : null,
    shownPaidAmount: shownAmount.value,
    gatewayKinds: readGatewayKinds(deps),
  }
  return requestRefund(request, await deps.store.refund(newAction, options))
}

const NO_AMOUNT = 'Enter the amount to refund.'

/** Accepts a payment under review. Parameters, as in the list of reviews: `{review, version, reference?, amount?}`. */
export const accept: ActionHandler = (request) => applyDecision(request, 'accept')
export const dismiss: ActionHandler = (request) => applyDecision(request, 'dismiss')

async function applyDecision(
  request: ActionRequest,
  decision: 'accept' | 'dismiss',
): Promise<ActionResult> {
  const { deps, newAction, params } = request
  const review = readText(params, 'review')
  const parameters = { ...params, decision, why: newAction.why }
  const prepareResult = await prepareDecision(deps, review, parameters, newAction.who)
  if (!prepareResult.ok) return prepareResult
  return requestRefund(
    request,
    await deps.store.decideReviewOfRegistration(newAction, { review, ...prepareResult.value }),
  )
}

async function requestRefund(
  { deps }: ActionRequest,
  actionResult: ActionResult,
): Promise<ActionResult> {
  return actionResult.ok ? ok(await sendRequestedRefunds(deps, actionResult.value)) : actionResult
}
