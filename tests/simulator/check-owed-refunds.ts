/**
 * The simulator's own account of owed refunds: a refund counts as owed up to what was owed at its time, and only the
 * rest is part of the refund of a cancellation. Cancelled registrations are not followed further.
 */
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import type { Required } from './expected-balance.ts'

type Refund = { id: number; registration: number; amount: number }
const DONE = `SELECT f.id, p.registration_id AS registration, CASE WHEN c.state IN ('fits', 'accepted') THEN f.amount ELSE 0 END AS amount
  FROM refunds f JOIN captures c ON c.id = f.capture_id JOIN payments p ON p.id = c.counts_for WHERE f.state = 'done' ORDER BY f.id`

/** A registration after a write. `there`: counted payments minus refunds. */
export type RegistrationBalance = {
  readonly id: number
  readonly state: string
  readonly total: number | null
  readonly there: number
}
export type OwedRefunds = {
  afterWrite(standings: readonly RegistrationBalance[], all: Required): Promise<void>
  /** The part of the refunds that was owed before the cancellation. */
  of(id: number): number
}

export function createOwedRefunds(sql: () => Sql): OwedRefunds {
  const knownRefunds = new Set<number>()
  const owed = new Map<number, number>()
  const refundedAsOwed = new Map<number, number>()
  const readRefunded = (id: number): number => refundedAsOwed.get(id) ?? 0
  return {
    of: readRefunded,
    afterWrite: async (standings, all) => {
      for (const { id, registration, amount } of await sql()<Refund>(DONE).all()) {
        if (knownRefunds.has(id)) continue
        knownRefunds.add(id)
        const open = owed.get(registration) ?? 0
        const part = Math.min(amount, open)
        owed.set(registration, open - part)
        refundedAsOwed.set(registration, readRefunded(registration) + part)
      }
      for (const { id, state, total, there } of standings) {
        if (state === 'cancelled' || total === null) {
          owed.set(id, 0)
          continue
        }
        const { came, required } = all.of(id)
        const open = Math.max(0, came - readRefunded(id) - required(total))
        // Goodwill counts towards what is owed, and only as long as it is owed.
        owed.set(id, Math.min(open, there))
      }
    },
  }
}
