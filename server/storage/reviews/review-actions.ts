/** Performs payment decisions as actions on a registration. */
import { err, ok } from '../../../engine/index.ts'
import type { Decision, GatewayKinds } from '../../../engine/index.ts'
import type { ActionResult, NewAction } from '../registrations/action-types.ts'
import type { WantedRefund } from '../payments/payment-types.ts'
import { applyAction } from '../registrations/apply-action.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { decideReview } from './decide-reviews.ts'
import { requestRefund } from '../refunds/request-and-approve-refunds.ts'
import { findReview } from './open-reviews.ts'
import type { NewMail } from '../index.ts'
import { isRefundUnsettled } from '../lists/work-queue.ts'

export function refund(
  sql: Sql,
  action: NewAction,
  {
    manualReference,
    ...wantedRefund
  }: Pick<WantedRefund, 'amount' | 'gatewayKinds' | 'shownPaidAmount'> & {
    readonly manualReference: string | null
  },
): Promise<ActionResult> {
  const { regNo, why: reason, who: user, at } = action
  return applyAction(sql, action, async () => {
    const referenceInput = manualReference === null ? {} : { manualReference }
    const result = await requestRefund(sql, {
      ...wantedRefund,
      ...referenceInput,
      of: regNo,
      why: reason,
      who: user,
      at,
    })
    return result.ok ? ok({ ...result.value, isDecision: true }) : result
  })
}

/**
 * Marks a missing refund as handled. Refused if no refund is missing, because marking it now would hide a later
 * problem.
 */
export function markRefundHandled(sql: Sql, action: NewAction): Promise<ActionResult> {
  return applyAction(sql, action, async () =>
    (await isRefundUnsettled(sql, action.regNo, action.at))
      ? ok({ message: 'Refund marked as handled.' })
      : err({
          code: 'not_now',
          message: 'No refund for this registration is missing from the settlement reports.',
        }),
  )
}

export function decideReviewOfRegistration(
  sql: Sql,
  action: NewAction,
  {
    review,
    decision,
    mail: email,
    gatewayKinds,
  }: {
    readonly review: string
    readonly decision: Decision
    readonly mail: NewMail | null
    readonly gatewayKinds: GatewayKinds
  },
): Promise<ActionResult> {
  return applyAction(sql, action, async () => {
    const reviewRow = await findReview(sql, review)
    if (reviewRow !== null && reviewRow.regNo !== action.regNo)
      return err({
        code: 'not_there',
        message: `${review} belongs to another registration, not to ${action.regNo}.`,
      })
    const result = await decideReview(sql, review, decision, action.at, email, gatewayKinds)
    return result.ok ? ok({ ...result.value, isDecision: true }) : result
  })
}
