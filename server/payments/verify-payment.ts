/**
 * Queries the gateway about one payment and applies the answer.
 * Uses the account that requested the payment and the event file that the registration was made with, whether or
 * not that file is still served: an organiser who removes a file or changes the account loses no payment.
 */
import {
  NO_RECORD_MS,
  UNDECIDED_MS,
  assert,
  assertNever,
  isInTime,
  instant,
  isOpen,
  nextPollTime,
  adjustWatchEnd,
} from '../../engine/index.ts'
import { buildConfirmationEmail } from '../../engine/messages.ts'
import type {
  EventConfig,
  Instant,
  LastResponse,
  PollResult,
  OrderId,
  PaymentEvent,
} from '../../engine/index.ts'
import type { Deps, Payments, StatusAnswer } from '../dependencies.ts'
import { registrationView } from '../registration/registration-for-emails-and-public.ts'
import type { NewMail, RawAnswer, StoredPayment, StoredRegistration } from '../storage/index.ts'

/**
 * The maximum clock difference of two machines; a payment time that is further off is from another time zone, or
 * wrong.
 */
const CLOCKS_APART_MS = 10 * 60_000

export type PaymentsDeps = Pick<Deps, 'store' | 'events' | 'gateway' | 'clock' | 'log'>
/** Returns an event's version by the hash that registrations carry; null: it is not stored. */
export type Versions = (hash: string) => Promise<EventConfig | null>
export type Verified = Awaited<ReturnType<Payments['verify']>>
/** `isReachable`: whether the account gave a usable answer; null: it was not queried. */
export type QueryResult = {
  readonly verified: Verified
  readonly isReachable: boolean | null
  readonly learnt: PollResult
}

const statusOf = (payment: Pick<StoredPayment, 'status' | 'review'>): Verified =>
  payment.status === 'pending' && payment.review !== null ? 'review' : payment.status

/** The subject of a query: payment, registration, and the event whose texts the delegate receives. */
type QuerySubject = {
  readonly event: EventConfig
  readonly registration: StoredRegistration
  readonly payment: StoredPayment
}

/** `compares`: also queries paid payments, because a second capture of the same order may have arrived. */
export async function ask(
  deps: PaymentsDeps,
  versions: Versions,
  orderId: OrderId,
  { timeoutMs, compares }: { readonly timeoutMs: number; readonly compares: boolean },
): Promise<QueryResult> {
  const registration = await deps.store.registrationOf(orderId)
  const payment = registration?.payments.find((each) => each.orderId === orderId)
  assert(registration != null && payment !== undefined, 'an order to verify that is not there')
  // A failed payment is queried again: a late payment still counts.
  if (!compares && (payment.status === 'success' || payment.status === 'refunded'))
    return { verified: payment.status, isReachable: null, learnt: 'ended' }
  const asked = await askedThrough(deps, versions, registration, payment)
  if (asked === null) {
    deps.log.warn({ event: payment.eventId }, 'a payment waits for an event that is not known')
    return {
      verified: await unanswered(deps, payment),
      isReachable: null,
      learnt: 'unreachable',
    }
  }
  const answer = await answerOf(deps, asked, payment, timeoutMs)
  const served = deps.events.byId(payment.eventId)
  const event = served !== null && served.config.payment !== null ? served.config : asked
  const verified = await follow(deps, { event, registration, payment }, answer)
  return { verified, isReachable: answer.is !== 'unreachable', learnt: learntFrom(answer) }
}

function learntFrom(answer: StatusAnswer): PollResult {
  switch (answer.is) {
    case 'fact':
      return 'ended'
    case 'pending':
      return 'in-process'
    case 'no-record':
    case 'unreachable':
      return answer.is
    default:
      return assertNever(answer)
  }
}

