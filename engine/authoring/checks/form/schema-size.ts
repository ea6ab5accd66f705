/**
 * Reports chains of conditions that make the form's JSON Schema too large to compile.
 *
 * The schema repeats each condition in full.
 */
import { countSchemaTests, MAX_SCHEMA_TESTS } from '../../../answers/json-schema-size.ts'
import type { Check, Checks } from '../../checked-file.ts'

const conditionsTooDeepCheck: Check = {
  slug: 'conditions-too-deep',
  severity: 'error',
  why: 'The form’s JSON Schema repeats each condition together with all conditions that it depends on.',
  after: ['EV201', 'EV203', 'EV308'],
  find: ({ config, fields }) => {
    const sizes = countSchemaTests(config)
    const totalSize = [...sizes.values()].reduce((sum, size) => sum + size, 0)
    if (totalSize <= MAX_SCHEMA_TESTS) return []
    const largest = fields.toSorted((a, b) => (sizes.get(b.id) ?? 0) - (sizes.get(a.id) ?? 0))[0]
    return [
      {
        at: largest === undefined ? 'form' : `${largest.path}.show_when`,
        message: `the conditions of this form add ${totalSize > 1e6 ? 'more than a million' : totalSize} tests to its JSON Schema; the maximum is ${MAX_SCHEMA_TESTS}`,
        help: 'make each field depend on the first question of the chain, not on the one before it',
      },
    ]
  },
}

export const schemaSizeChecks: Checks = { EV313: conditionsTooDeepCheck }
