/** Creates a registration: price, number and stored data. */
import { randomInt } from 'node:crypto'
import {
  listConsentSentences,
  findApproval,
  assert,
  computeDecisionDeadline,
  readDelegate,
  err,
  getPriceHoldEnd,
  computeTransferExpiry,
  ok,
  createOrderId,
  toAmount,
  getDigitCount,
  createRegNo,
  withCardMethod,
} from '../../engine/index.ts'
import {
  buildConfirmationEmail,
  buildWaitingForApprovalEmail,
  buildPaymentInstructionsEmail,
} from '../../engine/messages.ts'
import type {
  Actor,
  OfficeMethod,
  EventConfig,
  PaymentMethod,
  RegNo,
  Result,
  ManualMethod,
} from '../../engine/index.ts'
import type { PaymentData } from '../../engine/api.ts'
import type { Deps, HandOffRefusal, ServedEvent } from '../dependencies.ts'
import type {
  ActionDenial,
  NewDeskPayment,
  RecordedOfficeMethod,
  NewMail,
  NewRegistration,
  ContextRefusal,
  RegisterRefusal,
  RegistrationResult,
  StoredPayment,
} from '../storage/index.ts'
import { handOff, openCheckout } from '../payments/start-checkout.ts'
import type { Pricing } from './compare-displayed-price.ts'
import { buildRegistrationView } from './registration-views.ts'

/** `randomInt` accepts a range of up to 2 ** 48. */
const DIGITS_PER_DRAW = 14
/** A collision of two random twelve-digit numbers is very unlikely; three collisions in a row indicate a bug. */
const MAX_NUMBER_ATTEMPTS = 5

/**
 * A registration that is complete except for its number; its files are already stored. `method` is null if the event
 * takes no payments.
 */
export type ValidatedRegistration = Pricing &
  Pick<NewRegistration, 'answers' | 'uploads' | 'idempotency' | 'at' | 'externalContext'> & {
    readonly method: PaymentMethod | null
    /** The user who added the registration; null if the delegate registered. */
    readonly addedBy: string | null
    /** The payment received with a manual registration; null if it is paid later. */
    readonly deskPayment: DeskPayment | null
    readonly form?: NewRegistration['form'] | undefined
  }
/** If `slip` is empty, the registration number identifies the payment. */
export type DeskPayment = {
  readonly actor: Actor
  readonly method: OfficeMethod
  readonly mode: ManualMethod
  readonly slip: string
  readonly officeMethod: RecordedOfficeMethod | undefined
}

/** `data` is null if no payment is due, no gateway is used, or approval is needed first. */
export type CreatedRegistration = RegistrationResult & {
  readonly data: PaymentData | null
  readonly paymentState: 'complete' | 'not-paid' | 'by-hand' | 'to-approve'
}
export type CreationRefusal =
  | { readonly code: 'idempotency_key_reused' }
  | { readonly code: 'not_payable'; readonly why: HandOffRefusal }
  | { readonly code: 'taken'; readonly by: ContextRefusal }
  | Extract<RegisterRefusal, { readonly code: 'same_person' }>
  /** `field` is the field of the payment method that identifies the payment. */
  | {
      readonly code: 'not_confirmed'
      readonly denial: ActionDenial
      readonly field: string | undefined
    }

/** A payment cannot be accepted before approval. */
const NEEDS_APPROVAL_MESSAGE = {
  code: 'not_now',
  message: 'This registration needs approval before payment. Choose “Pay later (send link)”.',
} as const

/**
 * Stores the registration under an unused number, with everything that depends on the number. Rejects a registration
 * that could not be paid.
 */
