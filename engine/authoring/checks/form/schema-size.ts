/**
 * Reports conditions so interdependent that the form's JSON Schema cannot be compiled.
 *
 * The schema repeats each condition in full.
 */
import { countLoweredTests, LOWERED_TESTS_MAX } from '../../../answers/json-schema-size.ts'
import type { Check, Checks } from '../../checked-file.ts'

const conditionsTooDeepCheck: Check = {
  slug: 'conditions-too-deep',
  severity: 'error',
  why: 'The form’s JSON Schema repeats each condition together with all conditions that it depends on.',
  after: ['EV201', 'EV203', 'EV308'],
  find: ({ config, fields }) => {
    const sizes = countLoweredTests(config)
    const all = [...sizes.values()].reduce((sum, size) => sum + size, 0)
    if (all <= LOWERED_TESTS_MAX) return []
    const largest = fields.toSorted((a, b) => (sizes.get(b.id) ?? 0) - (sizes.get(a.id) ?? 0))[0]
    return [
      {
        at: largest === undefined ? 'form' : `${largest.path}.show_when`,
        message: `the conditions of this form add ${all > 1e6 ? 'more than a million' : all} tests to its JSON Schema; the maximum is ${LOWERED_TESTS_MAX}`,
        help: 'make each field depend on the first question of the chain, not on the one before it',
      },
    ]
  },
}

export const schemaSizeChecks: Checks = { EV313: conditionsTooDeepCheck }
