/**
 * An answer of a registration that is there is changed: whatever its price, category, limits and uniqueness read
 * is judged again, at the prices of the period in which it was priced.
 */
import type { Answers, FieldErrors, RawAnswers } from '../event/answer-types.ts'
import { errorsOf, normalise } from '../answers/normalize-answers.ts'
import { categoryOf } from '../rules/category.ts'
import type { EventConfig } from '../event/config.ts'
import { invoiceErrors } from './invoice-buyer.ts'
import { CODE, factsAmong, fullOf, type Facts } from '../rules/pricing-context.ts'
import type { Paise } from '../lib/money.ts'
import { err, fromPairs, ok, own, type Result } from '../lib/result.ts'
import { pricedIn } from '../pricing/price-periods.ts'
import { quoteIn, type Quote, type QuoteRefusal } from '../pricing/quote.ts'
import { answerText } from '../event/texts.ts'
import { dayOf, type Instant } from '../lib/time.ts'

/** A registration, as far as a correction reads it. */
export type Correctable = {
  readonly answers: Answers
  readonly category: string | null
  readonly period: string | null
  readonly total: Paise | null
  readonly createdAt: Instant
}
export type Corrected = {
  readonly answers: Answers
  readonly category: string | null
  /** Null: it costs what it cost. */
  readonly quote: Quote | null
  /** As people read them: "Full Name: Asah → Asha". Empty: nothing is another answer. */
  readonly changes: readonly string[]
}
export type CorrectionRefusal =
  | { readonly code: 'wrong_answers'; readonly errors: FieldErrors }
  | { readonly code: 'no_price'; readonly why: QuoteRefusal }

/** The answers as they would be sent now: fields only, with the changes laid over; null takes an answer away. */
export function rawWith(
  event: EventConfig,
  answers: Answers,
  changes: Readonly<Record<string, unknown>>,
): RawAnswers {
  return fromPairs(
    event.fields.flatMap(({ id }): [string, unknown][] => {
      const changed = own(changes, id)
      const value = changed === undefined ? own(answers, id) : changed
      return value === undefined || value === null ? [] : [[id, value]]
    }),
  )
}

/** `facts`: as they are for the new answers. An answer that was wrong before and is not touched stands. */
export function corrected(
  event: EventConfig,
  registration: Correctable,
  changes: Readonly<Record<string, unknown>>,
  facts: Facts,
): Result<Corrected, CorrectionRefusal> {
  const { answers: before } = registration
  const raw = rawWith(event, before, changes)
  const wrongBefore = errorsOf(event, rawWith(event, before, {}), factsAmong(event, before))
  const errors = Object.entries(errorsOf(event, raw, facts)).filter(
    ([id, message]) => Object.hasOwn(changes, id) || own(wrongBefore, id) !== message,
  )
  if (errors.length > 0) return err({ code: 'wrong_answers', errors: fromPairs(errors) })
  const answers = { ...besides(event, before), ...normalise(event, raw, facts).answers }
  const [said, says] = [categoryOf(event, before), categoryOf(event, answers)]
  // A category that people gave, as with an offer that was accepted, is not taken away by another answer.
  const category = said === says ? registration.category : says
  const priced = repriced(event, registration, answers, category)
  if (!priced.ok) return err({ code: 'no_price', why: priced.error })
  const unnamed = unnamedBuyer(event, registration, { answers, quote: priced.value })
  if (Object.keys(unnamed).length > 0) return err({ code: 'wrong_answers', errors: unnamed })
  const changed = changesIn(event, before, answers)
  // Where nobody changed anything, what was found out when it was answered stays too.
  const isSame = changed.length === 0 && priced.value === null
  return ok({ answers: isSame ? before : answers, category, quote: priced.value, changes: changed })
}

/** What the invoice lacks of its buyer by this change. An older bill that lacked it stands while its price does. */
function unnamedBuyer(
  event: EventConfig,
  registration: Correctable,
  { answers, quote }: Pick<Corrected, 'answers' | 'quote'>,
): FieldErrors {
  if (event.invoice === null) return {}
  const { answers: before, category, period, createdAt } = registration
  if (quote !== null) return invoiceErrors(event, answers, quote.lines)
  const by = pricedIn(event.fees, { period, createdAt })
  const then = quoteIn(event, before, category, by, dayOf(createdAt))
  if (!then.ok) return {}
  const missedBefore = invoiceErrors(event, before, then.value.lines)
  return fromPairs(
    Object.entries(invoiceErrors(event, answers, then.value.lines)).filter(
      ([id]) => own(missedBefore, id) === undefined,
    ),
  )
}

/** What is stored beside the form, and answers to fields that it has no more; facts are found out anew. */
function besides(event: EventConfig, answers: Answers): Answers {
  const isFact = (id: string): boolean =>
    id === CODE || id.startsWith(fullOf('')) || id.includes('.')
  return fromPairs(
    Object.entries(answers).filter(
      ([id]) => !isFact(id) && !event.fields.some((field) => field.id === id),
    ),
  )
}

/** Null: the same price. What the file of today makes of the old answers shows whether the change is what moves it. */
function repriced(
  event: EventConfig,
  { answers: before, category: categoryBefore, period, total, createdAt }: Correctable,
  answers: Answers,
  category: string | null,
): Result<Quote | null, QuoteRefusal> {
  if (event.fees.prices === null || total === null) return ok(null)
  const on = dayOf(createdAt)
  const by = pricedIn(event.fees, { period, createdAt })
  const now = quoteIn(event, answers, category, by, on)
  const then = quoteIn(event, before, categoryBefore, by, on)
  const asOne = (quote: Quote): string => JSON.stringify([quote.category, quote.lines])
  if (now.ok && then.ok && asOne(now.value) === asOne(then.value)) return ok(null)
  // What had no price before and has none now is no matter of this change.
  if (!now.ok && !then.ok) return ok(null)
  return now
}

function changesIn(event: EventConfig, before: Answers, after: Answers): readonly string[] {
  const said = (answers: Answers, id: string): string => {
    const answer = own(answers, id)
    return answer === undefined ? '–' : answerText(event, id, answer)
  }
  return event.fields.flatMap(({ id, label }) => {
    const [was, now] = [said(before, id), said(after, id)]
    return was === now ? [] : [`${label}: ${was} → ${now}`]
  })
}
