/** Adds up the items bought on a list's registrations, and the payments for them. Runs on the reader thread. */
import { sql as raw } from 'kysely'
import type { Expression, Kysely, SqlBool } from 'kysely'
import { mapInOrder } from '../database/in-order.ts'
import { isEnded, toAmount } from '../../../engine/index.ts'
import type { Amount, Money, SalesGroup, SalesSum } from '../../../engine/index.ts'
import { isEnded as isEndedRegistration } from './balance-expressions.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { buildQuery } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { MAX_COUNTED } from '../lists/list-and-search-registrations.ts'
import { buildFilter, countPersons, r } from '../lists/list-filters.ts'
import { findMatchingRows } from '../lists/search-registrations.ts'
import type { ListQuery, ListSales } from '../index.ts'

/**
 * Adds up a list's sales. A search includes at most MAX_COUNTED registrations; any other list is added up in one pass
 * over its bill lines. Ended registrations are excluded unless the query selects them.
 */
export async function computeSalesOfList(
  sql: Sql,
  query: ListQuery,
  fields: readonly string[],
): Promise<ListSales> {
  const matchingRows = await findMatchingRows(sql, query, null, MAX_COUNTED + 1)
  const listCondition =
    matchingRows === null
      ? buildFilter(query)
      : sql.dialect.isIdIn(
          r.ref('r.id'),
          JSON.stringify(matchingRows.slice(0, MAX_COUNTED).map(({ id }) => id)),
        )
  const salesCondition = isEnded(query.state)
    ? listCondition
    : r.and([listCondition, r.not(isEndedRegistration)])
  const soldSums = await buildQuery(sql, (builder) =>
    selectLines(builder, salesCondition)
      .select(({ fn, ref }) => [
        'l.item',
        'l.option',
        'r.currency',
        fn.count<number>('r.id').distinct().as('registrations'),
        fn.sum<number>('l.quantity').as('quantity'),
        fn.sum<Amount>('l.total').as('total'),
        fn.sum<number>(selectIfPaid(ref('l.quantity'))).as('paidQuantity'),
        fn.sum<Amount>(selectIfPaidExactly(ref('l.total'))).as('paidTotal'),
      ])
      .groupBy(['l.item', 'l.option', 'r.currency']),
  ).all()
  const partialLines = await buildQuery(sql, (builder) =>
    selectLines(builder, salesCondition)
      .select(['r.id', 'r.booked', 'r.currency', 'l.item', 'l.option', 'l.total'])
      .where('r.booked', '<>', raw.lit(0 as Amount))
      .whereRef('r.booked', '<>', 'r.total')
      .orderBy('r.id')
      .orderBy('l.line'),
  ).all()
  const groups = await buildQuery(sql, (builder) =>
    builder
      .selectFrom('registrations as r')
      .select(({ fn, lit }) => [
        'r.currency',
        'r.category',
        'r.period',
        'r.created_day as day',
        fn
          .sum<number>(r.case().when(salesCondition).then(lit(1)).else(lit(0)).end())
          .as('registrations'),
        fn
          .sum<number>(
            r
              .case()
              .when(salesCondition)
              .then(selectIfPaid(lit(1)))
              .else(lit(0))
              .end(),
          )
          .as('paid'),
        fn.sum<Amount>('r.booked').as('received'),
      ])
      .where(listCondition)
      .groupBy(['r.currency', 'r.category', 'r.period', 'r.created_day'])
      .orderBy('r.created_day'),
  ).all()
  return {
    ...assignPaidAmounts(soldSums, partialLines, sumByCurrency(groups)),
    groups,
    people: await mapInOrder(fields, async (field) => {
      const row = await buildQuery(sql, (builder) =>
        builder
          .selectFrom('registrations as r')
          .select(({ fn }) => [
            fn.sum<number | null>(countPersons(field)).as('count'),
            fn.sum<number | null>(selectIfPaid(countPersons(field))).as('paid'),
          ])
          .where(salesCondition),
      ).get()
      return { field, count: row?.count ?? 0, paid: row?.paid ?? 0 }
    }),
    isCapped: (matchingRows?.length ?? 0) > MAX_COUNTED,
  }
}

const sumByCurrency = (groups: readonly SalesGroup[]): readonly Money[] =>
  [...Map.groupBy(groups, ({ currency }) => currency)]
    .toSorted(([first], [second]) => (first < second ? -1 : 1))
    .map(([currency, amounts]) => ({
      currency,
      amount: toAmount(amounts.reduce((sum, { received }) => sum + received, 0)),
    }))

/** Selects the lines `l` on current bills, with their registrations `r`. */
const selectLines = (builder: Kysely<Tables>, condition: Expression<SqlBool>) =>
  builder
    .selectFrom('registrations as r')
    .innerJoin('bill_lines as l', (join) =>
      join.onRef('l.registration_id', '=', 'r.id').onRef('l.bill', '=', 'r.bill'),
    )
    .where(condition)

const selectIfPaid = (amount: Expression<number>): Expression<number> =>
  r
    .case()
    .when('r.payment_status', '=', raw.lit('success' as const))
    .then(amount)
    .else(r.lit(0))
    .end()
const selectIfPaidExactly = (amount: Expression<number>): Expression<number> =>
  r.case().when('r.booked', '=', r.ref('r.total')).then(amount).else(r.lit(0)).end()

type PartialLine = Pick<SalesSum, 'item' | 'option' | 'currency' | 'total'> & {
  readonly id: number
  readonly booked: Amount
}

/**
 * Assigns the paid amounts to lines. If a bill is not paid exactly, each line gets its proportion of the retained
 * amount. Amounts above the bill, or without a valid bill, are not assigned to any line. The lines and these amounts
 * add up to the total retained amount, to the paisa.
 */
function assignPaidAmounts(
  sums: readonly SalesSum[],
  partialLines: readonly PartialLine[],
  keptTotals: readonly Money[],
): Pick<ListSales, 'sums' | 'unassignedAmounts'> {
  const getKey = ({
    item,
    option,
    currency,
  }: Pick<SalesSum, 'item' | 'option' | 'currency'>): string =>
    JSON.stringify([item, option, currency])
  const shares = new Map<string, number>()
  for (const lines of Map.groupBy(partialLines, ({ id }) => id).values()) {
    const bill = lines.reduce((sum, { total }) => sum + total, 0)
    if (bill <= 0) continue
    const retainedAmount = Math.max(0, Math.min(lines[0]?.booked ?? 0, bill))
    let cumulativeWeight = 0
    let assignedAmount = 0
    for (const line of lines) {
      cumulativeWeight += line.total
      // Computed from the running sum, so that all shares add up. The product of two amounts may exceed the safe
      // integers.
      const cumulativeAmount = Number(
        (BigInt(retainedAmount) * BigInt(cumulativeWeight)) / BigInt(bill),
      )
      shares.set(getKey(line), (shares.get(getKey(line)) ?? 0) + cumulativeAmount - assignedAmount)
      assignedAmount = cumulativeAmount
    }
  }
  const sumsWithShares = sums.map((sum) => ({
    ...sum,
    paidTotal: toAmount(sum.paidTotal + (shares.get(getKey(sum)) ?? 0)),
  }))
  const unassignedAmounts = keptTotals.map(({ currency, amount }): Money => {
    const lineTotal = sumsWithShares.reduce(
      (sum, line) => (line.currency === currency ? sum + line.paidTotal : sum),
      0,
    )
    return { currency, amount: toAmount(amount - lineTotal) }
  })
  return { sums: sumsWithShares, unassignedAmounts }
}
