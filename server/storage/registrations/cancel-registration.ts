/**
 * Cancels a registration: closes its open payments, settles its balance and proposes a refund.
 * `settleRegistration` releases its seats (seats/keep-and-release-seats.ts).
 */
import { err, formatMoney, ok, toAmount } from '../../../engine/index.ts'
import type { Amount } from '../../../engine/index.ts'
import type { ActionResult, NewAction, ShownBill } from './action-types.ts'
import { applyAction, REGISTRATION_CHANGED_MESSAGE } from './apply-action.ts'
import { closeOpenPayments } from '../payments/payment-attempts.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { coverBill } from '../documents/cover-bill.ts'
import {
  recordAdjustment,
  explainChangedPayments,
  getRetainedAmount,
  getRefundInProgress,
} from '../payments/balance-adjustments.ts'
import { settleRegistration } from '../payments/settle-registration.ts'
import { enqueue } from '../mail/email-queue.ts'
import type { NewMail } from '../index.ts'

/**
 * Cancels the registration. `refundAmount`: the amount to be refunded in addition to refunds in progress. It is only
 * proposed here; the refund is a separate action. `minRefund`: how much of an amount that is already owed must at least
 * be proposed; if omitted, all of it. `shownPaidAmount`: the paid amount that the user saw, or null. `shownBill`: the
 * bill on which the user decided, or null. `mail` is sent to the delegate.
 */
export function cancel(
  sql: Sql,
  action: NewAction,
  {
    refundAmount: requestedRefund,
    minRefund,
    shownPaidAmount: shown,
    shownBill = null,
    mail: email,
  }: {
    readonly refundAmount: Amount
    readonly minRefund?: Amount
    readonly shownPaidAmount: Amount | null
    readonly shownBill?: ShownBill | null
    readonly mail: NewMail | null
  },
): Promise<ActionResult> {
  const { at } = action
  return applyAction(sql, action, async ({ id, due, total, currency }) => {
    const keptAmount = await getRetainedAmount(sql, id)
    const amountInProgress = await getRefundInProgress(sql, id)
    // The refundable amount stays due until it is refunded.
    const amountOwed = -due - amountInProgress
    const refundAmount = toAmount(
      Math.max(requestedRefund, Math.min(amountOwed, minRefund ?? amountOwed)),
    )
    if (refundAmount > keptAmount)
      return err({
        code: 'bad_data',
        message: `Only ${formatMoney(keptAmount, currency)} can be refunded.`,
      })
    const change = explainChangedPayments(
      shown,
      keptAmount,
      currency,
      'The registration was not cancelled. Check it again.',
    )
    if (change !== null) return err({ code: 'not_now', message: change })
    if (
      shownBill !== null &&
      !(shownBill.isCurrent && shownBill.total === total && shownBill.due === due)
    )
      return err({ code: 'moved_on', message: REGISTRATION_CHANGED_MESSAGE })
    await closeOpenPayments(sql, id, 'cancelled', at)
    await settleRegistration(sql, id)
    recordAdjustment(sql, id, { what: 'given up', amount: -due }, at)
    // A refund in progress reduces the balance only when it is completed, so the balance includes it until then.
    recordAdjustment(sql, id, { what: 'cancelled', amount: -refundAmount - amountInProgress }, at)
    await coverBill(sql, id, at, { unpaid: toAmount(Math.max(0, due)) })
    if (email !== null) await enqueue(sql, id, 'again', email, at, action.actor)
    return ok({
      message:
        refundAmount === 0
          ? 'Registration cancelled.'
          : `Registration cancelled. To refund: ${formatMoney(refundAmount, currency)}.`,
      data: { pay_back: refundAmount },
    })
  })
}
