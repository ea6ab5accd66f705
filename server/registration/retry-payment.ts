/**
 * Determines the payment for a stored registration, after a resent form, a retry on a result page, or an emailed
 * link.
 */
import {
  readAmount,
  assert,
  assertNever,
  dayOf,
  err,
  getPriceHoldEnd,
  isJustCreated,
  isOver,
  canPay,
  ok,
  createOrderId,
  owesDifference,
  toAmount,
  getPaymentState,
  getPaymentTerms,
  listUniqueRules,
  withCardOf,
} from '../../engine/index.ts'
import type {
  EventConfig,
  Instant,
  PollResult,
  OrderId,
  Quote,
  QuoteRefusal,
  RegNo,
  Result,
  PaymentState,
} from '../../engine/index.ts'
import type { PaymentData } from '../../engine/api.ts'
import type { Deps, HandOffRefusal } from '../dependencies.ts'
import type { ContextRefusal, StoredPayment, StoredRegistration } from '../storage/index.ts'
import { PAGE_QUERY_TIMEOUT_MS } from '../payments/gateways/request-timeouts.ts'
import { handOff, openCheckout } from '../payments/start-checkout.ts'
import type { OutstandingOrder } from '../payments/start-checkout.ts'
import { sendAlreadyRegisteredEmail } from './send-already-registered-email.ts'

/** Two concurrent requests are resolved in the second round. More rounds would indicate a bug. */
const MAX_ROUNDS = 3

export type RetryRefusal =
  /** Paid, refunded, under review, or not payable. */
  | { readonly code: 'nothing_due' }
  | { readonly code: 'too_many_attempts' }
  | { readonly code: 'registration_closed'; readonly text: string }
  /** A payment may be in progress. */
  | { readonly code: 'wait' }
  /** The gateway cannot be queried, so a payment may be in progress. */
  | { readonly code: 'gateway_unsure' }
  | { readonly code: 'price_moved'; readonly was: Quote; readonly now: Quote }
  | { readonly code: 'not_on_sale'; readonly why: QuoteRefusal }
  | { readonly code: 'not_payable'; readonly why: HandOffRefusal }
  /** The hold has expired, and another registration has taken the seat or code. */
  | { readonly code: 'taken'; readonly by: ContextRefusal }

/**
 * `acceptedTotal` is the total, as text, that the delegate has agreed to pay because the price is no longer held. A
 * requester who has only the number is a stranger.
 */
type Payer = {
  readonly acceptedTotal?: string | null
  readonly requester?: 'delegate' | 'stranger'
}

/** A payable order with the form that pays it. */
export type Payable = OutstandingOrder & { readonly data: PaymentData; readonly isNew: boolean }

/**
 * Chooses the order to pay, by the engine's single rule. Before returning it, queries the gateway about every
 * attempt that may still be paid: the gateway may have recorded a failure or a payment that we do not know of.
 */
