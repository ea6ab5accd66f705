/**
 * Cancels a registration: ends its open payments, settles its balance and proposes a refund.
 * `settleRegistration` releases its seats (seats/keep-and-release-seats.ts).
 */
import { err, formatMoney, ok, paise } from '../../../engine/index.ts'
import type { Paise } from '../../../engine/index.ts'
import type { ActionOutcome, NewAction } from './action-types.ts'
import { doAct } from './apply-action.ts'
import { endOpenPayments } from '../payments/payment-attempts.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { coverBill } from '../documents/issue-documents.ts'
import { addDue, keptOf, underWayOf } from '../payments/balance-adjustments.ts'
import { settleRegistration } from '../payments/settle-registration.ts'
import { enqueue } from '../mail/email-queue.ts'
import type { NewMail } from '../index.ts'

/**
 * `payBack`: the amount to refund beside refunds in progress; only proposed here, a refund pays it. It is at least
 * `atLeast`, the amount owed that goodwill does not cover; left out: all that is owed. `shown`: the paid amount that
 * the user saw; null: not stated. `mail` goes to the delegate.
 */
export function cancel(
  sql: Sql,
  wanted: NewAction,
  {
    payBack: wantedBack,
    atLeast,
    shown,
    mail,
  }: {
    readonly payBack: Paise
    readonly atLeast?: Paise
    readonly shown: Paise | null
    readonly mail: NewMail | null
  },
): Promise<ActionOutcome> {
  const { at } = wanted
  return doAct(sql, wanted, async ({ id, due }) => {
    const kept = await keptOf(sql, id)
    const underWay = await underWayOf(sql, id)
    // The amount owed stays to be paid back until it is refunded.
    const owed = -due - underWay
    const payBack = paise(Math.max(wantedBack, Math.min(owed, atLeast ?? owed)))
    if (payBack > kept)
      return err({
        code: 'bad_data',
        message: `Only ${formatMoney(kept)} can be refunded.`,
      })
    if (shown !== null && shown !== kept)
      return err({
        code: 'not_now',
        message: `The payments have changed: ${formatMoney(kept)} is paid now. Nothing was cancelled. Check the registration again.`,
      })
    await endOpenPayments(sql, id, 'cancelled', at)
    await settleRegistration(sql, id)
    addDue(sql, id, { what: 'given up', amount: -due }, at)
    // A refund in progress reduces the balance only when it is done, so the balance includes it until then.
    addDue(sql, id, { what: 'cancelled', amount: -payBack - underWay }, at)
    await coverBill(sql, id, at, { unpaid: paise(Math.max(0, due)) })
    if (mail !== null) await enqueue(sql, id, 'again', mail, at, wanted.actor)
    return ok({
      message:
        payBack === 0
          ? 'Registration cancelled.'
          : `Registration cancelled. To refund: ${formatMoney(payBack)}.`,
      data: { pay_back: payBack },
    })
  })
}
