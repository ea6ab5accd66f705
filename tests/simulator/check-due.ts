/**
 * Invariants for balances, checked after every write: counted payments equal the price minus waived amounts, unless a
 * balance is open; staff or the delegate can settle every open balance.
 */
import type { RegistrationState, PaymentStatus } from '../../engine/index.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import { readReviews } from '../../server/storage/reviews/open-reviews.ts'
import type { Violation } from './check-payments.ts'
import { createOwedRefunds } from './check-owed-refunds.ts'
import { createRequiredReader } from './expected-balance.ts'
import type { RequiredPayments } from './expected-balance.ts'

type Row = {
  id: number
  reg_no: string
  state: RegistrationState
  status: PaymentStatus
  in_review: 0 | 1
  total: number | null
  due: number
  orders: number
  net_paid: number
  refunds_in_progress: number
  order_amount: number | null
}
/** `net_paid`: counted payments minus refunds. */
const ROWS_SQL = `SELECT r.id, r.reg_no, r.state, r.payment_status AS status, r.in_review, r.total, r.due,
  (SELECT count(*) FROM payments p WHERE p.registration_id = r.id) AS orders,
  (SELECT coalesce(sum(c.amount - (SELECT coalesce(sum(f.amount), 0) FROM refunds f WHERE f.capture_id = c.id AND f.state <> 'refused')), 0)
    FROM captures c JOIN payments p ON p.id = c.counts_for WHERE p.registration_id = r.id AND c.state IN ('fits', 'accepted')) AS net_paid,
  (SELECT coalesce(sum(f.amount), 0) FROM refunds f JOIN captures c ON c.id = f.capture_id JOIN payments p ON p.id = c.counts_for
    WHERE p.registration_id = r.id AND f.state IN ('wanted', 'asked', 'unsure')) AS refunds_in_progress,
  (SELECT p.amount FROM payments p WHERE p.registration_id = r.id AND p.status IN ('pending', 'failed') ORDER BY p.attempt DESC LIMIT 1) AS order_amount
  FROM registrations r`

export type BalanceInvariants = {
  afterWrite(): Promise<Violation | null>
  /** Returns the part of a registration's refunds that was already due when they were made. */
  getOwedPartOfRefunds(id: number): number
}

export function createBalanceInvariants(sql: () => Sql, serverSql: () => Sql): BalanceInvariants {
  const readRequired = createRequiredReader(sql)
  const owedRefunds = createOwedRefunds(sql)
  const checkBalance = (row: Row, requiredPayments: RequiredPayments): Violation | null => {
    const { id, state, status, orders, total, due } = row
    if (orders === 0 || total === null) return null
    const { received, computeRequired } = requiredPayments.getSums(id)
    const cause = JSON.stringify({ ...row, came: received, required: computeRequired(total) })
    if (state === 'cancelled' && due > 0)
      return { invariant: 'a cancelled registration owes nothing', cause }
    const balance = computeRequired(total) - received + owedRefunds.getOwedPartOfRefunds(id)
    const expectedDue = Math.max(balance, -(row.net_paid + row.refunds_in_progress))
    if (state !== 'cancelled' && status === 'success' && due !== expectedDue)
      return { invariant: 'payments plus the balance equal the required amount', cause }
    if (due < 0 && row.net_paid + row.refunds_in_progress < -due)
      return { invariant: 'an owed refund does not exceed the amount kept', cause }
    return null
  }
  const checkAllowedAction = (row: Row, reviewedRegNos: ReadonlySet<string>): Violation | null => {
    const { state, status, in_review: inReview, due, order_amount, total } = row
    const cause = JSON.stringify(row)
    if (inReview === 1 && !reviewedRegNos.has(row.reg_no))
      return { invariant: 'staff can decide on every payment under review', cause }
    const isOpen = state === 'to_pay' || state === 'told' || state === 'lapsed'
    if (!isOpen || inReview === 1) return null
    const amount = status === 'success' ? due : total
    if (amount !== null && order_amount !== amount)
      return { invariant: 'an order exists for every balance due', cause }
    return null
  }
  return {
    getOwedPartOfRefunds: owedRefunds.getOwedPartOfRefunds,
    afterWrite: async () => {
      const rows = await sql()<Row>(ROWS_SQL).all()
      const requiredPayments = await readRequired()
      const balances = rows.map((row) => ({
        ...row,
        netPaid: row.net_paid + row.refunds_in_progress,
      }))
      await owedRefunds.afterWrite(balances, requiredPayments)
      const hasReview = rows.some((row) => row.in_review === 1)
      const reviewedRegNos = new Set(
        hasReview ? (await readReviews(serverSql(), null)).map(({ regNo }) => regNo ?? '') : [],
      )
      for (const row of rows) {
        const violation =
          checkBalance(row, requiredPayments) ?? checkAllowedAction(row, reviewedRegNos)
        if (violation !== null) return violation
      }
      return null
    },
  }
}