export async function retryPayment(
  deps: Deps,
  event: EventConfig,
  regNo: RegNo,
  at: Instant,
  { acceptedTotal = null, requester = 'delegate' }: Payer = {},
): Promise<Result<Payable, RetryRefusal>> {
  /** Returns the event with the gateway account of the order's card method. */
  const addCardAccount = ({ answers, currency }: Pick<OutstandingOrder, 'answers' | 'currency'>) =>
    withCardOf(event, answers, currency, dayOf(at))
  const buildPayable = (order: OutstandingOrder, isNew: boolean): Result<Payable, RetryRefusal> => {
    const data = handOff(deps, addCardAccount(order), order, at, requester)
    return data.ok
      ? ok({ ...order, data: data.value, isNew })
      : err({ code: 'not_payable', why: data.error })
  }
  /** Opens the gateway's checkout. Call it only for an order that is stored and may be paid now. */
  const checkOut = async (
    order: Result<Payable, RetryRefusal>,
  ): Promise<Result<Payable, RetryRefusal>> => {
    if (!order.ok) return order
    const data = await openCheckout(
      deps,
      addCardAccount(order.value),
      order.value,
      order.value.data,
      at,
    )
    return data === null ? err({ code: 'gateway_unsure' }) : ok({ ...order.value, data })
  }
  const served = deps.events.findById(event.id)
  if (event.payment === null) return err({ code: 'nothing_due' })
  const context = { unique: listUniqueRules(event), holdMs: event.holdSeatsMs }
  const refuseSoldSeat = async (
    refusal: ContextRefusal,
  ): Promise<Result<Payable, RetryRefusal>> => {
    if (refusal.code === 'registered_already')
      await sendAlreadyRegisteredEmail(deps, event, refusal.regNo, at)
    return err({ code: 'taken', by: refusal })
  }
  const gatewayResults = await queryOpenAttempts(deps, regNo, at)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const stored = await deps.store.registration(regNo)
    const newestPayment = stored?.payments[0]
    if (stored === null || newestPayment === undefined) return err({ code: 'nothing_due' })
    const { answers, currency } = stored
    const { payment } = addCardAccount(stored)
    assert(payment !== null, 'an event with a gateway has none for this order')
    const merchantId = deps.gateway.getMerchantId(addCardAccount(stored))
    // Attempts that a concurrent request has created in the meantime have no result yet.
    const gatewayResultsByOrder = new Map(
      stored.payments.flatMap(({ orderId }): [OrderId, PollResult][] => {
        const result = gatewayResults.has(orderId) ? gatewayResults.get(orderId) : 'no-record'
        return result == null ? [] : [[orderId, result]]
      }),
    )
    const terms = getPaymentTerms(
      event,
      stored,
      at,
      acceptedTotal === null ? null : readAmount(acceptedTotal, currency),
      merchantId,
    )
    const decision = canPay(stored, gatewayResultsByOrder, terms, at)
    switch (decision.is) {
      case 'same-order': {
        const { orderId, amount, createdAt } = newestPayment
        const checkout = buildPayable({ regNo, orderId, amount, currency, answers }, false)
        if (!checkout.ok || createdAt >= at) return checkOut(checkout)
        // The order is requested again, so its hold starts again if its seats are still free.
        const resumeResult = await deps.store.resumePayment(orderId, at, context)
        return resumeResult.ok ? checkOut(checkout) : refuseSoldSeat(resumeResult.error)
      }
      case 'new-attempt': {
        const { quote } = decision
        const amount = quote?.total ?? newestPayment.amount
        // Tested before anything is stored. The number of the attempt is not known yet; all further order ids
        // have the same length.
        const trialOrder = { regNo, orderId: createOrderId(regNo, 2), amount, currency, answers }
        const trial = buildPayable(trialOrder, true)
        if (!trial.ok) return trial
        const retryResult = await deps.store.retry(regNo, at, {
          expectedOrderId: newestPayment.orderId,
          replacesOpenOrder: decision.replaces !== null,
          gateway: payment.gateway.name,
          merchantAccount: {
            account: payment.account,
            merchantId,
          },
          externalContext: context,
          // A new price must come from the version that all servers serve.
          ...(quote === null
            ? {}
            : {
                price: {
                  quote,
                  // A price that was already held keeps its expiry time when the payment method changes.
                  holdUntil:
                    quote === terms.heldCardQuote
                      ? terms.holdUntil
                      : getPriceHoldEnd(event, at, stored),
                },
              }),
          ...(quote === null || served?.config !== event ? {} : { eventHash: served.hash }),
        })
        if (retryResult.ok)
          return checkOut(
            buildPayable(
              { regNo, orderId: retryResult.value.orderId, amount, currency, answers },
              true,
            ),
          )
        const { error } = retryResult
        if (error.code === 'version_moved') {
          await deps.events.refresh()
          const currentVersion = deps.events.findById(event.id)
          return currentVersion === null || currentVersion === served
            ? refuseSoldSeat(error)
            : retryPayment(deps, currentVersion.config, regNo, at, { acceptedTotal, requester })
        }
        if (error.code === 'too_many_attempts') return err({ code: error.code })
        if (error.code !== 'not_found' && error.code !== 'not_failed') return refuseSoldSeat(error)
        // A concurrent request came first, so try again with the current data.
        break
      }
      case 'price-moved':
        return err({
          code: 'price_moved',
          was: readQuote(stored, newestPayment),
          now: decision.now,
        })
      case 'closed':
        return err({ code: 'registration_closed', text: decision.text })
      case 'not-on-sale':
        return err({ code: 'not_on_sale', why: decision.why })
      case 'wait':
        return err({ code: 'wait' })
      case 'unsure':
        return err({ code: 'gateway_unsure' })
      case 'nothing-due':
        return err({ code: 'nothing_due' })
      case 'too-many-attempts':
        return err({ code: 'too_many_attempts' })
      default:
        return assertNever(decision)
    }
  }
  return err({ code: 'gateway_unsure' })
}

/**
 * Returns the gateway's result for every attempt that may still be paid; null for an attempt that could not be
 * queried in time.
 */
async function queryOpenAttempts(
  deps: Deps,
  regNo: RegNo,
  at: Instant,
): Promise<ReadonlyMap<OrderId, PollResult | null>> {
  const stored = await deps.store.registration(regNo)
  const state = stored === null ? 'complete' : getPaymentState(stored, at)
  const FINAL_STATES: readonly PaymentState[] = ['complete', 'organisers', 'refunded', 'cancelled']
  if (stored === null || (FINAL_STATES.includes(state) && !owesDifference(stored))) return new Map()
  const openAttempts = stored.payments.filter(
    (attempt) => !isOver(attempt, at) && !isJustCreated(attempt, at),
  )
  const ids = openAttempts.map(({ orderId }) => orderId)
  const gatewayResultsByOrder =
    ids.length === 0 ? new Map() : await deps.payments.queryOrders(ids, PAGE_QUERY_TIMEOUT_MS)
  return new Map(
    stored.payments.map(({ orderId }) => [orderId, gatewayResultsByOrder.get(orderId) ?? null]),
  )
}

/**
 * Returns the attempt's own quote or, if it has none, the registration's. Use only for the newest attempt: the lines of
 * an unpaid registration belong to that attempt.
 */
function readQuote(stored: StoredRegistration, { amount, quote }: StoredPayment): Quote {
  const { category, period, base, gst } = stored
  const amounts = quote ?? { period, base: base ?? amount, gst: gst ?? toAmount(0) }
  return {
    category: category ?? '',
    period: amounts.period ?? '',
    base: amounts.base,
    gst: amounts.gst,
    total: amount,
    currency: stored.currency,
    lines: stored.lines,
  }
}
