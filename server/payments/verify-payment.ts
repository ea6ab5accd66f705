/** Queries the gateway about one payment and applies the response. */
import {
  NO_RECORD_MS,
  UNDECIDED_MS,
  assert,
  assertNever,
  listEventsByAccount,
  isInTime,
  instant,
  isOpen,
  getGatewayKind,
  getNextPollTime,
  adjustWatchEnd,
  toAmount,
} from '../../engine/index.ts'
import { buildConfirmationEmail } from '../../engine/messages.ts'
import type {
  EventConfig,
  Gateway,
  Instant,
  LastResponse,
  PollResult,
  OrderId,
  PaymentEvent,
} from '../../engine/index.ts'
import type { Deps, Payments, StatusResponse } from '../dependencies.ts'
import { getGatewayDefinition } from './gateways/registry.ts'
import { readHolderRegistration } from '../registration/answers-after-transfer.ts'
import { buildRegistrationView } from '../registration/registration-views.ts'
import type { NewMail, RawResponse, StoredPayment, StoredRegistration } from '../storage/index.ts'

// A query uses the account and the event file from the time of registration, whether or not that file is still served:
// no payment is lost when an organiser removes the file or changes the account.

/** The maximum clock difference between two machines. A payment time that differs more is in another zone, or wrong. */
const MAX_CLOCK_DIFFERENCE_MS = 10 * 60_000

export type PaymentsDeps = Pick<Deps, 'store' | 'events' | 'gateway' | 'clock' | 'log'>
/** Returns an event's version by the hash stored with registrations; null if it is not stored. */
export type Versions = (hash: string) => Promise<EventConfig | null>
export type VerifiedPayment = Awaited<ReturnType<Payments['verify']>>
/** `isReachable` is true if the account gave a usable response; null if it was not queried. */
export type QueryResult = {
  readonly verified: VerifiedPayment
  readonly isReachable: boolean | null
  readonly outcome: PollResult
}

const toVerifiedPayment = (payment: Pick<StoredPayment, 'status' | 'review'>): VerifiedPayment =>
  payment.status === 'pending' && payment.review !== null ? 'review' : payment.status

/** The subject of a query: payment, registration, and the event whose texts the delegate receives. */
type QuerySubject = {
  readonly event: EventConfig
  readonly registration: StoredRegistration
  readonly payment: StoredPayment
}

/** `gateway` is the gateway that responded, because an event may have several. */
type AnsweredSubject = QuerySubject & { readonly gateway: Gateway | null }

/**
 * Queries the gateway about a payment. `includesPaid`: also queries paid payments, because a second capture of the
 * same order may have arrived. `loadedRegistration`: the registration, if it has just been read.
 */
export async function queryPayment(
  deps: PaymentsDeps,
  versions: Versions,
  orderId: OrderId,
  { timeoutMs, includesPaid }: { readonly timeoutMs: number; readonly includesPaid: boolean },
  loadedRegistration: StoredRegistration | null = null,
): Promise<QueryResult> {
  const registration = loadedRegistration ?? (await deps.store.registrationByOrder(orderId))
  const payment = registration?.payments.find((attempt) => attempt.orderId === orderId)
  assert(registration != null && payment !== undefined, 'an order to verify does not exist')
  // A failed payment is queried again: a late payment still counts.
  if (!includesPaid && (payment.status === 'success' || payment.status === 'refunded'))
    return { verified: payment.status, isReachable: null, outcome: 'ended' }
  const requestEvent = await findRequestEvent(deps, versions, registration, payment)
  if (requestEvent === null) {
    deps.log.warn(
      { event: payment.eventId },
      'a payment cannot be queried because its event is unknown',
    )
    return {
      verified: await handleNoResponse(deps, payment),
      isReachable: null,
      outcome: 'unreachable',
    }
  }
  const response = await queryGateway(
    deps,
    requestEvent,
    payment,
    timeoutMs,
    canCapture(registration, payment),
  )
  const served = deps.events.findById(payment.eventId)
  const event = served !== null && served.config.payment !== null ? served.config : requestEvent
  const gateway = requestEvent.payment?.gateway ?? null
  const verified = await applyResponse(deps, { event, registration, payment, gateway }, response)
  return {
    verified,
    isReachable: response.is !== 'unreachable',
    outcome: toQueryOutcome(response),
  }
}

function toQueryOutcome(response: StatusResponse): PollResult {
  switch (response.is) {
    case 'payment-event':
      return 'ended'
    case 'pending':
      return 'in-process'
    case 'no-record':
    case 'unreachable':
      return response.is
    default:
      return assertNever(response)
  }
}

