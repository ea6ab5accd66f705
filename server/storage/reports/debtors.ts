/** Lists the registrations with a balance, and adds up their balances. */
import { instant } from '../../../engine/index.ts'
import type { Amount, Currency, Instant, PaymentStatus } from '../../../engine/index.ts'
import type { Kysely } from 'kysely'
import { flatMapInOrder } from '../database/in-order.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { Dialect } from '../database/statements/dialect.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { amountOwed } from './balance-expressions.ts'
import type { DebtorPage, DebtorSum } from './movement-types.ts'

type PageParams = {
  readonly eventId: string
  readonly at: Instant
  readonly id: number
  readonly limit: number
}

const selectDebtors = (builder: Kysely<Tables>, { eventId }: { readonly eventId: string }) =>
  builder
    .selectFrom('registrations as r')
    .where('r.event_id', '=', eventId)
    .where(amountOwed, '>', 0 as Amount)

/**
 * Builds a statement for unpaid registrations, which owe the full price. The index `registrations_by_status` contains
 * them in this order.
 */
const buildUnpaidStatement = (status: Exclude<PaymentStatus, 'success' | 'refunded'>) =>
  statement((builder, params: PageParams, dialect) =>
    selectPage(
      selectDebtors(builder, params).where('r.payment_status', '=', status),
      params,
      dialect,
    ),
  )
/**
 * Selects paid registrations that owe a difference. Reads their ids from the small index of registrations with a
 * balance. With a further condition on the event, SQLite would read all the event's paid registrations, in the order of
 * the page.
 */
const selectPaidDebtors = (builder: Kysely<Tables>, { eventId }: { readonly eventId: string }) =>
  builder
    .selectFrom('registrations as r')
    .where('r.id', 'in', ({ selectFrom }) =>
      selectFrom('registrations as b')
        .select('b.id')
        .where('b.event_id', '=', eventId)
        .where('b.due', '<>', 0 as Amount),
    )
    .where('r.payment_status', '=', 'success')
    .where(amountOwed, '>', 0 as Amount)
const paidWithBalance = statement((builder, params: PageParams, dialect) =>
  selectPage(selectPaidDebtors(builder, params), params, dialect),
)
const PAGE_STATEMENTS = [
  buildUnpaidStatement('pending'),
  buildUnpaidStatement('failed'),
  paidWithBalance,
]

function selectPage(
  rows: ReturnType<typeof selectDebtors>,
  { at, id, limit }: PageParams,
  dialect: Dialect,
) {
  return rows
    .where(({ eb, refTuple, tuple }) => eb(refTuple('r.created_at', 'r.id'), '>', tuple(at, id)))
    .select(({ fn, selectFrom }) => [
      'r.id',
      'r.event_id as eventId',
      'r.reg_no as regNo',
      'r.full_name as name',
      'r.phone',
      'r.email',
      'r.state',
      'r.in_review as inReview',
      'r.payment_status as paymentStatus',
      amountOwed.as('amount'),
      'r.currency',
      'r.created_at as registeredAt',
      fn
        .coalesce(
          selectFrom('dues as d')
            .select((due) => due.fn.max('d.at').as('at'))
            .whereRef('d.registration_id', '=', 'r.id'),
          'r.created_at',
        )
        .as('since'),
      selectFrom('acts as a')
        .select((act) => act.fn.max('a.at').as('at'))
        .whereRef('a.registration_id', '=', 'r.id')
        .where('a.act', '=', 'send_pay_link')
        .as('remindedAt'),
    ])
    .orderBy('r.created_at')
    .orderBy('r.id')
    .limit(dialect.limit(limit))
}

const buildSumStatement = (paymentState: 'unpaid' | 'paid') =>
  statement((builder, params: { readonly eventId: string }) => {
    const debtors =
      paymentState === 'unpaid'
        ? selectDebtors(builder, params).where('r.payment_status', 'in', ['pending', 'failed'])
        : selectPaidDebtors(builder, params)
    return debtors
      .select(({ fn }) => [
        'r.currency',
        fn.countAll<number>().as('registrations'),
        fn.sum<Amount>(amountOwed).as('amount'),
      ])
      .groupBy('r.currency')
  })
const SUM_STATEMENTS = [buildSumStatement('unpaid'), buildSumStatement('paid')]

/** Returns a page of registrations with an amount due, by registration date, oldest first. */
export async function readDebtorPage(
  sql: Sql,
  eventIds: readonly string[],
  after: string | null,
  limit: number,
): Promise<DebtorPage> {
  const [, at = '-1', id = '0'] = /^(\d{1,15})R(\d{1,15})$/.exec(after ?? '') ?? []
  const pageRows = await flatMapInOrder(eventIds, (eventId) =>
    flatMapInOrder(PAGE_STATEMENTS, (pageStatement) =>
      pageStatement.all(sql, {
        eventId,
        at: instant(Number(at)),
        id: Number(id),
        limit: limit + 1,
      }),
    ),
  )
  const sortedRows = pageRows.toSorted((a, b) => a.registeredAt - b.registeredAt || a.id - b.id)
  const rows = sortedRows.slice(0, limit)
  const lastRow = rows.at(-1)
  return {
    rows: rows.map(({ inReview, ...row }) => ({ ...row, isInReview: inReview === 1 })),
    next:
      sortedRows.length > limit && lastRow !== undefined
        ? `${lastRow.registeredAt}R${lastRow.id}`
        : null,
  }
}

/** Adds up the amounts due by event and currency. They are the same as in the lists. */
export async function readDebtorSums(
  sql: Sql,
  eventIds: readonly string[],
): Promise<readonly DebtorSum[]> {
  return flatMapInOrder(eventIds, async (eventId) => {
    const sumRows = await flatMapInOrder(SUM_STATEMENTS, (sumStatement) =>
      sumStatement.all(sql, { eventId }),
    )
    const groups = Map.groupBy(sumRows, ({ currency }) => currency)
    return [...groups].map(([currency, group]): DebtorSum => ({
      eventId,
      currency: currency as Currency,
      registrations: group.reduce((sum, row) => sum + row.registrations, 0),
      amount: group.reduce((sum, row) => sum + row.amount, 0) as Amount,
    }))
  })
}
