/**
 * `npm run simulate:controls [NAME…]` introduces known bugs into a copy of this tree, one at a time. The simulator must
 * find each of them, because a check that never finds a bug proves nothing. A control is an entry in `controls.yaml`:
 * `about` describes the bug, and `profile` selects the histories to run in search of it.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { showProgress } from '../../server/cli/progress-line.ts'
import { reportProgress } from '../../server/ops/progress.ts'
import { copyTree, runToEnd, applyMutation, printResult, readMutations } from '../mistakes.ts'
import type { Mutation } from '../mistakes.ts'

/** A bug must be found within this number of histories. */
const MAX_HISTORIES = 2000
const MAX_CONCURRENT = 2
const SEED = 1
/** The parts of the tree that the simulator needs. */
const COPIED_PATHS = [
  'engine',
  'server',
  'schemas',
  'events',
  'tests/simulator',
  'tests/server',
  'package.json',
]

export const readControls = (): readonly Mutation[] =>
  readMutations(join(import.meta.dirname, 'controls.yaml'))

/** Introduces one bug, and reports whether the simulator finds it. Returns true if the bug was found. */
async function detectMutation(control: Mutation): Promise<boolean> {
  const report = (isFound: boolean, text: string): boolean => {
    printResult(`${isFound ? '✓' : '✗'} ${control.name}: ${control.symptom}\n    ${text}`)
    return isFound
  }
  const profile = control.readExtraValue('profile') || 'design'
  const tree = copyTree(COPIED_PATHS)
  try {
    const result = applyMutation(control, tree)
    if (typeof result === 'string')
      return report(false, `this mutation does not apply to the source tree: ${result}`)
    const args = ['tests/simulator/run.ts', '--hunt', String(SEED), String(MAX_HISTORIES), profile]
    const { status, output } = await runToEnd(process.execPath, args, tree)
    const lastLine = output.split('\n').at(-1) ?? ''
    if (status === 0)
      return report(false, `not found in ${MAX_HISTORIES} histories of "${profile}"`)
    if (!lastLine.startsWith('{')) return report(false, output.slice(-600))
    const { history, invariant } = JSON.parse(lastLine) as { history: number; invariant: string }
    return report(true, `history ${history} of "${profile}": ${invariant}`)
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
}

if (process.argv[1] === import.meta.filename) {
  const names = process.argv.slice(2)
  const remainingControls = readControls().filter(
    ({ name }) => names.length === 0 || names.includes(name),
  )
  const controlCount = remainingControls.length
  let foundCount = 0
  let triedCount = 0
  const runWorker = async (): Promise<void> => {
    for (
      let nextControl = remainingControls.shift();
      nextControl !== undefined;
      nextControl = remainingControls.shift()
    ) {
      if (await detectMutation(nextControl)) foundCount += 1
      triedCount += 1
      reportProgress({ step: 'Testing mutations', done: triedCount, total: controlCount })
    }
  }
  await showProgress({ progressStream: process.stderr }, async () => {
    reportProgress({ step: 'Testing mutations', done: 0, total: controlCount })
    await Promise.all(Array.from({ length: MAX_CONCURRENT }, runWorker))
  })
  console.log(`${foundCount} of ${controlCount} bugs were found.`)
  process.exitCode = foundCount === controlCount ? 0 : 1
}
