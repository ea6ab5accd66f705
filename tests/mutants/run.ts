/**
 * Checks mutants: each file in events/ with each mistake from `mutate.ts`, or an even sample. `npm run mutants` checks
 * all mutants, which takes several minutes; a test checks a sample.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SharedFiles } from '../../engine/authoring.ts'
import { showProgress } from '../../server/cli/progress-line.ts'
import { reportProgress } from '../../server/ops/progress.ts'
import { checkMutant, prepareOriginal, type CheckedMutant } from './judge.ts'
import { mapMutants } from './mutate.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const readSource = (path: string) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') })
/** The folders of the event files: the four events of the specification, and invented events with items. */
export const FOLDERS = { ours: 'events', whole: 'tests/events' } as const

export type MutantResults = {
  readonly mutantCount: number
  readonly harmfulCount: number
  readonly missed: readonly string[]
  readonly misplaced: readonly string[]
  readonly wordingCount: number
  readonly foundWordingCount: number
  readonly checkingCount: number
  readonly foundCheckingCount: number
  readonly contradictionCount: number
  readonly harmlessCount: number
  readonly falseAlarms: readonly string[]
}

type CheckedFileMutant = Omit<CheckedMutant, 'findings'> & {
  readonly name: string
  readonly findings: readonly { readonly code: string; readonly line: number }[]
}

/**
 * Checks every `stride`th mutant of each event file in a folder, starting at `offset`, so always the same mutants. To
 * show progress, the function first counts the mutants, which generates each text twice.
 */
export function runMutants(
  folder: string,
  stride: number,
  offset = 0,
  isProgressShown = false,
): MutantResults {
  const shared: SharedFiles = {
    lists: readSource('events/_shared/lists.yaml'),
    gateways: readSource('events/_shared/gateways.yaml'),
    texts: readSource('events/_shared/texts.yaml'),
  }
  const checkedMutants = readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .flatMap((name): readonly CheckedFileMutant[] => {
      const { text } = readSource(`${folder}/${name}`)
      const original = prepareOriginal(name, text, shared)
      const isTried = (index: number): boolean => index % stride === offset % stride
      let [doneCount, total] = [0, 0]
      if (isProgressShown)
        mapMutants(
          text,
          (index) => {
            if (isTried(index)) total += 1
            return false
          },
          () => null,
        )
      return mapMutants(text, isTried, (mutant) => {
        if (isProgressShown)
          reportProgress({ step: `Checking mutants of ${name}`, done: doneCount, total })
        doneCount += 1
        const checkedMutant = checkMutant(mutant, original, shared)
        return {
          ...checkedMutant,
          name,
          mutant: { ...checkedMutant.mutant, text: '' },
          findings: checkedMutant.findings.map(({ code, at }) => ({ code, line: at.start.line })),
        }
      })
    })
  const selectByDamage = (damage: CheckedMutant['damage']) =>
    checkedMutants.filter((checkedMutant) => checkedMutant.damage === damage)
  const isFound = ({ findings }: CheckedFileMutant): boolean => findings.length > 0
  const formatMutant = ({ name, mutant, changes, findings }: CheckedFileMutant): string =>
    `${name} ${mutant.mutation}: ${mutant.description}; ${[changes, ...new Set(findings.map(({ code, line }) => `${code} at line ${line}`))].filter(Boolean).join(', ')}`
  return {
    mutantCount: checkedMutants.length,
    harmfulCount: selectByDamage('harmful').length,
    missed: selectByDamage('harmful')
      .filter((mutant) => !isFound(mutant))
      .map((mutant) => `${formatMutant(mutant)} (${explainMissed(mutant)})`),
    misplaced: [
      ...selectByDamage('harmful'),
      ...selectByDamage('checking'),
      ...selectByDamage('contradiction'),
    ]
      .filter((mutant) => isFound(mutant) && !mutant.hasRightLine)
      .map(formatMutant),
    wordingCount: selectByDamage('wording').length,
    foundWordingCount: selectByDamage('wording').filter(isFound).length,
    checkingCount: selectByDamage('checking').length,
    foundCheckingCount: selectByDamage('checking').filter(isFound).length,
    contradictionCount: selectByDamage('contradiction').length,
    harmlessCount: selectByDamage('harmless').length,
    falseAlarms: selectByDamage('harmless').filter(isFound).map(formatMutant),
  }
}

/** Explains why no other part of the file contradicts the mistake. */
function explainMissed({ mutant, changes }: CheckedFileMutant): string {
  if (mutant.mutation === 'misspell' || mutant.mutation === 'different case')
    return 'a name that appears only once, and in no promise'
  if (changes.startsWith('field'))
    return 'each event chooses how a field behaves, and no example covers this field'
  return 'both versions are valid, and no example or promise states which is correct'
}

/** Formats the results, which `npm run mutants` and the test print. */
export function formatResults(results: MutantResults): string {
  const formatShare = (part: number, total: number): string =>
    total === 0 ? '–' : `${((100 * part) / total).toFixed(2)}%`
  const foundCount = results.harmfulCount - results.missed.length
  const formatBlock = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)]
  return [
    `${results.mutantCount} mutants`,
    `harmful ${results.harmfulCount}: found ${foundCount} (${formatShare(foundCount, results.harmfulCount)}), on the wrong line ${results.misplaced.length}`,
    `wording and order ${results.wordingCount}: found ${results.foundWordingCount} (${formatShare(results.foundWordingCount, results.wordingCount)})`,
    `instructions to the checker ${results.checkingCount}: found ${results.foundCheckingCount}; contradictions ${results.contradictionCount}`,
    `harmless ${results.harmlessCount}: false alarms ${results.falseAlarms.length}`,
    ...formatBlock('not found, and why:', results.missed),
    ...formatBlock('found on the wrong line:', results.misplaced),
    ...formatBlock('false alarms:', results.falseAlarms),
  ].join('\n')
}

if (import.meta.main) {
  const [folder = FOLDERS.ours, stride = '1', offset = '0'] = process.argv.slice(2)
  const results = await showProgress({ progressStream: process.stderr }, async () =>
    runMutants(folder, Number(stride), Number(offset), true),
  )
  console.log(formatResults(results))
  const foundCount = results.harmfulCount - results.missed.length
  process.exitCode =
    foundCount / results.harmfulCount >= 0.99 &&
    results.misplaced.length <= 0.01 * results.harmfulCount &&
    results.falseAlarms.length === 0
      ? 0
      : 1
}
