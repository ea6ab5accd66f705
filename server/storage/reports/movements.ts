/** Lists received payments and refunds by the time at which they were made, and adds them up. */
import { sql as raw } from 'kysely'
import type { Expression, Kysely } from 'kysely'
import {
  currencyOfMoney,
  instant,
  MANUAL_METHOD_IDS,
  REFUNDED_OUTSIDE,
  toAmount,
} from '../../../engine/index.ts'
import type { Amount, Currency, Instant, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { Dialect } from '../database/statements/dialect.ts'
import type { CaptureState } from '../database/statements/money-tables.ts'
import { queryOf, statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { refundByGateway } from '../refunds/refund-states-and-channels.ts'
import type {
  Movement,
  MovementDocument,
  MovementPage,
  MovementQuery,
  MovementSum,
} from './movement-types.ts'

type Kind = 'payment' | 'refund'
/** The last row of the previous page. At one instant payments come before refunds, newer ids before older. */
type Position = { readonly at: Instant; readonly kind: Kind; readonly id: number }

const NOT_GATEWAYS = [...MANUAL_METHOD_IDS, 'import']
const constants = (words: readonly string[]): Expression<string>[] =>
  words.map((word) => raw.lit(word))

/** Test payments are not money unless staff accepted them. */
const receivedPayments = (
  builder: Kysely<Tables>,
  { eventIds, from, to, method, isUnsettled }: MovementQuery,
  dialect: Dialect,
) => {
  let rows = builder
    .selectFrom('captures as c')
    .leftJoin('registrations as r', 'r.id', 'c.registration_id')
    .where('c.paid_at', '>=', from)
    .where('c.paid_at', '<', to)
    .where(({ eb, or }) =>
      or([eb('c.kind', '<>', raw.lit('test')), eb('c.state', '=', raw.lit('accepted'))]),
    )
  if (eventIds !== null)
    rows = rows.where(({ fn }) =>
      dialect.isIn(fn.coalesce('r.event_id', 'c.found_for'), JSON.stringify(eventIds)),
    )
  if (method !== undefined) rows = rows.where('c.source', '=', method)
  if (isUnsettled === true)
    rows = rows
      .where('c.source', 'not in', constants(NOT_GATEWAYS))
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('settlement_lines as s')
              .select('s.id')
              .whereRef('s.reference', '=', 'c.reference')
              .whereRef('s.source', '=', 'c.source')
              .where('s.kind', '=', raw.lit('sale'))
              .where(({ eb, ref, val }) => eb('c.account', 'in', [ref('s.account'), val('')])),
          ),
        ),
      )
  return rows
}

const madeRefunds = (
  builder: Kysely<Tables>,
  { eventIds, from, to, method, isUnsettled }: MovementQuery,
  dialect: Dialect,
) => {
  let rows = builder
    .selectFrom('refunds as f')
    .innerJoin('captures as c', 'c.id', 'f.capture_id')
    .leftJoin('registrations as r', 'r.id', 'c.registration_id')
    .where('f.state', '=', raw.lit('done'))
    .where('f.done_at', '>=', from)
    .where('f.done_at', '<', to)
  if (eventIds !== null)
    rows = rows.where(({ fn }) =>
      dialect.isIn(fn.coalesce('r.event_id', 'c.found_for'), JSON.stringify(eventIds)),
    )
  if (method !== undefined) rows = rows.where(refundMethod, '=', method)
  if (isUnsettled === true)
    rows = rows
      .where('c.source', 'not in', constants(NOT_GATEWAYS))
      .where(refundByGateway('f'))
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('settlement_lines as s')
              .select('s.id')
              .whereRef('s.reference', '=', 'f.reference')
              .whereRef('s.source', '=', 'c.source')
              .where('s.kind', '=', raw.lit('refund')),
          ),
        ),
      )
  return rows
}

const refundMethod = raw<string>`case when c.source in (${raw.join(constants(NOT_GATEWAYS))})
  or f.asked_at is not null or f.who in ('gateway', 'import', 'migration') then c.source else ${raw.lit(REFUNDED_OUTSIDE)} end`

/** A report names a payment by its reference, or only by its order. */
const feeOfPayment = raw<Amount | null>`(select sum(s.fee + s.tax) from settlement_lines s
  where (s.reference = c.reference or (length(s.reference) = 0 and s.order_id = (select o.order_id from payments o where o.id = c.payment_id)))
  and s.source = c.source and s.kind = 'sale' and c.account in (s.account, ''))`
const feeOfRefund = raw<Amount | null>`(select sum(s.fee + s.tax) from settlement_lines s
  where s.reference = f.reference and s.source = c.source and s.kind = 'refund' and c.account in (s.account, ''))`
/** Staff record the amount that a lost dispute deducted under the number of the dispute. */
const isDispute = raw<number>`case when exists (select 1 from disputes d where d.dispute_id = f.reference) then 1 else 0 end`

