/**
 * What is promised of what is due, looked at after every write: what counts is what it costs, less what staff let go, but
 * for what is still to be paid or paid back; and whatever is still to happen, there is somebody who can do it.
 */
import type { RegistrationState, PaymentStatus } from '../../engine/index.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import { reviews } from '../../server/storage/reviews/open-reviews.ts'
import type { Violation } from './check-payments.ts'
import { owedBackOf } from './check-owed-refunds.ts'
import { requiredOf } from './expected-balance.ts'
import type { Required } from './expected-balance.ts'

type Row = {
  id: number
  reg_no: string
  state: RegistrationState
  status: PaymentStatus
  in_review: 0 | 1
  total: number | null
  due: number
  paid_back: number
  orders: number
  left: number
  under_way: number
  asks: number | null
}
/** `left`: of what counts, what has not gone back. */
const ROWS = `SELECT r.id, r.reg_no, r.state, r.payment_status AS status, r.in_review, r.total, r.due,
  (SELECT coalesce(sum(d.amount), 0) FROM dues d WHERE d.registration_id = r.id AND d.what = 'paid back') AS paid_back,
  (SELECT count(*) FROM payments p WHERE p.registration_id = r.id) AS orders,
  (SELECT coalesce(sum(c.amount - (SELECT coalesce(sum(f.amount), 0) FROM refunds f WHERE f.capture_id = c.id AND f.state <> 'refused')), 0)
    FROM captures c JOIN payments p ON p.id = c.counts_for WHERE p.registration_id = r.id AND c.state IN ('fits', 'accepted')) AS left,
  (SELECT coalesce(sum(f.amount), 0) FROM refunds f JOIN captures c ON c.id = f.capture_id JOIN payments p ON p.id = c.counts_for
    WHERE p.registration_id = r.id AND f.state IN ('wanted', 'asked', 'unsure')) AS under_way,
  (SELECT p.amount FROM payments p WHERE p.registration_id = r.id AND p.status IN ('pending', 'failed') ORDER BY p.attempt DESC LIMIT 1) AS asks
  FROM registrations r`

export type DuePromises = {
  afterWrite(): Violation | null
  /** What of the refunds of a registration was owed before it was cancelled. */
  owedBack(id: number): number
}

export function duePromisesOf(sql: () => Sql): DuePromises {
  const observed = requiredOf(sql)
  const owedBack = owedBackOf(sql)
  const balance = (row: Row, all: Required): Violation | null => {
    const { id, state, status, orders, total, due } = row
    if (orders === 0 || total === null) return null
    const { came, required } = all.of(id)
    const by = JSON.stringify({ ...row, came, required: required(total) })
    if (state === 'cancelled' && due > 0)
      return { promise: 'nothing is to be paid for what is cancelled', by }
    if (
      state !== 'cancelled' &&
      status === 'success' &&
      came - row.paid_back !== required(total) - due
    )
      return { promise: 'what was paid is what has to be, but for what is due', by }
    if (due < 0 && row.left + row.under_way < -due)
      return { promise: 'what is to be paid back is there', by }
    return null
  }
  const movable = (row: Row, waiting: ReadonlySet<string>): Violation | null => {
    const { state, status, in_review: inReview, due, asks, total } = row
    const by = JSON.stringify(row)
    if (inReview === 1 && !waiting.has(row.reg_no))
      return { promise: 'nobody waits where nobody may act: money in review is decided about', by }
    const isOpen = state === 'to_pay' || state === 'told' || state === 'lapsed'
    if (!isOpen || inReview === 1) return null
    const amount = status === 'success' ? due : total
    if (amount !== null && asks !== amount)
      return { promise: 'nobody waits where nobody may act: what is due can be paid', by }
    return null
  }
  return {
    owedBack: owedBack.of,
    afterWrite: () => {
      const rows = sql()<Row>(ROWS).all()
      const all = observed()
      const standings = rows.map((row) => ({ ...row, there: row.left + row.under_way }))
      owedBack.afterWrite(standings, all)
      const isAsked = rows.some((row) => row.in_review === 1)
      const waiting = new Set(isAsked ? reviews(sql(), null).map(({ regNo }) => regNo ?? '') : [])
      for (const row of rows) {
        const found = balance(row, all) ?? movable(row, waiting)
        if (found !== null) return found
      }
      return null
    },
  }
}
