/** Tells refunds under way from others, and refunds through the gateway from those outside it. */
import { expressionBuilder, sql as raw } from 'kysely'
import { isUtr, paise, referenceKeys } from '../../../engine/index.ts'
import type { Paise } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'

type Refunds = Tables['refunds']
type Captures = Tables['captures']
const ofRefund = expressionBuilder<Tables & { f: Refunds }, 'f'>()
const ofCapture = expressionBuilder<Tables & { c: Captures }, 'c'>()

/** For a refund `f`: staff wanted it and it may still happen: not sent, sent, or of unknown result. */
export const refundUnderWay = ofRefund('f.state', 'in', ['wanted', 'asked', 'unsure'])

const ofRefunds = expressionBuilder<Record<'f' | 'g', Refunds>, 'f' | 'g'>()

/** The refund went through the gateway: it was requested there, or the gateway reported it. */
export const refundByGateway = (refund: 'f' | 'g') =>
  ofRefunds.and([
    ofRefunds(`${refund}.state`, '=', 'done'),
    ofRefunds.or([
      ofRefunds(`${refund}.asked_at`, 'is not', null),
      ofRefunds(`${refund}.who`, '=', 'gateway'),
    ]),
  ])

/** For a refund `f`: staff recorded it, made outside the gateway. */
export const refundByHand = ofRefund.and([
  ofRefund('f.state', '=', 'done'),
  ofRefund('f.asked_at', 'is', null),
  ofRefund('f.who', 'not in', ['gateway', 'import', 'migration']),
])

/** For a capture `c`: the part that was not refunded and is not about to be. */
export const refundableAmount = ofCapture(
  'c.amount',
  '-',
  ofCapture
    .selectFrom('refunds as f')
    .select((refund) =>
      refund.fn.coalesce(refund.fn.sum<Paise>('f.amount'), raw.lit(paise(0))).as('amount'),
    )
    .whereRef('f.capture_id', '=', 'c.id')
    .where('f.state', '<>', 'refused'),
)

/** For a capture `c`: the payment came through the gateway for one of our orders, so the gateway can refund it. */
export const refundableByGateway = ofCapture.exists(
  ofCapture
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
      referenceKeys(reference).some((key) => utrs.has(key)),
    )
  )
}
