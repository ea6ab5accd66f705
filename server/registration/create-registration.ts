/** Creates a registration: price, number and stored data. */
import { randomInt } from 'node:crypto'
import {
  consentSentences,
  findApproval,
  assert,
  findCategory,
  decisionDeadline,
  readDelegate,
  err,
  priceHoldEnd,
  expiryTime,
  ok,
  createOrderId,
  paise,
  quote,
  randomDigits,
  createRegNo,
} from '../../engine/index.ts'
import {
  buildConfirmationEmail,
  buildWaitingForApprovalEmail,
  buildPaymentInstructionsEmail,
} from '../../engine/messages.ts'
import type {
  Actor,
  Answers,
  OfficeMethod,
  EventConfig,
  Instant,
  PaymentMethod,
  Quote,
  QuoteRefusal,
  RegNo,
  Result,
  ManualMethod,
} from '../../engine/index.ts'
import type { PaymentData } from '../../engine/api.ts'
import type { Deps, HandOffRefusal, ServedEvent } from '../dependencies.ts'
import type {
  ActionDenial,
  MoneyInHand,
  NewMail,
  NewRegistration,
  OutsideRefusal,
  Registered,
  StoredPayment,
} from '../storage/index.ts'
import { handOff } from './retry-payment.ts'
import { registrationView } from './registration-for-emails-and-public.ts'

/** `randomInt` accepts a range of up to 2 ** 48. */
const DIGITS_AT_ONCE = 14
/** A collision of two random twelve-digit numbers is very unlikely; three in a row indicate a bug. */
const NUMBERS_TRIED_MAX = 5

/** `quote` null: the event has no prices. */
export type Priced = { readonly category: string | null; readonly quote: Quote | null }

/** Prices these answers at the given instant. */
export function priceOf(
  event: EventConfig,
  answers: Answers,
  at: Instant,
): Result<Priced, QuoteRefusal> {
  if (event.fees.prices === null) return ok({ category: findCategory(event, answers), quote: null })
  const quoted = quote(event, answers, at)
  return quoted.ok ? ok({ category: quoted.value.category, quote: quoted.value }) : quoted
}

/**
 * Everything a registration consists of except its number; its files are stored already. `way` null: the event
 * takes no payments.
 */
export type ValidatedRegistration = Priced &
  Pick<NewRegistration, 'answers' | 'uploads' | 'idempotency' | 'at' | 'outside'> & {
    readonly way: PaymentMethod | null
    /** The user who added it; null: the delegate. */
    readonly addedBy: string | null
    /** The payment taken with a manual registration; null: it is paid later. */
    readonly inHand: InHand | null
  }
/** `slip` empty: the payment is identified by the registration number. */
export type InHand = {
  readonly actor: Actor
  readonly way: OfficeMethod
  readonly mode: ManualMethod
  readonly slip: string
}

/** `data` null: nothing is to be paid, it is not paid through a gateway, or it needs approval first. */
export type Made = Registered & {
  readonly data: PaymentData | null
  readonly stands: 'complete' | 'not-paid' | 'by-hand' | 'to-approve'
}
export type MakingRefusal =
  | { readonly code: 'idempotency_key_reused' }
  | { readonly code: 'not_payable'; readonly why: HandOffRefusal }
  | { readonly code: 'taken'; readonly by: OutsideRefusal }
  /** `asked`: the field of the payment method that identifies the payment. */
  | {
      readonly code: 'not_confirmed'
      readonly no: ActionDenial
      readonly asked: string | undefined
    }

/** Payment cannot be accepted before approval, so the payer keeps the money. */
const WAITS_FOR_APPROVAL = {
  code: 'not_now',
  message: 'This registration needs approval before payment. Choose “Pay later (send link)”.',
} as const

/**
 * Stores the registration under a free number, with everything that depends on the number. Rejects a registration
 * that nobody could pay.
 */
