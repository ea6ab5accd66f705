/** Computes a payment's price if the price depends on the credit date or the payment method. */
import {
  instant,
  isDeskPayment,
  isManualMethod,
  listMethodsPricedOnCredit,
  includesManualMethod,
  listCardMethodsOfAccount,
  METHOD_FIELD,
  quoteByMethod,
  quoteWithCategory,
  startOfDay,
  withMethod,
} from '../../engine/index.ts'
import type {
  UnpaidOrder,
  Day,
  EventConfig,
  Instant,
  ManualMethod,
  Amount,
  Quote,
  Review,
} from '../../engine/index.ts'
import type { StoredRegistration } from '../storage/index.ts'
import type { StoredExpectedPayment } from '../storage/reconciliation/match-candidates.ts'

/** Returns the price for the date and the method of a payment; null if the price at registration applies. */
export function quotePriceOfPayment(
  config: EventConfig,
  registration: StoredRegistration,
  paidAt: Instant,
  /** Null if the payment was made through a gateway. */
  manualMethod: ManualMethod | null,
  /** The method of the event file by which the payment was made, if it is known. */
  fileMethod?: string,
): Quote | null {
  const { payments, answers, category, paymentStatus } = registration
  if (paymentStatus === 'success') return null
  const method =
    fileMethod ??
    (manualMethod === null ? undefined : findMethodId(config, registration, manualMethod))
  const isPricedOnCredit = listMethodsPricedOnCredit(config).includes(payments[0]?.way ?? '')
  if (isPricedOnCredit) {
    const pricedAnswers = withMethod(config, answers, method)
    return quoteOnCredit(config, { answers: pricedAnswers, category }, paidAt)
  }
  return method === undefined ? null : quoteByMethod(config, registration, method)
}

/**
 * Returns the price of a registration for a payment that was received for another one, by the method of the payment;
 * null if its price does not change.
 */
export function quotePriceOfMovedPayment(
  config: EventConfig,
  registration: StoredRegistration,
  { source, account, paidAt }: NonNullable<Review['came']>,
): Quote | null {
  if (isManualMethod(source)) return quotePriceOfPayment(config, registration, paidAt, source)
  const cardIds = listCardMethodsOfAccount(config, { gateway: source, account })
  const cardId = cardIds.find((id) => id === registration.answers[METHOD_FIELD]) ?? cardIds[0]
  return quotePriceOfPayment(config, registration, paidAt, null, cardId)
}

/**
 * Returns the event's payment method for a manual payment, preferably the one that the delegate chose. Null if none of
 * them is this method, so that the price of no method applies: a discount for demand drafts is not given for cash.
 */
function findMethodId(
  { methods }: Pick<EventConfig, 'methods'>,
  { payments }: Pick<StoredRegistration, 'payments'>,
  manualMethod: ManualMethod,
): string | null {
  const candidates = methods.filter((method) =>
    isDeskPayment(manualMethod)
      ? method.is === 'desk' && includesManualMethod(method, manualMethod)
      : method.is === 'transfer',
  )
  const method =
    candidates.find(({ id }) => id === payments[0]?.way) ??
    candidates.find(({ id }) => id === manualMethod) ??
    (manualMethod === 'cheque' ? undefined : candidates[0])
  return method?.id ?? null
}

/**
 * Returns the price of a registration on a credit date; null if nothing is on sale on that date, so that the price does
 * not change.
 */
export function quoteOnCredit(
  config: EventConfig,
  { answers, category }: Pick<StoredRegistration, 'answers' | 'category'>,
  paidAt: Instant,
): Quote | null {
  const result = quoteWithCategory(config, answers, category, paidAt)
  return result.ok ? result.value : null
}

/** Returns the registration at this price, or unchanged if `price` is null. */
export function applyPrice(
  registration: StoredRegistration,
  price: Quote | null,
): StoredRegistration {
  if (price === null) return registration
  const { period, base, gst, total, lines } = price
  return { ...registration, period, base, gst, total, lines }
}

/** Returns an awaited payment whose amount due depends on the credit date. Each date's price is computed only once. */
export function addPriceByDay(
  event: EventConfig,
  { priced: pricedRegistration, ...payment }: StoredExpectedPayment,
): UnpaidOrder {
  if (pricedRegistration === null) return payment
  const amountsByDay = new Map<Day, Amount>()
  const quoteDay = (day: Day): Amount =>
    quoteOnCredit(event, pricedRegistration, instant(startOfDay(day)))?.total ?? payment.due
  const getDueOn = (day: Day): Amount => {
    const dueAmount = amountsByDay.get(day) ?? quoteDay(day)
    amountsByDay.set(day, dueAmount)
    return dueAmount
  }
  return { ...payment, getDueOn }
}