export async function createRegistration(
  deps: Pick<Deps, 'store' | 'gateway' | 'log'>,
  served: ServedEvent,
  validated: ValidatedRegistration,
): Promise<Result<CreatedRegistration, CreationRefusal>> {
  const cardEvent = withCardMethod(served.config, validated.method?.id)
  const merchantId = deps.gateway.getMerchantId(cardEvent)
  const { deskPayment } = validated
  const field = deskPayment?.method.reference
  if (
    deskPayment !== null &&
    findApproval(served.config.approvals, validated.answers, validated.category)
  )
    return err({ code: 'not_confirmed', denial: NEEDS_APPROVAL_MESSAGE, field })
  for (let attempt = 0; attempt < MAX_NUMBER_ATTEMPTS; attempt++) {
    const regNo = drawRegNo(served.config)
    const registration = buildNewRegistration(served, validated, regNo, merchantId)
    const paymentData = startCheckout(deps, cardEvent, registration)
    if (!paymentData.ok) return err({ code: 'not_payable', why: paymentData.error })
    const storeResult = await deps.store.register(registration)
    if (storeResult.ok) {
      const state =
        registration.way !== undefined
          ? 'by-hand'
          : registration.approval === undefined
            ? 'complete'
            : 'to-approve'
      const { orderId } = registration
      // Without a checkout, the registration stays unpaid, and its page offers to pay.
      const data =
        paymentData.value === null || orderId === null || registration.quote === null
          ? null
          : await openCheckout(
              deps,
              cardEvent,
              {
                orderId,
                amount: registration.quote.total,
                currency: registration.quote.currency,
              },
              paymentData.value,
              registration.at,
            )
      const paymentState = paymentData.value === null ? state : 'not-paid'
      return ok({ ...storeResult.value, data, paymentState })
    }
    const { error } = storeResult
    if (error.code === 'idempotency_key_reused' || error.code === 'same_person') return err(error)
    if (error.code === 'not_confirmed')
      return err({ code: error.code, denial: error.refusal, field })
    if (error.code !== 'reg_no_taken') return err({ code: 'taken', by: error })
  }
  assert(false, 'every registration number that was tried is taken')
}

function startCheckout(
  deps: Pick<Deps, 'gateway'>,
  event: EventConfig,
  { regNo, orderId, quote: frozenQuote, answers, at, way: method }: NewRegistration,
): Result<PaymentData | null, HandOffRefusal> {
  if (orderId === null || frozenQuote === null || method !== undefined) return ok(null)
  const { total: amount, currency } = frozenQuote
  return handOff(deps, event, { regNo, orderId, amount, currency, answers }, at)
}

/** Draws a random registration number: consecutive numbers could be guessed. */
export function drawRegNo(event: EventConfig): RegNo {
  const digitCount = getDigitCount(event)
  const digits: number[] = []
  while (digits.length < digitCount) {
    let random = randomInt(10 ** DIGITS_PER_DRAW)
    for (
      let remainingDigits = Math.min(DIGITS_PER_DRAW, digitCount - digits.length);
      remainingDigits > 0;
      remainingDigits--
    ) {
      digits.push(random % 10)
      random = Math.floor(random / 10)
    }
  }
  return createRegNo(event, digits)
}

function buildNewRegistration(
  served: ServedEvent,
  validated: ValidatedRegistration,
  regNo: RegNo,
  merchantId: string | null,
): NewRegistration {
  const event = served.config
  const approval = findApproval(event.approvals, validated.answers, validated.category)
  // A free registration is complete immediately: a gateway does not accept a payment of zero.
  const isFree = validated.quote === null || validated.quote.total === 0
  const method = isFree || approval !== null ? null : validated.method
  const registration = {
    eventId: event.id,
    eventHash: served.hash,
    regNo,
    answers: validated.answers,
    searchable: readDelegate(event, validated.answers),
    category: validated.category,
    quote: validated.quote,
    orderId: method === null ? null : createOrderId(regNo, 1),
    uploads: validated.uploads,
    consents: listConsentSentences(event, validated.answers),
    at: validated.at,
    idempotency: validated.idempotency,
    ...(validated.addedBy === null ? {} : { addedBy: validated.addedBy }),
    ...(validated.externalContext === undefined
      ? {}
      : { externalContext: validated.externalContext }),
    ...(validated.form === undefined ? {} : { form: validated.form }),
    ...buildMethodFields(event, method, merchantId, validated),
  }
  if (approval !== null) {
    const deadline = computeDecisionDeadline(approval, validated.at)
    const total = validated.quote?.total ?? toAmount(0)
    const currency = validated.quote?.currency ?? event.currency
    const email = buildWaitingForApprovalEmail(
      event,
      { ...registration, currency },
      {
        approval,
        total,
        by: deadline,
      },
    )
    return { ...registration, mail: email, approval: { id: approval.id, decideBy: deadline } }
  }
  const { deskPayment } = validated
  return {
    ...registration,
    mail: buildFirstEmail(event, registration, method),
    ...(deskPayment !== null &&
      method !== null && { deskPayment: buildDeskPayment(event, registration, deskPayment) }),
  }
}

/** Builds the desk payment, identified by its receipt number, with the confirmation email. */
function buildDeskPayment(
  event: EventConfig,
  registration: Omit<NewRegistration, 'mail'>,
  { actor, mode, slip, officeMethod }: DeskPayment,
): NewDeskPayment {
  const reference = slip === '' ? registration.regNo : slip
  const view = buildPaidView(event, registration, reference)
  return { actor, way: mode, officeMethod, reference, mail: buildConfirmationEmail(event, view) }
}

