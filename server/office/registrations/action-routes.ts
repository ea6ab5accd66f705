/** Serves the actions on a registration: lists those available and performs one. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  ENDED_STATES,
  listAllowedActions,
  dayOf,
  explainWhyTooLateToRefund,
  formatDayShort,
  formatIsoIndia,
  isActionName,
  toAmount,
  toMajorUnits,
  getStateLabel,
  STATE_LABELS,
} from '../../../engine/index.ts'
import type {
  ActionName,
  EventConfig,
  Instant,
  RegistrationState,
  RegNo,
} from '../../../engine/index.ts'
import { toWireCurrency, toWireQuote } from '../../../engine/api.ts'
import type { ActionResponse, ActionsResponse } from '../../../engine/api.ts'
import { applyApprovalPrice } from '../../registration/actions/choose-payment-method.ts'
import { buildRefundNotes } from './describe-dispute.ts'
import type { Deps } from '../../dependencies.ts'
import { listPreviousHolderCredits } from '../../documents/documents-after-transfer.ts'
import { sendError } from '../../http/error-response.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { toSender } from '../auth/sessions.ts'
import { toWireReview } from '../reconciliation/payment-reviews.ts'
import type {
  ActionDenial,
  StoredAction,
  StoredCapture,
  StoredRegistration,
  StoredPaymentClaim,
} from '../../storage/index.ts'
import { findLastPayment } from './last-payment.ts'
import { readGatewayKinds } from '../../payments/decide-payment-review.ts'
import { toWireSecondPayment } from '../../payments/describe-duplicate-payment.ts'
import {
  ACTION_PARAMETERS,
  parseActionKey,
  readDuplicatesVersion,
  readText,
} from '../../registration/actions/action-input.ts'
import type { ActionParameter, ActionParameters } from '../../registration/actions/action-input.ts'
import { buildApprovalView } from '../../registration/actions/approve-registration.ts'
import { ACTION_HANDLERS } from '../../registration/actions/action-handlers.ts'
import {
  calculateCancellationRefund,
  calculateGoodwill,
  calculateRefundDue,
  computeCancellationVersion,
  getAmountOwed,
  isCancelledByFullRefund,
  listRefundsOfCounted,
  sumRefundsInProgress,
} from '../../registration/actions/balance-due.ts'
import { findCancellationRequest } from '../../registration/actions/cancellation-request.ts'
import {
  toWireMethodPrices,
  toWireOfficeMethods,
} from '../../registration/actions/record-payment.ts'
import { listEditableAnswers } from '../../registration/actions/correctable-answers.ts'
import { findLastClaim } from '../../registration/actions/payment-claims.ts'
import { buildTimeline } from './timeline.ts'

type RegistrationCall = Pick<Call<'registration'>, 'user' | 'target'>

export function addActionRoutes(office: OfficeRoutes, deps: Deps): void {
  const sendActions = async (
    call: Call<'registration'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> =>
    reply.header('cache-control', 'no-store').send(await loadActions(deps, call))

  const performAction = async (
    { user, target, body }: Call<'registration', never, ActionParameter>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { registration, served, review } = target
    const { act: actionName, why: reason, ...params } = body
    const input = review === null ? params : { ...params, review }
    const handler =
      typeof actionName === 'string' && isActionName(actionName)
        ? ACTION_HANDLERS[actionName]
        : undefined
    if (typeof actionName !== 'string' || !isActionName(actionName) || handler === undefined)
      return sendError(reply, 422, 'act_unknown', 'No action has this name.')
    const { regNo } = registration
    const shownOtherPayments = readDuplicatesVersion(params)
    if (!shownOtherPayments.ok) return sendDenial(reply, shownOtherPayments.error)
    const requestKey = parseActionKey(
      { ...input, why: reason },
      { who: user.username, regNo, act: actionName },
    )
    if (!requestKey.ok) return sendDenial(reply, requestKey.error)
    const request = {
      regNo,
      act: actionName,
      actor: user.role,
      who: user.username,
      why: readText({ why: reason }, 'why'),
      at: deps.clock(),
      idempotencyKey: requestKey.value,
      previousAnswers: registration.answers,
      sender: toSender(user),
      shownOtherPayments: shownOtherPayments.value,
    }
    const result = await handler({ deps, served, registration, newAction: request, params: input })
    if (!result.ok) return sendDenial(reply, result.error)
    const { message, state, refund = null, needsReview, repeated } = result.value
    const creditText =
      !repeated && (registration.wasTransferred || actionName === 'transfer')
        ? await describePreviousHolderCredits(deps, regNo, request.at)
        : ''
    const response: ActionResponse = {
      status: 'success',
      message: `${message}${creditText}`,
      reg_no: regNo,
      state,
      refund,
      ...(needsReview && { needs_review: needsReview }),
      repeated,
    }
    return reply.header('cache-control', 'no-store').send(response)
  }

  const path = '/admin/registrations/:reg_no/acts'
  office.get(path, { minRole: 'viewer', target: 'registration' }, sendActions)
  // Further requirements of an action are in the table of actions.
  office.post(
    path,
    { minRole: 'desk', target: 'registration', body: ACTION_PARAMETERS },
    performAction,
  )
}

/** Tells staff which new credit notes the current holder neither sees nor gets by email. Empty if there is none. */
async function describePreviousHolderCredits(
  { store }: Pick<Deps, 'store'>,
  regNo: RegNo,
  since: Instant,
): Promise<string> {
  const serials = (await listPreviousHolderCredits(store, regNo, since)).map(({ serial }) => serial)
  if (serials.length === 0) return ''
  return serials.length === 1
    ? ` Credit note ${serials.join('')} is for the previous holder. Download it and send it to them.`
    : ` Credit notes ${serials.join(', ')} are for the previous holder. Download them and send them.`
}

