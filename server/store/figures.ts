/** One event in figures: what the dashboard shows, and what of the event's file is in use. On the reader thread. */
import type { Day, Paise, PaymentStatus } from '../../engine/index.ts'
import { byDay, countByCategory, countByStatus } from './counters.ts'
import type { Sql } from './database.ts'
import { registrationsByIds } from './rows.ts'
import type { EventFigures, Store } from './store.ts'

/** The dashboard shows so many of the newest beside its figures. */
const RECENT_ROWS = 5
/** A field with more different answers than this is free text, not a choice. */
const OPTIONS_MAX = 500
/** So is one with a longer answer: option ids are short. */
const OPTION_CHARACTERS_MAX = 100

export function figures(sql: Sql, eventId: string, today: Day): EventFigures {
  const statuses = countByStatus(sql, eventId, today)
  const of = (status: PaymentStatus): number =>
    statuses.find((row) => row.status === status)?.n ?? 0
  const days = byDay(sql, eventId)
  const recent = sql<{ id: number }>(
    'SELECT id FROM registrations WHERE event_id = ? ORDER BY created_at DESC, id DESC LIMIT ?',
  ).all(eventId, RECENT_ROWS)
  return {
    total: statuses.reduce((sum, { n }) => sum + n, 0),
    paid: of('success'),
    pending: of('pending'),
    failed: of('failed'),
    today: statuses.reduce((sum, { onDay }) => sum + onDay, 0),
    revenue: days.reduce((sum, { revenue }) => sum + revenue, 0) as Paise,
    byDay: days,
    recent: registrationsByIds(
      sql,
      recent.map(({ id }) => id),
    ),
  }
}

export function inUse(sql: Sql, eventId: string): Awaited<ReturnType<Store['inUse']>> {
  const counted = countByCategory(sql, eventId)
  const answers = sql<{ field: string; value: string; type: string; n: number }>(
    `SELECT a.key AS field, CAST(a.value AS TEXT) AS value, a.type AS type, count(*) AS n
     FROM registrations r, json_each(r.answers) a WHERE r.event_id = ? GROUP BY a.key, a.type, a.value`,
  ).all(eventId)
  const byField = Map.groupBy(answers, ({ field }) => field)
  const choice = (rows: typeof answers): boolean =>
    rows.length <= OPTIONS_MAX && rows.every(({ value }) => value.length <= OPTION_CHARACTERS_MAX)
  const named = (row: (typeof answers)[number]): string =>
    row.type === 'true' || row.type === 'false' ? row.type : row.value
  return {
    registrations: counted.reduce((sum, { registrations }) => sum + registrations, 0),
    pending: counted.reduce((sum, { pending }) => sum + pending, 0),
    fields: Object.fromEntries(
      [...byField].map(([field, rows]) => [field, rows.reduce((sum, { n }) => sum + n, 0)]),
    ),
    options: Object.fromEntries(
      [...byField]
        .filter(([, rows]) => choice(rows))
        .map(([field, rows]) => [
          field,
          Object.fromEntries(rows.map((row) => [named(row), row.n])),
        ]),
    ),
    categories: Object.fromEntries(
      counted
        .filter(({ category, registrations }) => category !== '' && registrations !== 0)
        .map(({ category, registrations }) => [category, registrations]),
    ),
  }
}
