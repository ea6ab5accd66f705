/**
 * `npm run bench`, the checker's part: how long `validate` takes over a hundred files, and how long a
 * rule table of twenty yes-no fields takes until it is proved or given up. Run alone: node tests/bench/checker.ts
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

const TOP = join(import.meta.dirname, '..', '..')
const FILES = 100
const FIELDS = 20
/** From the issue, for each of the two, on two cores. */
export const SECONDS_MAX = 2

export type CheckerFigures = {
  readonly files: number
  readonly filesSeconds: number
  readonly filesCpuSeconds: number
  readonly tableSeconds: number
  readonly table: string
  readonly provenSeconds: number
  /** The first file that a process checks, of a few lines: what is compiled once falls into it. */
  readonly firstSeconds: number
}

/** Times both; nothing is asserted, the caller compares. */
export function benchChecker(): CheckerFigures {
  return { ...hundredFiles(), ...largeTables() }
}

/** The whole command in a process of its own, over copies of our four event files under names and addresses of their own. */
function hundredFiles(): Pick<CheckerFigures, 'files' | 'filesSeconds' | 'filesCpuSeconds'> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-bench-'))
  try {
    mkdirSync(join(folder, 'events'))
    cpSync(join(TOP, 'events', '_shared'), join(folder, 'events', '_shared'), { recursive: true })
    const originals = readdirSync(join(TOP, 'events')).filter((name) => name.endsWith('.yaml'))
    const paths = Array.from({ length: FILES }, (_, i) => {
      const name = originals[i % originals.length] ?? ''
      const text = readFileSync(join(TOP, 'events', name), 'utf8')
      const copy = Math.floor(i / originals.length)
      const path = join(
        folder,
        'events',
        copy === 0 ? name : name.replace(/\d+\.yaml$/, (year) => `x${copy}y${year}`),
      )
      writeFileSync(path, copy === 0 ? text : copied(text, name.replace(/\d+\.yaml$/, ''), copy))
      return path
    })
    const usage = (): number => {
      const { userCPUTime, systemCPUTime } = childrenUsage()
      return (userCPUTime + systemCPUTime) / 1_000_000
    }
    const started = performance.now()
    const before = usage()
    const { status, error, stdout, stderr } = spawnSync(
      process.execPath,
      [join(TOP, 'bin', 'rollcall.js'), 'validate', ...paths],
      { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' },
    )
    if (error !== undefined || status !== 0)
      throw new Error(
        `validate over sound copies: ${String(error ?? `${status}: ${stdout.slice(0, 2000)}${stderr}`)}`,
      )
    return {
      files: FILES,
      filesSeconds: (performance.now() - started) / 1000,
      filesCpuSeconds: usage() - before,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The same conference under an id, addresses and an order-id prefix of its own. */
function copied(text: string, word: string, copy: number): string {
  const prefix = /^ {2}prefix: (\w+)/m.exec(text)?.[1] ?? ''
  const letter = String.fromCharCode(64 + copy)
  return text
    .replaceAll(word, `${word}x${copy}y`)
    .replaceAll(new RegExp(`(prefix: |order_id: \\[?)${prefix}`, 'g'), `$1${letter}${prefix}`)
    .replaceAll(
      /(["[ ])\/(payment|api\/register|api\/registrations|api\/tariff-info)\//g,
      `$1/${word}x${copy}/$2/`,
    )
}

function childrenUsage(): { readonly userCPUTime: number; readonly systemCPUTime: number } {
  // Linux: fields 16 and 17 of /proc/self/stat count what ended children used, in hundredths of a second.
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15)
    .map(Number)
  return { userCPUTime: user * 10_000, systemCPUTime: system * 10_000 }
}

/** Two tables of twenty yes-no fields: one that is proved, one made to be as hard as can be. */
function largeTables(): Pick<
  CheckerFigures,
  'tableSeconds' | 'table' | 'provenSeconds' | 'firstSeconds'
> {
  const golden = (name: string): { path: string; text: string } => ({
    path: name,
    text: readFileSync(join(TOP, 'tests', 'engine', 'authoring', 'goldens', name), 'utf8'),
  })
  const shared: SharedFiles = {
    lists: golden('_shared/lists.yaml'),
    gateways: golden('_shared/gateways.yaml'),
    texts: golden('_shared/texts.yaml'),
  }
  const ids = Array.from({ length: FIELDS }, (_, i) => `answer_${String.fromCharCode(97 + i)}`)
  const fields = ids
    .map(
      (id, i) => `        - {id: ${id}, type: yes-no, label: Question ${i + 1}, default: false}\n`,
    )
    .join('')
  const withRules = (rules: string): string =>
    golden('_base.yaml')
      .text.replace('  summary:', `${fields}  summary:`)
      .replace(/category:\n[\s\S]*?\nfees:/, `category:\n  rules:\n${rules}fees:`)
  const begun = performance.now()
  compileEvent(golden('_base.yaml').text, shared, { path: 'sample2026.yaml' })
  const firstSeconds = (performance.now() - begun) / 1000
  const run = (rules: string): { readonly seconds: number; readonly codes: string } => {
    const started = performance.now()
    const { findings } = compileEvent(withRules(rules), shared, { path: 'sample2026.yaml' })
    return {
      seconds: (performance.now() - started) / 1000,
      codes: [...new Set(findings.map(({ code }) => code))].join(' ') || 'proved complete',
    }
  }
  // One rule per field, in a row: as large as people write them.
  const plain = run(
    `${ids.map((id, i) => `    - {when: {${id}: true}, then: ${i % 2 === 0 ? 'member' : 'visitor'}}\n`).join('')}    - {otherwise: visitor}\n`,
  )
  // Sixty rules over six of the fields each: what is left after each rule falls into more and more pieces.
  const random = generator(20261121)
  const hard = run(
    `${Array.from(
      { length: 60 },
      (_, i) =>
        `    - {when: {${chosen(ids, random)
          .map((id) => `${id}: ${random() < 0.5}`)
          .join(', ')}}, then: ${i % 2 === 0 ? 'member' : 'visitor'}}\n`,
    ).join('')}    - {otherwise: visitor}\n`,
  )
  return {
    firstSeconds,
    provenSeconds: plain.seconds,
    tableSeconds: hard.seconds,
    table: hard.codes,
  }
}

/** Six of the ids, each once. */
const chosen = (ids: readonly string[], random: () => number): readonly string[] =>
  [...ids]
    .map((id) => [random(), id] as const)
    .sort(([a], [b]) => a - b)
    .slice(0, 6)
    .map(([, id]) => id)

/** Numbers below 1, the same ones every time (mulberry32). */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    const more = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((more ^ (more >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** The figures as lines for people. */
export function sayChecker({
  files,
  filesSeconds,
  filesCpuSeconds,
  tableSeconds,
  table,
  provenSeconds,
  firstSeconds,
}: CheckerFigures): string {
  const against = (seconds: number): string =>
    `${seconds.toFixed(2)} s (aim: under ${SECONDS_MAX} s)`
  return [
    `validate over ${files} files: ${against(filesSeconds)}, ${filesCpuSeconds.toFixed(2)} s of CPU`,
    `the first file of a process, schemas compiled: ${firstSeconds.toFixed(2)} s`,
    `a rule table of ${FIELDS} yes-no fields, one rule each: ${against(provenSeconds)}`,
    `the same with sixty rules over six fields each: ${against(tableSeconds)}, ${table}`,
  ].join('\n')
}

if (import.meta.main) console.log(sayChecker(benchChecker()))
