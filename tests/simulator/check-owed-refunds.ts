/**
 * Calculates owed refunds independently. The part of a refund that was due when it was made counts as an owed refund.
 * Only the remainder counts towards a cancellation refund. After a cancellation, no further refund becomes due.
 */
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import type { RequiredPayments } from './expected-balance.ts'

type Refund = { id: number; registration: number; amount: number }
const COMPLETED_REFUNDS_SQL = `SELECT f.id, p.registration_id AS registration, CASE WHEN c.state IN ('fits', 'accepted') THEN f.amount ELSE 0 END AS amount
  FROM refunds f JOIN captures c ON c.id = f.capture_id JOIN payments p ON p.id = c.counts_for WHERE f.state = 'done' ORDER BY f.id`

/** A registration after a write. `netPaid`: counted payments minus refunds. */
export type RegistrationBalance = {
  readonly id: number
  readonly state: string
  readonly total: number | null
  readonly netPaid: number
}
export type OwedRefunds = {
  afterWrite(
    balances: readonly RegistrationBalance[],
    requiredPayments: RequiredPayments,
  ): Promise<void>
  /** Returns the part of a registration's refunds that was already due when they were made. */
  getOwedPartOfRefunds(id: number): number
}

export function createOwedRefunds(sql: () => Sql): OwedRefunds {
  const knownRefundIds = new Set<number>()
  const owedByRegistration = new Map<number, number>()
  const owedPartOfRefundsByRegistration = new Map<number, number>()
  const getOwedPartOfRefunds = (id: number): number => owedPartOfRefundsByRegistration.get(id) ?? 0
  return {
    getOwedPartOfRefunds,
    afterWrite: async (balances, requiredPayments) => {
      for (const { id, registration, amount } of await sql()<Refund>(COMPLETED_REFUNDS_SQL).all()) {
        if (knownRefundIds.has(id)) continue
        knownRefundIds.add(id)
        const owedBefore = owedByRegistration.get(registration) ?? 0
        const owedPart = Math.min(amount, owedBefore)
        owedByRegistration.set(registration, owedBefore - owedPart)
        owedPartOfRefundsByRegistration.set(
          registration,
          getOwedPartOfRefunds(registration) + owedPart,
        )
      }
      for (const { id, state, total, netPaid } of balances) {
        if (state === 'cancelled' || total === null) {
          owedByRegistration.set(id, 0)
          continue
        }
        const { received, computeRequired } = requiredPayments.getSums(id)
        const openAmount = Math.max(0, received - getOwedPartOfRefunds(id) - computeRequired(total))
        // A goodwill refund reduces the owed amount only while an amount is owed.
        owedByRegistration.set(id, Math.min(openAmount, netPaid))
      }
    },
  }
}
