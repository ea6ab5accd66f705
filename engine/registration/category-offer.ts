/** A registration that was refused, as the category that is offered in its place: at the prices of the day of registering. */
import type { Answers } from '../event/answer-types.ts'
import { approvalOf } from './approval.ts'
import { type Approval } from '../event/registration-types.ts'
import type { EventConfig } from '../event/config.ts'
import { ok, type Result } from '../lib/result.ts'
import { pricedIn } from '../pricing/price-periods.ts'
import { quoteIn, type Quote, type QuoteRefusal } from '../pricing/quote.ts'
import { dayOf, type Instant } from '../lib/time.ts'

/** A registration, as far as an approval and an offer read it. */
export type Approvable = {
  readonly answers: Answers
  readonly category: string | null
  readonly period: string | null
  readonly createdAt: Instant
  /** The rule by which somebody sees it; null: nobody had to. */
  readonly approval: string | null
}

/** The rule by which somebody sees it, as the file has it today; null: it has none for it any more. */
export function approvalFor(
  { approvals }: Pick<EventConfig, 'approvals'>,
  { approval, answers, category }: Approvable,
): Approval | null {
  return approvals.find(({ id }) => id === approval) ?? approvalOf(approvals, answers, category)
}

/** What it costs as that category; null: the event states no prices. */
export function quoteAs(
  event: EventConfig,
  registration: Approvable,
  category: string,
): Result<Quote | null, QuoteRefusal> {
  if (event.fees.prices === null) return ok(null)
  const { answers, createdAt } = registration
  return quoteIn(event, answers, category, pricedIn(event.fees, registration), dayOf(createdAt))
}
