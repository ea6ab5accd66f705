/**
 * Corrects answers in an existing registration.
 *
 * Price, category, quotas and uniqueness are checked again, with the prices of the period in which
 * the registration was priced.
 */
import type { Answers, FieldErrors, RawAnswers } from '../event/answer-types.ts'
import { findAnswerErrors, normalise } from '../answers/normalize-answers.ts'
import { getCurrency, findCategory } from '../rules/category.ts'
import type { EventConfig } from '../event/config.ts'
import { findInvoiceErrors, removeBuyerAnswers } from './invoice-buyer.ts'
import {
  CODE_NAME,
  METHOD_NAME,
  extractContext,
  getFullQuotaName,
  type PricingContext,
} from '../rules/pricing-context.ts'
import type { Amount, Currency } from '../lib/money.ts'
import { err, fromPairs, ok, getOwn, type Result } from '../lib/result.ts'
import { withBilledMethod, withMethod } from '../pricing/method-prices.ts'
import { getPricingPeriod } from '../pricing/price-periods.ts'
import { quoteInPeriod, type Quote, type QuoteRefusal } from '../pricing/quote.ts'
import { formatAnswer } from '../event/placeholders-and-answer-texts.ts'
import { dayOf, type Instant } from '../lib/time.ts'

/** The registration data that a correction needs. */
export type CorrectableRegistration = {
  readonly answers: Answers
  readonly category: string | null
  readonly period: string | null
  readonly total: Amount | null
  readonly createdAt: Instant
}
export type CorrectedRegistration = {
  readonly answers: Answers
  readonly category: string | null
  /** Null if the price is unchanged. */
  readonly quote: Quote | null
  /** Formatted for display: "Full Name: Asah → Asha". Empty if no answer changes. */
  readonly changes: readonly string[]
}
export type CorrectionRefusal =
  | { readonly code: 'wrong_answers'; readonly errors: FieldErrors }
  | { readonly code: 'no_price'; readonly why: QuoteRefusal }
  /** A registration keeps its currency. To change it, the delegate cancels and registers again. */
  | { readonly code: 'other_currency'; readonly was: Currency; readonly now: Currency }

/**
 * Returns the answers as they would be submitted now: only answers to fields, with the changes applied. A change to
 * null removes an answer.
 */
export function mergeRawAnswers(
  event: EventConfig,
  answers: Answers,
  changes: Readonly<Record<string, unknown>>,
): RawAnswers {
  return fromPairs(
    event.fields.flatMap(({ id }): [string, unknown][] => {
      const newAnswer = getOwn(changes, id)
      const value = newAnswer === undefined ? getOwn(answers, id) : newAnswer
      return value === undefined || value === null ? [] : [[id, value]]
    }),
  )
}

/**
 * Corrects a registration. `context` is the context for the new answers. An answer that was already
 * invalid and is not changed is kept. `holderFields`: after a transfer, the fields whose answers the new holder gave;
 * the address of the previous holder does not count for an invoice.
 */
export function correctRegistration(
  event: EventConfig,
  registration: CorrectableRegistration,
  changes: Readonly<Record<string, unknown>>,
  context: PricingContext,
  holderFields: ReadonlySet<string> | null = null,
): Result<CorrectedRegistration, CorrectionRefusal> {
  const { answers: oldAnswers } = registration
  const raw = mergeRawAnswers(event, oldAnswers, changes)
  const oldErrors = findAnswerErrors(
    event,
    mergeRawAnswers(event, oldAnswers, {}),
    extractContext(event, oldAnswers),
  )
  const answers = {
    ...selectOtherAnswers(event, oldAnswers),
    ...normalise(event, raw, context).answers,
  }
  const [categoryBefore, categoryAfter] = [
    findCategory(event, oldAnswers),
    findCategory(event, answers),
  ]
  // A category assigned by staff, such as an accepted offer, is kept if another answer changes.
  const category = categoryBefore === categoryAfter ? registration.category : categoryAfter
  const [oldCurrency, newCurrency] = [
    getCurrency(event, registration.category),
    getCurrency(event, category),
  ]
  if (oldCurrency !== newCurrency && registration.category !== null)
    return err({ code: 'other_currency', was: oldCurrency, now: newCurrency })
  const errors = Object.entries(findAnswerErrors(event, raw, context)).filter(
    ([id, message]) => Object.hasOwn(changes, id) || getOwn(oldErrors, id) !== message,
  )
  if (errors.length > 0) return err({ code: 'wrong_answers', errors: fromPairs(errors) })
  const quoteResult = reprice(event, registration, answers, category)
  if (!quoteResult.ok) return err({ code: 'no_price', why: quoteResult.error })
  const keptFields = holderFields && new Set([...holderFields, ...Object.keys(changes)])
  const buyerErrors = findNewBuyerErrors(
    event,
    registration,
    { answers, quote: quoteResult.value },
    keptFields,
  )
  if (Object.keys(buyerErrors).length > 0)
    return err({ code: 'wrong_answers', errors: buyerErrors })
  const unconfirmedIds = Object.keys(changes).filter((id) => holderFields?.has(id) === false)
  const changeTexts = listChanges(event, oldAnswers, answers)
  // If nothing changed, the registration also keeps its stored context.
  const isUnchanged = changeTexts.length === 0 && quoteResult.value === null
  return ok({
    answers: isUnchanged ? oldAnswers : answers,
    category,
    quote: quoteResult.value,
    changes: [...changeTexts, ...listConfirmedAnswers(event, oldAnswers, answers, unconfirmedIds)],
  })
}

