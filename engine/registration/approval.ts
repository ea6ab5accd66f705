/** Approval: which registrations need it, the deadline for the decision, and whether the price is kept. */
import type { Approval } from '../event/approval-and-cancellation-types.ts'
import type { Answers } from '../event/answer-types.ts'
import type { PublicEvent } from '../event/config.ts'
import { METHOD_FIELD } from '../rules/pricing-context.ts'
import { getOwn } from '../lib/result.ts'
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

/** Returns true if the price of these answers is the one on the date on which the bank credits the payment. */
export function isPricedOnCredit(
  { methodsPricedOnCredit = [] }: Pick<PublicEvent, 'methodsPricedOnCredit'>,
  answers: Answers,
): boolean {
  const method = getOwn(answers, METHOD_FIELD)
  return method === undefined
    ? methodsPricedOnCredit.length > 0
    : methodsPricedOnCredit.some((id) => id === method)
}
