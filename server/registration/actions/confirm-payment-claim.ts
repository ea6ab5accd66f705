/** Confirms a payment claim as reported, for rows ticked against the bank's page. */
import { bankKey, instant, rupees, startOfDay } from '../../../engine/index.ts'
import { priceOnDay } from '../../payments/price-on-credit-date.ts'
import { badData } from './action-input.ts'
import type { ActionHandler } from './action-input.ts'
import { confirm } from './record-payment.ts'
import { owed } from './balance-due.ts'

/**
 * Confirms the balance; where the credit date sets the price, at the price of that day. A different amount is
 * confirmed separately, with the amount received.
 */
export const confirmTold: ActionHandler = async (asked) => {
  const { deps, served, registration, wanted } = asked
  const [telling] = await deps.store.tellings(registration.regNo)
  if (telling === undefined || telling.endedAs !== null)
    return badData('The delegate reported no payment that waits for confirmation.')
  const { reference, paidOn } = telling
  const { regNo, eventId } = registration
  const { reports } = await deps.store.knownReferences([bankKey(reference)])
  const other = reports.find((report) => report.regNo !== regNo)
  if (other !== undefined)
    return badData(
      `The delegate of ${other.eventId === eventId ? other.regNo : 'another event'} reported ${reference} too. Check the bank statement and confirm this claim on its own.`,
    )
  const paidAt = paidOn === null ? wanted.at : instant(startOfDay(paidOn))
  const price = priceOnDay(served.config, registration, paidAt)
  const amount = rupees(price?.total ?? owed(registration))
  const words = { way: 'transfer', reference, amount, day: paidOn ?? '' }
  return confirm({ ...asked, words })
}