/** Returns the event as it was when the payment was requested, with the account of that time; null: unknown. */
export async function askedThrough(
  deps: Pick<PaymentsDeps, 'events'>,
  versions: Versions,
  registration: Pick<StoredRegistration, 'eventHash'>,
  payment: Pick<StoredPayment, 'eventId' | 'account'>,
): Promise<EventConfig | null> {
  const served = deps.events.byId(payment.eventId)
  const version =
    served?.hash === registration.eventHash ? served.config : await versions(registration.eventHash)
  const taken = [version, served?.config].find((event) => event != null && event.payment !== null)
  if (taken == null || taken.payment === null) return null
  const account = payment.account ?? taken.payment.account
  return { ...taken, payment: { ...taken.payment, account } }
}

/**
 * Returns why the account cannot be queried about the payment; null: it can. Another merchant does not know the
 * order.
 */
export function notAskable(
  { gateway }: Pick<PaymentsDeps, 'gateway'>,
  event: EventConfig,
  payment: Pick<StoredPayment, 'merchantId'>,
): string | null {
  const merchant = gateway.merchantOf(event)
  if (merchant === null)
    return `there are no credentials for the account "${event.payment?.account}"`
  return payment.merchantId === null || merchant === payment.merchantId
    ? null
    : `the account "${event.payment?.account}" is now merchant ${merchant}, and this payment was asked for as ${payment.merchantId}`
}

/**
 * Never throws. If no account can be queried, the answer must not be "no record": that would end a payment that
 * was made.
 */
async function answerOf(
  { gateway, clock }: PaymentsDeps,
  event: EventConfig,
  payment: StoredPayment,
  timeoutMs: number,
): Promise<StatusAnswer> {
  const error = notAskable({ gateway }, event, payment)
  if (error !== null) return { is: 'unreachable', error }
  try {
    return await gateway.status(event, payment.orderId, clock(), timeoutMs)
  } catch (error) {
    return { is: 'unreachable', error: String(error) }
  }
}

/** Applies an answer. */
async function follow(
  deps: PaymentsDeps,
  asked: QuerySubject,
  answer: StatusAnswer,
): Promise<Verified> {
  const { event, payment } = asked
  const at = deps.clock()
  const age = Math.max(0, at - payment.createdAt)
  const sinceHandOff = Math.max(0, at - (payment.handedOffAt ?? payment.createdAt))
  switch (answer.is) {
    case 'fact':
      return settle(deps, asked, answer.fact, answer.raw)
    case 'no-record':
      if (sinceHandOff >= NO_RECORD_MS && payment.status === 'pending' && !isStillHeld(payment, at))
        return settle(deps, asked, { type: 'expired', at }, answer.raw)
      return askLater(deps, payment, 'no-record')
    case 'pending':
      if (age >= UNDECIDED_MS && isOpen(payment))
        return settle(deps, asked, { type: 'undecided', at }, answer.raw)
      return askLater(deps, payment, 'in-process')
    case 'unreachable':
      deps.log.warn({ event: event.id, error: answer.error }, 'the gateway gave no usable answer')
      return unanswered(deps, payment)
    default:
      return assertNever(answer)
  }
}

/** Not sent to the gateway yet, and its hold has not expired: the gateway cannot know it. */
function isStillHeld({ handedOffAt, holdUntil }: StoredPayment, at: Instant): boolean {
  return handedOffAt === null && holdUntil !== null && at < holdUntil
}

/** Schedules the next query soon; an open payment that got no answer for days is passed to staff. */
async function unanswered(deps: PaymentsDeps, payment: StoredPayment): Promise<Verified> {
  const at = deps.clock()
  if (at - payment.createdAt >= UNDECIDED_MS && isOpen(payment)) {
    const applied = await deps.store.applyFact(payment.orderId, { type: 'undecided', at }, null)
    return statusOf(applied.payment)
  }
  const verified = await askLater(deps, payment, 'unreachable')
  // Also for a failed payment: whether a late payment arrived is unknown.
  return verified === 'failed' ? 'pending' : verified
}

