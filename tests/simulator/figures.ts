/**
 * Promises about figures: money that was received less what was refunded is the same, to the paisa, in the list, its CSV, the
 * sales and the dashboard, and the same as the captures and refunds add up to.
 */
import { parse } from 'csv-parse/sync'
import type { ListAnswer, SoldAnswer, StatsAnswer } from '../../engine/index.ts'
import type { Sql } from '../../server/store/database.ts'
import { served } from './events.ts'
import type { EventId } from './events.ts'
import type { Hands } from './hands.ts'
import type { Violation } from './promises.ts'

const KEPT = `SELECT coalesce(sum(c.amount - (SELECT coalesce(sum(f.amount), 0) FROM refunds f WHERE f.capture_id = c.id AND f.state = 'done')), 0) AS kept
  FROM captures c JOIN payments p ON p.id = c.counts_for JOIN registrations r ON r.id = p.registration_id
  WHERE r.event_id = ? AND c.state IN ('fits', 'accepted')`

const paiseIn = (rupees: unknown): number => Math.round(Number(rupees ?? 0) * 100)

/** What each page of the office says, in paise; null: one was not answered, or something happened meanwhile. */
async function readFigures(
  hands: Hands,
  sql: () => Sql,
  event: EventId,
): Promise<Readonly<Record<string, number>> | null> {
  const [list] = served(event, 'usual').config.admin.lists
  if (list === undefined) return null
  const token = await hands.signIn('Omar')
  if (token === null) return null
  const kept = (): number => sql()<{ kept: number }>(KEPT).get(event)?.kept ?? 0
  const before = kept()
  const get = async (url: string): Promise<string | null> => {
    const answer = await hands.call('GET', url, token)
    return answer?.status === 200 ? answer.body : null
  }
  const listed = await get(`${list.api}?page_size=${Math.max(...list.pageSizes)}`)
  const csv = list.export === null ? null : await get(list.export.api)
  const sold = await get(`/admin/sold/?event_id=${event}&list_id=${list.id}`)
  const stats = await get('/admin/dashboard/stats/')
  if (listed === null || csv === null || sold === null || stats === null) return null
  if (kept() !== before) return null
  const { registrations, sums } = JSON.parse(listed) as ListAnswer
  const { rows, paid_beside: beside } = JSON.parse(sold) as SoldAnswer
  const { data } = JSON.parse(stats) as StatsAnswer
  const lines = parse(csv.replace(/^\uFEFF/, ''), { columns: true }) as Record<string, string>[]
  const sum = <T>(all: readonly T[], of: (one: T) => number): number =>
    all.reduce((added, one) => added + of(one), 0)
  const dashboard = data[`${event}_stats`] as { readonly total_revenue?: number } | undefined
  return {
    captures: before,
    list: paiseIn(sums?.money),
    rows: sum(registrations, (row) => paiseIn(row['money.paid']) - paiseIn(row['money.refunded'])),
    csv: sum(lines, (row) => paiseIn(row['Amount paid']) - paiseIn(row['Amount refunded'])),
    sales: paiseIn(beside) + sum(rows, (row) => paiseIn(row.paid_total)),
    dashboard: paiseIn(dashboard?.total_revenue),
  }
}

/** Compares them; null: they agree, or could not be read at one moment. */
export async function compareFigures(
  hands: Hands,
  sql: () => Sql,
  event: EventId,
): Promise<Violation | null> {
  const figures = await readFigures(hands, sql, event)
  if (figures === null || new Set(Object.values(figures)).size === 1) return null
  return {
    promise: 'list, CSV, sales and dashboard show the money that was received less refunds',
    by: `${event}: ${JSON.stringify(figures)}`,
  }
}
