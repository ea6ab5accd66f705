/** Offers a refused registration another category, at the prices of its registration date. */
import type { Answers } from '../event/answer-types.ts'
import { findApproval } from './approval.ts'
import { type Approval } from '../event/approval-and-cancellation-types.ts'
import type { EventConfig } from '../event/config.ts'
import { ok, type Result } from '../lib/result.ts'
import { getPricingPeriod } from '../pricing/price-periods.ts'
import { quoteInPeriod, type Quote, type QuoteRefusal } from '../pricing/quote.ts'
import { dayOf, type Instant } from '../lib/time.ts'

/** The registration data that approval and offers need. */
export type ApprovableRegistration = {
  readonly answers: Answers
  readonly category: string | null
  readonly period: string | null
  readonly createdAt: Instant
  /** The approval rule that applies. Null if no approval was needed. */
  readonly approval: string | null
}

/** Returns the approval rule in the current file; null if the file no longer contains it. */
export function getApproval(
  { approvals }: Pick<EventConfig, 'approvals'>,
  { approval, answers, category }: ApprovableRegistration,
): Approval | null {
  return approvals.find(({ id }) => id === approval) ?? findApproval(approvals, answers, category)
}

/** Quotes the registration in that category; null if the event has no prices. */
export function quoteInCategory(
  event: EventConfig,
  registration: ApprovableRegistration,
  category: string,
): Result<Quote | null, QuoteRefusal> {
  if (event.fees.prices === null) return ok(null)
  const { answers, createdAt } = registration
  return quoteInPeriod(
    event,
    answers,
    category,
    getPricingPeriod(event.fees, registration, category),
    dayOf(createdAt),
  )
}
