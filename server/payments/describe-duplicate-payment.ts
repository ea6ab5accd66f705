/** Describes a second payment for the self-service page and the office. */
import { isoIndia, toMajorUnits } from '../../engine/index.ts'
import type { Currency, Amount } from '../../engine/index.ts'
import type { WireSecondPayment } from '../../engine/api.ts'
import type { SecondPayment } from '../storage/payments/find-duplicate-payments.ts'

export function toWireSecondPayment(
  second: SecondPayment | null,
  keptAmount: Amount,
  currency: Currency,
): WireSecondPayment | null {
  if (second === null) return null
  const { first, askedAt } = second
  return {
    first,
    amount: toMajorUnits(keptAmount, currency),
    asked_at: askedAt === null ? null : isoIndia(askedAt),
  }
}
