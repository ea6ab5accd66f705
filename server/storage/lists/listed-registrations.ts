/** Reads only the data that list columns show, and passes it on without conversion. */
import type { InferResult, Kysely } from 'kysely'
import { toAmount } from '../../../engine/index.ts'
import type { Answers } from '../../../engine/index.ts'
import { readLines } from '../payments/stored-bill-lines.ts'
import type { LinesOfBill } from '../payments/stored-bill-lines.ts'
import { amountOwed } from '../reports/balance-expressions.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { Dialect } from '../database/statements/dialect.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import type { ListedRegistration } from '../index.ts'

type OrderId = ListedRegistration['payments'][number]['orderId'] | null
/** The data of a list row without the answers. */
type ListedRowWithoutAnswers = Omit<ListedRegistration, 'answers' | 'payments'> & {
  readonly orderId: OrderId
}
/** Rows as read from the database. The answers, in the same order, are still JSON texts. */
export type ListedRows = {
  readonly rowsWithoutAnswers: readonly ListedRowWithoutAnswers[]
  readonly answers: readonly string[]
}
/**
 * Rows as sent between threads, as two JSON lists: copying and parsing a string takes a third of the time needed to
 * copy the same objects.
 */
export type SerialisedRows = { readonly rows: string; readonly answers: string }

/** Selects registrations with the order of their newest attempt and the gateway accounts of their payments. */
export const selectListedRows = (builder: Kysely<Tables>, dialect: Dialect) =>
  builder.selectFrom('registrations as r').select(({ selectFrom }) => [
    'r.id',
    'r.event_id as eventId',
    'r.reg_no as regNo',
    'r.former_no as formerNo',
    'r.answers',
    'r.category',
    'r.period',
    'r.base',
    'r.gst',
    'r.total',
    'r.currency',
    'r.bill',
    'r.payment_status as paymentStatus',
    'r.in_review as inReview',
    'r.state',
    'r.booked',
    'r.refunded',
    amountOwed.as('owed'),
    'r.payment_id as paymentId',
    'r.paid_at as paidAt',
    'r.created_at as createdAt',
    selectFrom('payments as p')
      .select('p.order_id')
      .whereRef('p.registration_id', '=', 'r.id')
      .orderBy('p.attempt', 'desc')
      .limit(1)
      .as('orderId'),
    selectFrom('payments as p')
      .select(({ ref }) => dialect.joinPairs(ref('p.gateway'), ref('p.account')).as('accounts'))
      .whereRef('p.registration_id', '=', 'r.id')
      .where('p.status', 'in', ['success', 'refunded'])
      .as('accounts'),
  ])
const listedRow = statement((builder, { id }: { id: number }, dialect) =>
  selectListedRows(builder, dialect).where('r.id', '=', dialect.id(id)),
)
const listedRowsWithIds = statement((builder, { ids }: { ids: string }, dialect) =>
  selectListedRows(builder, dialect).where(({ ref }) => dialect.isIdIn(ref('r.id'), ids)),
)

/** Returns the rows in the order of the ids. */
export async function readRowsByIds(sql: Sql, ids: readonly number[]): Promise<ListedRows> {
  const [firstId] = ids
  if (firstId === undefined) return { rowsWithoutAnswers: [], answers: [] }
  const rows =
    ids.length === 1
      ? await listedRow.all(sql, { id: firstId })
      : await listedRowsWithIds.all(sql, { ids: JSON.stringify(ids) })
  const getLinesOfBill = rows.some(({ bill }) => bill !== null) ? await readLines(sql, ids) : null
  const byId = new Map(rows.map((row) => [row.id, row]))
  return toListedRows(
    ids.flatMap((id) => byId.get(id) ?? []),
    getLinesOfBill,
  )
}

/** Converts rows. `getLinesOfBill` is null if no row has bill lines. */
export function toListedRows(
  rows: readonly InferResult<ReturnType<typeof selectListedRows>>[number][],
  getLinesOfBill: LinesOfBill | null,
): ListedRows {
  const rowsWithoutAnswers: ListedRowWithoutAnswers[] = []
  const answers: string[] = []
  for (const { bill, answers: answersJson, inReview, booked, refunded, owed, ...rest } of rows) {
    const amounts = { paid: toAmount(booked + refunded), refunded, owed }
    rowsWithoutAnswers.push({
      ...rest,
      money: amounts,
      inReview: inReview === 1,
      lines: getLinesOfBill?.(rest.id, bill) ?? [],
    })
    answers.push(answersJson)
  }
  return { rowsWithoutAnswers, answers }
}

export function serialiseRows({ rowsWithoutAnswers, answers }: ListedRows): SerialisedRows {
  return { rows: JSON.stringify(rowsWithoutAnswers), answers: joinAnswersJson(answers) }
}

export function parseRows({ rows, answers }: SerialisedRows): readonly ListedRegistration[] {
  return joinAnswers(JSON.parse(rows) as readonly ListedRowWithoutAnswers[], answers)
}

export function toListedRegistrations({
  rowsWithoutAnswers,
  answers,
}: ListedRows): readonly ListedRegistration[] {
  return joinAnswers(rowsWithoutAnswers, joinAnswersJson(answers))
}

/** Joins the strings, because parsing one string is faster than parsing many. */
const joinAnswersJson = (answers: readonly string[]): string => `[${answers.join(',')}]`

function joinAnswers(
  rows: readonly ListedRowWithoutAnswers[],
  answers: string,
): readonly ListedRegistration[] {
  const allAnswers = JSON.parse(answers) as readonly Answers[]
  return rows.map(({ orderId, ...row }, index) => ({
    ...row,
    answers: allAnswers[index] ?? {},
    payments: orderId === null ? [] : [{ orderId }],
  }))
}
