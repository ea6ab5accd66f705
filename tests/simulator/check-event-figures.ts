/**
 * Invariants for each event's figures, checked after every write that changes its payments or bills: the list, its
 * export, the sales, the payments and the dashboard equal the counted captures minus the completed refunds.
 */
import { day, instant } from '../../engine/index.ts'
import type { Amount, Currency } from '../../engine/index.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import { exportChunk } from '../../server/storage/lists/list-and-search-registrations.ts'
import { computeDashboardFigures } from '../../server/storage/reports/dashboard-figures.ts'
import { readMovementSums } from '../../server/storage/reports/movement-sums.ts'
import { readStatusSums } from '../../server/storage/reports/registration-and-revenue-counters.ts'
import { computeSalesOfList } from '../../server/storage/reports/sales-totals.ts'
import { getCurrency } from './events.ts'
import type { Violation } from './check-payments.ts'

/** `state` changes whenever a figure may change. */
type EventRow = {
  readonly id: string
  readonly currency: Currency
  readonly kept: number
  readonly state: string
}
const EVENTS_SQL = `SELECT r.event_id AS id, r.currency, sum(m.kept) AS kept, string_agg(r.id || ' ' || r.state || ' ' || coalesce(r.total, 0) || ' ' || m.came || ' ' || m.kept, ',') AS state
  FROM registrations r JOIN (SELECT r.id,
    (SELECT coalesce(sum(c.amount), 0) FROM captures c JOIN payments p ON p.id = c.counts_for
      WHERE p.registration_id = r.id AND c.state IN ('fits', 'accepted')) AS came,
    (SELECT coalesce(sum(c.amount - (SELECT coalesce(sum(f.amount), 0) FROM refunds f WHERE f.capture_id = c.id AND f.state = 'done')), 0)
      FROM captures c JOIN payments p ON p.id = c.counts_for WHERE p.registration_id = r.id AND c.state IN ('fits', 'accepted')) AS kept
    FROM registrations r) m ON m.id = r.id GROUP BY r.event_id, r.currency`
/** A date on which no simulated history has registrations. */
const EMPTY_DAY = day('2025-01-01')
const MAX_ROWS = 1000

type ExportedMoney = {
  readonly currency: Currency
  readonly money: { readonly paid: Amount; readonly refunded: Amount }
}

export function createEventFigureInvariants(
  sql: () => Sql,
  serverSql: () => Sql,
): {
  afterWrite(): Promise<Violation | null>
} {
  const statesBefore = new Map<string, string>()

  /** Reads the figures, in paise, through the store operations that the pages use. */
  const readFigures = async (
    eventId: string,
    currency: Currency,
  ): Promise<Readonly<Record<string, number>>> => {
    const query = { eventId, answers: {} }
    const netRevenue = (await readStatusSums(serverSql(), query))
      .filter(({ category }) => getCurrency(eventId, category) === currency)
      .reduce((sum, row) => sum + row.booked, 0)
    const { rows } = await exportChunk(serverSql(), query, null, MAX_ROWS)
    const { sums, unassignedAmounts } = await computeSalesOfList(serverSql(), query, [])
    return {
      list: netRevenue,
      export: (JSON.parse(rows.rows) as readonly ExportedMoney[])
        .filter((row) => row.currency === currency)
        .reduce((sum, { money }) => sum + money.paid - money.refunded, 0),
      sales: [
        ...sums.filter((sum) => sum.currency === currency).map(({ paidTotal }) => paidTotal),
        ...unassignedAmounts
          .filter((money) => money.currency === currency)
          .map(({ amount }) => amount),
      ].reduce<number>((sum, amount) => sum + amount, 0),
      payments: (
        await readMovementSums(serverSql(), {
          eventIds: [eventId],
          from: instant(0),
          to: instant(Number.MAX_SAFE_INTEGER),
        })
      )
        .filter((sum) => sum.currency === currency)
        .reduce<number>((net, { received, refunded }) => net + received - refunded, 0),
      dashboard: (await computeDashboardFigures(serverSql(), eventId, EMPTY_DAY, currency)).revenue,
    }
  }
  return {
    afterWrite: async () => {
      for (const { id, currency, kept, state } of await sql()<EventRow>(EVENTS_SQL).all()) {
        if (statesBefore.get(`${id} ${currency}`) === state) continue
        statesBefore.set(`${id} ${currency}`, state)
        const figures = await readFigures(id, currency)
        if (Object.values(figures).some((amount) => amount !== kept))
          return {
            invariant:
              'an event’s list, export, sales, payments and dashboard show payments minus refunds',
            cause: `${id}: ${kept} ${currency}, and ${JSON.stringify(figures)}`,
          }
      }
      return null
    },
  }
}
