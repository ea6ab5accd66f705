/** Whose registration somebody sees before it is paid, how long that takes, and what follows when it is refused. */
import type { Approval } from '../event/registration-types.ts'
import type { Answers } from '../event/answer-types.ts'
import { holds } from '../rules/evaluate-condition.ts'
import { addDays, dayOf, endOf, instant, type Instant } from '../lib/time.ts'

/** The first rule that these answers fall under; null: nobody has to see them. */
export function approvalOf(
  approvals: readonly Approval[],
  answers: Answers,
  category: string | null,
): Approval | null {
  return approvals.find(({ when }) => holds(when, answers, category)) ?? null
}

/** The end of the day by which somebody decides about what is registered now. */
export function decideBy({ withinDays }: Approval, at: Instant): Instant {
  return endOfDay(at, withinDays)
}

/** For what is approved by a rule that the file has no more: as long as most files say. */
const PAY_WITHIN_DAYS = 7

/** The end of the last day on which it can be paid when it is approved now. */
export function payUntil(approval: Approval | null, at: Instant): Instant {
  return endOfDay(at, approval?.payWithinDays ?? PAY_WITHIN_DAYS)
}

const endOfDay = (at: Instant, days: number): Instant => instant(endOf(addDays(dayOf(at), days)))
