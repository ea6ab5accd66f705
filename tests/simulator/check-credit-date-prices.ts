/** Invariant for payments whose price depends on the credit date. It uses its own list of prices. */
import { dayOf } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import { CLOSES_AT, METHOD_PRICED_ON_CREDIT_DATE, listPrices } from './events.ts'
import type { Violation } from './check-payments.ts'

type Row = {
  readonly id: number
  readonly reg_no: string
  readonly category: string
  readonly amount: number
  readonly asked: number
  readonly paid_at: Instant
  readonly state: string
}
/**
 * Payments confirmed by staff whose price depends on the credit date, except second payments, moved payments and
 * payments for ended registrations.
 */
const CREDITED_CAPTURES_SQL = `SELECT c.id, r.reg_no, r.category, c.amount, p.amount AS asked, c.paid_at, c.state
  FROM captures c JOIN payments p ON p.id = c.counts_for JOIN registrations r ON r.id = p.registration_id
  WHERE p.way = '${METHOD_PRICED_ON_CREDIT_DATE}' AND p.asks_for = 'whole' AND coalesce(c.why, '') NOT LIKE 'Payment received %'
    AND NOT EXISTS (SELECT 1 FROM decisions d WHERE d.capture_id = c.id AND d.what LIKE 'move%')
    AND NOT EXISTS (SELECT 1 FROM captures first WHERE first.counts_for = p.id AND first.id <> c.id AND first.state IN ('fits', 'accepted'))
  ORDER BY c.id`

export function createCreditedInvariants(sql: () => Sql): {
  afterWrite(): Promise<Violation | null>
} {
  let lastId = 0
  return {
    afterWrite: async () => {
      for (const row of await sql()<Row>(CREDITED_CAPTURES_SQL).all()) {
        if (row.id <= lastId) continue
        lastId = row.id
        if (row.paid_at >= CLOSES_AT) continue
        const prices: readonly number[] = listPrices(row.category, dayOf(row.paid_at))
        const isPriceOfDay = prices.includes(row.asked)
        const isReviewCorrect = (row.state === 'review') === (row.amount !== row.asked)
        if (!isPriceOfDay || !isReviewCorrect)
          return {
            invariant:
              'a payment whose price depends on the credit date is compared with the price on that date',
            cause: JSON.stringify(row),
          }
      }
      return null
    },
  }
}
