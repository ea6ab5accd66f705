/**
 * Maintains counters of registrations and revenue, so that no figure has to count rows.
 * Registrations per event, Indian day, category, period and status (kept by triggers once they are counted, see
 * migrations/amounts-due.ts), and revenue per event and day. Missing categories and periods count under ''.
 */
import { dayOf, ENDED_STATES, paise } from '../../../engine/index.ts'
import type { Day, Instant, Paise, PaymentStatus } from '../../../engine/index.ts'
import { statement } from '../database/statements/statement.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { COUNT_NEW, owed } from '../migrations/amounts-due.ts'
import type { EventFigures, ListQuery, StatusSum } from '../index.ts'

/** On PostgreSQL the row is appended: one row for each day would be locked by every payment of the day. */
const addRevenue = statement(
  (
    builder,
    { eventId, day, amount }: { eventId: string; day: Day; amount: Paise },
    { countersAreAppended },
  ) => {
    const insert = builder.insertInto('revenue').values({ event_id: eventId, day, amount })
    return countersAreAppended
      ? insert
      : insert.onConflict((conflict) =>
          conflict.columns(['event_id', 'day']).doUpdateSet((is) => ({
            amount: is('revenue.amount', '+', is.ref('excluded.amount')),
          })),
        )
  },
)

/** Books whole paise for a registration, on the Indian day of the instant; negative: a refund. */
export function book(
  sql: Sql,
  { event_id: eventId, registration_id: id }: Booked,
  at: Instant,
  amount: number,
): void {
  addRevenue.run(sql, { eventId, day: dayOf(at), amount: paise(amount) })
  sql('UPDATE registrations SET booked = booked + ?, refunded = refunded + ? WHERE id = ?').run(
    amount,
    Math.max(0, -amount),
    id,
  )
}
/** For a registration `r`: cancelled or refused. An index uses this expression, so it must not change. */
export const IS_ENDED = `r.state IN (${ENDED_STATES.map((state) => `'${state}'`).join(', ')})`
/** The amount still to be paid for a registration `r`, as in the counters' triggers. */
export const OWED = owed('r')
type Booked = { readonly event_id: string; readonly registration_id: number }

/** Counts the registrations added since; run it before committing the transaction that added them. */
export async function countNew(sql: Sql): Promise<void> {
  // Triggers count them there.
  if (sql.dialect.countersAreAppended) return
  const changes = await sql(COUNT_NEW).run().changes
  if (changes > 0) sql('UPDATE counted SET last_id = (SELECT max(id) FROM registrations)').run()
}

type Tests = { readonly where: string; readonly params: readonly unknown[] }

/** For queries that ask only for what the counters are kept by: no search, no answers, nothing that waits. */
function testsOf(query: ListQuery): Tests {
  // Through a function, so that the commonest are not planned anew at every run; see `LIMIT`.
  const tests: [string, string][] = [["event_id = coalesce(?, '')", query.eventId]]
  if (query.dateFrom !== undefined) tests.push(['day >= ?', query.dateFrom])
  if (query.dateTo !== undefined) tests.push(['day <= ?', query.dateTo])
  if (query.paymentStatus !== undefined) tests.push(['status = ?', query.paymentStatus])
  if (query.category !== undefined) tests.push(['category = ?', query.category])
  if (query.period !== undefined) tests.push(['period = ?', query.period])
  return {
    where: tests.map(([test]) => test).join(' AND '),
    params: tests.map(([, value]) => value),
  }
}

/** Exact, and as fast for a million as for ten. */
export function sumsOf(sql: Sql, query: ListQuery): Promise<readonly StatusSum[]> {
  const { where, params } = testsOf(query)
  return sql<StatusSum>(
    `SELECT status, sum(registrations) AS count, sum(booked) AS booked, sum(owed) AS owed, sum(ended) AS ended FROM counters
     WHERE ${where} GROUP BY status HAVING sum(registrations) <> 0`,
  ).all(...params)
}

/** Returns how many registrations match a query per day, in the order of its days. */
export function countByDay(
  sql: Sql,
  query: ListQuery,
  isDescending: boolean,
): Promise<readonly { readonly day: Day; readonly n: number }[]> {
  const { where, params } = testsOf(query)
  return sql<{ day: Day; n: number }>(
    `SELECT day, sum(registrations) AS n FROM counters WHERE ${where} GROUP BY day ORDER BY day ${isDescending ? 'DESC' : 'ASC'}`,
  ).all(...params)
}

/**
 * Returns how many registrations have each status, how many of them were made on the day, and how many have
 * ended.
 */
export function countByStatus(
  sql: Sql,
  eventId: string,
  day: Day,
): Promise<
  readonly {
    readonly status: PaymentStatus
    readonly n: number
    readonly onDay: number
    readonly ended: number
  }[]
> {
  return sql<{ status: PaymentStatus; n: number; onDay: number; ended: number }>(
    'SELECT status, sum(registrations) AS n, sum(iif(day = ?, registrations, 0)) AS onDay, sum(ended) AS ended FROM counters WHERE event_id = ? GROUP BY status',
  ).all(day, eventId)
}

export function countByCategory(
  sql: Sql,
  eventId: string,
): Promise<
  readonly {
    readonly category: string
    readonly registrations: number
    readonly pending: number
  }[]
> {
  return sql<{ category: string; registrations: number; pending: number }>(
    `SELECT category, sum(registrations) AS registrations, sum(iif(status = 'pending', registrations, 0)) AS pending
     FROM counters WHERE event_id = ? GROUP BY category`,
  ).all(eventId)
}

/** Registrations by day made, payments by day moved; days without either are left out. */
export function byDay(sql: Sql, eventId: string): Promise<EventFigures['byDay']> {
  return sql<{ day: Day; registrations: number; revenue: Paise }>(
    `SELECT day, sum(registrations) AS registrations, sum(amount) AS revenue FROM (
       SELECT day, registrations, 0 AS amount FROM counters WHERE event_id = ?
       UNION ALL SELECT day, 0, amount FROM revenue WHERE event_id = ?
     ) AS days GROUP BY day HAVING sum(registrations) <> 0 OR sum(amount) <> 0 ORDER BY day`,
  ).all(eventId, eventId)
}
