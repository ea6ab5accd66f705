/** Carries out staff decisions on payments, and requests the refunds that they require. */
import { describeAmountFormat } from '../registration/actions/action-input.ts'
import { sendPayLink } from '../registration/actions/resend-emails.ts'
import {
  INR,
  checkSameAccount,
  formatMoney,
  err,
  fromMajorUnits,
  listGatewayKinds,
  ok,
  readAmount,
} from '../../engine/index.ts'
import type {
  Currency,
  Decision,
  DecisionRefusal,
  GatewayKinds,
  DecisionGrounds,
  Amount,
  Result,
  Review,
} from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import { readVersion } from '../events/versions/version-approval.ts'
import type { DecisionOutcome, NewMail, StaffSender, StoredRefund } from '../storage/index.ts'
import { applyPrice, quotePriceOfMovedPayment } from './price-on-credit-date.ts'
import { buildPaidEmail } from './verify-payment.ts'

// Used by the office routes and by commands. A refund is requested from the gateway immediately.

export type DecisionDeps = Pick<Deps, 'store' | 'events' | 'payments' | 'clock'>
/** The decision as entered or sent; amounts are in rupees, as text or as numbers. */
export type DecisionInput = {
  readonly decision?: unknown
  /** The version of the review that the user saw; required. */
  readonly version?: unknown
  readonly why?: unknown
  readonly to?: unknown
  readonly reference?: unknown
  readonly amount?: unknown
  /** For a refund: true if it was already made outside the gateway, under `reference`. */
  readonly by_hand?: unknown
}
/** `refund` is the current state of the refund that the decision requires. Null if it requires none. */
export type ReviewResult = DecisionOutcome & { readonly refund: StoredRefund['state'] | null }
type DecisionResult = Result<ReviewResult, DecisionRefusal>

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')

export async function decideReview(
  deps: DecisionDeps,
  id: string,
  input: DecisionInput,
  user: string,
  sender: StaffSender | null = null,
): Promise<DecisionResult> {
  const prepareResult = await prepareDecision(deps, id, input, user)
  if (!prepareResult.ok) return prepareResult
  const { decision, mail: email, gatewayKinds } = prepareResult.value
  const result = await deps.store.decideReview(
    id,
    decision,
    deps.clock(),
    email,
    gatewayKinds,
    sender,
  )
  if (!result.ok) return result
  const reviewResult = await sendRequestedRefunds(deps, result.value)
  return ok(
    decision.what === 'ask'
      ? await sendPayLinkForRemainder(deps, reviewResult, user)
      : reviewResult,
  )
}

/**
 * If a payment covers only part of the balance, requests the remaining amount by email. If no email is sent, the
 * message states the reason.
 */
async function sendPayLinkForRemainder(
  deps: Pick<Deps, 'store' | 'events' | 'clock'>,
  decideResult: ReviewResult,
  user: string,
): Promise<ReviewResult> {
  const { regNo, message } = decideResult
  const registration = regNo === null ? null : await deps.store.registration(regNo)
  const served = registration === null ? null : deps.events.findById(registration.eventId)
  if (registration === null || served === null)
    return { ...decideResult, message: `${message} No payment link was sent.` }
  const newAction = {
    regNo: registration.regNo,
    act: 'send_pay_link',
    actor: 'treasurer',
    who: user,
    why: '',
    at: deps.clock(),
    idempotencyKey: null,
    previousAnswers: registration.answers,
  } as const
  const sendResult = await sendPayLink({ deps, served, registration, newAction })
  const suffix = sendResult.ok
    ? sendResult.value.message
    : `No payment link was sent. ${sendResult.error.message}`
  return { ...decideResult, message: `${message} ${suffix}` }
}

/** Prepares a decision for the store, with the email that is sent if it confirms a registration. */
export async function prepareDecision(
  deps: Pick<Deps, 'store' | 'events' | 'clock'>,
  id: string,
  input: DecisionInput,
  user: string,
): Promise<
  Result<
    {
      readonly decision: Decision
      readonly mail: NewMail | null
      readonly gatewayKinds: GatewayKinds
    },
    DecisionRefusal
  >