/** Returns the event and account as they were when the payment was requested; null if unknown. */
export async function findRequestEvent(
  deps: Pick<PaymentsDeps, 'events'>,
  versions: Versions,
  registration: Pick<StoredRegistration, 'eventHash'>,
  payment: Pick<StoredPayment, 'eventId' | 'account' | 'gateway'>,
): Promise<EventConfig | null> {
  const served = deps.events.findById(payment.eventId)
  const version =
    served?.hash === registration.eventHash ? served.config : await versions(registration.eventHash)
  const accountEvents = [version, served?.config].flatMap((event) =>
    event == null ? [] : listEventsByAccount(event),
  )
  // The event may have switched later to another gateway, which does not have the order.
  const gatewayEvents = accountEvents.filter(
    (event) => event.payment?.gateway.name === payment.gateway,
  )
  const accountEvent =
    gatewayEvents.find((event) => event.payment?.account === payment.account) ??
    gatewayEvents[0] ??
    accountEvents[0]
  if (accountEvent === undefined || accountEvent.payment === null) return null
  const account = payment.account ?? accountEvent.payment.account
  return { ...accountEvent, payment: { ...accountEvent.payment, account } }
}

/**
 * Returns why the account cannot be queried about the payment; null if it can. A different merchant does not have the
 * order.
 */
export function findQueryProblem(
  { gateway }: Pick<PaymentsDeps, 'gateway'>,
  event: EventConfig,
  payment: Pick<StoredPayment, 'merchantId'>,
): string | null {
  const merchant = gateway.getMerchantId(event)
  if (merchant === null)
    return `there are no credentials for the account "${event.payment?.account}"`
  return payment.merchantId === null || merchant === payment.merchantId
    ? null
    : `the account "${event.payment?.account}" is now merchant ${merchant}, and this payment was requested as ${payment.merchantId}`
}

/**
 * Returns true if an authorised payment may be captured. If another attempt has paid for the registration, the delegate
 * would pay twice; the gateway refunds an authorised payment that is not captured.
 */
const canCapture = (
  { paymentStatus }: Pick<StoredRegistration, 'paymentStatus'>,
  payment: StoredPayment,
): boolean => isOpen(payment) && (payment.isDifference || paymentStatus !== 'success')

/**
 * Queries the gateway. Never throws. If no account can be queried, the result must not be "no record", which would
 * end a payment that was made.
 */
async function queryGateway(
  { gateway, clock }: PaymentsDeps,
  event: EventConfig,
  payment: StoredPayment,
  timeoutMs: number,
  canCapturePayment: boolean,
): Promise<StatusResponse> {
  const error = findQueryProblem({ gateway }, event, payment)
  if (error !== null) return { is: 'unreachable', error }
  try {
    return await gateway.status(event, payment.orderId, clock(), timeoutMs, canCapturePayment)
  } catch (error) {
    return { is: 'unreachable', error: String(error) }
  }
}

async function applyResponse(
  deps: PaymentsDeps,
  subject: AnsweredSubject,
  response: StatusResponse,
): Promise<VerifiedPayment> {
  const { event, payment } = subject
  const at = deps.clock()
  const age = Math.max(0, at - payment.createdAt)
  const timeSinceHandOff = Math.max(0, at - (payment.handedOffAt ?? payment.createdAt))
  switch (response.is) {
    case 'payment-event':
      if (response.failedRefunds !== undefined)
        await deps.store.recordFailedRefunds(payment.orderId, response.failedRefunds)
      return storePaymentEvent(deps, subject, response.paymentEvent, response.raw)
    case 'no-record':
      if (
        timeSinceHandOff >= NO_RECORD_MS &&
        payment.status === 'pending' &&
        !isStillHeld(payment, at)
      )
        return storePaymentEvent(deps, subject, { type: 'expired', at }, response.raw)
      return scheduleNextQuery(deps, payment, 'no-record')
    case 'pending':
      if (age >= UNDECIDED_MS && isOpen(payment))
        return storePaymentEvent(deps, subject, { type: 'undecided', at }, response.raw)
      return scheduleNextQuery(deps, payment, 'in-process')
    case 'unreachable':
      deps.log.warn(
        { event: event.id, error: response.error },
        'the gateway gave no usable response',
      )
      return handleNoResponse(deps, payment)
    default:
      return assertNever(response)
  }
}

/** Returns true if the payment has not been sent to the gateway yet and its seat reservation has not expired. */
function isStillHeld({ handedOffAt, holdUntil }: StoredPayment, at: Instant): boolean {
  return handedOffAt === null && holdUntil !== null && at < holdUntil
}

/** Schedules the next query soon. Sends an open payment to review if the gateway has not responded for days. */
async function handleNoResponse(
  deps: PaymentsDeps,
  payment: StoredPayment,
): Promise<VerifiedPayment> {
  const at = deps.clock()
  if (at - payment.createdAt >= UNDECIDED_MS && isOpen(payment)) {
    const applyResult = await deps.store.applyPaymentEvent(
      payment.orderId,
      { type: 'undecided', at },
      null,
    )
    return toVerifiedPayment(applyResult.payment)
  }
  const verified = await scheduleNextQuery(deps, payment, 'unreachable')
  // This applies to a failed payment too, because a late payment may have arrived.
  return verified === 'failed' ? 'pending' : verified
}

/**
 * Schedules the next query. `lastResponse`: the gateway's inconclusive response; null if it is stored as a payment
 * event.
 */