/**
 * Returns errors for buyer details that are missing from the invoice because of this change. A bill that already
 * lacked them is accepted if the price is unchanged.
 */
function findNewBuyerErrors(
  event: EventConfig,
  registration: CorrectableRegistration,
  { answers, quote }: Pick<CorrectedRegistration, 'answers' | 'quote'>,
  keptFields: ReadonlySet<string> | null,
): FieldErrors {
  const { invoice } = event
  if (invoice === null) return {}
  const findErrors = (given: Answers, bill: Quote): FieldErrors =>
    findInvoiceErrors(
      event,
      keptFields === null ? given : removeBuyerAnswers(invoice, given, keptFields),
      bill,
    )
  const { answers: before, category, period, createdAt } = registration
  if (quote !== null) return findErrors(answers, quote)
  const priceBasis = getPricingPeriod(event.fees, { period, createdAt }, category)
  const originalQuote = quoteInPeriod(event, before, category, priceBasis, dayOf(createdAt))
  if (!originalQuote.ok) return {}
  const originalErrors = findErrors(before, originalQuote.value)
  return fromPairs(
    Object.entries(findErrors(answers, originalQuote.value)).filter(
      ([id]) => getOwn(originalErrors, id) === undefined,
    ),
  )
}

/**
 * Returns the additional values that were stored with the form, and answers to fields that no longer exist. Omits the
 * context, which is looked up again.
 */
function selectOtherAnswers(event: EventConfig, answers: Answers): Answers {
  const isContextValue = (id: string): boolean =>
    id === CODE_NAME || id.startsWith(getFullQuotaName('')) || id.includes('.')
  return fromPairs(
    Object.entries(answers).filter(
      ([id]) => !isContextValue(id) && !event.fields.some((field) => field.id === id),
    ),
  )
}

/**
 * Returns the new quote; null if the price is unchanged. Pricing the old answers with the current
 * file shows whether this change affects the price.
 */
function reprice(
  event: EventConfig,
  { answers: before, category: categoryBefore, period, total, createdAt }: CorrectableRegistration,
  answers: Answers,
  category: string | null,
): Result<Quote | null, QuoteRefusal> {
  if (event.fees.prices === null || total === null) return ok(null)
  const on = dayOf(createdAt)
  const getPriceBasis = (of: string | null): string =>
    getPricingPeriod(event.fees, { period, createdAt }, of)
  const priceBasis = getPriceBasis(categoryBefore)
  const bill = { category: categoryBefore, period: priceBasis, total }
  const billedAnswers = withBilledMethod(event, before, bill, on)
  const method = getOwn(billedAnswers, METHOD_NAME)
  const correctedAnswers =
    method === undefined ? answers : withMethod(event, answers, String(method))
  const newQuote = quoteInPeriod(event, correctedAnswers, category, getPriceBasis(category), on)
  const originalQuote = quoteInPeriod(event, billedAnswers, categoryBefore, priceBasis, on)
  const serialiseQuote = (quote: Quote): string => JSON.stringify([quote.category, quote.lines])
  if (
    newQuote.ok &&
    originalQuote.ok &&
    serialiseQuote(newQuote.value) === serialiseQuote(originalQuote.value)
  )
    return ok(null)
  // If there was no price before the change, the change is not the reason that there is none.
  if (!newQuote.ok && !originalQuote.ok) return ok(null)
  return newQuote
}

/**
 * Lists the previous holder's answers that staff saved again unchanged, such as an institution that both holders have.
 * An entry has the form of a change, so the answer then belongs to the new holder.
 */
function listConfirmedAnswers(
  event: EventConfig,
  before: Answers,
  after: Answers,
  ids: readonly string[],
): readonly string[] {
  return event.fields.flatMap(({ id, label }) => {
    const answer = getOwn(after, id)
    return ids.includes(id) &&
      answer !== undefined &&
      JSON.stringify(answer) === JSON.stringify(getOwn(before, id))
      ? [`${label}: ${formatAnswer(event, id, answer)} (also of the new holder)`]
      : []
  })
}

function listChanges(event: EventConfig, before: Answers, after: Answers): readonly string[] {
  const formatAnswerText = (answers: Answers, id: string): string => {
    const answer = getOwn(answers, id)
    return answer === undefined ? '–' : formatAnswer(event, id, answer)
  }
  return event.fields.flatMap(({ id, label }) => {
    const [oldText, newText] = [formatAnswerText(before, id), formatAnswerText(after, id)]
    return oldText === newText ? [] : [`${label}: ${oldText} → ${newText}`]
  })
}
