/** Finds an event's registrations that expect a payment, and the owners of bank references. */
import type {
  Answers,
  Currency,
  Instant,
  UnpaidOrder,
  BankKey,
  KnownPayment,
  Amount,
  KnownPayout,
  RegNo,
} from '../../../engine/index.ts'
import { findPaymentsByKey, registrationsWithNumbers, findReportsByKey } from './bank-references.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { SettlementAccount } from './settlement-types.ts'
import type { ReportedReference } from '../payments/payment-claim-types.ts'
import { amountDue } from '../reports/balance-expressions.ts'

export type StoredExpectedPayment = UnpaidOrder & {
  readonly currency: Currency
  readonly createdAt: Instant
  /** The data that determines the price. Null unless the registration is unpaid and uses one of the given methods. */
  readonly priced: {
    readonly answers: Answers
    readonly category: string | null
    /** True if a payment of the price on its payment date is under review for this registration. */
    readonly isInReview: boolean
  } | null
}

const rowsOfExpectedPayments = statement(
  (
    builder,
    { eventId, methodsPricedByCreditDate }: { eventId: string; methodsPricedByCreditDate: string },
    dialect,
  ) =>
    builder
      .selectFrom('registrations as r')
      .leftJoin('tellings as t', (join) =>
        join.onRef('t.registration_id', '=', 'r.id').on('t.ended_as', 'is', null),
      )
      .leftJoin('payments as p', (join) =>
        join.on(({ eb, selectFrom }) =>
          eb(
            'p.id',
            '=',
            selectFrom('payments as newest')
              .select('newest.id')
              .whereRef('newest.registration_id', '=', 'r.id')
              .orderBy('newest.attempt', 'desc')
              .limit(1),
          ),
        ),
      )
      .select(({ and, eb, ref }) => [
        'r.reg_no as regNo',
        'r.full_name as name',
        amountDue.as('due'),
        't.reference as told',
        't.paid_on',
        'r.category',
        'r.currency',
        'r.in_review',
        'r.created_at',
        eb
          .case()
          .when(
            and([
              eb('r.payment_status', '<>', 'success'),
              dialect.isIn(ref('p.way'), methodsPricedByCreditDate),
              eb('r.erased_at', 'is', null),
            ]),
          )
          .then(ref('r.answers'))
          .end()
          .as('answers'),
      ])
      .where('r.event_id', '=', eventId)
      .where('r.state', 'in', ['to_pay', 'told', 'lapsed'])
      .where('r.total', '>', 0 as Amount)
      .orderBy('r.id'),
)
const payoutsWithKeys = statement((builder, { keys }: { keys: string }, dialect) =>
  builder
    .selectFrom('settlement_lines')
    .select(({ fn, ref }) => [
      ref('utr_key').$castTo<BankKey>().as('key'),
      'source',
      'account',
      fn.min('utr').as('utr'),
      fn.countAll<number>().as('lines'),
      fn.sum<Amount>('net').as('net'),
    ])
    .where('utr_key', '<>', '')
    .where(({ ref }) => dialect.isIn(ref('utr_key'), keys))
    .groupBy(['utr_key', 'source', 'account']),
)

/** Returns registrations that expect a payment, oldest first. If a registration is confirmed, this is its balance. */
export async function findExpectedPayments(
  sql: Sql,
  eventId: string,
  methodsPricedByCreditDate: readonly string[],
): Promise<readonly StoredExpectedPayment[]> {
  return (
    await rowsOfExpectedPayments.all(sql, {
      eventId,
      methodsPricedByCreditDate: JSON.stringify(methodsPricedByCreditDate),
    })
  ).map(({ regNo, name, due, told: claimReference, paid_on: claimDay, answers, ...row }) => ({
    regNo,
    name,
    due,
    currency: row.currency,
    createdAt: row.created_at,
    claim: claimReference === null ? null : { reference: claimReference, day: claimDay },
    priced:
      answers === null
        ? null
        : {
            answers: JSON.parse(answers) as Answers,
            category: row.category,
            isInReview: row.in_review === 1,
          },
  }))
}

type StoredPayout = KnownPayout & SettlementAccount

/** What the store knows about the references in a bank statement. */
export type StoredReferences = {
  readonly payments: readonly (readonly [key: BankKey, payment: KnownPayment])[]
  readonly payouts: readonly (readonly [key: BankKey, payout: StoredPayout])[]
  readonly registrations: readonly { readonly regNo: RegNo; readonly eventId: string }[]
  /** The payment claims of all events. */
  readonly reports: readonly ReportedReference[]
}

/** Returns the recorded payments, gateway payouts, registrations and claims that have these keys. */
export async function findKnownReferences(
  sql: Sql,
  keys: readonly BankKey[],
): Promise<StoredReferences> {
  const keysJson = JSON.stringify(keys)
  return {
    payments: await findPaymentsByKey(sql, keys),
    payouts: (await payoutsWithKeys.all(sql, { keys: keysJson })).map(({ key, ...payout }) => [
      key,
      payout,
    ]),
    registrations: await registrationsWithNumbers.all(sql, { keys: keysJson }),
    reports: await findReportsByKey(sql, keys),
  }
}
