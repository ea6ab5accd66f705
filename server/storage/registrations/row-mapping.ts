/** Maps database rows to the types of `index.ts`. */
import { assertNever, findFailure, toAmount } from '../../../engine/index.ts'
import type { Answers, Instant, OrderId, Amount, Payment, RegNo } from '../../../engine/index.ts'
import { amountOwed } from '../reports/balance-expressions.ts'
import { selectLines } from '../payments/stored-bill-lines.ts'
import type { LinesOfBill } from '../payments/stored-bill-lines.ts'
import { expressionBuilder } from 'kysely'
import { isId, isAnyOfIds } from '../database/select-by-ids.ts'
import type { RowSelection } from '../database/select-by-ids.ts'
import type { InferResult, Kysely, Selectable } from 'kysely'
import { statement } from '../database/statements/statement.ts'
import type { Values } from '../database/statements/statement.ts'
import type { Dialect } from '../database/statements/dialect.ts'
import type { Tables } from '../database/statements/tables.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { AttemptQuote } from '../payments/payment-types.ts'
import type { StoredPayment, StoredRegistration } from '../index.ts'

export type RegistrationRow = Selectable<Tables['registrations']>
/**
 * Selects payments `p` with data from other tables. `declined_code`: the gateway's code for a failure. Null if the
 * payment has not failed, or has failed without a code. `given_back`: 1 if a failed payment was refunded, or is being
 * refunded.
 */
const selectPayments = (builder: Kysely<Tables>, dialect: Dialect) =>
  builder
    .selectFrom('payments as p')
    .selectAll('p')
    .select(({ and, case: when, eb, exists, fn, ref, selectFrom }) => {
      const capturesInReview = selectFrom('captures as c')
        .whereRef('c.counts_for', '=', 'p.id')
        .where('c.state', '=', 'review')
      const refundsOfCaptures = selectFrom('refunds as b')
        .innerJoin('captures as c', 'c.id', 'b.capture_id')
        .whereRef('c.counts_for', '=', 'p.id')
      return [
        when()
          .when('p.status', '=', 'failed')
          .then(
            selectFrom('payment_facts as f')
              .select((f) => dialect.jsonText(f.ref('f.body'), '$.code').as('code'))
              .whereRef('f.payment_id', '=', 'p.id')
              .where('f.type', '=', 'declined')
              .orderBy('f.id')
              .limit(1),
          )
          .end()
          .as('declined_code'),
        when()
          .when('p.review', 'is not', null)
          .then(
            fn.coalesce(
              capturesInReview.select((c) => c.fn.min<Instant>('c.seen_at').as('at')),
              selectFrom('payment_facts as f')
                .select((f) => f.fn.max<Instant>('f.at').as('at'))
                .whereRef('f.payment_id', '=', 'p.id')
                .where('f.refusal', 'is not', null),
              ref('p.status_at'),
            ),
          )
          .end()
          .as('review_since'),
        when()
          .when(and([eb('p.review', 'is not', null), exists(capturesInReview.select('c.id'))]))
          .then<0 | 1>(1)
          .else(0)
          .end()
          .as('money_in_review'),
        when()
          .when('p.status', 'in', ['success', 'refunded'])
          .then(
            fn.coalesce(
              refundsOfCaptures
                .select((b) => b.fn.sum<Amount>('b.amount').as('amount'))
                .where('c.state', 'in', ['fits', 'accepted'])
                .where('b.state', '=', 'done'),
              eb.lit(0).$castTo<Amount>(),
            ),
          )
          .else(toAmount(0))
          .end()
          .as('refunded'),
        when()
          .when(
            and([
              eb('p.status', '=', 'failed'),
              // The refunds are counted, because PostgreSQL would read all captures for an EXISTS condition.
              eb(
                refundsOfCaptures
                  .select((b) => b.fn.countAll<number>().as('n'))
                  .where('c.state', '=', 'refused')
                  .where('b.state', '<>', 'refused'),
                '>',
                0,
              ),
            ]),
          )
          .then<0 | 1>(1)
          .else(0)
          .end()
          .as('given_back'),
      ]
    })
/** Selects payments joined with their registrations. */
export const selectJoinedPayments = (builder: Kysely<Tables>, dialect: Dialect) =>
  selectPayments(builder, dialect)
    .innerJoin('registrations as r', 'r.id', 'p.registration_id')
    .select(['r.reg_no', 'r.event_id', 'r.currency'])
