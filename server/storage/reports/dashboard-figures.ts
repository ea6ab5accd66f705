/**
 * Computes the figures of one event for the dashboard, and what of its file is in use.
 * Runs on the reader thread.
 */
import { paise, RUPEE_CODES } from '../../../engine/index.ts'
import type { Day, Paise, PaymentStatus } from '../../../engine/index.ts'
import { byDay, countByCategory, countByStatus } from './registration-and-revenue-counters.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { LEFT } from '../refunds/record-refunds.ts'
import { registrationsByIds } from '../registrations/row-mapping.ts'
import type { EventFigures, Store } from '../index.ts'

/** The dashboard shows so many of the newest beside its figures. */
const RECENT_ROWS = 5
/** A field with more different answers than this is free text, not a choice. */
const OPTIONS_MAX = 500
/** So is one with a longer answer: option ids are short. */
const OPTION_CHARACTERS_MAX = 100

export async function figures(sql: Sql, eventId: string, today: Day): Promise<EventFigures> {
  const statuses = await countByStatus(sql, eventId, today)
  const of = (status: PaymentStatus): number =>
    statuses.reduce((sum, row) => (row.status === status ? sum + row.n - row.ended : sum), 0)
  const days = await byDay(sql, eventId)
  const recent = await sql<{ id: number }>(
    'SELECT id FROM registrations WHERE event_id = ? ORDER BY created_at DESC, id DESC LIMIT ?',
  ).all(eventId, RECENT_ROWS)
  return {
    total: statuses.reduce((sum, { n }) => sum + n, 0),
    paid: of('success'),
    pending: of('pending'),
    failed: of('failed'),
    refunded: of('refunded'),
    ended: statuses.reduce((sum, { ended }) => sum + ended, 0),
    today: statuses.reduce((sum, { onDay }) => sum + onDay, 0),
    revenue: days.reduce((sum, { revenue }) => sum + revenue, 0) as Paise,
    dismissed: await dismissedOf(sql, eventId),
    byDay: days,
    recent: await registrationsByIds(
      sql,
      recent.map(({ id }) => id),
    ),
  }
}

/** In rupees; money of the gateway's test mode did not move. */
async function dismissedOf(sql: Sql, eventId: string): Promise<Paise> {
  const row = await sql<{ amount: number | null }>(
    `SELECT sum(${LEFT}) AS amount FROM decisions d JOIN captures c ON c.id = d.capture_id AND d.about = 'C' || c.id
     LEFT JOIN registrations r ON r.id = c.registration_id
     WHERE d.what = 'dismiss' AND c.state = 'refused' AND c.kind <> 'test' AND coalesce(r.event_id, c.found_for) = ?
       AND c.currency IN ('', ${RUPEE_CODES.map((code) => `'${code}'`).join(', ')})`,
  ).get(eventId)
  return paise(row?.amount ?? 0)
}

export async function inUse(
  sql: Sql,
  eventId: string,
): Promise<Awaited<ReturnType<Store['inUse']>>> {
  const counted = await countByCategory(sql, eventId)
  const answers = await sql<{ field: string; value: string; type: string; n: number }>(
    `SELECT a.key AS field, CAST(a.value AS TEXT) AS value, a.type AS type, count(*) AS n
     FROM registrations r, json_each(r.answers) a WHERE r.event_id = ? GROUP BY a.key, a.type, a.value`,
  ).all(eventId)
  const byField = Map.groupBy(answers, ({ field }) => field)
  const choice = (rows: typeof answers): boolean =>
    rows.length <= OPTIONS_MAX && rows.every(({ value }) => value.length <= OPTION_CHARACTERS_MAX)
  const counts = async (statement: string): Promise<Record<string, number>> =>
    Object.fromEntries(
      (await sql<{ name: string; n: number }>(statement).all(eventId)).map(({ name, n }) => [
        name,
        n,
      ]),
    )
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
          Object.fromEntries(
            [...Map.groupBy(rows.flatMap(chosenIn), ([option]) => option)].map(([option, all]) => [
              option,
              all.reduce((sum, [, n]) => sum + n, 0),
            ]),
          ),
        ]),
    ),
    categories: Object.fromEntries(
      counted
        .filter(({ category, registrations }) => category !== '' && registrations !== 0)
        .map(({ category, registrations }) => [category, registrations]),
    ),
    items: await counts(
      `SELECT l.item AS name, count(DISTINCT r.id) AS n FROM registrations r
       JOIN bill_lines l ON l.registration_id = r.id AND l.bill = r.bill WHERE r.event_id = ? GROUP BY l.item`,
    ),
    places: await counts(
      'SELECT place AS name, taken AS n FROM places WHERE event_id = ? AND taken > 0',
    ),
    codes: await counts(
      `SELECT kind AS name, count(*) AS n FROM codes c JOIN code_uses u ON u.code_id = c.id
       WHERE c.event_id = ? GROUP BY kind`,
    ),
  }
}

/** The options that an answer names: itself, or each of a list of them. People are none. */
function chosenIn(row: {
  readonly value: string
  readonly type: string
  readonly n: number
}): readonly (readonly [string, number])[] {
  if (row.type !== 'array')
    return [[row.type === 'true' || row.type === 'false' ? row.type : row.value, row.n]]
  const list = JSON.parse(row.value) as readonly unknown[]
  return list.flatMap((one) => (typeof one === 'string' ? [[one, row.n] as const] : []))
}
