/**
 * Calculates the required payment independently. Records each amount when it begins to count and the price while a
 * balance is due, and tracks waived amounts for each bill.
 */
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'

type OpenBalance = { id: number; total: number | null }
/** Selects the balances that are due now. */
const OPEN_BALANCES_SQL = `SELECT p.id, r.total FROM payments p JOIN registrations r ON r.id = p.registration_id
  WHERE p.asks_for = 'difference' AND p.status = 'pending'`
type Capture = {
  id: number
  payment: number
  registration: number
  attempt: number
  amount: number
  state: string
  refunded: number
}
const CAPTURES_SQL = `SELECT c.id, p.id AS payment, p.registration_id AS registration, p.attempt, c.amount, c.state,
  (SELECT coalesce(sum(f.amount), 0) FROM refunds f WHERE f.capture_id = c.id AND f.state <> 'refused') AS refunded
  FROM captures c JOIN payments p ON p.id = c.counts_for
  WHERE c.state IN ('fits', 'accepted') AND p.status IN ('success', 'refunded') ORDER BY p.registration_id, p.attempt, c.id`
type Payment = {
  id: number
  registration: number
  amount: number
  bill: number | null
  /** 1 if staff requested the missing amount from the delegate instead of waiving it. */
  asked: 0 | 1
}
const PAYMENTS_SQL = `SELECT id, registration_id AS registration, amount, bill_total AS bill,
  EXISTS (SELECT 1 FROM captures c JOIN decisions d ON d.capture_id = c.id WHERE c.counts_for = payments.id AND d.what = 'ask') AS asked
  FROM payments
  WHERE status IN ('success', 'refunded') ORDER BY registration_id, attempt`

type Waiver = { readonly bill: number; readonly waived: number }
export type RequiredPayments = {
  /** Returns a registration's counted payments, and a function that computes the required payment for a price. */
  getSums(id: number): { readonly received: number; computeRequired(total: number): number }
}

/** Creates a function that reads the required payments. It must be called after every write. */
export function createRequiredReader(sql: () => Sql): () => Promise<RequiredPayments> {
  const bills = new Map<number, number>()
  const countedSums = new Map<number, number>()
  return async () => {
    for (const { id, total } of await sql()<OpenBalance>(OPEN_BALANCES_SQL).all())
      if (total !== null) bills.set(id, total)
    const captures = await sql()<Capture>(CAPTURES_SQL).all()
    for (const { id, amount, state, refunded: refundedAmount } of captures)
      if (!countedSums.has(id))
        countedSums.set(id, state === 'accepted' ? amount - refundedAmount : amount)
    const capturesByPayment = Map.groupBy(captures, ({ payment }) => payment)
    const paymentsByRegistration = Map.groupBy(
      await sql()<Payment>(PAYMENTS_SQL).all(),
      ({ registration }) => registration,
    )
    const sumCounted = ({ id, amount }: Payment): number =>
      capturesByPayment
        .get(id)
        ?.reduce((sum, capture) => sum + (countedSums.get(capture.id) ?? 0), 0) ?? amount
    return {
      getSums: (id) => {
        const payments = paymentsByRegistration.get(id) ?? []
        const waivers = payments.flatMap((payment): readonly Waiver[] => {
          const waivedAmount = payment.asked === 1 ? 0 : payment.amount - sumCounted(payment)
          const bill = bills.get(payment.id) ?? payment.bill ?? payment.amount
          return waivedAmount > 0 ? [{ bill, waived: waivedAmount }] : []
        })
        return {
          received: payments.reduce((sum, payment) => sum + sumCounted(payment), 0),
          computeRequired: (total) => {
            // Starts with the full total for each bill, and applies each waived amount to it.
            const billTotals = [...new Set([total, ...waivers.map(({ bill }) => bill)])]
            let requiredByBill = new Map(billTotals.map((bill) => [bill, bill]))
            for (const { bill: billTotal, waived: waivedPart } of waivers) {
              const reducedAmount = (requiredByBill.get(billTotal) ?? billTotal) - waivedPart
              requiredByBill = new Map(
                [...requiredByBill].map(([bill, requiredBefore]) => [
                  bill,
                  bill >= billTotal
                    ? requiredBefore - waivedPart
                    : Math.min(requiredBefore, reducedAmount),
                ]),
              )
            }
            return Math.max(0, requiredByBill.get(total) ?? total)
          },
        }
      },
    }
  }
}
