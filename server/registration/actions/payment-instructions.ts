/** Builds the payment instructions for payments outside a gateway. */
import { toWireCurrency } from '../../../engine/api.ts'
import {
  INR,
  formatPlainAmount,
  findBankNumbers,
  dayOf,
  formatIsoIndia,
  getLastDayOfOwnPrice,
  getOwn,
  toMajorUnits,
  findTransferMethod,
  buildUpiLink,
  getMethodFileName,
} from '../../../engine/index.ts'
import { PAYMENT_METHOD_MESSAGES } from '../../../engine/messages.ts'
import type { OfficeMethod, EventConfig, TransferMethod } from '../../../engine/index.ts'
import type {
  WireClaimField,
  WireManualPayment,
  WirePaymentInstructions,
} from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import type { StoredRegistration, StoredPaymentClaim } from '../../storage/index.ts'
import { getBalance } from './balance-due.ts'
import { findLastClaim } from './payment-claims.ts'

/** States in which the delegate pays, submits a claim or waits for a decision on it. */
const UNPAID_STATES: readonly StoredRegistration['state'][] = ['to_pay', 'told', 'lapsed']

/**
 * Builds the instructions with the payment claim. Null if the registration is not paid outside a gateway or has no
 * balance.
 */
export async function buildPaymentInstructions(
  deps: Pick<Deps, 'store' | 'clock'>,
  event: EventConfig,
  registration: StoredRegistration,
): Promise<WireManualPayment | null> {
  const { currency, inReview, payments, paymentStatus, state, regNo } = registration
  const lastClaim = await findLastClaim(deps, event, registration)
  const method = findTransferMethod(event, payments[0]?.way ?? lastClaim?.claim.way ?? null)
  const amount = getBalance(registration)
  if (method === null || amount === null || !UNPAID_STATES.includes(state)) return null
  const numbers = findBankNumbers(method.instructions)
  const upi = numbers.find(({ label }) => label === PAYMENT_METHOD_MESSAGES.upiId)?.text
  // Once a part is paid, the price no longer changes and the seat is held without a deadline.
  const isPartlyPaid = paymentStatus === 'success'
  // Another payment may cover the rest.
  if (isPartlyPaid && inReview) return null
  const payUntil = isPartlyPaid ? null : registration.payUntil
  const activeClaim = lastClaim?.claim.endedAs === 'again' ? null : lastClaim
  return {
    way: method.id,
    label: method.label,
    tell: method.instructions.trim(),
    numbers: [...numbers],
    upi:
      // UPI transfers only rupees.
      upi === undefined || currency !== INR
        ? null
        : buildUpiLink({
            upi,
            name: event.title,
            amount: formatPlainAmount(amount, currency),
            note: regNo,
          }),
    total: toMajorUnits(amount, currency),
    ...toWireCurrency(currency),
    price_until:
      method.priceDate === 'credit' && !isPartlyPaid
        ? getLastDayOfOwnPrice(event, dayOf(deps.clock()), registration)
        : null,
    pay_until: payUntil === null ? null : formatIsoIndia(payUntil),
    asks: toWireFields(method, activeClaim?.claim ?? null),
    told: activeClaim?.view ?? null,
  }
}

/** Builds the instructions without the payment claim, for the result page, which has no form to report a payment. */
export async function buildInstructionsOnly(
  deps: Pick<Deps, 'store' | 'clock'>,
  event: EventConfig,
  registration: StoredRegistration,
): Promise<WirePaymentInstructions | null> {
  const instructions = await buildPaymentInstructions(deps, event, registration)
  if (instructions === null) return null
  const { way: _way, asks: _fields, told: _claim, ...shownInstructions } = instructions
  return shownInstructions
}

/** Returns the fields of a payment method for the browser; `claim` contains the previous answers. */
export function toWireFields(
  method: TransferMethod | OfficeMethod,
  claim: StoredPaymentClaim | null,
): WireClaimField[] {
  return method.fields.flatMap((field): WireClaimField[] => {
    const { id, label, hint, type, required, options = [], accept = [], maxBytes = 0 } = field
    if (type !== 'text' && type !== 'date' && type !== 'select' && type !== 'file') return []
    const answer = claim === null || type === 'file' ? undefined : getOwn(claim.answers, id)
    return [
      {
        id,
        kind: type,
        label,
        hint: hint ?? null,
        required: required !== undefined,
        options: options.map((option) => ({ id: option.id, label: option.label })),
        file:
          type === 'file'
            ? { field: getMethodFileName(method, field), accept: [...accept], bytes_max: maxBytes }
            : null,
        value: answer === undefined ? '' : String(answer),
      },
    ]
  })
}
