/** Lists received payments and refunds by the time when they were made. */
import { INR, instant } from '../../../engine/index.ts'
import type { Amount, Currency, DocumentBody, Instant, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { CaptureState } from '../database/statements/money-tables.ts'
import { buildQuery, statement } from '../database/statements/statement.ts'
import {
  getCurrency,
  feeOfPayment,
  feeOfRefund,
  isCounted,
  selectCompletedRefunds,
  selectReceivedPayments,
  refundMethod,
  unreconciledFlag,
} from './movement-conditions.ts'
import { isDispute } from '../refunds/refund-states-and-channels.ts'
import { openDifference } from './balance-expressions.ts'
import type { Movement, MovementDocument, MovementPage, MovementQuery } from './movement-types.ts'

type Kind = 'payment' | 'refund'
/**
 * The position after the last row of the previous page. If their times are equal, payments come before refunds, and
 * higher ids before lower ones.
 */
type Position = { readonly at: Instant; readonly kind: Kind; readonly id: number }

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
  readonly priceCurrency: Currency | null
  readonly state: CaptureState
  readonly fee: Amount | null
  readonly isDispute: number
  readonly isUnreconciled: number
  readonly due: Amount
}

const listPayments = (sql: Sql, query: MovementQuery, after: Position | null, limit: number) =>
  buildQuery<Row>(sql, (builder, dialect) => {
    const rows = selectReceivedPayments(builder, query, dialect)
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
        'r.currency as priceCurrency',
        'c.state',
        feeOfPayment.as('fee'),
        lit(0).as('isDispute'),
        unreconciledFlag.as('isUnreconciled'),
        openDifference.as('due'),
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
            // A refund comes after all payments with the same time.
            tuple(after.at, after.kind === 'payment' ? after.id : 0),
          ),
        )
  }).all()

const listRefunds = (sql: Sql, query: MovementQuery, after: Position | null, limit: number) =>
  buildQuery<Row>(sql, (builder, dialect) => {
    const rows = selectCompletedRefunds(builder, query, dialect)
      .select(({ fn, lit }) => [
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
        'r.currency as priceCurrency',
        'c.state',
        feeOfRefund.as('fee'),
        isDispute.as('isDispute'),
        lit(0).as('isUnreconciled'),
        lit(0 as Amount).as('due'),
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

const taxDocumentsOfRegistrations = statement((builder, { ids }: { ids: string }, dialect) =>
  builder
    .selectFrom('documents')
    .select(['id', 'registration_id', 'payment_id', 'kind', 'serial', 'at', 'body'])
    .where(({ ref }) => dialect.isIdIn(ref('registration_id'), ids))
    .where('kind', '<>', 'receipt')
    .orderBy('id'),
)

/** Returns received payments and refunds, newest first. `after`: the `next` of the previous page. */
export async function readMovementPage(
  sql: Sql,
  query: MovementQuery,
  after: string | null,
  limit: number,
): Promise<MovementPage> {
  const position = after === null ? null : parsePosition(after)
  const payments = await listPayments(sql, query, position, limit + 1)
  const refunds = await listRefunds(sql, query, position, limit + 1)
  const movementRows = [
    ...payments.map((row) => ({ ...row, kind: 'payment' as const })),
    ...refunds.map((row) => ({ ...row, kind: 'refund' as const })),
  ].toSorted(
    (a, b) =>
      b.at - a.at || Number(a.kind === 'refund') - Number(b.kind === 'refund') || b.id - a.id,
  )
  const rows = movementRows.slice(0, limit)
  const lastRow = rows.at(-1)
  const registrationIds = [...new Set(rows.flatMap(({ registrationId: id }) => id ?? []))]
  const documents =
    registrationIds.length === 0
      ? []
      : await taxDocumentsOfRegistrations.all(sql, { ids: JSON.stringify(registrationIds) })
  const documentsByRegistration = Map.groupBy(documents, ({ registration_id: id }) => id)
  const getDocuments = (row: (typeof rows)[number]): MovementDocument[] =>
    (row.registrationId === null ? [] : (documentsByRegistration.get(row.registrationId) ?? []))
      .filter(({ kind, payment_id: paymentId, at, body }) =>
        row.kind === 'payment'
          ? kind === 'invoice' && paymentId === row.paymentId && isCounted(row.state)
          : kind === 'credit' && at === row.at && !isIssuedForOther(body, row.reference),
      )
      .map(({ id, serial }) => ({ id, serial }))
  return {
    rows: rows.map((row): Movement => {
      const {
        id,
        kind,
        name,
        code,
        priceCurrency,
        reference,
        registrationId: _,
        paymentId: __,
        ...rest
      } = row
      return {
        ...rest,
        id: `${kind === 'payment' ? 'C' : 'R'}${id}`,
        is: kind === 'payment' ? 'payment' : row.isDispute === 1 ? 'dispute' : 'refund',
        name: name ?? '',
        reference: reference ?? '',
        currency: getCurrency({ code, priceCurrency }),
        isUnreconciled: row.isUnreconciled === 1,
        priceCurrency: priceCurrency ?? INR,
        documents: getDocuments(row),
      }
    }),
    next: movementRows.length > limit && lastRow !== undefined ? formatPosition(lastRow) : null,
  }
}

/** Tells apart the credit notes of refunds that one answer of the gateway confirms at the same time. */
function isIssuedForOther(body: string, refundReference: string | null): boolean {
  const { paid } = JSON.parse(body) as DocumentBody
  return paid !== null && paid.reference !== (refundReference ?? '')
}

const formatPosition = ({ at, kind, id }: Position): string =>
  `${at}${kind === 'payment' ? 'C' : 'R'}${id}`

/** Parses the position at which a page begins. Null if the text is not the `next` of a page. */
export function parsePosition(text: string): Position | null {
  const [, at = '', kind, id = ''] = /^(\d{1,15})([CR])(\d{1,15})$/.exec(text) ?? []
  return kind === undefined
    ? null
    : { at: instant(Number(at)), kind: kind === 'C' ? 'payment' : 'refund', id: Number(id) }
}
