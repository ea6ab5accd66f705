/**
 * Every file of events/ with every mistake of `mutate.ts`, or an even part of them, and what becomes of it.
 * `npm run mutants` runs them all (some minutes); a test runs a part.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SharedFiles } from '../../engine/authoring.ts'
import { judge, originalOf, type Judged } from './judge.ts'
import { ofMutants } from './mutate.ts'

const TOP = join(import.meta.dirname, '..', '..')
const read = (path: string) => ({ path, text: readFileSync(join(TOP, path), 'utf8') })
/** The folders whose event files are changed: ours, and three whole events that sell more than a registration. */
export const FOLDERS = { ours: 'events', whole: 'tests/events' } as const

export type Count = {
  readonly mutants: number
  readonly harmful: number
  readonly missed: readonly string[]
  readonly elsewhere: readonly string[]
  readonly wording: number
  readonly wordingFound: number
  readonly checking: number
  readonly checkingFound: number
  readonly contradictions: number
  readonly harmless: number
  readonly alarms: readonly string[]
}

type Told = Omit<Judged, 'findings'> & {
  readonly name: string
  readonly findings: readonly { readonly code: string; readonly line: number }[]
}

/** Every `stride`th mutant of every event file of a folder, beginning with the `from`th. Always the same ones. */
export function runMutants(folder: string, stride: number, from = 0): Count {
  const shared: SharedFiles = {
    lists: read('events/_shared/lists.yaml'),
    gateways: read('events/_shared/gateways.yaml'),
    texts: read('events/_shared/texts.yaml'),
  }
  const judged = readdirSync(join(TOP, folder))
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .flatMap((name): readonly Told[] => {
      const { text } = read(`${folder}/${name}`)
      const original = originalOf(name, text, shared)
      const isTried = (at: number): boolean => at % stride === from % stride
      return ofMutants(text, isTried, (mutant) => {
        const one = judge(mutant, original, shared)
        return {
          ...one,
          name,
          mutant: { ...one.mutant, text: '' },
          findings: one.findings.map(({ code, at }) => ({ code, line: at.start.line })),
        }
      })
    })
  const of = (harm: Judged['harm']) => judged.filter((one) => one.harm === harm)
  const found = ({ findings }: Told): boolean => findings.length > 0
  const say = ({ name, mutant, changes, findings }: Told): string =>
    `${name} ${mutant.way}: ${mutant.what}; ${[changes, ...new Set(findings.map(({ code, line }) => `${code} at line ${line}`))].filter(Boolean).join(', ')}`
  return {
    mutants: judged.length,
    harmful: of('harmful').length,
    missed: of('harmful')
      .filter((one) => !found(one))
      .map((one) => `${say(one)} (${whyMissed(one)})`),
    elsewhere: [...of('harmful'), ...of('checking'), ...of('contradiction')]
      .filter((one) => found(one) && !one.rightLine)
      .map(say),
    wording: of('wording').length,
    wordingFound: of('wording').filter(found).length,
    checking: of('checking').length,
    checkingFound: of('checking').filter(found).length,
    contradictions: of('contradiction').length,
    harmless: of('harmless').length,
    alarms: of('harmless').filter(found).map(say),
  }
}

/** Why nothing in the file contradicts it. */
function whyMissed({ mutant, changes }: Told): string {
  if (mutant.way === 'misspell' || mutant.way === 'other case')
    return 'a name that stands once, which no promise repeats'
  if (changes.startsWith('field'))
    return 'how a field behaves is the event’s own choice, and no example tries it'
  return 'both versions are sound, and no example or promise says which is meant'
}

/** What `npm run mutants` prints; also printed by the test. */
export function sayCount(count: Count): string {
  const share = (part: number, whole: number): string =>
    whole === 0 ? '–' : `${((100 * part) / whole).toFixed(2)}%`
  const found = count.harmful - count.missed.length
  const block = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)]
  return [
    `${count.mutants} mutants`,
    `harmful ${count.harmful}: found ${found} (${share(found, count.harmful)}), not where it is wrong ${count.elsewhere.length}`,
    `wording and order ${count.wording}: found ${count.wordingFound} (${share(count.wordingFound, count.wording)})`,
    `what the file says to the checker ${count.checking}: found ${count.checkingFound}; two things said at once ${count.contradictions}`,
    `harmless ${count.harmless}: false alarms ${count.alarms.length}`,
    ...block('not found, and why:', count.missed),
    ...block('found elsewhere:', count.elsewhere),
    ...block('false alarms:', count.alarms),
  ].join('\n')
}

if (import.meta.main) {
  const [folder = FOLDERS.ours, stride = '1', from = '0'] = process.argv.slice(2)
  const count = runMutants(folder, Number(stride), Number(from))
  console.log(sayCount(count))
  const found = count.harmful - count.missed.length
  process.exitCode =
    found / count.harmful >= 0.99 &&
    count.elsewhere.length <= 0.01 * count.harmful &&
    count.alarms.length === 0
      ? 0
      : 1
}
