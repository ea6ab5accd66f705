/** Finds payments about which to query the gateway, and stores when it was queried. */
import { sql as raw } from 'kysely'
import type { Kysely } from 'kysely'
import { instant, MIN_POLL_MS, WATCH_MS } from '../../../engine/index.ts'
import type { Instant, LastResponse, OrderId } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { Dialect } from '../database/statements/dialect.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { selectJoinedPayments } from '../registrations/row-mapping.ts'

/** `barred`: the accounts at which the gateway must not be queried now, as a JSON array. */
type QueryParams = { dueBefore: Instant; barred: string; limit: number }

const selectDueToQuery = (
  builder: Kysely<Tables>,
  { dueBefore, barred: excludedAccounts }: QueryParams,
  dialect: Dialect,
) =>
  selectJoinedPayments(builder, dialect)
    .where('p.next_ask_at', '<=', dueBefore)
    .where(({ fn, not, val }) =>
      not(dialect.isIn(fn.coalesce('p.account', val('')), excludedAccounts)),
    )

/**
 * Payments that were queried at most once come first, newest first. The others follow in the order of their due times.
 */
export const pendingPaymentsToQuery = statement((builder, params: QueryParams, dialect) =>
  selectDueToQuery(builder, params, dialect)
    .where('p.status', '=', 'pending')
    .where('p.review', 'is', null)
    .orderBy(({ case: when }) => when().when('p.asks', '>=', 2).then(1).else(0).end())
    .orderBy(({ case: when, neg, ref }) =>
      when()
        .when('p.asks', '<', 2)
        .then(neg(ref('p.created_at')))
        .else(ref('p.next_ask_at'))
        .end(),
    )
    .orderBy('p.id')
    .limit(dialect.limit(params.limit)),
)
export const watchedPaymentsToQuery = statement((builder, params: QueryParams, dialect) =>
  selectDueToQuery(builder, params, dialect)
    .where('p.watch_until', 'is not', null)
    .where(({ and, eb, not }) =>
      not(and([eb('p.status', '=', 'pending'), eb('p.review', 'is', null)])),
    )
    .orderBy('p.next_ask_at')
    .orderBy('p.id')
    .limit(dialect.limit(params.limit)),
)
type OrderParams = { orderId: OrderId }
type Query = OrderParams & {
  at: Instant
  nextAt: Instant | null
  response: LastResponse | null
  watchUntil: Instant | null
}
const saveQuery = statement((builder, query: Query) =>
  builder
    .updateTable('payments')
    .set(({ eb, fn, lit, ref }) => ({
      asks: eb('asks', '+', lit(1)),
      asked_at: query.at,
      next_ask_at: query.nextAt,
      last_answer: query.response,
      watch_until: fn.coalesce(
        raw<Instant | null>`cast(${query.watchUntil} as bigint)`,
        ref('watch_until'),
      ),
    }))
    .where('order_id', '=', query.orderId),
)
const reserveQuery = statement(
  (builder, params: OrderParams & { dueBefore: Instant; at: Instant; until: Instant }) =>
    builder
      .updateTable('payments')
      .set({ asking_until: params.until })
      .where('order_id', '=', params.orderId)
      .where('next_ask_at', '<=', params.dueBefore)
      .where(({ eb, or }) =>
        or([eb('asking_until', 'is', null), eb('asking_until', '<=', params.at)]),
      ),
)
const saveClaim = statement((builder, { orderId, at }: OrderParams & { at: Instant }) =>
  builder
    .updateTable('payments')
    .set({ claimed_at: at })
    .where('order_id', '=', orderId)
    .where('gateway', 'is not', null),
)
type NextWatch = OrderParams & { at: Instant; watchUntil: Instant; latest: Instant }
/** Schedules a query no later than `latest`, because a clock that was ahead may have set `asked_at` too late. */
const watchAgain = statement((builder, { orderId, at, watchUntil, latest }: NextWatch) =>
  builder
    .updateTable('payments')
    .set(({ case: when, ref }) => {
      const soonest = raw<Instant>`coalesce(${ref('asked_at')}, 0) + ${raw.lit(MIN_POLL_MS)}`
      return {
        watch_until: watchUntil,
        next_ask_at: when()
          .when(soonest, '>=', latest)
          .then(raw<Instant>`cast(${latest} as bigint)`)
          .when(soonest, '>', at)
          .then(soonest)
          .else(raw<Instant>`cast(${at} as bigint)`)
          .end(),
      }
    })
    .where('order_id', '=', orderId)
    .where('gateway', 'is not', null)
    .where(({ eb, or }) => or([eb('status', '<>', 'pending'), eb('review', 'is not', null)])),
)

export function recordStatusQuery(
  sql: Sql,
  orderId: OrderId,
  at: Instant,
  nextAt: Instant | null,
  lastResponse: LastResponse | null,
  watchUntil: Instant | null,
): void {
  saveQuery.run(sql, { orderId, at, nextAt, response: lastResponse, watchUntil })
}

/**
 * How long a query stays reserved. A query takes at most 20 seconds, and the next one is due a minute later or more.
 */
export const QUERY_RESERVATION_MS = 30_000

export async function reserveStatusQuery(
  sql: Sql,
  orderId: OrderId,
  dueBefore: Instant,
  at: Instant,
): Promise<boolean> {
  const until = instant(at + QUERY_RESERVATION_MS)
  return (await reserveQuery.run(sql, { orderId, dueBefore, at, until }).changes) === 1
}

/** Stores when a message reported the payment. Does not schedule a query. */
export function noteClaimedPayment(sql: Sql, orderId: OrderId, at: Instant): void {
  saveClaim.run(sql, { orderId, at })
}

/**
 * Schedules a query about the payment as soon as the minimum interval since the previous query has passed. The interval
 * is needed because gateways repeat messages.
 */
export function scheduleGatewayQueries(sql: Sql, orderId: OrderId, at: Instant): void {
  watchAgain.run(sql, {
    orderId,
    at,
    watchUntil: instant(at + WATCH_MS),
    latest: instant(at + MIN_POLL_MS),
  })
}
