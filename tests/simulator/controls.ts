/**
 * `npm run simulate:controls [NAME…]`: mistakes put into a copy of this tree by hand, one at a time, each of which
 * the simulator must find. What finds no mistake proves nothing. A control is an entry of
 * `controls.yaml`: `about` states what is wrong, `profile` in which histories it is looked for.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { copyTree, runToEnd, applyMistake, readMistakes } from '../mistakes.ts'
import type { Mistake } from '../mistakes.ts'

/** Found within so many histories, or not at all. */
const HISTORIES_MAX = 2000
const AT_ONCE = 2
const SEED = 1
/** What the simulator runs on. */
const COPIED = [
  'engine',
  'server',
  'schemas',
  'events',
  'tests/simulator',
  'tests/server',
  'package.json',
]

export const controls = (): readonly Mistake[] =>
  readMistakes(join(import.meta.dirname, 'controls.yaml'))

/** True: it was found. */
async function look(control: Mistake): Promise<boolean> {
  const tell = (isGood: boolean, said: string): boolean => {
    console.log(`${isGood ? '✓' : '✗'} ${control.name}: ${control.about}\n    ${said}`)
    return isGood
  }
  const profile = control.said('profile') || 'design'
  const tree = copyTree(COPIED)
  try {
    const made = applyMistake(control, tree)
    if (typeof made === 'string') return tell(false, `it does not fit the tree: ${made}`)
    const args = ['tests/simulator/run.ts', '--hunt', String(SEED), String(HISTORIES_MAX), profile]
    const { status, said } = await runToEnd(process.execPath, args, tree)
    const last = said.split('\n').at(-1) ?? ''
    if (status === 0) return tell(false, `not found in ${HISTORIES_MAX} histories of "${profile}"`)
    if (!last.startsWith('{')) return tell(false, said.slice(-600))
    const { history, promise } = JSON.parse(last) as { history: number; promise: string }
    return tell(true, `history ${history} of "${profile}": ${promise}`)
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
}

if (process.argv[1] === import.meta.filename) {
  const names = process.argv.slice(2)
  const waiting = controls().filter(({ name }) => names.length === 0 || names.includes(name))
  const all = waiting.length
  let found = 0
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      if (await look(next)) found += 1
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  console.log(`${found} of ${all} mistakes were found.`)
  process.exitCode = found === all ? 0 : 1
}
