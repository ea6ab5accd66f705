/** Computes the balance of a registration, with the same rule as `due` in the store. */
import { createHash } from 'node:crypto'
import {
  ENDED_STATES,
  computeCancellationRefund,
  toAmount,
  computePricePartOfPayments,
} from '../../../engine/index.ts'
import type {
  CancellationRefund,
  EventConfig,
  Instant,
  PaymentTotals,
  Amount,
} from '../../../engine/index.ts'
import type { StoredCapture, StoredRefund, StoredRegistration } from '../../storage/index.ts'

/**
 * Returns the balance: the difference if paid, the full amount if unpaid, and null if the registration has no price.
 */
export function getBalance({
  paymentStatus,
  due,
  total,
}: Pick<StoredRegistration, 'paymentStatus' | 'due' | 'total'>): Amount | null {
  return paymentStatus === 'success' ? due : total
}

/** Returns the amount still to be paid; zero if the registration has no price. */
export const getAmountOwed = (registration: StoredRegistration): Amount =>
  getBalance(registration) ?? toAmount(0)

/**
 * Returns true if a refund of everything received cancels the registration: it counts as paid through an order for its
 * whole price, as `settleRegistration` in the store decides. A registration that was corrected to free stays complete.
 */
export const isCancelledByFullRefund = ({
  state,
  paymentStatus,
  total,
  payments,
}: Pick<StoredRegistration, 'state' | 'paymentStatus' | 'total' | 'payments'>): boolean =>
  paymentStatus === 'success' &&
  !ENDED_STATES.some((endedState) => endedState === state) &&
  total !== null &&
  total > 0 &&
  payments.some(({ status, isDifference }) => status === 'success' && !isDifference)

/** Returns the amount to refund, less the refunds in progress. */
export function calculateRefundDue(
  { due }: Pick<StoredRegistration, 'due'>,
  refunds: readonly Pick<StoredRefund, 'state' | 'amount'>[],
): Amount {
  return toAmount(Math.max(0, -due - sumRefundsInProgress(refunds)))
}

/** Adds up the refunds that have been requested and are neither completed nor rejected. */
export const sumRefundsInProgress = (
  refunds: readonly Pick<StoredRefund, 'state' | 'amount'>[],
): Amount =>
  toAmount(
    refunds
      .filter(({ state }) => state === 'wanted' || state === 'asked' || state === 'unsure')
      .reduce((sum, { amount }) => sum + amount, 0),
  )

/** Returns the refunds of payments that count. */
export function listRefundsOfCounted(
  refunds: readonly StoredRefund[],
  captures: readonly Pick<StoredCapture, 'id' | 'state'>[],
): readonly StoredRefund[] {
  const countedIds = new Set(
    captures.flatMap(({ id, state }) => (state === 'fits' || state === 'accepted' ? [id] : [])),
  )
  return refunds.filter(({ captureId }) => countedIds.has(captureId))
}

/**
 * Returns the amount that was refunded although it was not owed. It does not reduce later refunds. Zero for an ended
 * registration, whose refunds are a percentage of its price.
 */
export function calculateGoodwill(
  { state }: Pick<StoredRegistration, 'state'>,
  { received, refundedAsOwed, left }: PaymentTotals,
): Amount {
  const isEnded = state === 'cancelled' || state === 'refused'
  return toAmount(isEnded ? 0 : Math.max(0, received - refundedAsOwed - left))
}

/**
 * Computes the refund that the office pages and the self-service page propose. `kept` is the amount paid and not
 * refunded.
 */
export function calculateCancellationRefund(
  { cancellation }: EventConfig,
  { total, gst, currency }: StoredRegistration,
  { money: amounts, kept: keptAmount }: { readonly money: PaymentTotals; readonly kept: Amount },
  at: Instant,
): CancellationRefund {
  const { received: paid } = amounts
  const price = computePricePartOfPayments(total, amounts)
  return computeCancellationRefund(
    cancellation,
    { price, paid, refunded: toAmount(paid - keptAmount), total, gst, currency },
    at,
  )
}

/**
 * Identifies the figures that a cancellation shows: the price, the refund due and the proposed refund. The client
 * returns it with the cancellation, which is refused if one of these figures has changed.
 */
export const computeCancellationVersion = (
  { total }: Pick<StoredRegistration, 'total'>,
  refundDue: Amount,
  proposal: CancellationRefund,
): string =>
  createHash('sha256')
    .update(JSON.stringify([total, refundDue, proposal]))
    .digest('hex')
    .slice(0, 16)
