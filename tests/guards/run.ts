/** `npm run guards [NAME…]`: checks that each guard has a test that fails without it. */
import { cpSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { showProgress } from '../../server/cli/progress-line.ts'
import { reportEach, reportProgress } from '../../server/ops/progress.ts'
import { copyTree, runToEnd, applyMutation, printResult } from '../mistakes.ts'
import { readGuards } from './guards.ts'
import type { Guard } from './guards.ts'
import type { TestReport } from './reporter.ts'

// Removes each guard in turn from a copy of this tree, and runs the guard's test. With the guard, the test must pass;
// without it, the test must fail with the error in the table. NAME is a guard, a finding ("money 14") or a subject
// ("money").

/** Every path that tests read, except the Git history and node_modules. */
const COPIED_PATHS = [
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

const escapePattern = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')
/** Joins the lines of a text, because the table contains each error on one line. */
const joinLines = (text: string): string => text.replaceAll(/\s+/g, ' ')

/** Runs the guards' tests in a tree. Throws if no test ran. */
async function runTests(
  tree: string,
  chosenGuards: readonly Guard[],
): Promise<readonly TestReport[]> {
  const files = [...new Set(chosenGuards.map(({ test }) => test.file))]
  const names = chosenGuards.map(({ test }) => escapePattern(test.name)).join('|')
  const vitest = join(tree, 'node_modules', 'vitest', 'vitest.mjs')
  const reporter = join(tree, 'tests', 'guards', 'reporter.ts')
  const args = ['run', `--reporter=${reporter}`, '-t', names, ...files]
  const { output } = await runToEnd(process.execPath, [vitest, ...args], tree, {
    ...process.env,
    NODE_COMPILE_CACHE: join(tree, 'tests', '.cache', 'compiled'),
  })
  const reports = output
    .split('\n')
    .flatMap((line) => (line.startsWith('{"file":') ? [JSON.parse(line) as TestReport] : []))
  if (reports.length === 0) throw new Error(`no test was run: ${output.slice(-2000)}`)
  return reports
}

const findReports = (reports: readonly TestReport[], { test }: Guard): readonly TestReport[] =>
  reports.filter(({ file, name }) => file.endsWith(test.file) && name.includes(test.name))

/** Builds the web app of the tree. Returns a function that restores the previous build. */
async function buildWebApp(tree: string): Promise<() => void> {
  const [buildFolder, savedFolder] = [join(tree, 'web', 'dist'), join(tree, 'web-before')]
  cpSync(buildFolder, savedFolder, { recursive: true, preserveTimestamps: true })
  const { status, output } = await runToEnd(
    process.execPath,
    [join(tree, 'bin', 'rollcall.js'), 'build'],
    tree,
  )
  if (status !== 0) throw new Error(`the web app was not built: ${output.slice(-2000)}`)
  return () => {
    rmSync(buildFolder, { recursive: true })
    renameSync(savedFolder, buildFolder)
  }
}

/** Runs a guard's test without the guard. Returns null if it fails as expected, else the problem. Restores the tree. */
async function proveGuard(tree: string, guard: Guard): Promise<string | null> {
  const undo = applyMutation(guard.mutation, tree)
  if (typeof undo === 'string') return `the guard is missing: ${undo}`
  const undoBuild = guard.needsWebBuild ? await buildWebApp(tree) : null
  const reports = findReports(await runTests(tree, [guard]), guard)
  undoBuild?.()
  undo()
  const failures = reports.flatMap(({ failure }) => failure ?? [])
  if (failures.length === 0) return 'the test passes without the guard'
  if (
    guard.expectedError !== '' &&
    failures.some((failureText) => joinLines(failureText).includes(guard.expectedError))
  )
    return null
  return `it fails, but not with "${guard.expectedError}":\n${failures.join('\n')}`
}

const requestedNames = process.argv.slice(2)
const tree = copyTree(COPIED_PATHS)
try {
  const chosenGuards = readGuards(tree).filter(
    ({ mutation, subject, findingName }) =>
      requestedNames.length === 0 ||
      requestedNames.some((name) => [mutation.name, subject, findingName].includes(name)),
  )
  if (chosenGuards.length === 0) throw new Error(`No guard named ${requestedNames.join(', ')}.`)
  mkdirSync(join(tree, 'tests', '.cache'), { recursive: true })
  const provedCount = await showProgress({ progressStream: process.stderr }, () =>
    proveGuards(tree, chosenGuards),
  )
  console.log(
    `${provedCount} of ${chosenGuards.length} guards have a test that fails without them.`,
  )
  process.exitCode = provedCount === chosenGuards.length ? 0 : 1
} finally {
  rmSync(tree, { recursive: true, force: true })
}

/** Returns the number of guards that have a test that fails without them. */
async function proveGuards(tree: string, guards: readonly Guard[]): Promise<number> {
  const files = new Set(guards.map(({ test }) => test.file))
  reportProgress({ step: 'Running test files with the guards', done: 0, total: files.size })
  const reportsWithGuards = await runTests(tree, guards)
  let provedCount = 0
  for (const guard of reportEach(guards, 'Removing guards')) {
    const reportsBefore = findReports(reportsWithGuards, guard)
    const failedReport = reportsBefore.find(({ failure }) => failure !== null)
    const problem =
      reportsBefore.length === 0
        ? `there is no test "${guard.test.name}" in ${guard.test.file}`
        : failedReport !== undefined
          ? `the test fails with the guard: ${failedReport.failure}`
          : await proveGuard(tree, guard)
    const mark = problem === null ? '✓' : '✗'
    printResult(
      `${mark} ${guard.findingName}, ${guard.mutation.name}: ${problem ?? `"${guard.expectedError}"`}`,
    )
    if (problem === null) provedCount += 1
  }
  return provedCount
}