export async function make(
  deps: Pick<Deps, 'store' | 'gateway'>,
  served: ServedEvent,
  judged: ValidatedRegistration,
): Promise<Result<Made, MakingRefusal>> {
  const merchantId = deps.gateway.merchantOf(served.config)
  const { inHand } = judged
  const asked = inHand?.way.reference
  if (inHand !== null && findApproval(served.config.approvals, judged.answers, judged.category))
    return err({ code: 'not_confirmed', no: WAITS_FOR_APPROVAL, asked })
  for (let tried = 0; tried < NUMBERS_TRIED_MAX; tried++) {
    const regNo = freshNumber(served.config)
    const registration = newRegistration(served, judged, regNo, merchantId)
    const handed = handedOff(deps, served.config, registration)
    if (!handed.ok) return err({ code: 'not_payable', why: handed.error })
    const registered = await deps.store.register(registration)
    if (registered.ok) {
      const stands =
        registration.way !== undefined
          ? 'by-hand'
          : registration.approval === undefined
            ? 'complete'
            : 'to-approve'
      const data = handed.value
      return ok({ ...registered.value, data, stands: data === null ? stands : 'not-paid' })
    }
    const { error } = registered
    if (error.code === 'idempotency_key_reused') return err(error)
    if (error.code === 'not_confirmed') return err({ ...error, asked })
    if (error.code !== 'reg_no_taken') return err({ code: 'taken', by: error })
  }
  assert(false, 'every registration number that was drawn is taken')
}

function handedOff(
  deps: Pick<Deps, 'gateway'>,
  event: EventConfig,
  { regNo, orderId, quote: quoted, answers, at, way }: NewRegistration,
): Result<PaymentData | null, HandOffRefusal> {
  if (orderId === null || quoted === null || way !== undefined) return ok(null)
  return handOff(deps, event, { regNo, orderId, amount: quoted.total, answers }, at)
}

/** Draws a random registration number, so that numbers cannot be guessed by counting. */
export function freshNumber(event: EventConfig): RegNo {
  const wanted = randomDigits(event)
  const digits: number[] = []
  while (digits.length < wanted) {
    let drawn = randomInt(10 ** DIGITS_AT_ONCE)
    for (let left = Math.min(DIGITS_AT_ONCE, wanted - digits.length); left > 0; left--) {
      digits.push(drawn % 10)
      drawn = Math.floor(drawn / 10)
    }
  }
  return createRegNo(event, digits)
}

function newRegistration(
  served: ServedEvent,
  judged: ValidatedRegistration,
  regNo: RegNo,
  merchantId: string | null,
): NewRegistration {
  const event = served.config
  const approval = findApproval(event.approvals, judged.answers, judged.category)
  // A free registration is not sent to a gateway, which does not accept a payment of zero. It is complete at
  // once.
  const isFree = judged.quote === null || judged.quote.total === 0
  const way = isFree || approval !== null ? null : judged.way
  const registration = {
    eventId: event.id,
    eventHash: served.hash,
    regNo,
    answers: judged.answers,
    searchable: readDelegate(event, judged.answers),
    category: judged.category,
    quote: judged.quote,
    orderId: way === null ? null : createOrderId(regNo, 1),
    uploads: judged.uploads,
    agreed: consentSentences(event, judged.answers),
    at: judged.at,
    idempotency: judged.idempotency,
    ...(judged.addedBy === null ? {} : { addedBy: judged.addedBy }),
    ...(judged.outside === undefined ? {} : { outside: judged.outside }),
    ...paidBy(event, way, merchantId, judged.at),
  }
  if (approval !== null) {
    const by = decisionDeadline(approval, judged.at)
    const total = judged.quote?.total ?? paise(0)
    const mail = buildWaitingForApprovalEmail(event, registration, { approval, total, by })
    return { ...registration, mail, approval: { id: approval.id, decideBy: by } }
  }
  const { inHand } = judged
  return {
    ...registration,
    mail: firstMail(event, registration, way),
    ...(inHand !== null && way !== null && { inHand: moneyIn(event, registration, inHand) }),
  }
}