async function loadActions(
  { store, clock, events }: Pick<Deps, 'store' | 'clock' | 'events'>,
  { user, target: { registration, served } }: RegistrationCall,
): Promise<ActionsResponse> {
  const { regNo, state, due } = registration
  const at = clock()
  const gatewayKinds = readGatewayKinds({ events })
  const buildFileUrl = (field: string): string => `/admin/registrations/${regNo}/files/${field}/`
  const [
    netPaid,
    billMoney,
    captures,
    refunds,
    isRefundUnsettled,
    actions,
    decisions,
    claim,
    claims,
    reviews,
    secondPayment,
    disputes,
    otherPayments,
  ] = await Promise.all([
    store.netAmountPaid(regNo),
    store.paymentsOutsideBill(regNo),
    store.captures(regNo),
    store.refunds(regNo),
    store.isRefundUnsettled(regNo, at),
    store.actions(regNo),
    store.decisions(regNo),
    findLastClaim({ store }, served.config, registration, buildFileUrl),
    store.paymentClaims(regNo),
    store.reviews(registration.eventId),
    store.secondPayment(regNo),
    store.disputesOf(regNo),
    store.otherPaymentsOfPerson(regNo),
  ])
  const isErased = actions.some(({ act: action }) => action === 'erase')
  const allowedActions = listAllowedActions(state, user.role).filter(
    (action) =>
      ACTION_HANDLERS[action] !== undefined &&
      // Only the message that confirms a note offers to undo it.
      action !== 'undo_note' &&
      !(isErased && NEEDS_PERSONAL_DATA.has(action)) &&
      (action !== 'handle_refund' || isRefundUnsettled) &&
      (action !== 'not_found' || state === 'told' || hasReservedReference(claims)),
  )
  const refund = calculateCancellationRefund(
    served.config,
    registration,
    { money: billMoney, kept: netPaid },
    at,
  )
  const refundDue = calculateRefundDue(registration, refunds)
  // A payment made by mistake is refunded in full, regardless of the cancellation scale.
  const proposedRefund = secondPayment === null ? refund.proposed : netPaid
  return {
    status: 'success',
    reg_no: regNo,
    state,
    state_display: describeState(registration, captures),
    ...toWireCurrency(registration.currency),
    today: dayOf(at),
    due: toMajorUnits(toAmount(Math.max(0, due)), registration.currency),
    to_pay: toMajorUnits(
      toAmount(
        isEnded(state)
          ? 0
          : Math.max(0, getAmountOwed(applyApprovalPrice(served.config, registration, at))),
      ),
      registration.currency,
    ),
    ...(allowedActions.includes('confirm') && toWireMethodPrices(served.config, registration, at)),
    ...toWireOfficeMethods(served.config, registration.currency),
    pay_back: toMajorUnits(refundDue, registration.currency),
    goodwill: toMajorUnits(calculateGoodwill(registration, billMoney), registration.currency),
    received: toMajorUnits(registration.money.paid, registration.currency),
    refunded: toMajorUnits(registration.money.refunded, registration.currency),
    refunding: toMajorUnits(
      sumRefundsInProgress(listRefundsOfCounted(refunds, captures)),
      registration.currency,
    ),
    kept: toMajorUnits(netPaid, registration.currency),
    back_by_gateway: toMajorUnits(
      toAmount(
        captures
          .filter((capture) => explainWhyTooLateToRefund(capture, gatewayKinds, at) === null)
          .reduce((sum, { refundableByGateway }) => sum + refundableByGateway, 0),
      ),
      registration.currency,
    ),
    refund_notes: buildRefundNotes(captures, disputes, gatewayKinds, at),
    refund_unsettled: isRefundUnsettled,
    second_payment: toWireSecondPayment(secondPayment, netPaid, registration.currency),
    duplicates_version: otherPayments.version,
    full_refund_cancels: isCancelledByFullRefund(registration),
    cancel_asked: buildCancellationRequest(served.config, registration, actions, {
      money: billMoney,
      kept: netPaid,
    }),
    proposed_back:
      proposedRefund === null ? null : toMajorUnits(proposedRefund, registration.currency),
    cancellation: {
      paid: toMajorUnits(refund.paid, registration.currency),
      owed: toMajorUnits(refund.owed, registration.currency),
      remaining: toMajorUnits(refund.remaining, registration.currency),
      percent: refund.percent,
      ...(refund.taxKept > 0 && {
        tax_kept: toMajorUnits(refund.taxKept, registration.currency),
      }),
      ...(refund.charge > 0 && { charge: toMajorUnits(refund.charge, registration.currency) }),
      share: refund.share === null ? null : toMajorUnits(refund.share, registration.currency),
      refunded: toMajorUnits(refund.refunded, registration.currency),
    },
    cancellation_version: computeCancellationVersion(registration, refundDue, refund),
    allowed: allowedActions,
    fields: allowedActions.includes('correct')
      ? listEditableAnswers(served.config, registration)
      : [],
    persons: Object.values(served.config.roles),
    approval: buildApprovalView(served.config, registration, at),
    told: claim?.view ?? null,
    reviews: reviews.filter((review) => review.regNo === regNo).map(toWireReview),
    trail: buildTimeline(actions, decisions, refunds, registration.currency),
  }
}

