/** Adds up received payments and refunds by event, method and currency. */
import type { AliasedExpression, Kysely } from 'kysely'
import { toAmount } from '../../../engine/index.ts'
import type { Amount, Currency } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { CaptureState } from '../database/statements/money-tables.ts'
import { buildQuery } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import {
  getCurrency,
  feeOfPayment,
  feeOfRefund,
  isCounted,
  selectCompletedRefunds,
  selectReceivedPayments,
  refundMethod,
} from './movement-conditions.ts'
import type { MovementQuery, MovementSum } from './movement-types.ts'

type SumRow = {
  readonly eventId: string | null
  readonly method: string
  readonly code: string
  readonly priceCurrency: Currency | null
  readonly state: CaptureState
  readonly n: number
  readonly amount: Amount
  readonly fee: Amount | null
}
/** The columns of a movement by which sums are grouped, and the columns that are added up. */
type MovementRow = Omit<SumRow, 'n'>

const sumMovements = (builder: Kysely<Tables>, movements: AliasedExpression<MovementRow, 'm'>) =>
  builder
    .selectFrom(movements)
    .select(({ fn }) => [
      'm.eventId',
      'm.method',
      'm.code',
      'm.priceCurrency',
      'm.state',
      fn.countAll<number>().as('n'),
      fn.sum<Amount>('m.amount').as('amount'),
      fn.sum<Amount | null>('m.fee').as('fee'),
    ])
    .groupBy(['m.eventId', 'm.method', 'm.code', 'm.priceCurrency', 'm.state'])

const sumPayments = (sql: Sql, query: MovementQuery) =>
  buildQuery<SumRow>(sql, (builder, dialect) =>
    sumMovements(
      builder,
      selectReceivedPayments(builder, query, dialect)
        .select(({ fn }) => [
          fn.coalesce('r.event_id', 'c.found_for').as('eventId'),
          'c.source as method',
          'c.currency as code',
          'r.currency as priceCurrency',
          'c.state',
          'c.amount',
          feeOfPayment.as('fee'),
        ])
        .as('m'),
    ),
  ).all()
const sumRefunds = (sql: Sql, query: MovementQuery) =>
  buildQuery<SumRow>(sql, (builder, dialect) =>
    sumMovements(
      builder,
      selectCompletedRefunds(builder, query, dialect)
        .select(({ fn }) => [
          fn.coalesce('r.event_id', 'c.found_for').as('eventId'),
          refundMethod.as('method'),
          'c.currency as code',
          'r.currency as priceCurrency',
          'c.state',
          'f.amount',
          feeOfRefund.as('fee'),
        ])
        .as('m'),
    ),
  ).all()

/** Adds up all movements that match the query. Different spellings of a currency count as one currency. */
export async function readMovementSums(
  sql: Sql,
  query: MovementQuery,
): Promise<readonly MovementSum[]> {
  const rows = [
    ...(await sumPayments(sql, query)).map((row) => ({ ...row, isRefund: false })),
    ...(await sumRefunds(sql, query)).map((row) => ({ ...row, isRefund: true })),
  ].map((row) => ({ ...row, currency: getCurrency(row) }))
  const groups = Map.groupBy(rows, ({ eventId, method, currency }) =>
    JSON.stringify([eventId, method, currency]),
  )
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, group]) => {
      const [eventId, method, currency] = JSON.parse(key) as [string | null, string, Currency]
      const sumIncluded = (
        readAmount: (row: (typeof rows)[number]) => number | null,
        isIncluded: (row: (typeof rows)[number]) => boolean,
      ): number => group.filter(isIncluded).reduce((sum, row) => sum + (readAmount(row) ?? 0), 0)
      const sumAmounts = (isIncluded: (row: (typeof rows)[number]) => boolean): Amount =>
        toAmount(sumIncluded(({ amount }) => amount, isIncluded))
      return {
        eventId,
        method,
        currency,
        payments: sumIncluded(
          ({ n }) => n,
          ({ isRefund }) => !isRefund,
        ),
        received: sumAmounts(({ isRefund, state }) => !isRefund && isCounted(state)),
        inReview: sumAmounts(
          ({ isRefund, state }) => !isRefund && (state === 'review' || state === 'unmatched'),
        ),
        notCounted: sumAmounts(({ isRefund, state }) => !isRefund && state === 'refused'),
        refunds: sumIncluded(
          ({ n }) => n,
          ({ isRefund }) => isRefund,
        ),
        refunded: sumAmounts(({ isRefund, state }) => isRefund && isCounted(state)),
        refundedNotCounted: sumAmounts(({ isRefund, state }) => isRefund && !isCounted(state)),
        fee: toAmount(
          sumIncluded(
            ({ fee }) => fee,
            () => true,
          ),
        ),
      }
    })
}