type Row = {
  readonly id: number
  readonly at: Instant
  readonly recordedAt: Instant
  readonly eventId: string | null
  readonly registrationId: number | null
  readonly paymentId: number | null
  readonly regNo: RegNo | null
  readonly name: string | null
  readonly method: string
  readonly reference: string | null
  readonly amount: Amount
  readonly code: string
  readonly state: CaptureState
  readonly fee: Amount | null
  readonly isDispute: number
}

const paymentPage = (sql: Sql, query: MovementQuery, after: Position | null, limit: number) =>
  queryOf<Row>(sql, (builder, dialect) => {
    const rows = receivedPayments(builder, query, dialect)
      .select(({ fn, lit }) => [
        'c.id',
        'c.paid_at as at',
        'c.seen_at as recordedAt',
        fn.coalesce('r.event_id', 'c.found_for').as('eventId'),
        'r.id as registrationId',
        'c.counts_for as paymentId',
        'r.reg_no as regNo',
        'r.full_name as name',
        'c.source as method',
        'c.reference',
        'c.amount',
        'c.currency as code',
        'c.state',
        feeOfPayment.as('fee'),
        lit(0).as('isDispute'),
      ])
      .orderBy('c.paid_at', 'desc')
      .orderBy('c.id', 'desc')
      .limit(dialect.limit(limit))
    return after === null
      ? rows
      : rows.where(({ eb, refTuple, tuple }) =>
          eb(
            refTuple('c.paid_at', 'c.id'),
            '<',
            // A refund comes after all payments of its instant.
            tuple(after.at, after.kind === 'payment' ? after.id : 0),
          ),
        )
  }).all()

const refundPage = (sql: Sql, query: MovementQuery, after: Position | null, limit: number) =>
  queryOf<Row>(sql, (builder, dialect) => {
    const rows = madeRefunds(builder, query, dialect)
      .select(({ fn }) => [
        'f.id',
        'f.done_at as at',
        'f.done_at as recordedAt',
        fn.coalesce('r.event_id', 'c.found_for').as('eventId'),
        'r.id as registrationId',
        'c.counts_for as paymentId',
        'r.reg_no as regNo',
        'r.full_name as name',
        refundMethod.as('method'),
        'f.reference',
        'f.amount',
        'c.currency as code',
        'c.state',
        feeOfRefund.as('fee'),
        isDispute.as('isDispute'),
      ])
      .$narrowType<{ at: Instant; recordedAt: Instant }>()
      .orderBy('f.done_at', 'desc')
      .orderBy('f.id', 'desc')
      .limit(dialect.limit(limit))
    return after === null
      ? rows
      : rows.where(({ eb, refTuple, tuple }) =>
          eb(
            refTuple('f.done_at', 'f.id'),
            '<',
            tuple(after.at, after.kind === 'payment' ? Number.MAX_SAFE_INTEGER : after.id),
          ),
        )
  }).all()

const taxDocumentsOf = statement((builder, { ids }: { ids: string }, dialect) =>
  builder
    .selectFrom('documents')
    .select(['id', 'registration_id', 'payment_id', 'kind', 'serial', 'at'])
    .where(({ ref }) => dialect.isIdIn(ref('registration_id'), ids))
    .where('kind', '<>', 'receipt')
    .orderBy('id'),
)

/** Newest first. `after`: the `next` of the previous page. */
export async function movementPage(
  sql: Sql,
  query: MovementQuery,
  after: string | null,
  limit: number,
): Promise<MovementPage> {
  const position = after === null ? null : readPosition(after)
  const payments = await paymentPage(sql, query, position, limit + 1)
  const refunds = await refundPage(sql, query, position, limit + 1)
  const all = [
    ...payments.map((row) => ({ ...row, kind: 'payment' as const })),
    ...refunds.map((row) => ({ ...row, kind: 'refund' as const })),
  ].toSorted(
    (a, b) =>
      b.at - a.at || Number(a.kind === 'refund') - Number(b.kind === 'refund') || b.id - a.id,
  )
  const rows = all.slice(0, limit)
  const last = rows.at(-1)
  const registrationIds = [...new Set(rows.flatMap(({ registrationId: id }) => id ?? []))]
  const documents =
    registrationIds.length === 0
      ? []
      : await taxDocumentsOf.all(sql, { ids: JSON.stringify(registrationIds) })
  const ofRegistration = Map.groupBy(documents, ({ registration_id: id }) => id)
  const documentsOf = (row: (typeof rows)[number]): MovementDocument[] =>
    (row.registrationId === null ? [] : (ofRegistration.get(row.registrationId) ?? []))
      .filter(({ kind, payment_id: paymentId, at }) =>
        row.kind === 'payment'
          ? kind === 'invoice' && paymentId === row.paymentId
          : kind === 'credit' && at === row.at,
      )
      .map(({ id, serial }) => ({ id, serial }))
  return {
    rows: rows.map((row): Movement => {
      const { id, kind, name, code, reference, registrationId: _, paymentId: __, ...rest } = row
      return {
        ...rest,
        id: `${kind === 'payment' ? 'C' : 'R'}${id}`,
        is: kind === 'payment' ? 'payment' : row.isDispute === 1 ? 'dispute' : 'refund',
        name: name ?? '',
        reference: reference ?? '',
        currency: currencyOfMoney({ currency: code }),
        documents: documentsOf(row),
      }
    }),
    next: all.length > limit && last !== undefined ? formatPosition(last) : null,
  }
}

