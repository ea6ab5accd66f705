/**
 * The simulator's own account of what has to have been paid: it remembers what was there when money began to count and
 * what the registration cost while a difference was asked for, and follows bill by bill what staff let go of.
 */
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'

type Open = { id: number; total: number | null }
/** Differences that are asked for now. */
const OPEN = `SELECT p.id, r.total FROM payments p JOIN registrations r ON r.id = p.registration_id
  WHERE p.asks_for = 'difference' AND p.status = 'pending'`
type Capture = {
  id: number
  payment: number
  registration: number
  attempt: number
  amount: number
  state: string
  gone: number
}
const CAPTURES = `SELECT c.id, p.id AS payment, p.registration_id AS registration, p.attempt, c.amount, c.state,
  (SELECT coalesce(sum(f.amount), 0) FROM refunds f WHERE f.capture_id = c.id AND f.state <> 'refused') AS gone
  FROM captures c JOIN payments p ON p.id = c.counts_for
  WHERE c.state IN ('fits', 'accepted') AND p.status IN ('success', 'refunded') ORDER BY p.registration_id, p.attempt, c.id`
type Payment = { id: number; registration: number; amount: number; bill: number | null }
const PAYMENTS = `SELECT id, registration_id AS registration, amount, bill_total AS bill FROM payments
  WHERE status IN ('success', 'refunded') ORDER BY registration_id, attempt`

type Layer = { readonly bill: number; readonly less: number }
export type Required = {
  /** Of each registration, what came and counts, and what has to have been paid if it costs so much. */
  of(id: number): { readonly came: number; required(total: number): number }
}

/** Call after every write. */
export function requiredOf(sql: () => Sql): () => Required {
  const bills = new Map<number, number>()
  const counted = new Map<number, number>()
  return () => {
    for (const { id, total } of sql()<Open>(OPEN).all()) if (total !== null) bills.set(id, total)
    const captures = sql()<Capture>(CAPTURES).all()
    for (const { id, amount, state, gone } of captures)
      if (!counted.has(id)) counted.set(id, state === 'accepted' ? amount - gone : amount)
    const byPayment = Map.groupBy(captures, ({ payment }) => payment)
    const byRegistration = Map.groupBy(
      sql()<Payment>(PAYMENTS).all(),
      ({ registration }) => registration,
    )
    const cameOf = ({ id, amount }: Payment): number =>
      byPayment.get(id)?.reduce((sum, capture) => sum + (counted.get(capture.id) ?? 0), 0) ?? amount
    return {
      of: (id) => {
        const payments = byRegistration.get(id) ?? []
        const layers = payments.flatMap((payment): readonly Layer[] => {
          const less = payment.amount - cameOf(payment)
          const bill = bills.get(payment.id) ?? payment.bill ?? payment.amount
          return less > 0 ? [{ bill, less }] : []
        })
        return {
          came: payments.reduce((sum, payment) => sum + cameOf(payment), 0),
          required: (total) => {
            // What each bill in question took, before and after each time that less was accepted.
            const asked = [...new Set([total, ...layers.map(({ bill }) => bill)])]
            let takes = new Map(asked.map((bill) => [bill, bill]))
            for (const { bill: at, less } of layers) {
              const enough = (takes.get(at) ?? at) - less
              takes = new Map(
                [...takes].map(([bill, took]) => [
                  bill,
                  bill >= at ? took - less : Math.min(took, enough),
                ]),
              )
            }
            return Math.max(0, takes.get(total) ?? total)
          },
        }
      },
    }
  }
}
