/** Check EV315: age groups of the same kind neither overlap by a year nor leave a year out. */
import { collectForms, type Check, type ConditionAt, type Model } from '../../checked-file.ts'
import type { Draft } from '../../finding.ts'

type Bounds = {
  readonly at_least?: number
  readonly at_most?: number
  readonly above?: number
  readonly below?: number
}
/** An age group in whole years, including both bounds. */
type AgeGroup = {
  readonly min: number
  readonly max: number
  readonly path: string
  readonly kind: ConditionAt['kind']
  /** Groups are compared only if their keys are equal: the same field, kind of condition and other tests. */
  readonly comparisonKey: string
}

const BOUND_KEYS = ['at_least', 'at_most', 'above', 'below']

const isBounds = (value: unknown): value is Bounds =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).some((key) => BOUND_KEYS.includes(key))

/** Returns the age bounds of a test: of a date of birth, or of a number field that asks for an age. */
function readAgeBounds({ fields }: Model, id: string, raw: unknown): Bounds | null {
  const field = fields.find((field) => field.id === id)?.field
  if (field?.type === 'date') {
    const { age } = (typeof raw === 'object' ? raw : null) as { readonly age?: unknown }
    return isBounds(age) ? age : null
  }
  return field?.type === 'number' &&
    /\bage\b/i.test(`${id.replaceAll('_', ' ')} ${field.label}`) &&
    isBounds(raw)
    ? raw
    : null
}

function listAgeGroups(form: Model): readonly AgeGroup[] {
  return form.conditions.flatMap(({ kind, conditionMaps }) =>
    conditionMaps.flatMap(({ tests }) =>
      tests.flatMap(({ field, raw, path }): AgeGroup[] => {
        const bounds = raw === null ? null : readAgeBounds(form, field, raw)
        if (bounds === null) return []
        const { at_least = 0, at_most = Infinity, above = -1, below = Infinity } = bounds
        const otherTests = tests.filter((test) => test.field !== field)
        return [
          {
            min: Math.max(at_least, above + 1),
            max: Math.min(at_most, below - 1),
            path,
            kind,
            comparisonKey: JSON.stringify([
              kind,
              field,
              otherTests.map((test) => [test.field, test.raw]),
            ]),
          },
        ]
      }),
    ),
  )
}

const ageBoundaryCheck: Check = {
  slug: 'age-boundary',
  severity: 'warning',
  why: '“Up to 6” and “6 to 12” both include the age of 6. “Under 6” and “from 7” leave out the age of 6.',
  after: ['EV201', 'EV305', 'EV307'],
  find: (model) =>
    collectForms(model).flatMap((form) =>
      [...Map.groupBy(listAgeGroups(form), ({ comparisonKey }) => comparisonKey).values()].flatMap(
        compareGroups,
      ),
    ),
}

function compareGroups(unsortedGroups: readonly AgeGroup[]): readonly Draft[] {
  const groups = unsortedGroups
    .toSorted((a, b) => a.min - b.min || a.max - b.max)
    .filter(({ min, max }, i, all) => all[i - 1]?.min !== min || all[i - 1]?.max !== max)
  return groups.flatMap((group, index): Draft[] => {
    const previousGroup = groups[index - 1]
    if (previousGroup === undefined) return []
    const related = [{ at: previousGroup.path, message: describeAges(previousGroup) }]
    if (previousGroup.max === group.min && previousGroup.min < group.min && group.max > group.min)
      return [
        {
          at: group.path,
          message: `the age of ${group.min} is in this group and in another group`,
          related,
          help: `write below: ${group.min} in the other group, or at_least: ${group.min + 1} here`,
        },
      ]
    // Wide gaps between age groups are common: reductions for students and for seniors, for example.
    const highestCoveredAge = Math.max(...groups.slice(0, index).map(({ max }) => max))
    const isGap =
      group.kind === 'count'
        ? highestCoveredAge + 1 < group.min
        : highestCoveredAge + 2 === group.min
    return isGap
      ? [
          {
            at: group.path,
            message: `the age${highestCoveredAge + 2 === group.min ? ` of ${group.min - 1}` : `s of ${highestCoveredAge + 1} to ${group.min - 1}`} ${highestCoveredAge + 2 === group.min ? 'is' : 'are'} in no group`,
            related,
            help: `write at_least: ${highestCoveredAge + 1} here, or at_most: ${group.min - 1} in the other group`,
          },
        ]
      : []
  })
}

const describeAges = ({ min, max }: AgeGroup): string =>
  Number.isFinite(max) ? `${min} to ${max}` : `from ${min} on`

export const ageBoundaryChecks = { EV315: ageBoundaryCheck }