/** Returns the open cancellation request, with the refund that the self-service page showed on its day. */
function buildCancellationRequest(
  config: EventConfig,
  registration: StoredRegistration,
  actions: readonly StoredAction[],
  amounts: Parameters<typeof calculateCancellationRefund>[2],
): ActionsResponse['cancel_asked'] {
  const at = isEnded(registration.state) ? null : findCancellationRequest(actions)
  if (at === null) return null
  const { proposed } = calculateCancellationRefund(config, registration, amounts, at)
  return {
    at: formatIsoIndia(at),
    back:
      proposed === null || amounts.kept === 0
        ? null
        : toMajorUnits(proposed, registration.currency),
  }
}

const isEnded = (state: RegistrationState): boolean =>
  ENDED_STATES.some((endedState) => endedState === state)

/** Describes the state: for a paid registration with the date and method, for a failed payment with the cause. */
function describeState(
  { state, total, paymentStatus, payments }: StoredRegistration,
  captures: readonly StoredCapture[],
): string {
  if (state === 'complete' && (total === null || total === 0)) return 'complete, nothing to pay'
  if (state === 'complete') {
    const payment = findLastPayment(captures)
    if (payment === null) return 'paid in full'
    const { paidAt, method } = payment
    return `paid in full ${method === '' ? '' : `${method} `}on ${formatDayShort(dayOf(paidAt))}`
  }
  if (state === 'to_pay' && paymentStatus === 'failed') {
    const failure = payments.find((payment) => payment.failure !== null)?.failure
    if (failure === 'declined' || failure === 'expired')
      return `${STATE_LABELS[state]}: payment ${failure}`
  }
  return getStateLabel({ state, paymentStatus })
}

/** Returns true if a claim still reserves its reference. Staff can then reject it. */
const hasReservedReference = (claims: readonly StoredPaymentClaim[]): boolean =>
  claims.some(({ endedAs, recordedFor }) => endedAs !== 'not_found' && recordedFor === null)

/** Actions that need personal data. After erasure, only actions on payments remain. */
const NEEDS_PERSONAL_DATA: ReadonlySet<ActionName> = new Set([
  'approve',
  'correct',
  'erase',
  'resend',
  'send_pay_link',
  'transfer',
])

export const getActionParameters = ({ body }: FastifyRequest): ActionParameters =>
  typeof body === 'object' && body !== null ? (body as ActionParameters) : {}

/** Sends the error response for an action that was denied. */
export function sendDenial(reply: FastifyReply, denial: ActionDenial): FastifyReply {
  const { code, message } = denial
  const details = {
    ...('quote' in denial && denial.quote !== undefined
      ? { quote: toWireQuote(denial.quote) }
      : {}),
    ...('errors' in denial && denial.errors !== undefined ? { errors: denial.errors } : {}),
  }
  return sendError(reply, STATUS_BY_CODE[code] ?? 409, code, message, details)
}

/**
 * 403 if another role is required, 404 if not found, 422 if the input can be corrected. Other codes get 409, because
 * the state has changed since the user saw it.
 */
const STATUS_BY_CODE: Readonly<Partial<Record<ActionDenial['code'], 403 | 404 | 422>>> = {
  not_your_role: 403,
  not_there: 404,
  no_grounds: 422,
  no_version: 422,
  bad_data: 422,
  bad_amount: 422,
  no_reference: 422,
  no_target: 422,
}
