/** Validates answers with an event's compiled JSON Schema, and returns the event file's messages. */
import { counted, partOf } from './normalize-answers.ts'
import { isUnreadable } from './read-answer.ts'
import type { Field, PublicEvent } from '../event/config.ts'
import type { Answer, Answers, FieldErrors, Person, RawAnswers } from '../event/answer-types.ts'
import { listOf } from '../rules/evaluate-condition.ts'
import { EMPTY_CONTEXT, type PricingContext } from '../rules/pricing-context.ts'
import { chooseOf, faultOf, fieldsOfPerson, formsOf, invalidOf, requiredOf } from './field-types.ts'
import { err, fromPairs, ok, own, type Result } from '../lib/result.ts'
import { NOT_BLANK } from './json-schema.ts'

/** The part of an ajv error that this module reads. */
export type SchemaError = {
  readonly keyword: string
  readonly instancePath: string
  readonly params: Readonly<Record<string, unknown>>
}

/** Maps ajv's errors on the given answers to the event file's messages: one per field, in form order. */
export function toMessages(
  event: PublicEvent,
  errors: readonly SchemaError[],
  answers: Answers,
): FieldErrors {
  const at = (parent: string, field: Field): readonly SchemaError[] =>
    errors.filter(
      ({ keyword, instancePath, params }) =>
        keyword !== 'if' &&
        (keyword === 'required'
          ? instancePath === parent && params['missingProperty'] === field.id
          : instancePath === `${parent}/${pointer(field.id)}`),
    )
  return fromPairs(
    event.fields.flatMap((field): (readonly [string, string])[] => {
      const found = at('', field)
      if (field.type === 'many') return ofMany(field, found, errors)
      const answer = own(answers, field.id)
      if (found.length > 0) return [[field.id, messageOf(field, found, answer)]]
      if (field.type === 'people')
        return listOf(answer).flatMap((_, one) =>
          fieldsOfPerson(field).flatMap((part): (readonly [string, string])[] => {
            const wrong = at(`/${pointer(field.id)}/${one}`, part)
            const said = own(personAt(answer, one), part.id)
            const message = wrong.length > 0 ? messageOf(part, wrong, said) : faultOf(part, said)
            return message === null ? [] : [[partOf(field, one, part), message]]
          }),
        )
      const fault = faultOf(field, answer)
      return fault === null ? [] : [[field.id, fault]]
    }),
  )
}

/** An invalid option is reported before the number of choices. */
function ofMany(
  field: Field,
  found: readonly SchemaError[],
  errors: readonly SchemaError[],
): (readonly [string, string])[] {
  const isMissing = found.some(({ keyword }) => keyword === 'required')
  const isNone = errors.some(({ instancePath }) =>
    instancePath.startsWith(`/${pointer(field.id)}/`),
  )
  if (isMissing) return [[field.id, requiredOf(field)]]
  if (isNone || found.some(({ keyword }) => keyword === 'type'))
    return [[field.id, invalidOf(field)]]
  return found.length === 0 ? [] : [[field.id, chooseOf(field)]]
}

function personAt(answer: Answer | undefined, at: number): Person {
  const person = listOf(answer)[at]
  return typeof person === 'object' ? person : {}
}

function messageOf(
  field: Field,
  errors: readonly SchemaError[],
  answer: Answer | undefined,
): string {
  const failed = (pattern: string): boolean =>
    errors.some(({ keyword, params }) => keyword === 'pattern' && params['pattern'] === pattern)
  if (errors.some(({ keyword }) => keyword === 'required') || failed(NOT_BLANK))
    return requiredOf(field)
  const form = formsOf(field).find(({ pattern }) => failed(pattern))
  return form?.message(String(answer ?? '')) ?? invalidOf(field)
}

function pointer(id: string): string {
  return id.replace(/~/g, '~0').replace(/\//g, '~1')
}

/**
 * The same result as `checkAnswers`, from the compiled schema. `judge` gets normalised answers. A
 * list or an object in place of an answer is not among them, so no schema sees it: it is reported
 * here.
 */
export function checkBySchema(
  event: PublicEvent,
  raw: RawAnswers,
  judge: (answers: Answers) => readonly SchemaError[],
  facts: PricingContext = EMPTY_CONTEXT,
): Result<Answers, FieldErrors> {
  const { answers, shown } = counted(event, raw, facts)
  const errors = judge(answers)
  const unreadable = event.fields.filter((field) => isUnreadable(field, own(raw, field.id)))
  const said = toMessages(event, errors, answers)
  const all = event.fields.flatMap((field) => {
    if (unreadable.includes(field) && shown.has(field.id))
      return [[field.id, invalidOf(field)] as const]
    return Object.entries(said).filter(
      ([name]) => name === field.id || name.startsWith(`${field.id}.`),
    )
  })
  return all.length === 0 ? ok(answers) : err(fromPairs(all))
}
