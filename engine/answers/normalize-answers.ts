/**
 * Normalises raw answers: trims them, converts them to their types, fills in defaults, and removes answers to hidden
 * fields.
 */
import type { Field, Option, PublicEvent } from '../event/config.ts'
import type { Answer, Answers, FieldErrors, RawAnswers } from '../event/answer-types.ts'
import { getCurrency, findCategory } from '../rules/category.ts'
import { matchesCondition, toList } from '../rules/conditions-and-operators.ts'
import {
  getChoiceMessage,
  findValueError,
  getPersonFields,
  getFieldPatterns,
  getInvalidMessage,
  getRequiredMessage,
} from './field-types.ts'
import { INR, type Currency } from '../lib/money.ts'
import { assertNever, err, fromPairs, ok, getOwn, type Result } from '../lib/result.ts'
import { getContextValues, EMPTY_CONTEXT, type PricingContext } from '../rules/pricing-context.ts'
import { isBlank, isUnreadable, readField } from './read-answer.ts'
import { memoize } from '../lib/memoize.ts'

/**
 * Returns the normalised answers. Text is trimmed, and "" counts as absent; "true", "false" and decimal strings become
 * booleans and numbers; if a select field ignores case, its answer takes the letter case of the option. A malformed
 * answer is kept as text, so that validation can report it. Answers to unknown or hidden fields are dropped, and their
 * ids are listed in `droppedIds`. Idempotent.
 */
export function normalise(
  event: PublicEvent,
  raw: RawAnswers,
  context: PricingContext = EMPTY_CONTEXT,
): { readonly answers: Answers; readonly droppedIds: readonly string[] } {
  const { answers, visibleIds } = normaliseWithContext(event, raw, context)
  const droppedIds = Object.keys(raw).filter(
    (name) => !Object.hasOwn(answers, name) && !isBlank(getOwn(raw, name)) && !visibleIds.has(name),
  )
  return { answers, droppedIds }
}

/** Returns the normalised answers with the context added, and the ids of the visible fields. */
export function normaliseWithContext(
  event: PublicEvent,
  raw: RawAnswers,
  context: PricingContext = EMPTY_CONTEXT,
): { readonly answers: Answers; readonly visibleIds: ReadonlySet<string> } {
  const allAnswers = readAllFields(event, raw)
  const contextAnswers = context === EMPTY_CONTEXT ? NO_ANSWERS : getContextValues(context)
  const visibleIds = computeVisibleFields(event, allAnswers, contextAnswers)
  const answers = mergeAnswers(pickKeys(allAnswers, visibleIds), contextAnswers)
  return { answers: withOfferedMethod(event, answers), visibleIds }
}

/** Returns the payment method field if at least one method does not accept every currency of the event. */
const findCurrencyDependentMethodField = memoize((event: PublicEvent) =>
  event.fields.find(({ options = [] }) => options.some(({ currencies }) => currencies)),
)

/** Returns the methods offered for a bill in this currency. */
export function listOfferedOptions(
  { options = [] }: Pick<Field, 'options'>,
  currency: Currency,
): readonly Option[] {
  return options.filter(({ currencies }) => currencies?.includes(currency) !== false)
}

/**
 * Replaces or removes a payment method that is not offered. The form preselects the first method. If that method does
 * not accept the category's currency, it is replaced by the first method that does. A method that the delegate chose
 * is removed instead, because another method may cost more.
 */
function withOfferedMethod(event: PublicEvent, answers: Answers): Answers {
  const field = findCurrencyDependentMethodField(event)
  const chosenId = field === undefined ? undefined : getOwn(answers, field.id)
  if (field === undefined || chosenId === undefined) return answers
  const offeredOptions = listOfferedOptions(field, getCurrency(event, findCategory(event, answers)))
  const isKnown = field.options?.some(({ id }) => id === chosenId) === true
  if (!isKnown || offeredOptions.some(({ id }) => id === chosenId)) return answers
  const [first] = offeredOptions
  const { [field.id]: _method, ...otherAnswers } = answers
  return first === undefined || chosenId !== field.default
    ? otherAnswers
    : { ...answers, [field.id]: first.id }
}

/** Returns the ids of the fields that are visible for these answers, which may be raw or normalised. */
export function findVisibleFields(
  event: PublicEvent,
  answers: RawAnswers,
  context: PricingContext = EMPTY_CONTEXT,
): ReadonlySet<string> {
  return computeVisibleFields(event, readAllFields(event, answers), getContextValues(context))
}

