/** Describes a second payment for the self-service page, the success page and the office. */
import type { FastifyRequest } from 'fastify'
import { INR, formatIsoIndia, toMajorUnits } from '../../engine/index.ts'
import type { Currency, Amount, EventConfig } from '../../engine/index.ts'
import type { WireSecondPayment } from '../../engine/api.ts'
import type { Deps } from '../dependencies.ts'
import { readBrowser } from '../http/browser-cookie.ts'
import type { SecondPayment, StoredRegistration } from '../storage/index.ts'

export function toWireSecondPayment(
  second: SecondPayment | null,
  keptAmount: Amount,
  currency: Currency,
): WireSecondPayment | null {
  if (second === null) return null
  const { first, askedAt } = second
  return {
    first: first.regNo,
    first_amount: toMajorUnits(first.amount, first.currency),
    ...(first.currency !== INR && { first_currency: first.currency }),
    amount: toMajorUnits(keptAmount, currency),
    asked_at: askedAt === null ? null : formatIsoIndia(askedAt),
  }
}

/**
 * Describes a second payment to the browser that made or opened both registrations. Null for every other browser:
 * another person may have filled in the form, and must not learn that this delegate has registered.
 */
export async function findSecondPaymentForBrowser(
  { store }: Pick<Deps, 'store'>,
  event: Pick<EventConfig, 'id'>,
  { regNo, eventId, paymentStatus, currency }: StoredRegistration,
  request: FastifyRequest,
): Promise<WireSecondPayment | null> {
  const browser = readBrowser(event, request)
  if (browser === null || eventId !== event.id || paymentStatus !== 'success') return null
  const second = await store.secondPayment(regNo, browser)
  return second === null
    ? null
    : toWireSecondPayment(second, await store.netAmountPaid(regNo), currency)
}
