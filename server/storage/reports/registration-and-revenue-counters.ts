/**
 * Maintains counters of registrations and revenue, so that no report has to count rows.
 * Counts registrations per event, date in India, category, period and status, and revenue per event and date.
 * Triggers update the counts when counted registrations change (migrations/amounts-due.ts). Registrations without a
 * category or period are counted under ''.
 */
import { sql as raw } from 'kysely'
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import { dayOf, toAmount } from '../../../engine/index.ts'
import type { Amount, Currency, Day, Instant, Money, PaymentStatus } from '../../../engine/index.ts'
import { buildQuery, statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { amountOwed, isEnded } from './balance-expressions.ts'
import type { EventFigures, ListQuery, StatusSum } from '../index.ts'

/**
 * On PostgreSQL, appends a row. Updating one row per day would make every payment of that day wait for the same lock.
 */
const addRevenue = statement(
  (
    builder,
    { eventId, day, currency, amount }: { eventId: string; day: Day } & Money,
    { appendsCounterRows },
  ) => {
    const insert = builder
      .insertInto('revenue')
      .values({ event_id: eventId, day, currency, amount })
    return appendsCounterRows
      ? insert
      : insert.onConflict((conflict) =>
          conflict.columns(['event_id', 'day', 'currency']).doUpdateSet((eb) => ({
            amount: eb('revenue.amount', '+', eb.ref('excluded.amount')),
          })),
        )
  },
)
const addToPaidAmount = statement(
  (builder, params: { registrationId: number; amount: Amount; refunded: Amount }) =>
    builder
      .updateTable('registrations')
      .set(({ eb }) => ({
        booked: eb('booked', '+', params.amount),
        refunded: eb('refunded', '+', params.refunded),
      }))
      .where('id', '=', params.registrationId),
)
/** SQLite only. Counts the registrations added since the last count, with the same result as the triggers. */
const addNewRegistrationsToCounters = statement((builder) =>
  builder
    .insertInto('counters')
    .columns([
      'event_id',
      'day',
      'category',
      'period',
      'status',
      'registrations',
      'booked',
      'owed',
      'ended',
    ])
    .expression(
      builder
        .selectFrom('registrations as r')
        .select(({ case: when, fn, lit }) => [
          'r.event_id',
          'r.created_day',
          fn.coalesce('r.category', raw.lit('')).as('category'),
          fn.coalesce('r.period', raw.lit('')).as('period'),
          'r.payment_status',
          fn.countAll<number>().as('registrations'),
          fn.sum<Amount>('r.booked').as('booked'),
          fn.sum<Amount>(amountOwed).as('owed'),
          fn.sum<number>(when().when(isEnded).then(lit(1)).else(lit(0)).end()).as('ended'),
        ])
        .where('r.id', '>', ({ selectFrom }) => selectFrom('counted').select('last_id'))
        .groupBy([1, 2, 3, 4, 5].map((column) => raw.lit(column))),
    )
    .onConflict((conflict) =>
      conflict.columns(['event_id', 'day', 'category', 'period', 'status']).doUpdateSet((eb) => ({
        registrations: eb('counters.registrations', '+', eb.ref('excluded.registrations')),
        booked: eb('counters.booked', '+', eb.ref('excluded.booked')),
        owed: eb('counters.owed', '+', eb.ref('excluded.owed')),
        ended: eb('counters.ended', '+', eb.ref('excluded.ended')),
      })),
    ),
)
const saveLastCounted = statement((builder) =>
  builder.updateTable('counted').set(({ selectFrom }) => ({
    last_id: selectFrom('registrations').select(({ fn }) => fn.max('id').as('id')),
  })),
)
type EventParams = { eventId: string }
type CurrencyParam = { currency: Currency }
const countsByStatus = statement((builder, { eventId, day }: EventParams & { day: Day }) =>
  builder
    .selectFrom('counters')
    .select(({ case: when, fn, lit, ref }) => [
      'status',
      fn.sum<number>('registrations').as('n'),
      fn
        .sum<number>(when().when('day', '=', day).then(ref('registrations')).else(lit(0)).end())
        .as('onDay'),
      fn.sum<number>('ended').as('ended'),
    ])
    .where('event_id', '=', eventId)
    .groupBy('status'),
)
const countsByCategory = statement((builder, { eventId }: EventParams) =>
  builder
    .selectFrom('counters')
    .select(({ case: when, fn, lit, ref }) => [
      'category',
      fn.sum<number>('registrations').as('registrations'),
      fn
        .sum<number>(
          when().when('status', '=', 'pending').then(ref('registrations')).else(lit(0)).end(),
        )
        .as('pending'),
    ])
    .where('event_id', '=', eventId)
    .groupBy('category'),
)
const revenueByCurrency = statement((builder, { eventId }: EventParams) =>
  builder
    .selectFrom('revenue')
    .select(({ fn }) => ['currency', fn.sum<Amount>('amount').as('amount')])
    .where('event_id', '=', eventId)
    .groupBy('currency')
    .orderBy('currency'),
)
const countsByDay = statement((builder, { eventId, currency }: EventParams & CurrencyParam) =>
  builder
    .selectFrom(
      builder
        .selectFrom('counters')
        .select(['day', 'registrations', raw.lit(toAmount(0)).as('amount')])
        .where('event_id', '=', eventId)
        .unionAll(
          builder
            .selectFrom('revenue')
            .select(['day', raw.lit(0).as('registrations'), 'amount'])
            .where('event_id', '=', eventId)
            .where('currency', '=', currency),
        )
        .as('days'),
    )
    .select(({ fn }) => [
      'day',
      fn.sum<number>('registrations').as('registrations'),
      fn.sum<Amount>('amount').as('revenue'),
    ])
    .groupBy('day')
    .having(({ eb, fn, or }) =>
      or([eb(fn.sum('registrations'), '<>', 0), eb(fn.sum('amount'), '<>', 0)]),
    )
    .orderBy('day'),
)

/**
 * Records an amount for a registration, in minor units of its currency, on the date in India at that time. Negative
 * for a refund.
 */
export function recordRevenue(
  sql: Sql,
  { event_id: eventId, registration_id: id, currency }: RevenueRegistration,
  at: Instant,
  amount: number,
): void {
  addRevenue.run(sql, { eventId, day: dayOf(at), currency, amount: toAmount(amount) })
  addToPaidAmount.run(sql, {
    registrationId: id,
    amount: toAmount(amount),
    refunded: toAmount(Math.max(0, -amount)),
  })
}
type RevenueRegistration = {
  readonly event_id: string
  readonly registration_id: number
  readonly currency: Currency
}

/**
 * Counts the registrations added since the last count. Call this before the transaction that added them is committed.
 */
export async function countNewRegistrations(sql: Sql): Promise<void> {
  // Triggers count them on PostgreSQL.
  if (sql.dialect.appendsCounterRows) return
  const addedRowCount = await addNewRegistrationsToCounters.run(sql).changes
  if (addedRowCount > 0) saveLastCounted.run(sql)
}

/** Builds the filter for queries that use only columns of the counters: no search, answers or work queue condition. */
const buildCounterFilter =
  (query: ListQuery) =>
  ({ and, eb, fn, val }: ExpressionBuilder<Tables, 'counters'>): Expression<SqlBool> => {
    // Uses a function call, because otherwise SQLite would replan these frequent queries on every execution.
    const conditions = [eb('event_id', '=', fn.coalesce(val(query.eventId), raw.lit('')))]
    if (query.dateFrom !== undefined) conditions.push(eb('day', '>=', query.dateFrom))
    if (query.dateTo !== undefined) conditions.push(eb('day', '<=', query.dateTo))
    if (query.paymentStatus !== undefined) conditions.push(eb('status', '=', query.paymentStatus))
    if (query.category !== undefined) conditions.push(eb('category', '=', query.category))
    if (query.period !== undefined) conditions.push(eb('period', '=', query.period))
    return and(conditions)
  }

/** Returns exact counts and sums, equally fast for ten and for a million registrations. */
export function readStatusSums(sql: Sql, query: ListQuery): Promise<readonly StatusSum[]> {
  return buildQuery(sql, (builder) =>
    builder
      .selectFrom('counters')
      .select(({ fn }) => [
        'status',
        'category',
        fn.sum<number>('registrations').as('count'),
        fn.sum<Amount>('booked').as('booked'),
        fn.sum<Amount>('owed').as('owed'),
        fn.sum<number>('ended').as('ended'),
      ])
      .where(buildCounterFilter(query))
      .groupBy(['status', 'category'])
      .having(({ fn }) => fn.sum('registrations'), '<>', 0)
      .orderBy('status')
      .orderBy('category'),
  ).all()
}

/** Returns the number of registrations that match a query on each day, sorted by day. */
export function countByDay(
  sql: Sql,
  query: ListQuery,
  isDescending: boolean,
): Promise<readonly { readonly day: Day; readonly n: number }[]> {
  return buildQuery(sql, (builder) =>
    builder
      .selectFrom('counters')
      .select(({ fn }) => ['day', fn.sum<number>('registrations').as('n')])
      .where(buildCounterFilter(query))
      .groupBy('day')
      .orderBy('day', isDescending ? 'desc' : 'asc'),
  ).all()
}

/**
 * Returns the number of registrations with each status and, of these, the number created on `day` and the number that
 * have ended.
 */
export function countByStatus(
  sql: Sql,
  eventId: string,
  day: Day,
): Promise<
  readonly {
    readonly status: PaymentStatus
    readonly n: number
    readonly onDay: number
    readonly ended: number
  }[]
> {
  return countsByStatus.all(sql, { eventId, day })
}

export function countByCategory(
  sql: Sql,
  eventId: string,
): Promise<
  readonly {
    readonly category: string
    readonly registrations: number
    readonly pending: number
  }[]
> {
  return countsByCategory.all(sql, { eventId })
}

/**
 * Returns the registrations by creation date, and the payments in that currency by payment or refund date. Omits
 * dates without either.
 */
export function readFiguresByDay(
  sql: Sql,
  eventId: string,
  currency: Currency,
): Promise<EventFigures['byDay']> {
  return countsByDay.all(sql, { eventId, currency })
}

/** Returns the revenue of an event in each of its currencies. */
export function listRevenue(sql: Sql, eventId: string): Promise<readonly Money[]> {
  return revenueByCurrency.all(sql, { eventId })
}
