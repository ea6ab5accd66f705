/** Finds a registration's newest counted payment, with its time and a description of its method. */
import { formatMethodInSentence, isGatewayPayment, isManualMethod } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { StoredCapture } from '../../storage/index.ts'

export type LastPayment = {
  readonly paidAt: Instant
  /**
   * The method as a phrase after "paid on 21 Jan 2026", such as "by UPI". Empty if unknown, as for imported payments.
   */
  readonly method: string
}

/** Returns the newest payment that counts for the registration. Null if there is none. */
export function findLastPayment(captures: readonly StoredCapture[]): LastPayment | null {
  const lastCapture = captures
    .filter(
      ({ countsFor, state }) => countsFor !== null && (state === 'fits' || state === 'accepted'),
    )
    .toSorted((a, b) => b.paidAt - a.paidAt)[0]
  if (lastCapture === undefined) return null
  const { source, paidAt } = lastCapture
  const method = isManualMethod(source)
    ? formatMethodInSentence(source)
    : isGatewayPayment(source)
      ? 'online'
      : ''
  return { paidAt, method }
}
