/** Builds the views of a stored registration: complete for emails, reduced for the public. */
import {
  getAttemptHoldEnd,
  getPriceUntil,
  getReceivedCurrency,
  formatIsoIndia,
  canRetry,
  toAmount,
  memoize,
  toMajorUnits,
  getPaymentState,
} from '../../engine/index.ts'
import { toWireCurrency, toWireLines } from '../../engine/api.ts'
import { getTransactionId } from '../../engine/messages.ts'
import type { EventConfig, Failure, Instant, Amount, Day } from '../../engine/index.ts'
import type { RegistrationResponse, WireReceivedAmount } from '../../engine/api.ts'
import { isPreviousHolderPayment } from './answers-after-transfer.ts'
import type { Store, StoredCapture, StoredPayment, StoredRegistration } from '../storage/index.ts'

/**
 * Returns a registration's answers and engine values under the names that texts use, and again under the names in
 * `api.returns`.
 */
export function buildRegistrationView(
  event: EventConfig,
  stored: StoredRegistration,
  at: Instant,
): RegistrationResponse['registration'] {
  const { currency } = stored
  const toMajorAmount = (value: Amount | null): number | null =>
    value === null ? null : toMajorUnits(value, currency)
  const toIso = (value: Instant | null): string | null =>
    value === null ? null : formatIsoIndia(value)
  const attempt = stored.payments.find(({ status }) => status === 'success') ?? stored.payments[0]
  const state = getPaymentState(stored, at)
  const isPayable = canRetry(event, stored, at)
  const engineValues = {
    reg_no: stored.regNo,
    order_id: getTransactionId(stored),
    payment_status: stored.paymentStatus,
    in_review: stored.inReview,
    failed_as: stored.paymentStatus === 'failed' ? combineFailures(stored.payments) : null,
    card_failed_as: state === 'by-hand' ? findCardFailure(stored.payments) : null,
    payment_date: toIso(stored.paidAt),
    payment_id: stored.paymentId,
    created_at: formatIsoIndia(stored.createdAt),
    attempted_at: attempt === undefined ? null : formatIsoIndia(attempt.createdAt),
    category: stored.category,
    category_label:
      event.categories.find(({ id }) => id === stored.category)?.label ?? stored.category,
    period: stored.period,
    base: toMajorAmount(stored.base),
    gst: toMajorAmount(stored.gst),
    total: toMajorAmount(stored.total),
    ...toWireCurrency(currency),
    lines: toWireLines(stored.lines, currency),
    stands: state,
    held_until: toIso(findHoldEnd(event, stored)),
    price_until: findPriceUntil(event, stored),
    review_since: toIso(findEarliest(stored.payments.map(({ reviewSince }) => reviewSince))),
    second_payment:
      state === 'complete' && stored.payments.some((payment) => payment.hasMoneyInReview),
    refunded_amount: toMajorUnits(
      toAmount(stored.payments.reduce((sum, payment) => sum + payment.refunded, 0)),
      currency,
    ),
    difference_due:
      stored.paymentStatus === 'success'
        ? toMajorUnits(toAmount(Math.max(0, stored.due)), currency)
        : 0,
    decide_by: toIso(stored.decideBy),
    may_pay: isPayable,
  }
  const values: Readonly<Record<string, unknown>> = { ...stored.answers, ...engineValues }
  const returnedValues = Object.entries(event.api.returns).map(([wire, value]) => [
    wire,
    Object.hasOwn(values, value) ? values[value] : null,
  ])
  return {
    ...stored.answers,
    ...engineValues,
    ...(Object.fromEntries(returnedValues) as Record<string, unknown>),
    ...engineValues,
  }
}

/**
 * Builds the public view. With only the number, it shows the delegate's name and category; with proof of ownership,
 * also the values that the event's result pages or `api.returns` use.
 */
export function buildPublicView(
  event: EventConfig,
  stored: StoredRegistration,
  at: Instant,
  isDelegate: boolean,
): RegistrationResponse['registration'] {
  const shownFields = isDelegate ? listFieldsShownToOwner(event) : listFieldsShownByNumber(event)
  const answers = Object.entries(stored.answers).filter(([id]) => shownFields.has(id))
  const paymentId = isDelegate ? stored.paymentId : null
  return {
    ...buildRegistrationView(
      event,
      { ...stored, paymentId, answers: Object.fromEntries(answers) },
      at,
    ),
    // The price depends on all answers.
    price_until: findPriceUntil(event, stored),
  }
}

/**
 * Returns the received amounts that staff are checking, for the page of a registration under review. Payments in the
 * gateway's test mode are excluded, because they transfer no money. So are payments recorded before a transfer: they are
 * the former holder's.
 */
