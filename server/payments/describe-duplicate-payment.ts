/** Describes a second payment for the self-service page and the office. */
import { isoIndia, rupees } from '../../engine/index.ts'
import type { Currency, Paise } from '../../engine/index.ts'
import type { WireSecondPayment } from '../../engine/api.ts'
import type { SecondPayment } from '../storage/payments/find-duplicate-payments.ts'

export function toWireSecondPayment(
  second: SecondPayment | null,
  keptAmount: Paise,
  currency: Currency,
): WireSecondPayment | null {
  if (second === null) return null
  const { first, askedAt } = second
  return {
    first,
    amount: rupees(keptAmount, currency),
    asked_at: askedAt === null ? null : isoIndia(askedAt),
  }
}
