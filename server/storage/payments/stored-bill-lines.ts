/** Stores bill lines once, with their total price, and reads them with the registration. */
import type { Insertable, Selectable } from 'kysely'
import { memoize } from '../../../engine/index.ts'
import type { AdjustmentPart, Line } from '../../../engine/index.ts'
import { isId, isAnyOfIds } from '../database/select-by-ids.ts'
import type { RowSelection } from '../database/select-by-ids.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { StoreStatement, Values } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'

type LineColumns = Omit<Insertable<Tables['bill_lines']>, 'registration_id' | 'bill' | 'line'>
type LineValue = LineColumns[keyof LineColumns]
type NewLines = { registrationId: number; bill: number } & Readonly<Record<string, LineValue>>
const LINE_COLUMNS = [
  'item',
  'option',
  'label',
  'quantity',
  'unit',
  'base',
  'gst',
  'total',
  'rate',
  'parts',
] as const satisfies readonly (keyof LineColumns)[]
/** Returns the columns of a line, each with the name under which its value is bound. */
const listValueNames = memoize((line: number) =>
  LINE_COLUMNS.map((column) => [column, `${column} ${line}`] as const),
)

const lastBill = statement((builder, { registrationId }: { registrationId: number }) =>
  builder
    .selectFrom('bill_lines')
    .select(({ fn }) => fn.max('bill').as('bill'))
    .where('registration_id', '=', registrationId),
)
/** Statements by number of lines. Inserting all lines of a bill at once takes half as long as one by one. */
const statementsByCount = new Map<number, StoreStatement<NewLines, unknown>>()
function getInsertStatement(count: number): StoreStatement<NewLines, unknown> {
  const existingStatement = statementsByCount.get(count)
  if (existingStatement !== undefined) return existingStatement
  const insertLines = statement((builder, params: NewLines) =>
    builder.insertInto('bill_lines').values(
      Array.from({ length: count }, (_, line) => {
        const columns = listValueNames(line).map(([column, name]) => [column, params[name]])
        return {
          registration_id: params.registrationId,
          bill: params.bill,
          line,
          ...(Object.fromEntries(columns) as LineColumns),
        }
      }),
    ),
  )
  statementsByCount.set(count, insertLines)
  return insertLines
}

type LineRow = Selectable<Tables['bill_lines']>

/**
 * The lowest number of a bill that belongs to no attempt. Attempt numbers, which also serve as bill numbers, are lower.
 */
const FIRST_LATER_BILL = 1_000

/** Stores the lines, and returns the bill number, which is the attempt number. Null if there are no lines. */
export function saveLines(
  sql: Sql,
  registrationId: number,
  attempt: number,
  lines: readonly Line[],
): number | null {
  if (lines.length === 0) return null
  const values: Record<string, LineValue> & NewLines = { registrationId, bill: attempt }
  for (const [
    lineIndex,
    { id, option, label, quantity, unit, base, gst, total, rate, parts },
  ] of lines.entries()) {
    const line: LineColumns = {
      item: id,
      option,
      label,
      quantity,
      unit,
      base,
      gst,
      total,
      rate: rate === undefined ? null : JSON.stringify(rate),
      parts: parts === undefined ? null : JSON.stringify(parts),
    }
    for (const [column, name] of listValueNames(lineIndex)) values[name] = line[column]
  }
  getInsertStatement(lines.length).run(sql, values)
  return attempt
}

/** Returns the lines of one bill of a selected registration. */
export type LinesOfBill = (registrationId: number, bill: number | null) => readonly Line[]

export function selectLines<Params extends object>(selection: RowSelection<Params>) {
  const rowsWhere = statement((builder, params: Params, dialect) =>
    builder
      .selectFrom('bill_lines')
      .selectAll()
      .where(({ ref }) => selection(ref('registration_id'), params, dialect))
      .orderBy('registration_id')
      .orderBy('bill')
      .orderBy('line'),
  )
  return async (sql: Sql, ...params: Values<Params>): Promise<LinesOfBill> =>
    toLinesOfBill(await rowsWhere.all(sql, ...params))
}
const linesWithId = selectLines(isId)
const linesWithIds = selectLines(isAnyOfIds)

export function readLines(sql: Sql, ids: readonly number[]): Promise<LinesOfBill> {
  const [onlyLine] = ids
  return ids.length === 1 && onlyLine !== undefined
    ? linesWithId(sql, { id: onlyLine })
    : linesWithIds(sql, { ids: JSON.stringify(ids) })
}

function toLinesOfBill(lines: readonly LineRow[]): LinesOfBill {
  const rows = Map.groupBy(lines, (row) => row.registration_id)
  return (registrationId, bill) =>
    (rows.get(registrationId) ?? [])
      .filter((row) => row.bill === bill)
      .map(({ item, option, label, quantity, unit, base, gst, total, rate, parts }) => ({
        id: item,
        option,
        label,
        quantity,
        unit,
        base,
        gst,
        total,
        ...(rate === null ? {} : { rate: JSON.parse(rate) as number | null }),
        ...(parts === null ? {} : { parts: JSON.parse(parts) as readonly AdjustmentPart[] }),
      }))
}

/** Returns the next number for a bill without an attempt, after a correction or a change of category. */
export async function getNextBill(sql: Sql, registrationId: number): Promise<number> {
  const lastRow = await lastBill.get(sql, { registrationId })
  return Math.max(FIRST_LATER_BILL, (lastRow?.bill ?? 0) + 1)
}