export async function listAmountsUnderReview(
  store: Pick<Store, 'captures' | 'actions'>,
  registration: StoredRegistration,
): Promise<{ under_review?: WireReceivedAmount[] }> {
  const captures = await listCapturesUnderReview(store, registration)
  const previousHolderChecks = await Promise.all(
    captures.map(({ seenAt }) => isPreviousHolderPayment(store, registration, seenAt)),
  )
  const holderCaptures = captures.filter((_, index) => previousHolderChecks[index] === false)
  const amounts = holderCaptures.map((capture) => {
    const currency = getReceivedCurrency(capture)
    return { amount: toMajorUnits(capture.amount, currency), ...toWireCurrency(currency) }
  })
  return amounts.length === 0 ? {} : { under_review: amounts }
}

/** Returns the received payments that staff are checking. Excludes payments in the gateway's test mode. */
export async function listCapturesUnderReview(
  store: Pick<Store, 'captures'>,
  { regNo, inReview }: Pick<StoredRegistration, 'regNo' | 'inReview'>,
): Promise<readonly StoredCapture[]> {
  if (!inReview) return []
  const captures = await store.captures(regNo)
  return captures.filter(({ state, kind }) => state === 'review' && kind !== 'test')
}

/** Returns the newest attempt, while it can still be paid. */
function findOpenAttempt({ payments: [newest] }: StoredRegistration): StoredPayment | null {
  return newest?.status === 'pending' || newest?.status === 'failed' ? newest : null
}

function findHoldEnd(event: EventConfig, stored: StoredRegistration): Instant | null {
  const attempt = findOpenAttempt(stored)
  return attempt === null ? null : getAttemptHoldEnd(event, attempt, stored)
}

function findPriceUntil(event: EventConfig, stored: StoredRegistration): Day | null {
  const attempt = findOpenAttempt(stored)
  return attempt === null ? null : getPriceUntil(event, attempt, stored, stored.payUntil)
}

function findEarliest(instants: readonly (Instant | null)[]): Instant | null {
  return instants.reduce(
    (earliest, instant) =>
      instant === null || (earliest ?? instant) < instant ? earliest : instant,
    null,
  )
}

/** The answer that determines the category reveals no more than the category. */
const listCategoryFields = ({ categoryChoice }: EventConfig): readonly string[] =>
  categoryChoice.by === 'field' ? [categoryChoice.field] : []

const listFieldsShownByNumber = memoize(
  (event: EventConfig): ReadonlySet<string> =>
    new Set([...listCategoryFields(event), ...[event.roles.fullName ?? []].flat()]),
)

/** Returns the fields in rows, in their conditions, and in the placeholders of a result page or receipt. */
const listFieldsShownToOwner = memoize((event: EventConfig): ReadonlySet<string> => {
  const { success, failed } = event.results
  const details = [...success.details, ...failed.details]
  const rows = details.flatMap((detail) => ('show' in detail ? [detail.show] : []))
  const conditions = details.flatMap(({ when }) => (when ?? []).flat().map(({ field }) => field))
  const placeholders = JSON.stringify(event.results).matchAll(/\{([^{}"\s]+)\}/g)
  const placeholderNames = Array.from(placeholders, ([, name = '']) => name)
  return new Set([
    ...rows,
    ...conditions,
    ...placeholderNames,
    ...listCategoryFields(event),
    ...Object.values(event.api.returns),
  ])
})

/**
 * Combines the failures of all attempts. If any failure is unclear, so is the result: the delegate may have been
 * charged and not refunded.
 */
function combineFailures(payments: readonly StoredPayment[]): Failure {
  // If a card payment replaced the manual request, only the card payment's failure counts.
  const isReplaced = ({ way, failure }: StoredPayment) => way !== null && failure === 'expired'
  const attempts = payments.every(isReplaced) ? payments : payments.filter((p) => !isReplaced(p))
  const failures = new Set(attempts.map(({ failure }) => failure))
  const [onlyPayment] = failures
  if (failures.size === 1 && onlyPayment !== undefined) return onlyPayment ?? 'unclear'
  if (failures.has('unclear')) return 'unclear'
  return failures.has('given-back') ? 'given-back' : 'expired'
}

/** Returns the failure of the card payments of a registration whose manual request is due. Null if none failed. */
function findCardFailure(payments: readonly StoredPayment[]): Failure | null {
  const failedCards = payments.filter(
    ({ gateway, failure }) => gateway !== null && failure !== null,
  )
  return failedCards.length === 0 ? null : combineFailures(failedCards)
}
