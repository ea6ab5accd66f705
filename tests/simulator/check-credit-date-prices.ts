/** What is promised of money whose day of credit decides the price: by the prices as the test itself has them. */
import { dayOf } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import { CLOSES, CREDITED, pricesOn } from './events.ts'
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
/** Money that a person has confirmed, and that came neither a second time, moved there or not, nor for what is gone, of what is to be paid at the price of the day on which it comes. */
const CAME = `SELECT c.id, r.reg_no, r.category, c.amount, p.amount AS asked, c.paid_at, c.state
  FROM captures c JOIN payments p ON p.id = c.counts_for JOIN registrations r ON r.id = p.registration_id
  WHERE p.way = '${CREDITED}' AND p.asks_for = 'whole' AND coalesce(c.why, '') NOT LIKE 'Payment received %'
    AND NOT EXISTS (SELECT 1 FROM decisions d WHERE d.capture_id = c.id AND d.what LIKE 'move%')
    AND NOT EXISTS (SELECT 1 FROM captures first WHERE first.counts_for = p.id AND first.id <> c.id AND first.state IN ('fits', 'accepted'))
  ORDER BY c.id`

export function creditedPromisesOf(sql: () => Sql): { afterWrite(): Violation | null } {
  let last = 0
  return {
    afterWrite: () => {
      for (const row of sql()<Row>(CAME).all()) {
        if (row.id <= last) continue
        last = row.id
        if (row.paid_at >= CLOSES) continue
        const prices: readonly number[] = pricesOn(row.category, dayOf(row.paid_at))
        const isAsked = prices.includes(row.asked)
        const isJudged = (row.state === 'review') === (row.amount !== row.asked)
        if (!isAsked || !isJudged)
          return {
            promise:
              'what comes where the day of credit decides is asked for at the price of that day',
            by: JSON.stringify(row),
          }
      }
      return null
    },
  }
}
