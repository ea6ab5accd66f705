/** What happened in histories, how often: so that a table can show that what was promised was tried. */
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import { isMoney } from './gateway.ts'
import type { Gateway } from './gateway.ts'

const COUNTED = [
  'histories',
  'registrations',
  'payments',
  'successes',
  'captures',
  'lateCaptures',
  'secondCaptures',
  'reviews',
  'refunds',
  'refundCalls',
  'decisions',
  'figures',
  'settlements',
  'acts',
  'acted',
  'resumed',
  'full',
  'codesRefused',
  'codesUsed',
  'placesGone',
  'questions',
  'notices',
  'crashes',
  'mishaps',
  'writes',
  'toTheEnd',
] as const
export type Counts = Record<(typeof COUNTED)[number], number>
export type Tally = Counts & {
  /** What the end of a history holds. */
  close(sql: Sql, gateway: Gateway): void
}

export const noCounts = (): Counts => Object.fromEntries(COUNTED.map((name) => [name, 0])) as Counts

export function add(to: Counts, from: Counts): void {
  for (const name of COUNTED) to[name] += from[name]
}

/** An hour after the hand-off nobody waits in front of a page any more. */
const LATE_MS = 3_600_000

export function noTally(): Tally {
  return {
    ...noCounts(),
    histories: 1,
    close(sql, gateway) {
      const count = (text: string): number => sql<{ n: number }>(text).get()?.n ?? 0
      this.registrations = count('SELECT count(*) AS n FROM registrations')
      this.payments = count('SELECT count(*) AS n FROM payments')
      this.successes = count("SELECT count(*) AS n FROM payments WHERE status = 'success'")
      this.reviews = count("SELECT count(*) AS n FROM captures WHERE state = 'review'")
      this.codesUsed = count('SELECT count(*) AS n FROM code_uses')
      this.placesGone = count(
        "SELECT count(*) AS n FROM payment_facts WHERE refusal = 'place_gone'",
      )
      this.refunds = count('SELECT count(*) AS n FROM refunds')
      for (const { at, transactions } of gateway.orders.values()) {
        const came = transactions.filter(isMoney)
        this.captures += came.length
        this.lateCaptures += came.filter((made) => made.at - at > LATE_MS).length
        this.secondCaptures += Math.max(0, came.length - 1)
      }
    },
  }
}