/** Confirms the payment under its receipt number and queues the confirmation email with it. */
function moneyIn(
  event: EventConfig,
  registration: Omit<NewRegistration, 'mail'>,
  { actor, mode, slip }: InHand,
): MoneyInHand {
  const reference = slip === '' ? registration.regNo : slip
  const view = paidView(event, registration, reference)
  return { actor, way: mode, reference, mail: buildConfirmationEmail(event, view) }
}

/** Returns the payment method, and the time until which the price is held. */
function paidBy(
  event: EventConfig,
  way: PaymentMethod | null,
  merchantId: string | null,
  at: Instant,
): Partial<Pick<NewRegistration, 'gateway' | 'askedOf' | 'holdUntil' | 'way' | 'payUntil'>> {
  if (way === null) return {}
  if (way.is === 'transfer') {
    const payUntil = expiryTime(way, at)
    return { way: way.id, payUntil, holdUntil: payUntil }
  }
  if (way.is === 'desk') return { way: way.id, holdUntil: priceHoldEnd(event, at) }
  const { payment } = event
  assert(payment !== null, 'cards are paid, but through no gateway')
  return {
    gateway: payment.gateway.name,
    askedOf: { account: payment.account, merchantId },
    holdUntil: priceHoldEnd(event, at),
  }
}

/**
 * Returns the first email: the confirmation of a free registration, or the transfer instructions; otherwise none
 * until payment.
 */
function firstMail(
  event: EventConfig,
  registration: Omit<NewRegistration, 'mail'>,
  way: PaymentMethod | null,
): NewMail | null {
  if (way === null) return buildConfirmationEmail(event, unpaidView(event, registration))
  const { regNo, answers, quote: quoted, at } = registration
  return way.is === 'transfer' && quoted !== null
    ? buildPaymentInstructionsEmail(
        event,
        { regNo, answers },
        way,
        quoted.total,
        expiryTime(way, at),
      )
    : null
}

/** Builds the view of a free registration as it will be read once stored: a success at once. */
function unpaidView(
  event: EventConfig,
  registration: Omit<NewRegistration, 'mail'>,
): ReturnType<typeof registrationView> {
  return paidView(event, registration, null)
}

/** Builds the same view, paid under a reference. */
function paidView(
  event: EventConfig,
  registration: Omit<NewRegistration, 'mail'>,
  reference: string | null,
): ReturnType<typeof registrationView> {
  const { eventId, eventHash, regNo, answers, category, quote: quoted, at, uploads } = registration
  return registrationView(
    event,
    {
      id: 0,
      eventId,
      eventHash,
      regNo,
      formerNo: null,
      answers,
      category,
      period: quoted?.period ?? null,
      base: quoted?.base ?? null,
      gst: quoted?.gst ?? null,
      total: quoted?.total ?? null,
      lines: quoted?.lines ?? [],
      paymentStatus: 'success',
      inReview: false,
      state: 'complete',
      due: paise(0),
      money: { paid: paise(0), refunded: paise(0), owed: paise(0) },
      approval: null,
      decideBy: null,
      offer: null,
      payUntil: null,
      paymentId: reference,
      paidAt: at,
      createdAt: at,
      payments: reference === null ? [] : [paidWith(registration, reference)],
      uploads: uploads.map((upload) => ({ ...upload, droppedAt: null })),
    },
    at,
  )
}

/** Builds the single payment of a registration that is paid when it is created. */
function paidWith(
  { eventId, regNo, orderId, quote: quoted, at, way }: Omit<NewRegistration, 'mail'>,
  reference: string,
): StoredPayment {
  assert(orderId !== null && quoted !== null, 'money in hand for what costs nothing')
  return {
    id: 0,
    orderId,
    regNo,
    eventId,
    amount: quoted.total,
    status: 'success',
    reference,
    review: null,
    failure: null,
    createdAt: at,
    paidAt: at,
    account: null,
    merchantId: null,
    watchUntil: null,
    nextAskAt: null,
    quote: quoted,
    holdUntil: null,
    handedOffAt: null,
    lastAnswer: null,
    claimedAt: null,
    reviewSince: null,
    hasMoneyInReview: false,
    refunded: paise(0),
    way: way ?? null,
    isDifference: false,
  }
}
