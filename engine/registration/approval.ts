/** Approval: which registrations need it, its deadline, and the deadline to pay afterwards. */
import type { Approval } from '../event/approval-and-cancellation-types.ts'
import type { Answers } from '../event/answer-types.ts'
import { matchesCondition } from '../rules/evaluate-condition.ts'
import { addDays, dayOf, endOfDay, instant, type Instant } from '../lib/time.ts'

/** Returns the first approval rule that matches these answers. Null if no approval is needed. */
export function findApproval(
  approvals: readonly Approval[],
  answers: Answers,
  category: string | null,
): Approval | null {
  return approvals.find(({ when }) => matchesCondition(when, answers, category)) ?? null
}

/** Returns the end of the day by which staff decide about a registration made now. */
export function getDecisionDeadline({ decideWithinDays }: Approval, at: Instant): Instant {
  return endOfDayAfter(at, decideWithinDays)
}

/** For an approval whose rule the file no longer has: the value that most files use. */
const PAY_WITHIN_DAYS = 7

/** Returns the end of the last day on which a registration approved now can be paid. */
export function getPaymentDeadline(approval: Approval | null, at: Instant): Instant {
  return endOfDayAfter(at, approval?.payWithinDays ?? PAY_WITHIN_DAYS)
}

const endOfDayAfter = (at: Instant, days: number): Instant =>
  instant(endOfDay(addDays(dayOf(at), days)))
