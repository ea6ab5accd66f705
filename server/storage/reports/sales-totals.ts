/**
 * Adds up the items bought by the registrations of a list, and the payments for them.
 * Runs on the reader thread.
 */
import { mapInOrder } from '../database/in-order.ts'
import { isEnded, paise } from '../../../engine/index.ts'
import type { Paise, SoldSum } from '../../../engine/index.ts'
import { IS_ENDED } from './registration-and-revenue-counters.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { COUNT_MAX, filterOf, PEOPLE, withinOf } from '../lists/list-and-search-registrations.ts'
import type { Filter } from '../lists/list-and-search-registrations.ts'
import type { ListQuery, SoldInList } from '../index.ts'

/**
 * For a search, at most as many as are counted; for any other list all, in one pass over its lines. Ended
 * registrations count as not sold, unless the query asks for them.
 */
export async function soldIn(
  sql: Sql,
  query: ListQuery,
  fields: readonly string[],
): Promise<SoldInList> {
  const found = await withinOf(sql, query, null, COUNT_MAX + 1)
  const { where, params }: Filter =
    found === null
      ? filterOf(query)
      : {
          where: 'r.id IN (SELECT value FROM json_each(?))',
          params: [JSON.stringify(found.slice(0, COUNT_MAX))],
        }
  const of = isEnded(query.state) ? where : `${where} AND NOT ${IS_ENDED}`
  const paid = (what: string): string => `sum(iif(r.payment_status = 'success', ${what}, 0))`
  const lines = 'registrations r JOIN bill_lines l ON l.registration_id = r.id AND l.bill = r.bill'
  const sums = await sql<SoldSum>(
    `SELECT l.item, l.option, count(DISTINCT r.id) AS registrations, sum(l.quantity) AS quantity, sum(l.total) AS total,
       ${paid('l.quantity')} AS paidQuantity, sum(iif(r.booked = r.total, l.total, 0)) AS paidTotal
     FROM ${lines} WHERE ${of} GROUP BY l.item, l.option`,
  ).all(...params)
  const inPart = await sql<LineOfPart>(
    `SELECT r.id, r.booked, l.item, l.option, l.total
     FROM ${lines} WHERE ${of} AND r.booked <> 0 AND r.booked <> r.total ORDER BY r.id, l.line`,
  ).all(...params)
  const kept = await sql<{ booked: number | null }>(
    `SELECT sum(r.booked) AS booked FROM registrations r WHERE ${where}`,
  ).get(...params)
  return {
    ...assignPaid(sums, inPart, kept?.booked ?? 0),
    people: await mapInOrder(fields, async (field) => {
      const path = `$.${JSON.stringify(field)}`
      const row = await sql<{ count: number | null; paid: number | null }>(
        `SELECT sum(${PEOPLE}) AS count, ${paid(PEOPLE)} AS paid FROM registrations r WHERE ${of}`,
      ).get(path, path, ...params)
      return { field, count: row?.count ?? 0, paid: row?.paid ?? 0 }
    }),
    capped: (found?.length ?? 0) > COUNT_MAX,
  }
}

type LineOfPart = Pick<SoldSum, 'item' | 'option' | 'total'> & {
  readonly id: number
  readonly booked: Paise
}

/**
 * Of a bill that is not paid exactly, each line gets its share of what was kept; what is above the bill, or kept without one
 * that stands, is of no line. Lines and rest together are what was kept of all, to the paisa.
 */
function assignPaid(
  sums: readonly SoldSum[],
  inPart: readonly LineOfPart[],
  kept: number,
): Pick<SoldInList, 'sums' | 'paidBeside'> {
  const keyOf = ({ item, option }: Pick<SoldSum, 'item' | 'option'>): string =>
    JSON.stringify([item, option])
  const parts = new Map<string, number>()
  for (const lines of Map.groupBy(inPart, ({ id }) => id).values()) {
    const bill = lines.reduce((sum, { total }) => sum + total, 0)
    if (bill <= 0) continue
    const share = Math.max(0, Math.min(lines[0]?.booked ?? 0, bill))
    let before = 0
    let given = 0
    for (const line of lines) {
      before += line.total
      // Of the running sum, so that all shares add up: the product of two amounts is no safe number.
      const until = Number((BigInt(share) * BigInt(before)) / BigInt(bill))
      parts.set(keyOf(line), (parts.get(keyOf(line)) ?? 0) + until - given)
      given = until
    }
  }
  const assigned = sums.map((sum) => ({
    ...sum,
    paidTotal: paise(sum.paidTotal + (parts.get(keyOf(sum)) ?? 0)),
  }))
  const onLines = assigned.reduce((sum, { paidTotal }) => sum + paidTotal, 0)
  return { sums: assigned, paidBeside: paise(kept - onLines) }
}
