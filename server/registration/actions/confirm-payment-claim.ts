/** Confirms a payment claim as reported, for list rows that staff have checked against the bank's page. */
import { toBankKey, instant, toMajorUnits, startOfDay } from '../../../engine/index.ts'
import { quotePriceOfPayment } from '../../payments/price-on-credit-date.ts'
import { refuseData } from './action-input.ts'
import type { ActionHandler } from './action-input.ts'
import { confirmPayment } from './record-payment.ts'
import { getAmountOwed } from './balance-due.ts'

/**
 * Confirms a payment of the balance. If the credit date determines the price, the price on that date applies. If
 * another amount was received, staff confirm it separately.
 */
export const confirmPaymentClaim: ActionHandler = async (request) => {
  const { deps, served, registration, newAction } = request
  const [claim] = await deps.store.paymentClaims(registration.regNo)
  if (claim === undefined || claim.endedAs !== null)
    return refuseData('No payment reported by the delegate is waiting for confirmation.')
  const { reference, paidOn } = claim
  const { regNo, eventId } = registration
  const { reports } = await deps.store.knownReferences([toBankKey(reference)])
  const otherClaim = reports.find((report) => report.regNo !== regNo)
  if (otherClaim !== undefined)
    return refuseData(
      `The delegate ${otherClaim.eventId === eventId ? `with registration ${otherClaim.regNo}` : 'of another event'} reported ${reference} too. Check the bank statement and confirm this claim on its own.`,
    )
  const paidAt = paidOn === null ? newAction.at : instant(startOfDay(paidOn))
  const price = quotePriceOfPayment(served.config, registration, paidAt, 'transfer')
  const amount = toMajorUnits(price?.total ?? getAmountOwed(registration), registration.currency)
  const params = { way: 'transfer', reference, amount, day: paidOn ?? '' }
  return confirmPayment({ ...request, params })
}
