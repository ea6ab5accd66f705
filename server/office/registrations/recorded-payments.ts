/** Finds the received payments that count for an order, and lists manual payments and refunds outside Rollcall. */
import {
  getReceivedCurrency,
  formatMethodInSentence,
  formatMoney,
  isManualMethod,
  formatIsoIndia,
  toMajorUnits,
} from '../../../engine/index.ts'
import type { Amount } from '../../../engine/index.ts'
import type { OfficeRegistrationResponse } from '../../../engine/api.ts'
import type {
  StoredCapture,
  StoredDecision,
  StoredPayment,
  StoredRefund,
} from '../../storage/index.ts'

type WirePayment = OfficeRegistrationResponse['payments'][number]

const listCountedPayments = (
  { orderId }: StoredPayment,
  captures: readonly StoredCapture[],
): readonly StoredCapture[] =>
  captures.filter(
    ({ countsFor, state }) => countsFor === orderId && (state === 'fits' || state === 'accepted'),
  )

/**
 * Returns the payments by cash, transfer and other manual methods, newest first. Gateway payments are listed as
 * payment events.
 */
export const buildManualPayments = (
  payment: StoredPayment,
  captures: readonly StoredCapture[],
): WirePayment['facts'] =>
  listCountedPayments(payment, captures)
    .toSorted((a, b) => b.paidAt - a.paidAt)
    .flatMap(({ source, amount, reference, paidAt, currency }) =>
      isManualMethod(source)
        ? [
            {
              at: formatIsoIndia(paidAt),
              type: 'recorded',
              text: `${formatMoney(amount, getReceivedCurrency({ currency }))} was received ${formatMethodInSentence(source)}, reference ${reference}.`,
            },
          ]
        : [],
    )

/** Returns the amount received for a payment if it is less than the amount requested. */
export function findPartialPayment(
  payment: StoredPayment,
  captures: readonly StoredCapture[],
): Pick<WirePayment, 'received'> {
  const { amount, status, currency } = payment
  const countedPayments = listCountedPayments(payment, captures).filter(
    (capture) => getReceivedCurrency(capture) === currency,
  )
  const receivedAmount = countedPayments.reduce((sum, capture) => sum + capture.amount, 0)
  return status === 'success' && receivedAmount > 0 && receivedAmount < amount
    ? { received: toMajorUnits(receivedAmount as Amount, currency) }
    : {}
}

/** Returns refunds that staff recorded with a reference, newest first. Gateway refunds are listed as payment events. */
export function buildManualRefunds(
  refunds: readonly StoredRefund[],
  captures: readonly StoredCapture[],
  decisions: readonly StoredDecision[],
  { orderId, currency }: StoredPayment,
): WirePayment['facts'] {
  const captureIds = new Set(
    captures.flatMap(({ id, countsFor }) => (countsFor === orderId ? [id] : [])),
  )
  return refunds
    .filter(
      ({ captureId, at, state }) =>
        captureIds.has(captureId) &&
        state === 'done' &&
        decisions.some(
          (decision) =>
            decision.what === 'refund by hand' &&
            decision.about === `C${captureId}` &&
            decision.at === at,
        ),
    )
    .toSorted((a, b) => b.at - a.at)
    .map(({ at, amount, reference }) => ({
      at: formatIsoIndia(at),
      type: 'refunded',
      text: `${formatMoney(amount, currency)} was refunded outside Rollcall, reference ${reference}.`,
    }))
}