/** `said`: the gateway's answer, if it ended nothing; null: it is stored as a payment event. */
async function askLater(
  deps: PaymentsDeps,
  payment: StoredPayment,
  said: LastResponse | null,
): Promise<Verified> {
  const at = deps.clock()
  const since = payment.handedOffAt ?? payment.createdAt
  const watchUntil = adjustWatchEnd(payment.watchUntil, payment.nextAskAt, at)
  const next = nextPollTime(
    { ...payment, watchUntil, createdAt: since },
    at,
    said !== 'unreachable',
  )
  await deps.store.asked(payment.orderId, at, next, said, watchUntil)
  return statusOf(payment)
}

/** Stores the payment event with the answer that it is based on, and logs the change. */
async function settle(
  deps: PaymentsDeps,
  asked: QuerySubject,
  fact: PaymentEvent,
  raw: string,
): Promise<Verified> {
  const { event, payment } = asked
  const answer: RawAnswer = {
    gateway: event.payment?.gateway.name ?? '',
    body: raw,
    contentType: 'text/xml',
    at: deps.clock(),
  }
  const known = fact.type === 'confirmed' ? withTimeOf(asked, fact) : fact
  const mail = known.type === 'confirmed' ? await mailOf(deps, asked, known) : null
  const applied = await deps.store.applyFact(payment.orderId, known, mail, answer)
  if (applied.changed)
    deps.log.info(
      { event: event.id, status: applied.payment.status, review: applied.review },
      'a payment moved',
    )
  // A payment that has just ended is scheduled already; after any other answer, the next query is scheduled here.
  return applied.payment.status === payment.status
    ? askLater(deps, applied.payment, null)
    : statusOf(applied.payment)
}

type Confirmed = Extract<PaymentEvent, { type: 'confirmed' }>

/**
 * Sets the payment time, if the gateway states a plausible one: neither before the order was placed nor after
 * now. A delayed payment counts from the time at which it was paid.
 */
function withTimeOf({ event, registration, payment }: QuerySubject, fact: Confirmed): Confirmed {
  const { at, further } = fact
  const from = Math.min(payment.createdAt, at)
  const timed = <M extends { readonly paidAt?: Instant }>({ paidAt: stated, ...rest }: M) => {
    const canBe =
      stated !== undefined && stated >= from - CLOCKS_APART_MS && stated <= at + CLOCKS_APART_MS
    const paidAt = canBe ? instant(Math.min(Math.max(stated, from), at)) : null
    const came = isInTime(event, registration, payment, paidAt ?? at)
    return {
      ...rest,
      ...(paidAt === null ? {} : { paidAt }),
      ...(came === 'after-closing' ? { afterClosing: true as const } : {}),
      ...(came === 'after-hold' ? { afterHold: true as const } : {}),
    }
  }
  return { ...timed(fact), ...(further === undefined ? {} : { further: further.map(timed) }) }
}

/** Among several captures, names the first undecided one: it is the one that may count. */
async function mailOf(
  { store }: Pick<PaymentsDeps, 'store'>,
  asked: QuerySubject,
  { further = [], ...first }: Confirmed,
): Promise<NewMail | null> {
  const captures = further.length === 0 ? [] : await store.captures(asked.registration.regNo)
  const decided = captures.filter(({ state }) => state === 'refused' || state === 'accepted')
  const counts = [first, ...further].find(
    (money) => !decided.some(({ reference }) => reference === money.reference),
  )
  const { reference, paidAt } = counts ?? first
  return confirmationOf(asked, reference, paidAt ?? first.at)
}

/**
 * Returns the email as the registration will read once this payment is its success; the store queues it only
 * then.
 */
export function confirmationOf(
  { event, registration, payment }: QuerySubject,
  reference: string,
  at: Instant,
): NewMail | null {
  const payments = registration.payments.map((each) =>
    each.orderId === payment.orderId
      ? { ...each, status: 'success' as const, reference, paidAt: at }
      : each,
  )
  return buildConfirmationEmail(
    event,
    registrationView(
      event,
      {
        ...registration,
        payments,
        paymentStatus: 'success',
        paymentId: reference,
        paidAt: at,
      },
      at,
    ),
  )
}
