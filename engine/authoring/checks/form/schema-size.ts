/**
 * Reports conditions so interdependent that the form's JSON Schema cannot be compiled.
 *
 * The schema repeats each condition in full.
 */
import { loweredTests, LOWERED_TESTS_MAX } from '../../../answers/json-schema-size.ts'
import type { Check, Checks } from '../../checked-file.ts'

const schemaTooLarge: Check = {
  slug: 'conditions-too-deep',
  severity: 'error',
  why: 'The form is judged by a schema that states each condition with all that it leans on.',
  after: ['EV201', 'EV203', 'EV308'],
  find: ({ config, fields }) => {
    const sizes = loweredTests(config)
    const all = [...sizes.values()].reduce((sum, size) => sum + size, 0)
    if (all <= LOWERED_TESTS_MAX) return []
    const largest = fields.toSorted((a, b) => (sizes.get(b.id) ?? 0) - (sizes.get(a.id) ?? 0))[0]
    return [
      {
        at: largest === undefined ? 'form' : `${largest.path}.show_when`,
        message: `the conditions of this form come to ${all > 1e6 ? 'more than a million' : all} tests in its schema; there may be ${LOWERED_TESTS_MAX}`,
        help: 'let a field ask the first question of a chain, not the one before it',
      },
    ]
  },
}

export const growth: Checks = { EV313: schemaTooLarge }
