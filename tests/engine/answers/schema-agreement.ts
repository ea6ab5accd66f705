/** Compares the results of the engine and of an event's JSON Schema for the same answers. */
import { isDeepStrictEqual } from 'node:util'
import { Ajv } from 'ajv'
import { expect } from 'vitest'
import {
  checkAnswers,
  validateWithSchema,
  normalise,
  findVisibleFields,
  toSchema,
  type PublicEvent,
  type RawAnswers,
} from '../../../engine/index.ts'
import { EMPTY_CONTEXT, type PricingContext } from '../../../engine/rules/pricing-context.ts'

const OPTIONS = { allErrors: true, strict: false, ownProperties: true } as const
export const createAjv = (code = false): Ajv =>
  new Ajv({
    ...OPTIONS,
    ...(code && { code: { source: true, esm: true } }),
  })
type ThenSchema = { properties?: Record<string, unknown>; required?: string[] }
export type CompiledSchema = {
  properties: Record<string, unknown>
  allOf?: { if: object; then: ThenSchema }[]
}

/**
 * Compares like `toEqual`, but calls it only if the values differ: calling it for a hundred thousand equal answers
 * would take longer than validating them.
 */
function expectEqual(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected)
}

/** Returns a function that throws if the engine and the schema differ in their errors or visible fields. */
export function createAgreementAssertion(
  event: PublicEvent,
): (raw: RawAnswers, context?: PricingContext) => void {
  const schema = toSchema(event) as unknown as CompiledSchema
  const validate = createAjv().compile(schema)
  // The branches are parts of the schema compiled above, so they are not validated again.
  const branchAjv = new Ajv({ ...OPTIONS, validateSchema: false })
  const eventWithoutConditions = {
    ...event,
    sections: event.sections.map(({ showWhen: _section, ...rest }) => rest),
    fields: event.fields.map(({ showWhen: _own, ...rest }) => rest),
  }
  const branches = (schema.allOf ?? []).map((branch) => ({
    isMatch: branchAjv.compile(branch.if),
    then: branch.then,
  }))
  return (raw, context = EMPTY_CONTEXT) => {
    const { answers } = normalise(event, raw, context)
    const schemaResult = validateWithSchema(
      event,
      raw,
      (input) => (validate(input) ? [] : (validate.errors ?? [])),
      context,
    )
    const engineResult = checkAnswers(event, raw, context)
    expectEqual(schemaResult, engineResult)
    if (!schemaResult.ok) {
      expectEqual(
        Object.keys(schemaResult.error),
        engineResult.ok ? [] : Object.keys(engineResult.error),
      )
    }
    const findShownFields = (data: unknown): string[] =>
      [
        ...Object.keys(schema.properties),
        ...branches
          .filter(({ isMatch }) => isMatch(data))
          .flatMap(({ then: branchSchema }) => Object.keys(branchSchema.properties ?? {})),
      ].sort()
    const shownIds = [...findVisibleFields(event, raw, context)].sort()
    expectEqual(findShownFields(answers), shownIds)
    // Stale answers to hidden fields change nothing, even if they are not dropped.
    expectEqual(findShownFields(normalise(eventWithoutConditions, raw, context).answers), shownIds)
  }
}
