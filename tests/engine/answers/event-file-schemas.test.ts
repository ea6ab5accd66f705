/** Engine and JSON Schema agree on all sample answers for every event file in the repository. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { toPublicEvent, type Field, type RawAnswers } from '../../../engine/index.ts'
import { compileEvent } from '../../../engine/authoring.ts'
import { createAgreementAssertion } from './schema-agreement.ts'

const folder = new URL('../../../events/', import.meta.url)
const readSource = (path: string): { path: string; text: string } => ({
  path,
  text: readFileSync(new URL(path, folder), 'utf8'),
})
const shared = {
  lists: readSource('_shared/lists.yaml'),
  gateways: readSource('_shared/gateways.yaml'),
  texts: readSource('_shared/texts.yaml'),
}
const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'))

/**
 * Returns the sample values for a field. Conditions treat all options in a long list alike, so two options stand for
 * all of them. Optional texts without a condition stay empty.
 */
function listSampleValues(field: Field): readonly unknown[] {
  if (field.type === 'yes-no') return [undefined, true, false]
  if (field.options !== undefined)
    return [
      undefined,
      'gone',
      ...field.options.slice(0, field.options.length > 10 ? 2 : undefined).map(({ id }) => id),
    ]
  if (field.type === 'email') return [undefined, 'asha', 'asha@example.org']
  if (field.type === 'file') return [undefined, 'proof.exe', 'proof.PDF']
  return field.required === undefined && field.showWhen === undefined
    ? [undefined]
    : [undefined, 'A-7']
}

describe.each(files)('%s', (name) => {
  it('the engine and the schema give the same result', () => {
    const { event, findings } = compileEvent(readSource(name).text, shared, {
      path: `events/${name}`,
    })
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
    if (event === null) throw new Error('no event')
    const expectAgreement = createAgreementAssertion(toPublicEvent(event))
    let checkedCount = 0
    const checkCombinations = (remainingFields: readonly Field[], raw: RawAnswers): void => {
      const [nextField, ...laterFields] = remainingFields
      if (nextField === undefined) {
        checkedCount += 1
        return expectAgreement(raw)
      }
      for (const value of listSampleValues(nextField))
        checkCombinations(laterFields, { ...raw, [nextField.id]: value })
    }
    checkCombinations(event.fields, {})
    expect(checkedCount).toBeGreaterThan(1)
  })
})