async function scheduleNextQuery(
  deps: PaymentsDeps,
  payment: StoredPayment,
  lastResponse: LastResponse | null,
): Promise<VerifiedPayment> {
  const at = deps.clock()
  const queriedSince = payment.handedOffAt ?? payment.createdAt
  const watchUntil = adjustWatchEnd(payment.watchUntil, payment.nextAskAt, at)
  const nextQueryAt = getNextPollTime(
    { ...payment, watchUntil, createdAt: queriedSince },
    at,
    lastResponse !== 'unreachable',
  )
  await deps.store.recordStatusQuery(payment.orderId, at, nextQueryAt, lastResponse, watchUntil)
  return toVerifiedPayment(payment)
}

/** Stores the payment event with the response that it is based on, and logs the change. */
async function storePaymentEvent(
  deps: PaymentsDeps,
  subject: AnsweredSubject,
  paymentEvent: PaymentEvent,
  raw: string,
): Promise<VerifiedPayment> {
  const { event, payment, gateway } = subject
  const rawResponse: RawResponse = {
    gateway: gateway?.name ?? '',
    body: raw,
    contentType: getGatewayDefinition(getGatewayKind(gateway ?? {})).statusContentType,
    at: deps.clock(),
  }
  const timedEvent =
    paymentEvent.type === 'confirmed' ? addPaymentTime(subject, paymentEvent) : paymentEvent
  const email =
    timedEvent.type === 'confirmed' ? await buildEmailForCapture(deps, subject, timedEvent) : null
  const applyResult = await deps.store.applyPaymentEvent(
    payment.orderId,
    timedEvent,
    email,
    rawResponse,
    {
      paymentId: payment.id,
      registrationId: subject.registration.id,
      eventId: payment.eventId,
      gateway: rawResponse.gateway,
      account: payment.account,
    },
  )
  if (applyResult.changed)
    deps.log.info(
      { event: event.id, status: applyResult.payment.status, review: applyResult.review },
      'a payment changed',
    )
  // A payment that has just reached a final state is already scheduled; otherwise the next query is scheduled here.
  return applyResult.payment.status === payment.status
    ? scheduleNextQuery(deps, applyResult.payment, null)
    : toVerifiedPayment(applyResult.payment)
}

type Confirmation = Extract<PaymentEvent, { type: 'confirmed' }>

/**
 * Sets the payment time if the gateway states a plausible one, between the time of the order and now. A delayed
 * payment counts from the time at which it was paid.
 */
function addPaymentTime(
  { event, registration, payment }: QuerySubject,
  paymentEvent: Confirmation,
): Confirmation {
  const { at, further } = paymentEvent
  const earliest = Math.min(payment.createdAt, at)
  const addTime = <M extends { readonly paidAt?: Instant }>({ paidAt: statedTime, ...rest }: M) => {
    const isPlausible =
      statedTime !== undefined &&
      statedTime >= earliest - MAX_CLOCK_DIFFERENCE_MS &&
      statedTime <= at + MAX_CLOCK_DIFFERENCE_MS
    const paidAt = isPlausible ? instant(Math.min(Math.max(statedTime, earliest), at)) : null
    const timing = isInTime(event, registration, payment, paidAt ?? at)
    return {
      ...rest,
      ...(paidAt === null ? {} : { paidAt }),
      ...(timing === 'after-closing' ? { afterClosing: true as const } : {}),
      ...(timing === 'after-hold' ? { afterHold: true as const } : {}),
    }
  }
  return {
    ...addTime(paymentEvent),
    ...(further === undefined ? {} : { further: further.map(addTime) }),
  }
}

/** Builds the email for the first undecided capture, the only one that may count. */
async function buildEmailForCapture(
  { store }: Pick<PaymentsDeps, 'store'>,
  subject: QuerySubject,
  { further = [], ...first }: Confirmation,
): Promise<NewMail | null> {
  const captures = further.length === 0 ? [] : await store.captures(subject.registration.regNo)
  const decidedCaptures = captures.filter(
    ({ state }) => state === 'refused' || state === 'accepted',
  )
  const countedPayment = [first, ...further].find(
    (payment) => !decidedCaptures.some(({ reference }) => reference === payment.reference),
  )
  const { reference, paidAt } = countedPayment ?? first
  return buildPaidEmail(store, subject, reference, paidAt ?? first.at)
}

/** Returns the email for the registration as it will be once this payment succeeds; the store queues it only then. */
export async function buildPaidEmail(
  store: Pick<PaymentsDeps['store'], 'actions'>,
  { event, registration: storedRegistration, payment }: QuerySubject,
  reference: string,
  at: Instant,
): Promise<NewMail | null> {
  const registration = await readHolderRegistration(store, event, storedRegistration)
  const payments = registration.payments.map((attempt) =>
    attempt.orderId === payment.orderId
      ? { ...attempt, status: 'success' as const, reference, paidAt: at }
      : attempt,
  )
  return buildConfirmationEmail(
    event,
    buildRegistrationView(
      event,
      {
        ...registration,
        payments,
        // For the remainder of an earlier payment, the email is sent only once nothing is due.
        due: registration.paymentStatus === 'success' ? toAmount(0) : registration.due,
        paymentStatus: 'success',
        paymentId: reference,
        paidAt: at,
      },
      at,
    ),
  )
}
