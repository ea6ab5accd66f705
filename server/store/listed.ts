/** Rows of a list: of a registration what its columns can show, read without anything else and sent as it stands. */
import type { Answers } from '../../engine/index.ts'
import { amongIds } from './among.ts'
import { linesOf } from './bills.ts'
import type { Sql } from './database.ts'
import type { ListedRegistration } from './store.ts'

type Row = Omit<ListedRegistration, 'answers' | 'inReview' | 'payments' | 'lines'> & {
  readonly answers: string
  readonly inReview: 0 | 1
  readonly bill: number | null
  /** Of the newest attempt. */
  readonly orderId: OrderId
}
type OrderId = ListedRegistration['payments'][number]['orderId'] | null
/**
 * Rows as they go from thread to thread: two texts, because one text is copied and read in a third of the time in which as
 * many objects are. Both are JSON of a list, in the same order; answers go as they are stored.
 */
export type ListedRows = { readonly rows: string; readonly answers: string }
/** What goes of a row beside its answers. */
type Beside = Omit<ListedRegistration, 'answers' | 'payments'> & { readonly orderId: OrderId }
const NONE: ListedRows = { rows: '[]', answers: '[]' }

/** In the order of the ids. */
export function listedByIds(sql: Sql, ids: readonly number[]): ListedRows {
  if (ids.length === 0) return NONE
  const among = amongIds(ids)
  const rows = sql<Row>(
    `SELECT r.id, event_id AS eventId, reg_no AS regNo, answers, category, period, base, gst, total, bill,
       payment_status AS paymentStatus, in_review AS inReview, state, payment_id AS paymentId, paid_at AS paidAt, created_at AS createdAt,
       (SELECT order_id FROM payments p WHERE p.registration_id = r.id ORDER BY attempt DESC LIMIT 1) AS orderId
     FROM registrations r WHERE r.id ${among.are}`,
  ).all(among.bound)
  const lines = rows.some(({ bill }) => bill !== null) ? linesOf(sql, among) : null
  const byId = new Map(rows.map((row) => [row.id, row]))
  const beside: Beside[] = []
  const answers: string[] = []
  for (const id of ids) {
    const row = byId.get(id)
    if (row === undefined) continue
    const { bill, answers: own, inReview, ...rest } = row
    beside.push({ ...rest, inReview: inReview === 1, lines: lines?.(id, bill) ?? [] })
    answers.push(own)
  }
  return { rows: JSON.stringify(beside), answers: `[${answers.join(',')}]` }
}

export function toListed({ rows, answers }: ListedRows): readonly ListedRegistration[] {
  const all = JSON.parse(answers) as readonly Answers[]
  return (JSON.parse(rows) as readonly Beside[]).map(({ orderId, ...row }, at) => ({
    ...row,
    answers: all[at] ?? {},
    payments: orderId === null ? [] : [{ orderId }],
  }))
}
