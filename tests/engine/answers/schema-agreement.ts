/** Two opinions of one event, engine and lowered schema, compared over the same answers. */
import { Ajv } from 'ajv'
import { expect } from 'vitest'
import {
  checkAnswers,
  checkBySchema,
  normalise,
  shownFields,
  toSchema,
  type PublicEvent,
  type RawAnswers,
} from '../../../engine/index.ts'
import { EMPTY_CONTEXT, type PricingContext } from '../../../engine/rules/pricing-context.ts'

const OPTIONS = { allErrors: true, strict: false, ownProperties: true } as const
export const ajv = (code = false): Ajv =>
  new Ajv({
    ...OPTIONS,
    ...(code && { code: { source: true, esm: true } }),
  })
type Then = { properties?: Record<string, unknown>; required?: string[] }
export type Lowered = { properties: Record<string, unknown>; allOf?: { if: object; then: Then }[] }

/** What it answers throws when the two opinions differ, in what is said or in what is shown. */
export function judge(event: PublicEvent): (raw: RawAnswers, facts?: PricingContext) => void {
  const schema = toSchema(event) as unknown as Lowered
  const validate = ajv().compile(schema)
  // The branches are parts of what was just compiled: its form is not judged again.
  const parts = new Ajv({ ...OPTIONS, validateSchema: false })
  const withoutConditions = {
    ...event,
    sections: event.sections.map(({ showWhen: _section, ...rest }) => rest),
    fields: event.fields.map(({ showWhen: _own, ...rest }) => rest),
  }
  const branches = (schema.allOf ?? []).map((branch) => ({
    fits: parts.compile(branch.if),
    then: branch.then,
  }))
  return (raw, facts = EMPTY_CONTEXT) => {
    const { answers } = normalise(event, raw, facts)
    const bySchema = checkBySchema(
      event,
      raw,
      (asked) => (validate(asked) ? [] : (validate.errors ?? [])),
      facts,
    )
    const alone = checkAnswers(event, raw, facts)
    expect(bySchema).toEqual(alone)
    if (!bySchema.ok) {
      expect(Object.keys(bySchema.error)).toEqual(alone.ok ? [] : Object.keys(alone.error))
    }
    const shownBy = (data: unknown): string[] =>
      [
        ...Object.keys(schema.properties),
        ...branches
          .filter(({ fits }) => fits(data))
          .flatMap(({ then }) => Object.keys(then.properties ?? {})),
      ].sort()
    const shown = [...shownFields(event, raw, facts)].sort()
    expect(shownBy(answers)).toEqual(shown)
    // Read without dropping, stale answers of hidden fields change nothing either.
    expect(shownBy(normalise(withoutConditions, raw, facts).answers)).toEqual(shown)
  }
}
