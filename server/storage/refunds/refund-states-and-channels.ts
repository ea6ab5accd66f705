/** Distinguishes refunds in progress, and refunds through the gateway from those outside it. */
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

/** For a refund `f`: staff requested it and it may still happen: not sent, sent, or of unknown result. */
export const refundUnderWay = fromRefund('f.state', 'in', ['wanted', 'asked', 'unsure'])

const fromRefunds = expressionBuilder<Record<'f' | 'g', Refunds>, 'f' | 'g'>()

/** The refund went through the gateway: it was requested there, or the gateway reported it. */
export const refundByGateway = (refund: 'f' | 'g') =>
  fromRefunds.and([
    fromRefunds(`${refund}.state`, '=', 'done'),
    fromRefunds.or([
      fromRefunds(`${refund}.asked_at`, 'is not', null),
      fromRefunds(`${refund}.who`, '=', 'gateway'),
    ]),
  ])

/** For a refund `f`: staff recorded it, made outside the gateway. */
export const refundByHand = fromRefund.and([
  fromRefund('f.state', '=', 'done'),
  fromRefund('f.asked_at', 'is', null),
  fromRefund('f.who', 'not in', ['gateway', 'import', 'migration']),
])

/** For a capture `c`: the amount that is neither refunded nor about to be. */
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

/** For a capture `c`: the payment came through the gateway for one of our orders, so the gateway can refund it. */
export const refundableByGateway = fromCapture.exists(
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

const referencesOfManualRefunds = statement((builder) =>
  builder
    .selectFrom('refunds as f')
    .select('f.reference')
    .where('f.reference', 'is not', null)
    .where(refundByHand)
    .$narrowType<{ reference: string }>(),
)

/** Returns true if a refund outside the gateway was recorded under one of these bank references. */
export async function isRefundReference(sql: Sql, keys: readonly string[]): Promise<boolean> {
  const utrs = new Set(keys.filter(isUtr))
  return (
    utrs.size > 0 &&
    (await referencesOfManualRefunds.all(sql)).some(({ reference }) =>
      listReferenceKeys(reference).some((key) => utrs.has(key)),
    )
  )
}
