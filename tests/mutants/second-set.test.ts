/** The checker finds the mistakes in the second set, at lines where an author would look. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  compileEvent,
  compileEvents,
  type Finding,
  type SharedFiles,
  type SourceText,
} from '../../engine/authoring.ts'
import { adaptations, type Mistake } from './second-set/mistake-builders.ts'
import { ALL_RUNS } from '../runs.ts'
import { secondSet } from './second-set.ts'
import { MAX_MISPLACED, undetectedMistakes } from './not-found-yet.ts'

const ROOT = join(import.meta.dirname, '../..')
const readSource = (path: string): SourceText => ({
  path,
  text: readFileSync(join(ROOT, path), 'utf8'),
})
const shared: SharedFiles = {
  lists: readSource('events/_shared/lists.yaml'),
  gateways: readSource('events/_shared/gateways.yaml'),
  texts: readSource('events/_shared/texts.yaml'),
}
const originals = ['afpicon2026', 'chirurgia2026', 'midzone2025', 'pulmocon2025'].map((id) =>
  readSource(`events/${id}.yaml`),
)
const readOriginal = (id: string): string =>
  originals.find(({ path }) => path === `events/${id}.yaml`)?.text ?? ''
const excludeNotes = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ severity }) => severity !== 'note')

/** Returns the file before the mistake. */
const findValidFile = (mistake: Mistake): SourceText => {
  const adaptation = mistake.isAdapted ? adaptations[mistake.event] : undefined
  const text = readOriginal(mistake.event)
  return adaptation === undefined
    ? { path: `events/${mistake.event}.yaml`, text }
    : { path: `events/${adaptation.id}.yaml`, text: adaptation.edit(text) }
}

/** Returns the 1-based numbers of the new text's lines that the edit changed; for a removed line, its neighbours. */
const findChangedLines = (before: string, after: string): ReadonlySet<number> => {
  const [oldLines, newLines] = [before.split('\n'), after.split('\n')]
  if (oldLines.length === newLines.length)
    return new Set(newLines.flatMap((line, index) => (line === oldLines[index] ? [] : [index + 1])))
  let commonStart = 0
  while (commonStart < newLines.length && newLines[commonStart] === oldLines[commonStart])
    commonStart += 1
  let commonEnd = 0
  while (
    commonEnd < Math.min(newLines.length, oldLines.length) - commonStart &&
    newLines.at(-1 - commonEnd) === oldLines.at(-1 - commonEnd)
  )
    commonEnd += 1
  const lastLine = Math.max(newLines.length - commonEnd, commonStart + 1)
  const lines = Array.from(
    { length: lastLine - commonStart },
    (_, index) => commonStart + index + 1,
  )
  return new Set(newLines.length < oldLines.length ? [commonStart, ...lines] : lines)
}

type Outcome = {
  readonly mistake: Mistake
  readonly findings: readonly Finding[]
  readonly hasRightLine: boolean
  readonly lines: ReadonlySet<number>
}

const checkMistake = (mistake: Mistake): Outcome => {
  const validFile = findValidFile(mistake)
  const text = mistake.edit(validFile.text)
  expect(text, mistake.name).not.toBe(validFile.text)
  const lines = new Set(findChangedLines(validFile.text, text))
  text.split('\n').forEach((line, index) => {
    if (mistake.otherLines.some((part) => line.includes(part))) lines.add(index + 1)
  })
  const editedFile = { path: validFile.path, text }
  const aloneFindings = excludeNotes(compileEvent(text, shared, { path: validFile.path }).findings)
  const allFiles = [...originals.filter(({ path }) => path !== validFile.path), editedFile]
  const reportedFindings =
    aloneFindings.length > 0
      ? aloneFindings
      : compileEvents(allFiles, shared).files.flatMap(({ findings }) => excludeNotes(findings))
  const positions = reportedFindings.flatMap(({ at, related }) => [
    at,
    ...related.map((relatedFinding) => relatedFinding.at),
  ])
  return {
    mistake,
    findings: reportedFindings,
    lines,
    hasRightLine: positions.some(
      ({ path, start }) => path === validFile.path && lines.has(start.line),
    ),
  }
}

