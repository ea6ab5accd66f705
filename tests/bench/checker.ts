/**
 * The checker's part of `npm run bench`: how long `validate` takes for a hundred files, and how long it takes to prove
 * or abandon a rule table of twenty yes-no fields. Run alone: node tests/bench/checker.ts
 */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileEvent, type SharedFiles } from '../../engine/authoring.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const FILE_COUNT = 100
const FIELD_COUNT = 20
/** The target for each of the two measurements, on two cores. */
export const MAX_SECONDS = 2

export type CheckerFigures = {
  readonly fileCount: number
  readonly filesSeconds: number
  readonly filesCpuSeconds: number
  readonly hardTableSeconds: number
  readonly hardTableResult: string
  readonly provableTableSeconds: number
  /** The time for the first file that a process checks, including one-time compilation. */
  readonly firstSeconds: number
}

/** Measures both times; the caller compares them with the targets. */
export function benchChecker(): CheckerFigures {
  return { ...measureFiles(), ...measureTables() }
}

/**
 * Measures the whole command in its own process, over copies of our four event files with unique names and addresses.
 */
function measureFiles(): Pick<CheckerFigures, 'fileCount' | 'filesSeconds' | 'filesCpuSeconds'> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-bench-'))
  try {
    mkdirSync(join(folder, 'events'))
    cpSync(join(ROOT, 'events', '_shared'), join(folder, 'events', '_shared'), { recursive: true })
    const originals = readdirSync(join(ROOT, 'events')).filter((name) => name.endsWith('.yaml'))
    const paths = Array.from({ length: FILE_COUNT }, (_, i) => {
      const name = originals[i % originals.length] ?? ''
      const text = readFileSync(join(ROOT, 'events', name), 'utf8')
      const copy = Math.floor(i / originals.length)
      const path = join(
        folder,
        'events',
        copy === 0 ? name : name.replace(/\d+\.yaml$/, (year) => `x${copy}y${year}`),
      )
      writeFileSync(path, copy === 0 ? text : copyFile(text, name.replace(/\d+\.yaml$/, ''), copy))
      return path
    })
    const readCpuSeconds = (): number => {
      const { userCPUTime, systemCPUTime } = readChildrenUsage()
      return (userCPUTime + systemCPUTime) / 1_000_000
    }
    const startedAt = performance.now()
    const usageBefore = readCpuSeconds()
    const { status, error, stdout, stderr } = spawnSync(
      process.execPath,
      [join(ROOT, 'bin', 'rollcall.js'), 'validate', ...paths],
      { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' },
    )
    if (error !== undefined || status !== 0)
      throw new Error(
        `validate failed on valid copies: ${String(error ?? `${status}: ${stdout.slice(0, 2000)}${stderr}`)}`,
      )
    return {
      fileCount: FILE_COUNT,
      filesSeconds: (performance.now() - startedAt) / 1000,
      filesCpuSeconds: readCpuSeconds() - usageBefore,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Copies an event file, with a unique id, addresses and order-id prefix. */
function copyFile(text: string, baseName: string, copy: number): string {
  const prefix = /^ {2}prefix: (\w+)/m.exec(text)?.[1] ?? ''
  const letter = String.fromCharCode(64 + copy)
  return text
    .replaceAll(baseName, `${baseName}x${copy}y`)
    .replaceAll(new RegExp(`(prefix: |order_id: \\[?)${prefix}`, 'g'), `$1${letter}${prefix}`)
    .replaceAll(
      /(["[ ])\/(payment|api\/register|api\/registrations|api\/tariff-info)\//g,
      `$1/${baseName}x${copy}/$2/`,
    )
}

function readChildrenUsage(): { readonly userCPUTime: number; readonly systemCPUTime: number } {
  // Linux: fields 16 and 17 of /proc/self/stat are the CPU time of child processes that have exited, in hundredths of a
  // second.
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15)
    .map(Number)
  return { userCPUTime: user * 10_000, systemCPUTime: system * 10_000 }
}

/** Measures two tables of twenty yes-no fields: one that can be proved, and one that is as hard as possible. */
function measureTables(): Pick<
  CheckerFigures,
  'hardTableSeconds' | 'hardTableResult' | 'provableTableSeconds' | 'firstSeconds'
> {
  const readGolden = (name: string): { path: string; text: string } => ({
    path: name,
    text: readFileSync(join(ROOT, 'tests', 'engine', 'authoring', 'goldens', name), 'utf8'),
  })
  const shared: SharedFiles = {
    lists: readGolden('_shared/lists.yaml'),
    gateways: readGolden('_shared/gateways.yaml'),
    texts: readGolden('_shared/texts.yaml'),
  }
  const ids = Array.from({ length: FIELD_COUNT }, (_, i) => `answer_${String.fromCharCode(97 + i)}`)
  const fields = ids
    .map(
      (id, i) => `        - {id: ${id}, type: yes-no, label: Question ${i + 1}, default: false}\n`,
    )
    .join('')
  const buildFileWithRules = (rules: string): string =>
    readGolden('_base.yaml')
      .text.replace('  summary:', `${fields}  summary:`)
      .replace(/category:\n[\s\S]*?\nfees:/, `category:\n  rules:\n${rules}fees:`)
  const startedAt = performance.now()
  compileEvent(readGolden('_base.yaml').text, shared, { path: 'sample2026.yaml' })
  const firstSeconds = (performance.now() - startedAt) / 1000
  const measureTable = (rules: string): { readonly seconds: number; readonly codes: string } => {
    const startedAt = performance.now()
    const { findings } = compileEvent(buildFileWithRules(rules), shared, {
      path: 'sample2026.yaml',
    })
    return {
      seconds: (performance.now() - startedAt) / 1000,
      codes: [...new Set(findings.map(({ code }) => code))].join(' ') || 'proved complete',
    }
  }
  // One rule per field, in sequence: as large as tables get in practice.
  const provableRun = measureTable(
    `${ids.map((id, i) => `    - {when: {${id}: true}, then: ${i % 2 === 0 ? 'member' : 'visitor'}}\n`).join('')}    - {otherwise: visitor}\n`,
  )
  // Sixty rules, each over six of the fields: the remainder after each rule is split into more and more parts.
  const random = createGenerator(20261121)
  const hardRun = measureTable(
    `${Array.from(
      { length: 60 },
      (_, i) =>
        `    - {when: {${chooseIds(ids, random)
          .map((id) => `${id}: ${random() < 0.5}`)
          .join(', ')}}, then: ${i % 2 === 0 ? 'member' : 'visitor'}}\n`,
    ).join('')}    - {otherwise: visitor}\n`,
  )
  return {
    firstSeconds,
    provableTableSeconds: provableRun.seconds,
    hardTableSeconds: hardRun.seconds,
    hardTableResult: hardRun.codes,
  }
}

/** Chooses six distinct ids. */
const chooseIds = (ids: readonly string[], random: () => number): readonly string[] =>
  [...ids]
    .map((id) => [random(), id] as const)
    .sort(([a], [b]) => a - b)
    .slice(0, 6)
    .map(([, id]) => id)

/** Creates a generator of numbers from 0 up to, but not including, 1, the same on every run (mulberry32). */
function createGenerator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    const mixedAgain = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixedAgain ^ (mixedAgain >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Formats the figures as readable lines. */
export function formatCheckerFigures({
  fileCount,
  filesSeconds,
  filesCpuSeconds,
  hardTableSeconds,
  hardTableResult,
  provableTableSeconds,
  firstSeconds,
}: CheckerFigures): string {
  const compareWithTarget = (seconds: number): string =>
    `${seconds.toFixed(2)} s (target: under ${MAX_SECONDS} s)`
  return [
    `validate over ${fileCount} files: ${compareWithTarget(filesSeconds)}, ${filesCpuSeconds.toFixed(2)} s of CPU`,
    `the first file of a process, schemas compiled: ${firstSeconds.toFixed(2)} s`,
    `a rule table of ${FIELD_COUNT} yes-no fields, one rule each: ${compareWithTarget(provableTableSeconds)}`,
    `the same with sixty rules over six fields each: ${compareWithTarget(hardTableSeconds)}, ${hardTableResult}`,
  ].join('\n')
}

if (import.meta.main) console.log(formatCheckerFigures(benchChecker()))
