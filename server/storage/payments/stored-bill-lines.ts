/**
 * Stores bill lines: written once, with the price that they add up to, and read with the registration.
 */
import type { AdjustmentPart, Line, Paise } from '../../../engine/index.ts'
import type { Among } from '../database/select-by-ids.ts'
import type { Sql } from '../database/sqlite-connection.ts'

type LineRow = {
  registration_id: number
  bill: number
  item: string
  option: string | null
  label: string
  quantity: number
  unit: Paise
  base: Paise
  gst: Paise
  total: Paise
  rate: string | null
  parts: string | null
}

/** Bills that follow a registration's first price are numbered from here; attempts, whose bills have their numbers, stay below. */
const LATER_BILL_FIRST = 1_000

/** The number of the bill: that of the attempt; null: there are no lines. */
export function keepLines(
  sql: Sql,
  registrationId: number,
  attempt: number,
  lines: readonly Line[],
): number | null {
  if (lines.length === 0) return null
  // One statement for all of them, prepared once per number of lines: half the time of one each.
  const row = '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'
  sql(
    `INSERT INTO bill_lines (registration_id, bill, line, item, option, label, quantity, unit, base, gst, total, rate, parts) VALUES ${lines.map(() => row).join(', ')}`,
  ).run(
    ...lines.flatMap(({ id, option, label, quantity, unit, base, gst, total, rate, parts }, at) => [
      registrationId,
      attempt,
      at,
      id,
      option,
      label,
      quantity,
      unit,
      base,
      gst,
      total,
      rate === undefined ? null : JSON.stringify(rate),
      parts === undefined ? null : JSON.stringify(parts),
    ]),
  )
  return attempt
}

/** Returns the lines of one bill of one of these registrations. */
export async function linesOf(
  sql: Sql,
  { are, bound }: Among,
): Promise<(registrationId: number, bill: number | null) => readonly Line[]> {
  const rows = Map.groupBy(
    await sql<LineRow>(
      `SELECT * FROM bill_lines WHERE registration_id ${are} ORDER BY registration_id, bill, line`,
    ).all(bound),
    (row) => row.registration_id,
  )
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

/** Returns the next number for a bill without an attempt: of a correction, or of another category. */
export async function nextBill(sql: Sql, registrationId: number): Promise<number> {
  const last = (
    await sql<{ bill: number | null }>(
      'SELECT max(bill) AS bill FROM bill_lines WHERE registration_id = ?',
    ).get(registrationId)
  )?.bill
  return Math.max(LATER_BILL_FIRST, (last ?? 0) + 1)
}
