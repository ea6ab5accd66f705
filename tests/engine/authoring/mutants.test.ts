/** Every harmful typo in the categories, rules and fees of the event files is found. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { compileEvent, type SharedFiles } from '../../../engine/authoring.ts'
import { checkMutant, misspellWord, createMutants } from './mutants.ts'
import { chooseRuns } from '../../runs.ts'

const REPOSITORY_ROOT = join(import.meta.dirname, '..', '..', '..')
const readSource = (path: string) => ({
  path,
  text: readFileSync(join(REPOSITORY_ROOT, path), 'utf8'),
})
const shared: SharedFiles = {
  lists: readSource('events/_shared/lists.yaml'),
  gateways: readSource('events/_shared/gateways.yaml'),
  texts: readSource('events/_shared/texts.yaml'),
}
const events = readdirSync(join(REPOSITORY_ROOT, 'events'))
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => readSource(`events/${name}`))

/** Returns the lines of the blocks in which a mistake can change a price. */
function findPriceLines(text: string): ReadonlySet<number> {
  let block = ''
  return new Set(
    text.split('\n').flatMap((line, index) => {
      block = /^(\w+):/.exec(line)?.[1] ?? block
      return block === 'category' || block === 'fees' ? [index + 1] : []
    }),
  )
}
/** Only every third mutant is checked by default. The stride is a prime number, as in tests/mutants. */
const STRIDE = 3
/** Codes that may be reported for mutants that change no price. EV417 reports a line without effect. */
const CODES_WITHOUT_EFFECT = new Set(['EV417'])

describe('typos in prices', () => {
  test.each(events.map(({ path, text }) => [path, text] as const))('%s', (path, text) => {
    const { event } = compileEvent(text, shared, { path })
    if (event === null) throw new Error('the original must be valid')
    const priceLines = findPriceLines(text)
    const checkedMutants = createMutants(text)
      .filter(({ line }) => priceLines.has(line))
      .filter((_, index) => index % chooseRuns(1, STRIDE) === 0)
      .map((mutant) => checkMutant(mutant, event, shared, path))
    const describeMutant = ({
      line,
      operation,
      changes,
      findings,
    }: (typeof checkedMutants)[number]): string =>
      `${line} ${operation}: ${changes.slice(0, 2).join(', ')} ${findings.map(({ code }) => code).join(' ')}`
    // A misspelt tax name changes only the wording, not the prices.
    const changesPrices = ({ isHarmful, changes }: (typeof checkedMutants)[number]): boolean =>
      isHarmful && changes.some((change) => /^(price|category) of |not served/.test(change))
    expect(checkedMutants.filter(changesPrices).length).toBeGreaterThan(10)
    expect(
      checkedMutants
        .filter((mutant) => changesPrices(mutant) && mutant.findings.length === 0)
        .map(describeMutant),
    ).toEqual([])
    expect(
      checkedMutants
        .filter(
          ({ isHarmful, findings }) =>
            !isHarmful && findings.some(({ code }) => !CODES_WITHOUT_EFFECT.has(code)),
        )
        .map(describeMutant),
    ).toEqual([])
  })

  test('misspelling a word always changes it', () => {
    for (const word of ['pg', 'early', 'aa', 'aaaa', 'x']) expect(misspellWord(word)).not.toBe(word)
  })
})