const formatPosition = ({ at, kind, id }: Position): string =>
  `${at}${kind === 'payment' ? 'C' : 'R'}${id}`

/** Null if it is not the `next` of a page. */
export function readPosition(text: string): Position | null {
  const [, at = '', kind, id = ''] = /^(\d{1,15})([CR])(\d{1,15})$/.exec(text) ?? []
  return kind === undefined
    ? null
    : { at: instant(Number(at)), kind: kind === 'C' ? 'payment' : 'refund', id: Number(id) }
}

type SumRow = {
  readonly eventId: string | null
  readonly method: string
  readonly code: string
  readonly state: CaptureState
  readonly n: number
  readonly amount: Amount
  readonly fee: Amount | null
}
const paymentSums = (sql: Sql, query: MovementQuery) =>
  queryOf<SumRow>(sql, (builder, dialect) =>
    builder
      .selectFrom(
        receivedPayments(builder, query, dialect)
          .select(({ fn }) => [
            fn.coalesce('r.event_id', 'c.found_for').as('eventId'),
            'c.source as method',
            'c.currency as code',
            'c.state',
            'c.amount',
            feeOfPayment.as('fee'),
          ])
          .as('m'),
      )
      .select(({ fn }) => [
        'm.eventId',
        'm.method',
        'm.code',
        'm.state',
        fn.countAll<number>().as('n'),
        fn.sum<Amount>('m.amount').as('amount'),
        fn.sum<Amount | null>('m.fee').as('fee'),
      ])
      .groupBy(['m.eventId', 'm.method', 'm.code', 'm.state']),
  ).all()
const refundSums = (sql: Sql, query: MovementQuery) =>
  queryOf<SumRow>(sql, (builder, dialect) =>
    builder
      .selectFrom(
        madeRefunds(builder, query, dialect)
          .select(({ fn }) => [
            fn.coalesce('r.event_id', 'c.found_for').as('eventId'),
            refundMethod.as('method'),
            'c.currency as code',
            'c.state',
            'f.amount',
            feeOfRefund.as('fee'),
          ])
          .as('m'),
      )
      .select(({ fn }) => [
        'm.eventId',
        'm.method',
        'm.code',
        'm.state',
        fn.countAll<number>().as('n'),
        fn.sum<Amount>('m.amount').as('amount'),
        fn.sum<Amount | null>('m.fee').as('fee'),
      ])
      .groupBy(['m.eventId', 'm.method', 'm.code', 'm.state']),
  ).all()

const isCounted = (state: CaptureState): boolean => state === 'fits' || state === 'accepted'

/** All movements of the query, without paging. Different codes of one currency are added up. */
export async function movementSums(
  sql: Sql,
  query: MovementQuery,
): Promise<readonly MovementSum[]> {
  const rows = [
    ...(await paymentSums(sql, query)).map((row) => ({ ...row, isRefund: false })),
    ...(await refundSums(sql, query)).map((row) => ({ ...row, isRefund: true })),
  ].map((row) => ({ ...row, currency: currencyOfMoney({ currency: row.code }) }))
  const groups = Map.groupBy(rows, ({ eventId, method, currency }) =>
    JSON.stringify([eventId, method, currency]),
  )
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, group]) => {
      const [eventId, method, currency] = JSON.parse(key) as [string | null, string, Currency]
      const add = (
        read: (row: (typeof rows)[number]) => number | null,
        isIncluded: (row: (typeof rows)[number]) => boolean,
      ): number => group.filter(isIncluded).reduce((sum, row) => sum + (read(row) ?? 0), 0)
      const amountOf = (isIncluded: (row: (typeof rows)[number]) => boolean): Amount =>
        toAmount(add(({ amount }) => amount, isIncluded))
      return {
        eventId,
        method,
        currency,
        payments: add(
          ({ n }) => n,
          ({ isRefund }) => !isRefund,
        ),
        received: amountOf(({ isRefund, state }) => !isRefund && isCounted(state)),
        inReview: amountOf(
          ({ isRefund, state }) => !isRefund && (state === 'review' || state === 'unmatched'),
        ),
        notCounted: amountOf(({ isRefund, state }) => !isRefund && state === 'refused'),
        refunds: add(
          ({ n }) => n,
          ({ isRefund }) => isRefund,
        ),
        refunded: amountOf(({ isRefund, state }) => isRefund && isCounted(state)),
        refundedNotCounted: amountOf(({ isRefund, state }) => isRefund && !isCounted(state)),
        fee: toAmount(
          add(
            ({ fee }) => fee,
            () => true,
          ),
        ),
      }
    })
}