/** Returns the payment method, and the time until which the price is held. */
function buildMethodFields(
  event: EventConfig,
  method: PaymentMethod | null,
  merchantId: string | null,
  pricedRegistration: Pick<ValidatedRegistration, 'at' | 'answers' | 'category'>,
): Partial<
  Pick<NewRegistration, 'gateway' | 'merchantAccount' | 'holdUntil' | 'way' | 'payUntil'>
> {
  if (method === null) return {}
  if (method.is === 'transfer') {
    const payUntil = computeTransferExpiry(method, pricedRegistration.at)
    return { way: method.id, payUntil, holdUntil: payUntil }
  }
  if (method.is === 'desk')
    return {
      way: method.id,
      holdUntil: getPriceHoldEnd(event, pricedRegistration.at, pricedRegistration),
    }
  const { payment } = withCardMethod(event, method.id)
  assert(payment !== null, 'an event takes card payments without a gateway')
  return {
    gateway: payment.gateway.name,
    merchantAccount: { account: payment.account, merchantId },
    holdUntil: getPriceHoldEnd(event, pricedRegistration.at, pricedRegistration),
  }
}

/**
 * Returns the first email: the confirmation of a free registration, or the transfer instructions. Null if the first
 * email is sent after payment.
 */
function buildFirstEmail(
  event: EventConfig,
  registration: Omit<NewRegistration, 'mail'>,
  method: PaymentMethod | null,
): NewMail | null {
  if (method === null) return buildConfirmationEmail(event, buildFreeView(event, registration))
  const { regNo, answers, quote: frozenQuote, at } = registration
  if (method.is !== 'transfer' || frozenQuote === null) return null
  const payUntil = computeTransferExpiry(method, at)
  return buildPaymentInstructionsEmail(
    event,
    { regNo, answers, currency: frozenQuote.currency },
    method,
    frozenQuote.total,
    payUntil,
  )
}

/** Builds the view of a free registration as it will be once stored: already complete. */
function buildFreeView(
  event: EventConfig,
  registration: Omit<NewRegistration, 'mail'>,
): ReturnType<typeof buildRegistrationView> {
  return buildPaidView(event, registration, null)
}

/** Builds the view of a complete registration; `reference` identifies its payment and is null if it is free. */
function buildPaidView(
  event: EventConfig,
  registration: Omit<NewRegistration, 'mail'>,
  reference: string | null,
): ReturnType<typeof buildRegistrationView> {
  const {
    eventId,
    eventHash,
    regNo,
    answers,
    category,
    quote: frozenQuote,
    at,
    uploads,
  } = registration
  return buildRegistrationView(
    event,
    {
      id: 0,
      eventId,
      eventHash,
      regNo,
      formerNo: null,
      wasTransferred: false,
      answers,
      category,
      period: frozenQuote?.period ?? null,
      base: frozenQuote?.base ?? null,
      gst: frozenQuote?.gst ?? null,
      total: frozenQuote?.total ?? null,
      currency: frozenQuote?.currency ?? event.currency,
      lines: frozenQuote?.lines ?? [],
      paymentStatus: 'success',
      inReview: false,
      state: 'complete',
      due: toAmount(0),
      money: { paid: toAmount(0), refunded: toAmount(0), owed: toAmount(0) },
      approval: null,
      decideBy: null,
      offer: null,
      payUntil: null,
      paymentId: reference,
      paidAt: at,
      createdAt: at,
      payments: reference === null ? [] : [buildPayment(registration, reference)],
      uploads: uploads.map((upload) => ({ ...upload, droppedAt: null })),
    },
    at,
  )
}

/** Builds the single payment of a registration that is paid when it is created. */
function buildPayment(
  { eventId, regNo, orderId, quote: frozenQuote, at, way: method }: Omit<NewRegistration, 'mail'>,
  reference: string,
): StoredPayment {
  assert(orderId !== null && frozenQuote !== null, 'a payment was recorded for a free registration')
  return {
    id: 0,
    orderId,
    regNo,
    eventId,
    amount: frozenQuote.total,
    currency: frozenQuote.currency,
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
    quote: frozenQuote,
    holdUntil: null,
    handedOffAt: null,
    lastResponse: null,
    claimedAt: null,
    reviewSince: null,
    hasMoneyInReview: false,
    refunded: toAmount(0),
    way: method ?? null,
    isDifference: false,
  }
}
