/** Rows of a list: of a registration what its columns can show, read without anything else and sent as it stands. */
import type { Answers } from '../../engine/index.ts'
import { linesOf } from './bills.ts'
import type { Sql } from './database.ts'
import type { ListedRegistration } from './store.ts'

/** As it goes from thread to thread: what is text in its row stays text. */
export type ListedRow = Omit<ListedRegistration, 'answers' | 'inReview' | 'payments'> & {
  readonly answers: string
  readonly inReview: 0 | 1
  /** Of the newest attempt. */
  readonly orderId: ListedRegistration['payments'][number]['orderId'] | null
}
type Row = Omit<ListedRow, 'lines'> & { readonly bill: number | null }

/** In the order of the ids. */
export function listedByIds(sql: Sql, ids: readonly number[]): readonly ListedRow[] {
  if (ids.length === 0) return []
  const wanted = JSON.stringify(ids)
  const rows = sql<Row>(
    `SELECT r.id, event_id AS eventId, reg_no AS regNo, answers, category, period, base, gst, total, bill,
       payment_status AS paymentStatus, in_review AS inReview, state, payment_id AS paymentId, paid_at AS paidAt, created_at AS createdAt,
       (SELECT order_id FROM payments p WHERE p.registration_id = r.id ORDER BY attempt DESC LIMIT 1) AS orderId
     FROM registrations r WHERE r.id IN (SELECT value FROM json_each(?))`,
  ).all(wanted)
  const lines = rows.some(({ bill }) => bill !== null) ? linesOf(sql, wanted) : null
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => {
    const row = byId.get(id)
    if (row === undefined) return []
    const { bill, ...rest } = row
    return [{ ...rest, lines: lines?.(id, bill) ?? [] }]
  })
}

export function toListed({ answers, inReview, orderId, ...row }: ListedRow): ListedRegistration {
  return {
    ...row,
    answers: JSON.parse(answers) as Answers,
    inReview: inReview === 1,
    payments: orderId === null ? [] : [{ orderId }],
  }
}
