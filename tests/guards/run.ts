/**
 * `npm run guards [NAME…]`: takes out of a copy of this tree, one at a time, what keeps each finding from coming
 * back, and runs the test that is named for it. With its guard the test must pass, without it it must fail,
 * and for the reason that the table states. A name is that of a guard, of a finding ("money 14") or of a subject ("money").
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { copyTree, runToEnd, applyMistake } from '../mistakes.ts'
import { guards } from './guards.ts'
import type { Guard } from './guards.ts'
import type { Told } from './reporter.ts'

/** All that tests read, but not the tree's own history and packages. */
const COPIED = [
  'README.md',
  'bin',
  'docs',
  'engine',
  'events',
  'package-lock.json',
  'package.json',
  'schemas',
  'server',
  'tests',
  'tsconfig.json',
  'vitest.config.ts',
  'web',
]

const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')
/** As one line of the table can hold it. */
const flat = (text: string): string => text.replaceAll(/\s+/g, ' ')

/** What these tests do in that tree. Throws where something does not even begin. */
async function ran(tree: string, them: readonly Guard[]): Promise<readonly Told[]> {
  const files = [...new Set(them.map(({ test }) => test.file))]
  const names = them.map(({ test }) => escaped(test.name)).join('|')
  const vitest = join(tree, 'node_modules', 'vitest', 'vitest.mjs')
  const reporter = join(tree, 'tests', 'guards', 'reporter.ts')
  const args = ['run', `--reporter=${reporter}`, '-t', names, ...files]
  const { said } = await runToEnd(process.execPath, [vitest, ...args], tree, {
    ...process.env,
    NODE_COMPILE_CACHE: join(tree, 'tests', '.cache', 'compiled'),
  })
  const told = said
    .split('\n')
    .flatMap((line) => (line.startsWith('{"file":') ? [JSON.parse(line) as Told] : []))
  if (told.length === 0) throw new Error(`no test was run: ${said.slice(-2000)}`)
  return told
}

const toldOf = (all: readonly Told[], { test }: Guard): readonly Told[] =>
  all.filter(({ file, name }) => file.endsWith(test.file) && name.includes(test.name))

/** What is wrong with the guard's proof; null: nothing. The tree is as before afterwards. */
async function look(tree: string, guard: Guard): Promise<string | null> {
  const undo = applyMistake(guard.mistake, tree)
  if (typeof undo === 'string') return `the guard is not there: ${undo}`
  const told = toldOf(await ran(tree, [guard]), guard)
  undo()
  const reds = told.flatMap(({ failure }) => failure ?? [])
  if (reds.length === 0) return 'the test passes without the guard'
  if (guard.red !== '' && reds.some((red) => flat(red).includes(guard.red))) return null
  return `it fails, and does not say "${guard.red}":\n${reds.join('\n')}`
}

const asked = process.argv.slice(2)
const tree = copyTree(COPIED)
try {
  const chosen = guards(tree).filter(
    ({ mistake, subject, about }) =>
      asked.length === 0 || asked.some((word) => [mistake.name, subject, about].includes(word)),
  )
  if (chosen.length === 0) throw new Error(`No guard is called ${asked.join(', ')}.`)
  mkdirSync(join(tree, 'tests', '.cache'), { recursive: true })
  const whole = await ran(tree, chosen)
  let good = 0
  for (const guard of chosen) {
    const before = toldOf(whole, guard)
    const failed = before.find(({ failure }) => failure !== null)
    const wrong =
      before.length === 0
        ? `there is no test "${guard.test.name}" in ${guard.test.file}`
        : failed !== undefined
          ? `the test fails with the guard in its place: ${failed.failure}`
          : await look(tree, guard)
    const sign = wrong === null ? '✓' : '✗'
    console.log(`${sign} ${guard.about}, ${guard.mistake.name}: ${wrong ?? `"${guard.red}"`}`)
    if (wrong === null) good += 1
  }
  console.log(`${good} of ${chosen.length} guards have a test that fails without them.`)
  process.exitCode = good === chosen.length ? 0 : 1
} finally {
  rmSync(tree, { recursive: true, force: true })
}
