/** The verdict on answers by an event's compiled schema, and its errors as the event file's texts. */
import { counted, isUnreadable } from './answers.ts'
import type { Answers, Field, FieldErrors, PublicEvent, RawAnswers } from './config.ts'
import { formsOf, invalidOf, requiredOf } from './fields.ts'
import { err, fromPairs, ok, own, type Result } from './outcome.ts'
import { NOT_BLANK } from './schema.ts'

/** What this reads of an ajv error. */
export type SchemaError = {
  readonly keyword: string
  readonly instancePath: string
  readonly params: Readonly<Record<string, unknown>>
}

/** ajv's errors as the event file's texts: one per field, in form order. */
export function toMessages(event: PublicEvent, errors: readonly SchemaError[]): FieldErrors {
  const ofField = (field: Field): readonly SchemaError[] =>
    errors.filter(
      ({ keyword, instancePath, params }) =>
        keyword !== 'if' &&
        (keyword === 'required'
          ? params['missingProperty'] === field.id
          : instancePath === `/${pointer(field.id)}`),
    )
  return fromPairs(
    event.fields.flatMap((field) => {
      const found = ofField(field)
      return found.length === 0 ? [] : [[field.id, messageOf(field, found)] as const]
    }),
  )
}

function messageOf(field: Field, errors: readonly SchemaError[]): string {
  const failed = (pattern: string): boolean =>
    errors.some(({ keyword, params }) => keyword === 'pattern' && params['pattern'] === pattern)
  if (errors.some(({ keyword }) => keyword === 'required') || failed(NOT_BLANK))
    return requiredOf(field)
  return formsOf(field).find(({ pattern }) => failed(pattern))?.message ?? invalidOf(field)
}

function pointer(id: string): string {
  return id.replace(/~/g, '~0').replace(/\//g, '~1')
}

/**
 * What `checkAnswers` says, by the word of the compiled schema. `judge` gets normalised answers. A list
 * or an object in the place of an answer is not among them, and no schema sees it: it is told here.
 */
export function checkBySchema(
  event: PublicEvent,
  raw: RawAnswers,
  judge: (answers: Answers) => readonly SchemaError[],
): Result<Answers, FieldErrors> {
  const { answers, shown } = counted(event, raw)
  const errors = judge(answers)
  const unreadable = event.fields.filter(({ id }) => isUnreadable(own(raw, id)))
  if (errors.length === 0 && unreadable.length === 0) return ok(answers)
  const said = toMessages(event, errors)
  const all = event.fields.flatMap((field) => {
    const message =
      unreadable.includes(field) && shown.has(field.id) ? invalidOf(field) : own(said, field.id)
    return message === undefined ? [] : [[field.id, message] as const]
  })
  return all.length === 0 ? ok(answers) : err(fromPairs(all))
}