const NO_ANSWERS: Answers = {}
function mergeAnswers(answers: Answers, contextAnswers: Answers): Answers {
  return contextAnswers === NO_ANSWERS ? answers : { ...answers, ...contextAnswers }
}

function isFieldVisible(
  event: PublicEvent,
  field: Field,
  answers: Answers,
  category: string | null,
): boolean {
  const sectionCondition = event.sections[field.section]?.showWhen
  return (
    (sectionCondition === undefined || matchesCondition(sectionCondition, answers, category)) &&
    (field.showWhen === undefined || matchesCondition(field.showWhen, answers, category))
  )
}

/** Returns one message per field, in form order; empty if the answers are valid. */
export function findAnswerErrors(
  event: PublicEvent,
  raw: RawAnswers,
  context: PricingContext = EMPTY_CONTEXT,
): FieldErrors {
  return evaluateAnswers(event, raw, context).errors
}

/** Returns the normalised answers, or their errors. */
export function checkAnswers(
  event: PublicEvent,
  raw: RawAnswers,
  context: PricingContext = EMPTY_CONTEXT,
): Result<Answers, FieldErrors> {
  const { answers, errors } = evaluateAnswers(event, raw, context)
  return Object.keys(errors).length === 0 ? ok(answers) : err(errors)
}

/** Evaluates answers once, and returns the normalised answers, the ids of the visible fields, and the errors. */
export function evaluateAnswers(
  event: PublicEvent,
  raw: RawAnswers,
  context: PricingContext = EMPTY_CONTEXT,
): {
  readonly answers: Answers
  readonly visibleIds: ReadonlySet<string>
  readonly errors: FieldErrors
} {
  const { answers, visibleIds } = normaliseWithContext(event, raw, context)
  const category = findCategory(event, answers)
  const currency = getCurrency(event, category)
  const errors: [string, string][] = []
  for (const field of event.fields) {
    if (!visibleIds.has(field.id)) continue
    const message = isUnreadable(field, getOwn(raw, field.id))
      ? getInvalidMessage(field)
      : findError(field, getOwn(answers, field.id), { answers, category, currency })
    if (message !== null) errors.push([field.id, message])
    else errors.push(...findPersonErrors(field, getOwn(answers, field.id)))
  }
  return { answers, visibleIds, errors: fromPairs(errors) }
}

type FormState = {
  readonly answers: Answers
  readonly category: string | null
  readonly currency: Currency
}
/**
 * An empty form state, for fields that depend on no other answer: file names, and the fields of people in a list.
 */
const EMPTY_FORM_STATE: FormState = { answers: {}, category: null, currency: INR }

function findError(
  field: Field,
  answer: Answer | undefined,
  { answers, category, currency }: FormState,
): string | null {
  if (answer === undefined) {
    const { required } = field
    return required !== undefined &&
      (required.when === undefined || matchesCondition(required.when, answers, category))
      ? getRequiredMessage(field)
      : null
  }
  if (!isAllowedAnswer(field, answer)) return getInvalidMessage(field)
  if (field.type === 'many')
    return isValidChoice(field, toList(answer)) ? null : getChoiceMessage(field)
  if (typeof answer !== 'string') return findValueError(field, answer, currency)
  return (
    compileFieldPatterns(field)
      .find(({ pattern }) => !pattern.test(answer))
      ?.message(answer) ?? findValueError(field, answer, currency)
  )
}

/**
 * Returns the name of an uploaded file as an answer, without folders or invisible characters, or an error if the name
 * is not valid.
 */
export function readFileName(field: Field, uploadedName: string): Result<string, string> {
  const name = readField(field, uploadedName)
  const error = findError(field, name, EMPTY_FORM_STATE)
  return typeof name === 'string' && error === null
    ? ok(name)
    : err(error ?? getRequiredMessage(field))
}

/** Compiles a field's patterns once, because compiling takes longer than testing. */
const compileFieldPatterns = memoize((field: Field) =>
  getFieldPatterns(field).map(({ pattern, message }) => ({
    pattern: new RegExp(pattern, 'u'),
    message,
  })),
)

