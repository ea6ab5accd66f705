/** Approval: which registrations need it, and the deadline for the decision. */
import type { Approval } from '../event/approval-and-cancellation-types.ts'
import type { Answers } from '../event/answer-types.ts'
import { matchesCondition } from '../rules/conditions-and-operators.ts'
import { addDays, dayOf, endOfDay, instant, type Instant } from '../lib/time.ts'

/** Returns the first approval rule that matches these answers; null if no approval is needed. */
export function findApproval(
  approvals: readonly Approval[],
  answers: Answers,
  category: string | null,
): Approval | null {
  return approvals.find(({ when }) => matchesCondition(when, answers, category)) ?? null
}

/** Returns the end of the last day on which staff must decide on a registration made now. */
export function computeDecisionDeadline({ decideWithinDays }: Approval, at: Instant): Instant {
  return instant(endOfDay(addDays(dayOf(at), decideWithinDays)))
}
