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
import { adaptations, type Mistake } from './second-set/making.ts'
import { ALL_RUNS } from '../runs.ts'
import { secondSet } from './second-set.ts'
import { ASTRAY_MAX, notFoundYet } from './not-found-yet.ts'

const TOP = join(import.meta.dirname, '../..')
const source = (path: string): SourceText => ({ path, text: readFileSync(join(TOP, path), 'utf8') })
const shared: SharedFiles = {
  lists: source('events/_shared/lists.yaml'),
  gateways: source('events/_shared/gateways.yaml'),
  texts: source('events/_shared/texts.yaml'),
}
const originals = ['afpicon2026', 'chirurgia2026', 'midzone2025', 'pulmocon2025'].map((id) =>
  source(`events/${id}.yaml`),
)
const readOriginal = (id: string): string =>
  originals.find(({ path }) => path === `events/${id}.yaml`)?.text ?? ''
const withoutNotes = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ severity }) => severity !== 'note')

/** The file before the mistake. */
const findValidFile = (mistake: Mistake): SourceText => {
  const adaptation = mistake.adapted ? adaptations[mistake.event] : undefined
  const text = readOriginal(mistake.event)
  return adaptation === undefined
    ? { path: `events/${mistake.event}.yaml`, text }
    : { path: `events/${adaptation.id}.yaml`, text: adaptation.edit(text) }
}

/** Lines, from 1, of the new text that the edit touched; for a removed line, its neighbours. */
const findChangedLines = (before: string, after: string): ReadonlySet<number> => {
  const [oldLines, newLines] = [before.split('\n'), after.split('\n')]
  if (oldLines.length === newLines.length)
    return new Set(newLines.flatMap((line, at) => (line === oldLines[at] ? [] : [at + 1])))
  let head = 0
  while (head < newLines.length && newLines[head] === oldLines[head]) head += 1
  let tail = 0
  while (
    tail < Math.min(newLines.length, oldLines.length) - head &&
    newLines.at(-1 - tail) === oldLines.at(-1 - tail)
  )
    tail += 1
  const last = Math.max(newLines.length - tail, head + 1)
  const lines = Array.from({ length: last - head }, (_, at) => head + at + 1)
  return new Set(newLines.length < oldLines.length ? [head, ...lines] : lines)
}

type Outcome = {
  readonly mistake: Mistake
  readonly found: readonly Finding[]
  readonly rightLine: boolean
  readonly lines: ReadonlySet<number>
}

const checkMistake = (mistake: Mistake): Outcome => {
  const validFile = findValidFile(mistake)
  const text = mistake.edit(validFile.text)
  expect(text, mistake.name).not.toBe(validFile.text)
  const lines = new Set(findChangedLines(validFile.text, text))
  text.split('\n').forEach((line, at) => {
    if (mistake.look.some((part) => line.includes(part))) lines.add(at + 1)
  })
  const edited = { path: validFile.path, text }
  const aloneFindings = withoutNotes(compileEvent(text, shared, { path: validFile.path }).findings)
  const allFiles = [...originals.filter(({ path }) => path !== validFile.path), edited]
  const found =
    aloneFindings.length > 0
      ? aloneFindings
      : compileEvents(allFiles, shared).files.flatMap(({ findings }) => withoutNotes(findings))
  const positions = found.flatMap(({ at, related }) => [at, ...related.map((one) => one.at)])
  return {
    mistake,
    found,
    lines,
    rightLine: positions.some(
      ({ path, start }) => path === validFile.path && lines.has(start.line),
    ),
  }
}

describe('mistakes by hand, by an author who has not read the checker', () => {
  // Mistakes of a subject are adjacent, so every third one covers all subjects. `npm run thorough` takes them all.
  const chosen = secondSet.filter((_, at) => ALL_RUNS || at % 3 === 0)
  const outcomes = chosen.map(checkMistake)
  const findable = outcomes.filter(({ mistake }) => mistake.unfindable === undefined)
  const missed = findable.filter(({ found }) => found.length === 0)
  const astray = findable.filter(({ found, rightLine }) => found.length > 0 && !rightLine)

  test('the four files and their adaptations are clean before they are changed', () => {
    const adapted = secondSet.filter(({ adapted }) => adapted).map(findValidFile)
    const all = [
      ...originals,
      ...adapted.filter(({ path }, at) => adapted.findIndex((one) => one.path === path) === at),
    ]
    expect(
      compileEvents(all, shared).files.flatMap(({ findings }) =>
        withoutNotes(findings).map(({ code, at }) => `${code} ${at.path}:${at.start.line}`),
      ),
    ).toEqual([])
    expect(all).toHaveLength(6)
  })

  test('each has a unique name, a harm, and a file', () => {
    expect(new Set(secondSet.map(({ name, event }) => `${event}: ${name}`)).size).toBe(
      secondSet.length,
    )
    expect(secondSet.length).toBeGreaterThanOrEqual(200)
    expect(secondSet.filter(({ harm }) => !harm.endsWith('.')).map(({ name }) => name)).toEqual([])
  })

  test('every findable one is found, except for the listed ones', () => {
    const unfindable = outcomes.filter(({ mistake }) => mistake.unfindable !== undefined)
    console.log(
      [
        `second set: ${outcomes.length} mistakes, ${unfindable.length} that no tool can find`,
        `found ${findable.length - missed.length} of ${findable.length}; at the right line ${findable.filter(({ rightLine }) => rightLine).length}`,
        ...missed.map(
          ({ mistake, lines }) =>
            `not found: ${mistake.event}: ${mistake.name} (line ${[...lines].join(', ')}): ${notFoundYet[mistake.name] ?? 'new'}`,
        ),
        ...astray.map(
          ({ mistake, found, lines }) =>
            `elsewhere: ${mistake.event}: ${mistake.name} (line ${[...lines].join(', ')}): ${found.map(({ code, at }) => `${code} at ${at.start.line}`).join(', ')}`,
        ),
        ...unfindable.map(
          ({ mistake, found }) =>
            `no tool can find: ${mistake.name}: ${mistake.unfindable ?? ''}${found.length > 0 ? ` (yet found: ${found.map(({ code }) => code).join(', ')})` : ''}`,
        ),
      ].join('\n'),
    )
    const known = Object.keys(notFoundYet)
    expect(known.filter((name) => !secondSet.some((one) => one.name === name))).toEqual([])
    expect(missed.map(({ mistake }) => mistake.name).toSorted()).toEqual(
      known.filter((name) => chosen.some((one) => one.name === name)).toSorted(),
    )
    expect(astray.length, 'found elsewhere').toBeLessThanOrEqual(ASTRAY_MAX)
  })
})
