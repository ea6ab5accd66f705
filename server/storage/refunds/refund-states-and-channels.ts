/** Builds SQL conditions on the progress of a refund and the channel through which it is made. */
import { expressionBuilder, sql as raw } from 'kysely'
import { isUtr, toAmount, listReferenceKeys } from '../../../engine/index.ts'
import type { Amount } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'

type Refunds = Tables['refunds']
type Captures = Tables['captures']
const fromRefund = expressionBuilder<Tables & { f: Refunds }, 'f'>()
const fromCapture = expressionBuilder<Tables & { c: Captures }, 'c'>()

/**
 * True for a refund `f` that staff requested and that may still succeed: it has not been sent, has been sent, or its
 * result is unknown.
 */
export const isRefundPending = fromRefund('f.state', 'in', ['wanted', 'asked', 'unsure'])

const fromRefunds = expressionBuilder<Record<'f' | 'g', Refunds>, 'f' | 'g'>()

/** True if the refund was requested through the gateway, or reported by it. */
export const isGatewayRefund = (refund: 'f' | 'g') =>
  fromRefunds.and([
    fromRefunds(`${refund}.state`, '=', 'done'),
    fromRefunds.or([
      fromRefunds(`${refund}.asked_at`, 'is not', null),
      fromRefunds(`${refund}.who`, '=', 'gateway'),
    ]),
  ])

/** True for a refund `f` made outside the gateway, which staff recorded. */
export const isManualRefund = fromRefund.and([
  fromRefund('f.state', '=', 'done'),
  fromRefund('f.asked_at', 'is', null),
  fromRefund('f.who', 'not in', ['gateway', 'import', 'migration']),
])

/** 1 for a lost dispute: staff record the reversed amount as a refund `f` with the dispute's id as reference. */
export const isDispute = raw<
  0 | 1
>`case when exists (select 1 from disputes d where d.dispute_id = f.reference) then 1 else 0 end`

/** The part of a capture `c` that is neither refunded nor being refunded. */
export const refundableAmount = fromCapture(
  'c.amount',
  '-',
  fromCapture
    .selectFrom('refunds as f')
    .select((refund) =>
      refund.fn.coalesce(refund.fn.sum<Amount>('f.amount'), raw.lit(toAmount(0))).as('amount'),
    )
    .whereRef('f.capture_id', '=', 'c.id')
    .where('f.state', '<>', 'refused'),
)

const fromRefundOfCapture = expressionBuilder<Tables & { c: Captures; f: Refunds }, 'c' | 'f'>()

/**
 * True for a refund `f` of capture `c` that the gateway refused and that may still be owed: staff have neither decided
 * on it nor requested the same amount again, and part of the capture has not been refunded.
 */
export const isRefusedRefundOpen = fromRefundOfCapture.and([
  fromRefundOfCapture('f.state', '=', 'refused'),
  fromRefundOfCapture(refundableAmount, '>', raw.lit(toAmount(0))),
  fromRefundOfCapture.not(
    fromRefundOfCapture.exists(
      fromRefundOfCapture
        .selectFrom('decisions as d')
        .select('d.id')
        .where('d.about', '=', raw<string>`'R' || ${fromRefundOfCapture.ref('f.id')}`),
    ),
  ),
  fromRefundOfCapture.not(
    fromRefundOfCapture.exists(
      fromRefundOfCapture
        .selectFrom('refunds as l')
        .select('l.id')
        .whereRef('l.capture_id', '=', 'f.capture_id')
        .whereRef('l.id', '>', 'f.id')
        .whereRef('l.amount', '=', 'f.amount'),
    ),
  ),
])

/** True for a capture `c` that a gateway received for one of our orders, so that the gateway can refund it. */
export const isRefundableByGateway = fromCapture.exists(
  fromCapture
    .selectFrom('payments as o')
    .select('o.id')
    .whereRef('o.id', '=', 'c.payment_id')
    .where('o.gateway', 'is not', null)
    .whereRef('c.source', '=', (payment) =>
      payment
        .case()
        .when('o.gateway', '=', '')
        .then('gateway')
        .else(payment.ref('o.gateway'))
        .end(),
    ),
)

/** 1 if a refund of a payment `c` was requested or recorded, and not refused. */
export const refundedFlag = fromCapture.fn.coalesce(
  // A subquery with a limit, because PostgreSQL looks it up by payment. With EXISTS, it might read all refunds.
  fromCapture
    .selectFrom('refunds as f')
    .select(({ lit }) => lit(1).as('found'))
    .whereRef('f.capture_id', '=', 'c.id')
    .where('f.state', '<>', 'refused')
    .limit(1),
  fromCapture.lit(0),
)

/** The sum of the completed refunds of a payment `c`. */
export const completedRefundSum = fromCapture.fn.coalesce(
  fromCapture
    .selectFrom('refunds as f')
    .select(({ fn }) => fn.sum<Amount>('f.amount').as('sum'))
    .whereRef('f.capture_id', '=', 'c.id')
    .where('f.state', '=', 'done'),
  raw.lit(toAmount(0)),
)

const referencesOfManualRefunds = statement((builder) =>
  builder
    .selectFrom('refunds as f')
    .select('f.reference')
    .where('f.reference', 'is not', null)
    .where(isManualRefund)
    .$narrowType<{ reference: string }>(),
)

/** Returns true if a refund outside the gateway was recorded under one of these bank references. */
export async function isRefundReference(sql: Sql, keys: readonly string[]): Promise<boolean> {
  const bankReferences = new Set(keys.filter(isUtr))
  return (
    bankReferences.size > 0 &&
    (await referencesOfManualRefunds.all(sql)).some(({ reference }) =>
      listReferenceKeys(reference).some((key) => bankReferences.has(key)),
    )
  )
}