export type PaymentRow = InferResult<ReturnType<typeof selectPayments>>[number]
export type JoinedPaymentRow = InferResult<ReturnType<typeof selectJoinedPayments>>[number]
/** Uses a subquery, because SQLite replans a join with a bound value on every execution. */
export const paymentOfOrder = statement((builder, { orderId }: { orderId: OrderId }, dialect) =>
  selectJoinedPayments(builder, dialect).where('p.id', '=', ({ selectFrom }) =>
    selectFrom('payments').select('id').where('order_id', '=', orderId),
  ),
)
export const paymentWithId = statement((builder, { id }: { id: number }, dialect) =>
  selectJoinedPayments(builder, dialect).where('p.id', '=', dialect.id(id)),
)

type UploadRow = Selectable<Tables['uploads']>
const expression = expressionBuilder<Tables>()

export const toStoredPayment = (row: JoinedPaymentRow): StoredPayment => ({
  id: row.id,
  orderId: row.order_id,
  regNo: row.reg_no,
  eventId: row.event_id,
  amount: row.amount,
  currency: row.currency,
  status: row.status,
  reference: row.reference,
  review: row.review,
  failure:
    row.status === 'failed'
      ? findFailure(row.declined_code, row.reason, row.given_back === 1)
      : null,
  createdAt: row.created_at,
  paidAt: row.paid_at,
  account: row.account,
  merchantId: row.merchant_id,
  gateway: row.gateway,
  watchUntil: row.watch_until,
  nextAskAt: row.next_ask_at,
  quote: getQuote(row),
  holdUntil: row.hold_until,
  handedOffAt: row.handed_off_at,
  lastResponse: row.last_answer,
  claimedAt: row.claimed_at,
  reviewSince: row.review_since,
  hasMoneyInReview: row.money_in_review === 1,
  refunded: row.refunded,
  way: row.way,
  isDifference: row.asks_for === 'difference',
})

/** Returns the price of the attempt. Null if it is unknown. */
export function getQuote({
  period,
  base,
  gst,
}: Pick<PaymentRow, 'period' | 'base' | 'gst'>): AttemptQuote | null {
  return base === null || gst === null ? null : { period, base, gst }
}

/**
 * Returns the payment as the engine's `applyPaymentEvent` expects it. The reference of a refunded payment is that of
 * the sale.
 */
export function toPayment(row: JoinedPaymentRow): Payment {
  const { order_id: orderId, amount, currency, review } = row
  const commonFields = { orderId, amount, currency, review }
  switch (row.status) {
    case 'pending':
      return { ...commonFields, status: { is: 'pending' } }
    case 'failed':
      return {
        ...commonFields,
        status: { is: 'failed', reason: row.reason ?? '', at: row.status_at },
      }
    case 'success':
      return {
        ...commonFields,
        status: {
          is: 'success',
          reference: row.reference ?? '',
          at: row.status_at,
          paidAt: row.paid_at ?? row.status_at,
        },
      }
    case 'refunded':
      return {
        ...commonFields,
        status: { is: 'refunded', reference: row.reference ?? '', at: row.status_at },
      }
    default:
      return assertNever(row.status)
  }
}

/**
 * Defines a function that reads complete registrations. It sends four statements (registrations, payments, uploads and
 * lines) in one round trip.
 */
