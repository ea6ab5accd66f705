/** Validates answers with an event's compiled JSON Schema, and returns the event file's messages. */
import { normaliseWithContext, formatPersonFieldKey } from './normalize-answers.ts'
import { isUnreadable } from './read-answer.ts'
import type { Field, PublicEvent } from '../event/config.ts'
import type { Answer, Answers, FieldErrors, Person, RawAnswers } from '../event/answer-types.ts'
import { getCurrency, findCategory } from '../rules/category.ts'
import { toList } from '../rules/conditions-and-operators.ts'
import { EMPTY_CONTEXT, type PricingContext } from '../rules/pricing-context.ts'
import {
  getChoiceMessage,
  findValueError,
  getPersonFields,
  getFieldPatterns,
  getInvalidMessage,
  getRequiredMessage,
} from './field-types.ts'
import { err, fromPairs, ok, getOwn, type Result } from '../lib/result.ts'
import { NOT_BLANK } from './json-schema.ts'

/** The part of an ajv error that this module reads. */
export type SchemaError = {
  readonly keyword: string
  readonly instancePath: string
  readonly params: Readonly<Record<string, unknown>>
}

/** Maps ajv's errors for these answers to the event file's messages: one per field, in form order. */
export function toMessages(
  event: PublicEvent,
  errors: readonly SchemaError[],
  answers: Answers,
): FieldErrors {
  const findErrorsAt = (parent: string, field: Field): readonly SchemaError[] =>
    // Nearly every form that is submitted has no errors.
    errors.length === 0
      ? errors
      : errors.filter(
          ({ keyword, instancePath, params }) =>
            keyword !== 'if' &&
            (keyword === 'required'
              ? instancePath === parent && params['missingProperty'] === field.id
              : instancePath === `${parent}/${formatPointer(field.id)}`),
        )
  const currency = getCurrency(event, findCategory(event, answers))
  return fromPairs(
    event.fields.flatMap((field): (readonly [string, string])[] => {
      const fieldErrors = findErrorsAt('', field)
      if (field.type === 'many') return findMultipleChoiceErrors(field, fieldErrors, errors)
      const answer = getOwn(answers, field.id)
      if (fieldErrors.length > 0) return [[field.id, findMessage(field, fieldErrors, answer)]]
      if (field.type === 'people')
        return toList(answer).flatMap((_, index) =>
          getPersonFields(field).flatMap((part): (readonly [string, string])[] => {
            const schemaErrors = findErrorsAt(`/${formatPointer(field.id)}/${index}`, part)
            const partAnswer = getOwn(getPersonAt(answer, index), part.id)
            const message =
              schemaErrors.length > 0
                ? findMessage(part, schemaErrors, partAnswer)
                : findValueError(part, partAnswer, currency)
            return message === null ? [] : [[formatPersonFieldKey(field, index, part), message]]
          }),
        )
      const valueError = findValueError(field, answer, currency)
      return valueError === null ? [] : [[field.id, valueError]]
    }),
  )
}

/** Returns the errors of a multiple choice. An invalid option takes precedence over a wrong number of choices. */
function findMultipleChoiceErrors(
  field: Field,
  fieldErrors: readonly SchemaError[],
  errors: readonly SchemaError[],
): (readonly [string, string])[] {
  const isMissing = fieldErrors.some(({ keyword }) => keyword === 'required')
  const hasInvalidOption = errors.some(({ instancePath }) =>
    instancePath.startsWith(`/${formatPointer(field.id)}/`),
  )
  if (isMissing) return [[field.id, getRequiredMessage(field)]]
  if (hasInvalidOption || fieldErrors.some(({ keyword }) => keyword === 'type'))
    return [[field.id, getInvalidMessage(field)]]
  return fieldErrors.length === 0 ? [] : [[field.id, getChoiceMessage(field)]]
}

function getPersonAt(answer: Answer | undefined, at: number): Person {
  const person = toList(answer)[at]
  return typeof person === 'object' ? person : {}
}

function findMessage(
  field: Field,
  errors: readonly SchemaError[],
  answer: Answer | undefined,
): string {
  const hasFailed = (pattern: string): boolean =>
    errors.some(({ keyword, params }) => keyword === 'pattern' && params['pattern'] === pattern)
  if (errors.some(({ keyword }) => keyword === 'required') || hasFailed(NOT_BLANK))
    return getRequiredMessage(field)
  const failedPattern = getFieldPatterns(field).find(({ pattern }) => hasFailed(pattern))
  return failedPattern?.message(String(answer ?? '')) ?? getInvalidMessage(field)
}

function formatPointer(id: string): string {
  return id.replace(/~/g, '~0').replace(/\//g, '~1')
}

/**
 * Validates answers with the compiled schema. Gives the same result as `checkAnswers`. `validate` receives normalised
 * answers, which never contain a list or object in place of a single value, so such values are reported here.
 */
export function validateWithSchema(
  event: PublicEvent,
  raw: RawAnswers,
  validate: (answers: Answers) => readonly SchemaError[],
  context: PricingContext = EMPTY_CONTEXT,
): Result<Answers, FieldErrors> {
  const { answers, visibleIds } = normaliseWithContext(event, raw, context)
  const errors = validate(answers)
  const unreadableFields = event.fields.filter((field) =>
    isUnreadable(field, getOwn(raw, field.id)),
  )
  const messages = Object.entries(toMessages(event, errors, answers))
  if (messages.length === 0 && unreadableFields.length === 0) return ok(answers)
  const fieldMessages = event.fields.flatMap((field) => {
    if (unreadableFields.includes(field) && visibleIds.has(field.id))
      return [[field.id, getInvalidMessage(field)] as const]
    return messages.filter(([name]) => name === field.id || name.startsWith(`${field.id}.`))
  })
  return fieldMessages.length === 0 ? ok(answers) : err(fromPairs(fieldMessages))
}
