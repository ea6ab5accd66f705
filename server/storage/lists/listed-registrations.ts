/** Reads list rows with only the data that list columns show, passed on without conversion. */
import { paise } from '../../../engine/index.ts'
import type { Answers, Paise } from '../../../engine/index.ts'
import { amongIds } from '../database/select-by-ids.ts'
import { linesOf } from '../payments/stored-bill-lines.ts'
import { OWED } from '../reports/registration-and-revenue-counters.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { ListedRegistration } from '../index.ts'

type Row = Omit<ListedRegistration, 'answers' | 'inReview' | 'payments' | 'lines' | 'money'> & {
  readonly answers: string
  readonly inReview: 0 | 1
  readonly bill: number | null
  readonly booked: Paise
  readonly refunded: Paise
  readonly owed: Paise
  /** Of the newest attempt. */
  readonly orderId: OrderId
}
type OrderId = ListedRegistration['payments'][number]['orderId'] | null
/** What is read of a row beside its answers. */
type Beside = Omit<ListedRegistration, 'answers' | 'payments'> & { readonly orderId: OrderId }
/** Rows as read: their answers, in the same order, stay the stored text. */
export type ListedRows = { readonly beside: readonly Beside[]; readonly answers: readonly string[] }
/**
 * The same as sent between threads: two texts, because a text is copied and read in a third of the time of the
 * same data as objects. Each is a JSON list.
 */
export type ListedTexts = { readonly rows: string; readonly answers: string }

/** In the order of the ids. */
export async function listedByIds(sql: Sql, ids: readonly number[]): Promise<ListedRows> {
  if (ids.length === 0) return { beside: [], answers: [] }
  const among = amongIds(ids)
  const rows = await sql<Row>(
    `SELECT r.id, event_id AS eventId, reg_no AS regNo, former_no AS formerNo, answers, category, period, base, gst, total, bill,
       payment_status AS paymentStatus, in_review AS inReview, state, booked, refunded, ${OWED} AS owed, payment_id AS paymentId, paid_at AS paidAt, created_at AS createdAt,
       (SELECT order_id FROM payments p WHERE p.registration_id = r.id ORDER BY attempt DESC LIMIT 1) AS orderId
     FROM registrations r WHERE r.id ${among.are}`,
  ).all(among.bound)
  const lines = rows.some(({ bill }) => bill !== null) ? await linesOf(sql, among) : null
  const byId = new Map(rows.map((row) => [row.id, row]))
  const beside: Beside[] = []
  const answers: string[] = []
  for (const id of ids) {
    const row = byId.get(id)
    if (row === undefined) continue
    const { bill, answers: own, inReview, booked, refunded, owed, ...rest } = row
    const money = { paid: paise(booked + refunded), refunded, owed }
    beside.push({ ...rest, money, inReview: inReview === 1, lines: lines?.(id, bill) ?? [] })
    answers.push(own)
  }
  return { beside, answers }
}

export function asTexts({ beside, answers }: ListedRows): ListedTexts {
  return { rows: JSON.stringify(beside), answers: textOf(answers) }
}

export function fromTexts({ rows, answers }: ListedTexts): readonly ListedRegistration[] {
  return together(JSON.parse(rows) as readonly Beside[], answers)
}

export function toListed({ beside, answers }: ListedRows): readonly ListedRegistration[] {
  return together(beside, textOf(answers))
}

/** One text is read in less time than as many. */
const textOf = (answers: readonly string[]): string => `[${answers.join(',')}]`

function together(beside: readonly Beside[], answers: string): readonly ListedRegistration[] {
  const all = JSON.parse(answers) as readonly Answers[]
  return beside.map(({ orderId, ...row }, at) => ({
    ...row,
    answers: all[at] ?? {},
    payments: orderId === null ? [] : [{ orderId }],
  }))
}
