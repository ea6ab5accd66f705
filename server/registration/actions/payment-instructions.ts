/** What a delegate's own page says of money that is paid outside: where to pay, until when, and what is asked. */
import {
  amountText,
  bankNumbers,
  dayOf,
  isoIndia,
  lastDayOf,
  own,
  rupees,
  transferWay,
  upiLink,
  wayFileName,
} from '../../../engine/index.ts'
import type {
  DeskWay,
  EventConfig,
  TransferWay,
  WireAsk,
  WirePaying,
} from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { StoredRegistration, StoredTelling } from '../../storage/index.ts'
import { dueOf } from './balance-due.ts'
import { lastTold } from './payment-claims.ts'

/** In these the delegate pays, tells, or waits for an answer. */
const WAITS: readonly StoredRegistration['state'][] = ['to_pay', 'told', 'lapsed']

/** Null: it is not paid outside, or nothing of it is due. */
export async function payingOf(
  deps: Pick<Deps, 'store'>,
  event: EventConfig,
  registration: StoredRegistration,
): Promise<WirePaying | null> {
  const { payments, state, regNo, payUntil } = registration
  const last = await lastTold(deps, event, registration)
  const way = transferWay(event, payments[0]?.way ?? last?.telling.way ?? null)
  const amount = dueOf(registration)
  if (way === null || amount === null || !WAITS.includes(state)) return null
  const numbers = bankNumbers(way.tell)
  const upi = numbers.find(({ label }) => label === 'UPI ID')?.text
  const told = last?.telling.endedAs === 'again' ? null : last
  return {
    way: way.id,
    label: way.label,
    tell: way.tell.trim(),
    numbers: [...numbers],
    upi:
      upi === undefined
        ? null
        : upiLink({ upi, name: event.title, amount: amountText(amount), note: regNo }),
    total: rupees(amount),
    price_until:
      way.priceOn === 'credited' ? lastDayOf(event, dayOf(registration.createdAt)) : null,
    pay_until: payUntil === null ? null : isoIndia(payUntil),
    asks: asksOf(way, told?.telling ?? null),
    told: told?.told ?? null,
  }
}

/** The questions of a way, as they travel; `telling`: last answered so. */
export function asksOf(way: TransferWay | DeskWay, telling: StoredTelling | null): WireAsk[] {
  return way.asks.flatMap((ask): WireAsk[] => {
    const { id, label, hint, type, required, options = [], accept = [], bytesMax = 0 } = ask
    if (type !== 'text' && type !== 'date' && type !== 'select' && type !== 'file') return []
    const answer = telling === null || type === 'file' ? undefined : own(telling.answers, id)
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
            ? { field: wayFileName(way, ask), accept: [...accept], bytes_max: bytesMax }
            : null,
        value: answer === undefined ? '' : String(answer),
      },
    ]
  })
}
