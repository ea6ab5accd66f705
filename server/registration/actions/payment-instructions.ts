/** Builds the payment instructions of the self-service page for payments outside a gateway. */
import {
  amountText,
  bankNumbers,
  dayOf,
  isoIndia,
  lastDayOfPrice,
  getOwn,
  rupees,
  transferMethod,
  upiLink,
  methodFileName,
} from '../../../engine/index.ts'
import { PAYMENT_METHOD_MESSAGES } from '../../../engine/messages.ts'
import type { OfficeMethod, EventConfig, TransferMethod } from '../../../engine/index.ts'
import type { WireAsk, WirePaying } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import type { StoredRegistration, StoredPaymentClaim } from '../../storage/index.ts'
import { dueOf } from './balance-due.ts'
import { lastTold } from './payment-claims.ts'

/** States in which the delegate pays, submits a claim or waits for a decision on it. */
const WAITS: readonly StoredRegistration['state'][] = ['to_pay', 'told', 'lapsed']

/** Null: the registration is not paid outside a gateway, or has no balance. */
export async function payingOf(
  deps: Pick<Deps, 'store' | 'clock'>,
  event: EventConfig,
  registration: StoredRegistration,
): Promise<WirePaying | null> {
  const { payments, state, regNo, payUntil } = registration
  const last = await lastTold(deps, event, registration)
  const way = transferMethod(event, payments[0]?.way ?? last?.telling.way ?? null)
  const amount = dueOf(registration)
  if (way === null || amount === null || !WAITS.includes(state)) return null
  const numbers = bankNumbers(way.instructions)
  const upi = numbers.find(({ label }) => label === PAYMENT_METHOD_MESSAGES.upiId)?.text
  const told = last?.telling.endedAs === 'again' ? null : last
  return {
    way: way.id,
    label: way.label,
    tell: way.instructions.trim(),
    numbers: [...numbers],
    upi:
      upi === undefined
        ? null
        : upiLink({ upi, name: event.title, amount: amountText(amount), note: regNo }),
    total: rupees(amount),
    price_until: way.priceDate === 'credit' ? lastDayOfPrice(event, dayOf(deps.clock())) : null,
    pay_until: payUntil === null ? null : isoIndia(payUntil),
    asks: asksOf(way, told?.telling ?? null),
    told: told?.told ?? null,
  }
}

/** Returns the fields of a payment method for the browser; `telling`: the previous answers. */
export function asksOf(
  way: TransferMethod | OfficeMethod,
  telling: StoredPaymentClaim | null,
): WireAsk[] {
  return way.fields.flatMap((ask): WireAsk[] => {
    const { id, label, hint, type, required, options = [], accept = [], bytesMax = 0 } = ask
    if (type !== 'text' && type !== 'date' && type !== 'select' && type !== 'file') return []
    const answer = telling === null || type === 'file' ? undefined : getOwn(telling.answers, id)
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
            ? { field: methodFileName(way, ask), accept: [...accept], bytes_max: bytesMax }
            : null,
        value: answer === undefined ? '' : String(answer),
      },
    ]
  })
}
