/** Performs payment decisions as actions on a registration. */
import { err, ok } from '../../../engine/index.ts'
import type { Decision, Paise } from '../../../engine/index.ts'
import type { ActionOutcome, NewAction } from '../registrations/action-types.ts'
import { doAct } from '../registrations/apply-action.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { decideReview } from './decide-reviews.ts'
import { requestRefund } from '../refunds/decide-refunds.ts'
import { reviewOf } from './open-reviews.ts'
import type { NewMail } from '../index.ts'
import { isRefundUnsettled } from '../lists/work-queue.ts'

export function refund(
  sql: Sql,
  wanted: NewAction,
  { amount, byHand }: { readonly amount: Paise | null; readonly byHand: string | null },
): Promise<ActionOutcome> {
  const { regNo, why, who, at } = wanted
  return doAct(sql, wanted, async () => {
    const hand = byHand === null ? {} : { byHand }
    const told = await requestRefund(sql, { of: regNo, amount, why, who, at, ...hand })
    return told.ok ? ok({ ...told.value, isDecision: true }) : told
  })
}

/** Refused if no refund is missing: the treasurer would close a problem that nobody has seen yet. */
export function handleRefund(sql: Sql, wanted: NewAction): Promise<ActionOutcome> {
  return doAct(sql, wanted, async () =>
    (await isRefundUnsettled(sql, wanted.regNo, wanted.at))
      ? ok({ message: 'Refund marked as handled.' })
      : err({
          code: 'not_now',
          message: 'No refund of this registration is missing from the settlement reports.',
        }),
  )
}

export function decideReviewOfRegistration(
  sql: Sql,
  wanted: NewAction,
  {
    review,
    decision,
    mail,
  }: { readonly review: string; readonly decision: Decision; readonly mail: NewMail | null },
): Promise<ActionOutcome> {
  return doAct(sql, wanted, async () => {
    const before = await reviewOf(sql, review)
    if (before !== null && before.regNo !== wanted.regNo)
      return err({
        code: 'not_there',
        message: `${review} belongs to another registration, not to ${wanted.regNo}.`,
      })
    const told = await decideReview(sql, review, decision, wanted.at, mail)
    return told.ok ? ok({ ...told.value, isDecision: true }) : told
  })
}
