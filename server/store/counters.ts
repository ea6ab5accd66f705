/**
 * What is counted as it happens, so that no figure counts rows: registrations per event, Indian day,
 * category, period and status (kept by triggers, see schema.ts), and revenue per event and day.
 * Categories and periods that a registration does not have count under ''.
 */
import { dayOf } from '../../engine/index.ts'
import type { Day, Instant, Paise, PaymentStatus } from '../../engine/index.ts'
import type { Sql } from './database.ts'
import type { EventFigures, ListQuery } from './store.ts'

/** Books whole paise on the Indian day of the instant; below zero: a refund. */
export function addRevenue(sql: Sql, eventId: string, at: Instant, amount: number): void {
  sql(
    'INSERT INTO revenue (event_id, day, amount) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET amount = amount + excluded.amount',
  ).run(eventId, dayOf(at), amount)
}

/** Exact; for queries that ask only for what the counters are kept by (no search, no answers). */
export function countOf(sql: Sql, query: ListQuery): number {
  const tests: [string, string][] = [['event_id = ?', query.eventId]]
  if (query.dateFrom !== undefined) tests.push(['day >= ?', query.dateFrom])
  if (query.dateTo !== undefined) tests.push(['day <= ?', query.dateTo])
  if (query.paymentStatus !== undefined) tests.push(['status = ?', query.paymentStatus])
  if (query.category !== undefined) tests.push(['category = ?', query.category])
  if (query.period !== undefined) tests.push(['period = ?', query.period])
  const row = sql<{ n: number }>(
    `SELECT coalesce(sum(registrations), 0) AS n FROM counters WHERE ${tests.map(([test]) => test).join(' AND ')}`,
  ).get(...tests.map(([, value]) => value))
  return row?.n ?? 0
}

/** How many registrations have each status, and how many of them came on the day. */
export function countByStatus(
  sql: Sql,
  eventId: string,
  day: Day,
): readonly { readonly status: PaymentStatus; readonly n: number; readonly onDay: number }[] {
  return sql<{ status: PaymentStatus; n: number; onDay: number }>(
    'SELECT status, sum(registrations) AS n, sum(iif(day = ?, registrations, 0)) AS onDay FROM counters WHERE event_id = ? GROUP BY status',
  ).all(day, eventId)
}

export function countByCategory(
  sql: Sql,
  eventId: string,
): readonly {
  readonly category: string
  readonly registrations: number
  readonly pending: number
}[] {
  return sql<{ category: string; registrations: number; pending: number }>(
    `SELECT category, sum(registrations) AS registrations, sum(iif(status = 'pending', registrations, 0)) AS pending
     FROM counters WHERE event_id = ? GROUP BY category`,
  ).all(eventId)
}

/** Registrations by the day they came, money by the day it moved; days without either are left out. */
export function byDay(sql: Sql, eventId: string): EventFigures['byDay'] {
  return sql<{ day: Day; registrations: number; revenue: Paise }>(
    `SELECT day, sum(registrations) AS registrations, sum(amount) AS revenue FROM (
       SELECT day, registrations, 0 AS amount FROM counters WHERE event_id = ?
       UNION ALL SELECT day, 0, amount FROM revenue WHERE event_id = ?
     ) GROUP BY day HAVING sum(registrations) <> 0 OR sum(amount) <> 0 ORDER BY day`,
  ).all(eventId, eventId)
}
