/**
 * The simulator's own account of what went back because it was owed: a refund is of what was owed when it was done, and only
 * what goes beyond that is a part of what a cancellation gives back. Of what is cancelled nothing more is followed.
 */
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import type { Required } from './expected-balance.ts'

type Refund = { id: number; registration: number; amount: number }
const DONE = `SELECT f.id, p.registration_id AS registration, CASE WHEN c.state IN ('fits', 'accepted') THEN f.amount ELSE 0 END AS amount
  FROM refunds f JOIN captures c ON c.id = f.capture_id JOIN payments p ON p.id = c.counts_for WHERE f.state = 'done' ORDER BY f.id`

/** A registration as it is after a write. `there`: what counts, less what has gone back. */
export type Standing = {
  readonly id: number
  readonly state: string
  readonly total: number | null
  readonly there: number
}
export type OwedBack = {
  afterWrite(standings: readonly Standing[], all: Required): void
  /** What of the refunds of a registration was owed before it was cancelled. */
  of(id: number): number
}

export function owedBackOf(sql: () => Sql): OwedBack {
  const seen = new Set<number>()
  const owed = new Map<number, number>()
  const wentBack = new Map<number, number>()
  const of = (id: number): number => wentBack.get(id) ?? 0
  return {
    of,
    afterWrite: (standings, all) => {
      for (const { id, registration, amount } of sql()<Refund>(DONE).all()) {
        if (seen.has(id)) continue
        seen.add(id)
        const open = owed.get(registration) ?? 0
        const part = Math.min(amount, open)
        owed.set(registration, open - part)
        wentBack.set(registration, of(registration) + part)
      }
      for (const { id, state, total, there } of standings) {
        if (state === 'cancelled' || total === null) {
          owed.set(id, 0)
          continue
        }
        const { came, required } = all.of(id)
        const open = Math.max(0, came - of(id) - required(total))
        // What is not there any more cannot be owed: it went back before.
        const gone = Math.max(0, open - there)
        wentBack.set(id, of(id) + gone)
        owed.set(id, open - gone)
      }
    },
  }
}
