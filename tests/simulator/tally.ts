/** Counts what happens in histories, to show that every invariant was exercised. */
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import { isLost } from './razorpay-disputes.ts'
import { getCaptureTime, isCapture } from './gateway.ts'
import type { Gateway } from './gateway.ts'

const COUNT_NAMES = [
  'histories',
  'registrations',
  'payments',
  'successes',
  'captures',
  'lateCaptures',
  'secondCaptures',
  'authorized',
  'returned',
  'twoCheckouts',
  'failedRefunds',
  'dollars',
  'disputes',
  'lostDisputes',
  'recordedDisputes',
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
  'incidents',
  'writes',
  'toTheEnd',
] as const
export type Counts = Record<(typeof COUNT_NAMES)[number], number>
export type Tally = Counts & {
  /** Counts the stored rows and the gateway's transactions at the end of a history. */
  close(sql: Sql, gateway: Gateway): Promise<void>
}

export const createCounts = (): Counts =>
  Object.fromEntries(COUNT_NAMES.map((name) => [name, 0])) as Counts

export function add(target: Counts, source: Counts): void {
  for (const name of COUNT_NAMES) target[name] += source[name]
}

/** A payment counts as late an hour after the redirect, when no delegate is still on the gateway's page. */
const LATE_MS = 3_600_000

export function createTally(): Tally {
  return {
    ...createCounts(),
    histories: 1,
    async close(sql, gateway) {
      const countRows = async (text: string): Promise<number> =>
        (await sql<{ n: number }>(text).get())?.n ?? 0
      this.registrations = await countRows('SELECT count(*) AS n FROM registrations')
      this.payments = await countRows('SELECT count(*) AS n FROM payments')
      this.successes = await countRows(
        "SELECT count(*) AS n FROM payments WHERE status = 'success'",
      )
      this.reviews = await countRows("SELECT count(*) AS n FROM captures WHERE state = 'review'")
      this.codesUsed = await countRows('SELECT count(*) AS n FROM code_uses')
      this.placesGone = await countRows(
        "SELECT count(*) AS n FROM payment_facts WHERE refusal = 'place_gone'",
      )
      this.recordedDisputes = await countRows(
        "SELECT count(*) AS n FROM refunds WHERE reference LIKE 'disp%'",
      )
      this.refunds = await countRows('SELECT count(*) AS n FROM refunds')
      for (const {
        at,
        checkouts,
        currency,
        disputes,
        gatewayRefunds,
        transactions,
      } of gateway.orders.values()) {
        this.failedRefunds += gatewayRefunds.filter(({ failsAt }) => failsAt !== null).length
        this.disputes += disputes.length
        this.lostDisputes += disputes.filter(isLost).length
        if (currency === 'USD') this.dollars += transactions.filter(isCapture).length
        if (checkouts.length > 1) this.twoCheckouts += 1
        const orderCaptures = transactions.filter(isCapture)
        this.authorized += transactions.filter(
          ({ code, capturedAt }) =>
            capturedAt !== null || code === 'authorized' || code === 'returned',
        ).length
        this.returned += transactions.filter(({ code }) => code === 'returned').length
        this.captures += orderCaptures.length
        this.lateCaptures += orderCaptures.filter(
          (capture) => getCaptureTime(capture) - at > LATE_MS,
        ).length
        this.secondCaptures += Math.max(0, orderCaptures.length - 1)
      }
    },
  }
}
