/** Explains why a condition is never true: when its fields are shown, and which values they accept. */
import { describeCondition } from '../../../rules/describe-condition.ts'
import type { Draft } from '../../finding.ts'
import type { ConditionAt, Model } from '../../checked-file.ts'

/** Returns the notes and the help for a condition that is never true. */
export function explainNever(
  model: Model,
  maps: ConditionAt['conditionMaps'],
): Pick<Draft, 'notes' | 'help'> {
  return {
    notes: [...new Set(maps.flatMap((map) => describeFields(model, map)))],
    help: 'all tests in a pair of braces must be true at the same time; for alternatives, write a list: [{a: 1}, {b: 2}]',
  }
}

/** Describes when each field tested in a map is visible, and which values it accepts. */
function describeFields(
  { config, fields }: Model,
  map: ConditionAt['conditionMaps'][number],
): readonly string[] {
  return map.tests.flatMap(({ field: id, raw }): readonly string[] => {
    const field = fields.find((candidate) => candidate.id === id)?.field
    if (field === undefined) return []
    const visibilityNotes = [field.showWhen, config.sections[field.section]?.showWhen].flatMap(
      (when) =>
        when === undefined || when === null
          ? []
          : [`\`${id}\` is shown only if ${describeCondition(config, when)}`],
    )
    const { min, max } = field
    const rangeNotes =
      field.type !== 'number' || (min === undefined && max === undefined)
        ? []
        : [
            `\`${id}\` is ${min === undefined ? '' : `at least ${min}`}${min === undefined || max === undefined ? '' : ' and '}${max === undefined ? '' : `at most ${max}`}`,
          ]
    return [...visibilityNotes, ...rangeNotes, ...describeEmptyRange(raw)]
  })
}

function describeEmptyRange(raw: unknown): readonly string[] {
  if (typeof raw !== 'object' || raw === null) return []
  const { at_least, above, at_most, below } = raw as Readonly<Record<string, unknown>>
  const from = typeof at_least === 'number' ? at_least : above
  const to = typeof at_most === 'number' ? at_most : below
  if (typeof from !== 'number' || typeof to !== 'number') return []
  return from > to || (from === to && (above !== undefined || below !== undefined))
    ? [
        `no number is ${typeof at_least === 'number' ? 'at least' : 'above'} ${from} and ${typeof at_most === 'number' ? 'at most' : 'below'} ${to}`,
      ]
    : []
}