> {
  const review = await deps.store.review(id)
  const decision = readDecision(
    input,
    { why: toText(input.why), who: user },
    review?.currency ?? INR,
  )
  if (!decision.ok) return decision
  const version = toText(input.version).trim()
  if (version === '')
    return err({
      code: 'no_version',
      message: 'The decision does not state which version of the review you saw. Reload the page.',
    })
  const normalisedDecision = await normaliseTarget(deps, decision.value)
  const accountCheck = await checkAccounts(deps, review, normalisedDecision)
  if (!accountCheck.ok) return err({ code: 'no_target', message: accountCheck.error })
  const pricedDecision = await addPriceOfPayment(deps, review, normalisedDecision)
  const email = review === null ? null : await buildEmailAfterDecision(deps, review, pricedDecision)
  return ok({
    decision: { ...pricedDecision, version },
    mail: email,
    gatewayKinds: readGatewayKinds(deps),
  })
}

/** Returns the kinds of gateways that served events use, because the time limit for refunds depends on the gateway. */
export const readGatewayKinds = ({ events }: Pick<Deps, 'events'>): GatewayKinds =>
  listGatewayKinds(events.all().map(({ config }) => config))

/** Refunds a payment for a registration or an order. Without an amount, refunds everything that is not yet refunded. */
export async function refundPayment(
  deps: DecisionDeps,
  target: string,
  input: Pick<DecisionInput, 'why' | 'amount'>,
  user: string,
): Promise<DecisionResult> {
  const registration =
    (await deps.store.registration(target)) ?? (await deps.store.registrationByOrder(target))
  const amount = readRefundAmount(input.amount, registration?.currency ?? INR)
  if (!amount.ok) return amount
  const request = {
    of: target,
    amount: amount.value,
    why: toText(input.why),
    who: user,
    at: deps.clock(),
    gatewayKinds: readGatewayKinds(deps),
  }
  const result = await deps.store.requestRefund(request)
  return result.ok ? ok(await sendRequestedRefunds(deps, result.value)) : result
}

function readDecision(
  input: DecisionInput,
  grounds: DecisionGrounds,
  currency: Currency,
): Result<Decision, DecisionRefusal> {
  const amount = readRefundAmount(input.amount, currency)
  if (!amount.ok) return amount
  switch (input.decision) {
    case 'accept': {
      const reference = toText(input.reference).trim()
      return ok({
        what: 'accept',
        reference: reference === '' ? null : reference,
        amount: amount.value,
        ...grounds,
      })
    }
    case 'ask':
      return ok({ what: 'ask', ...grounds })
    case 'refund':
      return ok({
        what: 'refund',
        amount: amount.value,
        ...(input.by_hand === true && { manualReference: toText(input.reference) }),
        ...grounds,
      })
    case 'dismiss':
      return ok({ what: 'dismiss', ...grounds })
    case 'move':
      return ok({ what: 'move', to: toText(input.to).trim(), ...grounds })
    default:
      return err({
        code: 'not_allowed',
        message: 'The decision must be accept, ask, refund, dismiss or move.',
      })
  }
}

/**
 * Normalises the number of the target registration: users may enter it in groups, as pages show it, or in lower case.
 * Imported numbers may have another format.
 */
async function normaliseTarget(
  { store }: Pick<Deps, 'store'>,
  decision: Decision,
): Promise<Decision> {
  if (decision.what !== 'move' || (await store.registration(decision.to)) !== null) return decision
  return { ...decision, to: decision.to.replaceAll(/[\s-]/g, '').toUpperCase() }
}

/** Checks that both events use the same account, because a payment cannot be moved to another account. */
async function checkAccounts(
  { store, events }: Pick<Deps, 'store' | 'events'>,
  review: Review | null,
  decision: Decision,
): Promise<Result<null, string>> {
  const receivedPayment = review?.came ?? null
  if (decision.what !== 'move' || review === null || receivedPayment === null) return ok(null)
  const target = await store.registration(decision.to)
  const targetEvent = target === null ? null : events.findById(target.eventId)
  if (target === null || targetEvent === null) return ok(null)
  const { eventId } = review
  const event = eventId === null ? null : (events.findById(eventId)?.config ?? null)
  return checkSameAccount(
    { account: receivedPayment.account, event, eventId },
    targetEvent.config,
    target.regNo,
  )
}

/**
 * Adds the price by the method and on the date of a moved payment, as if the payment had been confirmed for the target
 * registration.
 */
async function addPriceOfPayment(
  { store, events }: Pick<Deps, 'store' | 'events'>,
  review: Review | null,
  decision: Decision,
): Promise<Decision> {
  const receivedPayment = review?.came ?? null
  if (decision.what !== 'move' || receivedPayment === null) return decision
  const target = await store.registration(decision.to)
  const event = target === null ? null : events.findById(target.eventId)
  const price =
    target === null || event === null
      ? null
      : quotePriceOfMovedPayment(event.config, target, receivedPayment)
  return price === null ? decision : { ...decision, price }
}

