/** Describes a second payment for the self-service page and the office. */
import { INR, isoIndia, rupees } from '../../engine/index.ts'
import type { Paise } from '../../engine/index.ts'
import type { WireSecondPayment } from '../../engine/api.ts'
import type { SecondPayment } from '../storage/payments/find-duplicate-payments.ts'

export function toWireSecondPayment(
  second: SecondPayment | null,
  keptAmount: Paise,
): WireSecondPayment | null {
  if (second === null) return null
  const { first, askedAt } = second
  return {
    first,
    amount: rupees(keptAmount, INR),
    asked_at: askedAt === null ? null : isoIndia(askedAt),
  }
}