function selectRegistrationsWhere<Params extends object>(selection: RowSelection<Params>) {
  const registrationStatement = statement((builder, params: Params, dialect) =>
    builder
      .selectFrom('registrations as r')
      .selectAll('r')
      .select(({ case: when, exists, selectFrom }) => [
        amountOwed.as('owed'),
        when()
          .when(
            exists(
              selectFrom('acts as a')
                .select('a.id')
                .whereRef('a.registration_id', '=', 'r.id')
                .where('a.act', '=', 'transfer'),
            ),
          )
          .then<0 | 1>(1)
          .else(0)
          .end()
          .as('was_transferred'),
      ])
      .where(({ ref }) => selection(ref('r.id'), params, dialect)),
  )
  const paymentStatement = statement((builder, params: Params, dialect) =>
    selectPayments(builder, dialect)
      .where(({ ref }) => selection(ref('p.registration_id'), params, dialect))
      .orderBy('p.attempt', 'desc'),
  )
  const uploadStatement = statement((builder, params: Params, dialect) =>
    builder
      .selectFrom('uploads')
      .selectAll()
      .where(({ ref }) => selection(ref('registration_id'), params, dialect))
      .orderBy('field'),
  )
  const readLines = selectLines(selection)
  return async (sql: Sql, ...params: Values<Params>) =>
    toStoredRegistrations(
      ...(await Promise.all([
        registrationStatement.all(sql, ...params),
        paymentStatement.all(sql, ...params),
        uploadStatement.all(sql, ...params),
        readLines(sql, ...params),
      ])),
    )
}
const selectRegistrationById = selectRegistrationsWhere(isId)
const selectRegistrationsByIds = selectRegistrationsWhere(isAnyOfIds)
const selectRegistrationsByNumber = selectRegistrationsWhere<{ regNo: RegNo }>((id, { regNo }) =>
  expression(id, '=', ({ selectFrom }) =>
    selectFrom('registrations').select('id').where('reg_no', '=', regNo),
  ),
)
const selectRegistrationsOfOrder = selectRegistrationsWhere<{ orderId: OrderId }>(
  (id, { orderId }) =>
    expression(id, '=', ({ selectFrom }) =>
      selectFrom('payments').select('registration_id').where('order_id', '=', orderId),
    ),
)

/** Returns complete registrations, in the order of the given ids. */
export async function readRegistrationsByIds(
  sql: Sql,
  ids: readonly number[],
): Promise<readonly StoredRegistration[]> {
  const [firstId] = ids
  if (firstId === undefined) return []
  const rows =
    ids.length === 1
      ? await selectRegistrationById(sql, { id: firstId })
      : await selectRegistrationsByIds(sql, { ids: JSON.stringify(ids) })
  const registrationsById = new Map(rows.map((registration) => [registration.id, registration]))
  return ids.flatMap((id) => registrationsById.get(id) ?? [])
}

export async function readRegistrationByNumber(
  sql: Sql,
  regNo: string,
): Promise<StoredRegistration | null> {
  return (await selectRegistrationsByNumber(sql, { regNo: regNo as RegNo }))[0] ?? null
}

export async function readRegistrationOfOrder(
  sql: Sql,
  orderId: string,
): Promise<StoredRegistration | null> {
  return (await selectRegistrationsOfOrder(sql, { orderId: orderId as OrderId }))[0] ?? null
}

function toStoredRegistrations(
  rows: readonly (RegistrationRow & { owed: Amount; was_transferred: number })[],
  paymentRows: readonly PaymentRow[],
  uploadRows: readonly UploadRow[],
  getLines: LinesOfBill,
): readonly StoredRegistration[] {
  const paymentsByRegistrationId = Map.groupBy(paymentRows, (row) => row.registration_id)
  const uploads = Map.groupBy(uploadRows, (row) => row.registration_id)
  return rows.map((row): StoredRegistration => {
    const { id } = row
    return {
      id,
      eventId: row.event_id,
      eventHash: row.event_hash,
      regNo: row.reg_no,
      formerNo: row.former_no,
      wasTransferred: row.was_transferred === 1,
      answers: JSON.parse(row.answers) as Answers,
      category: row.category,
      period: row.period,
      base: row.base,
      gst: row.gst,
      total: row.total,
      currency: row.currency,
      lines: getLines(id, row.bill),
      paymentStatus: row.payment_status,
      inReview: row.in_review === 1,
      state: row.state,
      due: row.due,
      money: {
        paid: toAmount(row.booked + row.refunded),
        refunded: row.refunded,
        owed: row.owed,
      },
      approval: row.approval,
      decideBy: row.decide_by,
      offer: row.offer,
      payUntil: row.pay_until,
      paymentId: row.payment_id,
      paidAt: row.paid_at,
      createdAt: row.created_at,
      payments: (paymentsByRegistrationId.get(id) ?? []).map((payment) =>
        toStoredPayment({
          ...payment,
          reg_no: row.reg_no,
          event_id: row.event_id,
          currency: row.currency,
        }),
      ),
      uploads: (uploads.get(id) ?? []).map(({ field, sha256, name, type, bytes, dropped_at }) => ({
        field,
        sha256,
        name,
        type,
        bytes,
        droppedAt: dropped_at,
      })),
    }
  })
}
