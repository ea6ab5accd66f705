/** What costs money: every harmful slip in categories, rules and fees of the event files is found. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { compileEvent, type SharedFiles } from '../../../engine/authoring.ts'
import { judge, misspelt, mutantsOf } from './mutants.ts'
import { runs } from '../../runs.ts'

const TOP = join(import.meta.dirname, '..', '..', '..')
const read = (path: string) => ({ path, text: readFileSync(join(TOP, path), 'utf8') })
const shared: SharedFiles = {
  lists: read('events/_shared/lists.yaml'),
  gateways: read('events/_shared/gateways.yaml'),
  texts: read('events/_shared/texts.yaml'),
}
const events = readdirSync(join(TOP, 'events'))
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => read(`events/${name}`))

/** Lines of the blocks whose mistakes cost money. */
function dearLines(text: string): ReadonlySet<number> {
  let block = ''
  return new Set(
    text.split('\n').flatMap((line, at) => {
      block = /^(\w+):/.exec(line)?.[1] ?? block
      return block === 'category' || block === 'fees' ? [at + 1] : []
    }),
  )
}
/** A prime, as in tests/mutants. */
const STRIDE = 3
/** Harmless by what people pay, and yet said: each a line that does nothing, or a gap that somebody should look at. */
const saidAnyway = new Set(['EV417'])

describe('slips in what an event costs', () => {
  test.each(events.map(({ path, text }) => [path, text] as const))('%s', (path, text) => {
    const { event } = compileEvent(text, shared, { path })
    if (event === null) throw new Error('the original must be clean')
    const dear = dearLines(text)
    const judged = mutantsOf(text)
      .filter(({ line }) => dear.has(line))
      .filter((_, at) => at % runs(1, STRIDE) === 0)
      .map((mutant) => judge(mutant, event, shared, path))
    const say = ({ line, how, changes, found }: (typeof judged)[number]): string =>
      `${line} ${how}: ${changes.slice(0, 2).join(', ')} ${found.map(({ code }) => code).join(' ')}`
    // A misspelt name of the tax is a matter of wording: nobody pays more for it.
    const costs = ({ harmful, changes }: (typeof judged)[number]): boolean =>
      harmful && changes.some((change) => /^(price|category) of |not served/.test(change))
    expect(judged.filter(costs).length).toBeGreaterThan(10)
    expect(judged.filter((one) => costs(one) && one.found.length === 0).map(say)).toEqual([])
    expect(
      judged
        .filter(({ harmful, found }) => !harmful && found.some(({ code }) => !saidAnyway.has(code)))
        .map(say),
    ).toEqual([])
  })

  test('a misspelt word is never the word', () => {
    for (const word of ['pg', 'early', 'aa', 'aaaa', 'x']) expect(misspelt(word)).not.toBe(word)
  })
})