describe('mistakes from an author who has not read the checker’s code', () => {
  // Mistakes on one subject are adjacent, so every third mistake covers all subjects. `npm run thorough` checks all.
  const chosenMistakes = secondSet.filter((_, index) => ALL_RUNS || index % 3 === 0)
  const outcomes = chosenMistakes.map(checkMistake)
  const detectableOutcomes = outcomes.filter(({ mistake }) => mistake.undetectable === undefined)
  const missedOutcomes = detectableOutcomes.filter(({ findings }) => findings.length === 0)
  const misplacedOutcomes = detectableOutcomes.filter(
    ({ findings, hasRightLine }) => findings.length > 0 && !hasRightLine,
  )

  test('the four files and their adaptations have no findings before the mistakes are made', () => {
    const adaptedFiles = secondSet.filter(({ isAdapted }) => isAdapted).map(findValidFile)
    const allFiles = [
      ...originals,
      ...adaptedFiles.filter(
        ({ path }, index) => adaptedFiles.findIndex((file) => file.path === path) === index,
      ),
    ]
    expect(
      compileEvents(allFiles, shared).files.flatMap(({ findings }) =>
        excludeNotes(findings).map(({ code, at }) => `${code} ${at.path}:${at.start.line}`),
      ),
    ).toEqual([])
    expect(allFiles).toHaveLength(6)
  })

  test('each mistake has a unique name and a consequence', () => {
    expect(new Set(secondSet.map(({ name, event }) => `${event}: ${name}`)).size).toBe(
      secondSet.length,
    )
    expect(secondSet.length).toBeGreaterThanOrEqual(200)
    expect(secondSet.filter(({ damage }) => !damage.endsWith('.')).map(({ name }) => name)).toEqual(
      [],
    )
  })

  test('the checker finds every detectable mistake except the listed mistakes', () => {
    const undetectableOutcomes = outcomes.filter(
      ({ mistake }) => mistake.undetectable !== undefined,
    )
    console.log(
      [
        `second set: ${outcomes.length} mistakes, ${undetectableOutcomes.length} that no tool can find`,
        `found ${detectableOutcomes.length - missedOutcomes.length} of ${detectableOutcomes.length}; at the right line ${detectableOutcomes.filter(({ hasRightLine }) => hasRightLine).length}`,
        ...missedOutcomes.map(
          ({ mistake, lines }) =>
            `not found: ${mistake.event}: ${mistake.name} (line ${[...lines].join(', ')}): ${undetectedMistakes[mistake.name] ?? 'new'}`,
        ),
        ...misplacedOutcomes.map(
          ({ mistake, findings, lines }) =>
            `elsewhere: ${mistake.event}: ${mistake.name} (line ${[...lines].join(', ')}): ${findings.map(({ code, at }) => `${code} at ${at.start.line}`).join(', ')}`,
        ),
        ...undetectableOutcomes.map(
          ({ mistake, findings }) =>
            `no tool can find: ${mistake.name}: ${mistake.undetectable ?? ''}${findings.length > 0 ? ` (yet found: ${findings.map(({ code }) => code).join(', ')})` : ''}`,
        ),
      ].join('\n'),
    )
    const listedNames = Object.keys(undetectedMistakes)
    expect(
      listedNames.filter((name) => !secondSet.some((mistake) => mistake.name === name)),
    ).toEqual([])
    expect(missedOutcomes.map(({ mistake }) => mistake.name).toSorted()).toEqual(
      listedNames
        .filter((name) => chosenMistakes.some((mistake) => mistake.name === name))
        .toSorted(),
    )
    expect(misplacedOutcomes.length, 'found elsewhere').toBeLessThanOrEqual(MAX_MISPLACED)
  })
})