/** Reads the amount to refund. Null if no amount was sent. */
function readRefundAmount(
  value: unknown,
  currency: Currency,
): Result<Amount | null, DecisionRefusal> {
  if (value === undefined || value === null || value === '') return ok(null)
  const amount =
    typeof value === 'string' ? readAmount(value, currency) : fromMajorUnits(value, currency)
  return amount === null
    ? err({ code: 'bad_amount', message: describeAmountFormat(currency) })
    : ok(amount)
}

/** Returns the confirmation email that is sent if the decision confirms a registration. */
async function buildEmailAfterDecision(
  { store, events, clock }: Pick<Deps, 'store' | 'events' | 'clock'>,
  review: Review,
  decision: Decision,
): Promise<NewMail | null> {
  if (decision.what !== 'accept' && decision.what !== 'move') return null
  const regNo = decision.what === 'move' ? decision.to : review.regNo
  const storedRegistration = regNo === null ? null : await store.registration(regNo)
  const price = decision.what === 'move' ? (decision.price ?? null) : null
  const registration = storedRegistration === null ? null : applyPrice(storedRegistration, price)
  // If its event file was removed in the meantime, the email uses the version that the delegate registered with.
  const event =
    registration === null
      ? null
      : (events.findById(registration.eventId) ??
        (await readVersion(store, registration.eventHash)))
  const payment =
    registration?.payments.find(({ orderId }) => orderId === review.orderId) ??
    registration?.payments[0]
  if (registration === null || event === null || payment === undefined) return null
  const reference =
    review.came?.reference ?? (decision.what === 'accept' ? (decision.reference ?? '') : '')
  const paidAt = review.came?.paidAt ?? clock()
  return buildPaidEmail(store, { event: event.config, registration, payment }, reference, paidAt)
}

/**
 * Sends the refunds that a decision requires to the gateway, and adds their state to the message. `refund` is the state
 * that most needs attention; null if the decision requires no refund.
 */
export async function sendRequestedRefunds<Outcome extends DecisionOutcome>(
  { store, payments }: Pick<Deps, 'store' | 'payments'>,
  outcome: Outcome,
): Promise<Outcome & Pick<ReviewResult, 'refund'>> {
  const { refundIds, regNo, message } = outcome
  if (refundIds.length === 0) return { ...outcome, refund: null }
  await payments.sendRefunds()
  const [registration, refunds] =
    regNo === null
      ? [null, []]
      : await Promise.all([store.registration(regNo), store.refunds(regNo)])
  const sentRefunds = refunds.filter(({ id }) => refundIds.includes(id))
  return {
    ...outcome,
    message: formatRefundResult(message, sentRefunds, registration?.currency ?? INR),
    refund:
      STATES_BY_URGENCY.find((state) => sentRefunds.some((refund) => refund.state === state)) ??
      'wanted',
  }
}

const STATES_BY_URGENCY = ['refused', 'unsure', 'wanted', 'asked', 'done'] as const

/**
 * Describes a decision and the states of its refunds. "requested" becomes "failed" if the gateway refused all of them.
 * If a refund was split and its parts have different states, the message states each part with its amount.
 */
export function formatRefundResult(
  message: string,
  refunds: readonly Pick<StoredRefund, 'amount' | 'state'>[],
  currency: Currency,
): string {
  const [state = 'wanted', ...otherStates] = new Set(refunds.map((refund) => refund.state))
  if (otherStates.length > 0)
    return [
      message,
      ...refunds.map(
        (refund) => `${formatMoney(refund.amount, currency)}: ${formatRefundState(refund.state)}`,
      ),
    ].join(' ')
  return `${state === 'refused' ? message.replace(' requested', ' failed') : message} ${formatRefundState(state)}`
}

/** Returns the sentence that describes the current state of the refund. */
function formatRefundState(state: StoredRefund['state']): string {
  switch (state) {
    case 'wanted':
      return 'Rollcall sends it to the gateway automatically. If a recovery is running, it is sent after the recovery.'
    case 'asked':
      return 'The gateway has started the refund. It is complete when the gateway confirms it.'
    case 'done':
      return 'The refund is complete.'
    case 'refused':
      return 'The gateway rejected the refund. Under Needs review, request it again or record a refund outside Rollcall.'
    case 'unsure':
      return 'We do not know whether the gateway made the refund. It needs review, and Rollcall does not repeat it.'
  }
}