function isAllowedAnswer(field: Field, answer: Answer): boolean {
  switch (field.type) {
    case 'yes-no':
      return typeof answer === 'boolean'
    case 'number':
      return (
        typeof answer === 'number' &&
        (field.min === undefined || answer >= field.min) &&
        (field.max === undefined || answer <= field.max) &&
        (field.isWhole !== true || Number.isInteger(answer))
      )
    case 'select':
      return (field.options ?? []).some((option) => option.id === answer)
    case 'many':
      return (
        typeof answer === 'object' &&
        toList(answer).every((id) => (field.options ?? []).some((option) => option.id === id))
      )
    case 'people':
      return (
        typeof answer === 'object' &&
        answer.length >= (field.min ?? 0) &&
        answer.length <= (field.max ?? 0)
      )
    case 'consent':
      return answer === true
    case 'text':
    case 'multiline':
    case 'email':
    case 'phone':
    case 'date':
    case 'file':
      return typeof answer === 'string'
    default:
      return assertNever(field.type)
  }
}

function isValidChoice({ choose }: Field, chosenIds: readonly unknown[]): boolean {
  return (
    chosenIds.length >= (choose?.atLeast ?? 0) &&
    chosenIds.length <= (choose?.atMost ?? Infinity) &&
    !(choose?.mutuallyExclusive ?? []).some((group) => group.every((id) => chosenIds.includes(id)))
  )
}

/** Returns the errors in the fields of listed people, with keys such as `companions.0.age`. */
function findPersonErrors(field: Field, answer: Answer | undefined): [string, string][] {
  if (field.type !== 'people') return []
  return toList(answer).flatMap((person, index) =>
    typeof person === 'string'
      ? []
      : getPersonFields(field).flatMap((subfield): [string, string][] => {
          const message = findError(subfield, getOwn(person, subfield.id), EMPTY_FORM_STATE)
          return message === null ? [] : [[formatPersonFieldKey(field, index, subfield), message]]
        }),
  )
}

/** Returns the key for an error in one field of a listed person: `companions.0.age`. */
export function formatPersonFieldKey(field: Field, index: number, subfield: Field): string {
  return `${field.id}.${index}.${subfield.id}`
}

function readAllFields(event: PublicEvent, raw: RawAnswers): Answers {
  const pairs: [string, Answer][] = []
  for (const field of event.fields) {
    const answer = readField(field, getOwn(raw, field.id)) ?? field.default
    if (answer !== undefined) pairs.push([field.id, answer])
  }
  return fromPairs(pairs)
}

/** Returns the ids of all fields, and the fields that have a condition, either their own or their section's. */
const indexFields = memoize((event: PublicEvent) => {
  const isConditional = ({ showWhen, section }: Field): boolean =>
    showWhen !== undefined || event.sections[section]?.showWhen !== undefined
  const listIds = (fields: readonly Field[]): ReadonlySet<string> =>
    new Set(fields.map(({ id }) => id))
  return {
    allIds: listIds(event.fields),
    conditionalFields: event.fields.filter(isConditional),
  }
})

/**
 * Returns the ids of the visible fields. A hidden field counts as not answered, which may hide or show other fields.
 * Each round evaluates the conditional fields with the answers to the fields that were visible after the previous
 * round. Without cycles (EV308) the result is stable after as many rounds as the longest chain has links.
 */
function computeVisibleFields(
  event: PublicEvent,
  answers: Answers,
  contextAnswers: Answers = NO_ANSWERS,
): ReadonlySet<string> {
  const { allIds, conditionalFields } = indexFields(event)
  let currentIds = allIds
  let visibleAnswers = answers
  for (let round = 0; conditionalFields.length > 0 && round <= event.fields.length; round++) {
    const answersWithContext = mergeAnswers(visibleAnswers, contextAnswers)
    const category = findCategory(event, answersWithContext)
    const hiddenFields = conditionalFields.filter(
      (field) => !isFieldVisible(event, field, answersWithContext, category),
    )
    const visibleIds = new Set(allIds)
    for (const { id } of hiddenFields) visibleIds.delete(id)
    currentIds = visibleIds
    const nextAnswers = pickKeys(answers, currentIds)
    // If the visible answers are unchanged, the next round would give the same result.
    if (haveSameKeys(nextAnswers, visibleAnswers)) break
    visibleAnswers = nextAnswers
  }
  return currentIds
}

function haveSameKeys(one: Answers, other: Answers): boolean {
  if (one === other) return true
  const keys = Object.keys(one)
  return keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key))
}

function pickKeys(answers: Answers, visibleIds: ReadonlySet<string>): Answers {
  if (Object.keys(answers).every((id) => visibleIds.has(id))) return answers
  return fromPairs(Object.entries(answers).filter(([id]) => visibleIds.has(id)))
}
