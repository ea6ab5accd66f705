/**
 * `npm run simulate:controls [NAME…]`: mistakes put into a copy of this tree by hand, one at a time, each of which
 * the simulator must find. What finds no mistake proves nothing. A control is a patch in `controls/`, whose
 * first lines say what is wrong and, after `profile:`, in which histories it is looked for.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const TOP = join(import.meta.dirname, '..', '..')
const FOLDER = join(import.meta.dirname, 'controls')
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

export type Control = {
  readonly name: string
  readonly file: string
  readonly about: string
  readonly profile: string
}
type Ended = { readonly status: number | null; readonly said: string }

export function controls(): readonly Control[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.patch'))
    .sort()
    .map((file) => {
      const text = readFileSync(join(FOLDER, file), 'utf8')
      const head = text.slice(0, text.indexOf('diff --git')).trim().split('\n')
      const profile = head.find((line) => line.startsWith('profile: '))?.slice('profile: '.length)
      return {
        name: basename(file, '.patch'),
        file: join(FOLDER, file),
        about: head[0] ?? '',
        profile: profile ?? 'design',
      }
    })
}

function end(command: string, args: readonly string[], cwd: string): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')))
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')))
    child.on('error', (error) => (said += error.message))
    child.on('close', (status) => resolve({ status, said: said.trim() }))
  })
}

/** Whether the patch still fits the tree; what git says where it does not. */
export async function misfit(control: Control, tree = TOP): Promise<string | null> {
  const { status, said } = await end('git', ['apply', '--check', '-C1', control.file], tree)
  return status === 0 ? null : said
}

/** True: it was found. */
async function look(control: Control): Promise<boolean> {
  const tree = mkdtempSync(join(tmpdir(), 'rollcall-control-'))
  const tell = (isGood: boolean, said: string): boolean => {
    console.log(`${isGood ? '✓' : '✗'} ${control.name}: ${control.about}\n    ${said}`)
    return isGood
  }
  try {
    for (const path of COPIED) cpSync(join(TOP, path), join(tree, path), { recursive: true })
    symlinkSync(join(TOP, 'node_modules'), join(tree, 'node_modules'))
    const patched = await end('git', ['apply', '-C1', control.file], tree)
    if (patched.status !== 0) return tell(false, `the patch does not fit: ${patched.said}`)
    const args = [
      'tests/simulator/run.ts',
      '--hunt',
      String(SEED),
      String(HISTORIES_MAX),
      control.profile,
    ]
    const { status, said } = await end(process.execPath, args, tree)
    const last = said.split('\n').at(-1) ?? ''
    if (status === 0)
      return tell(false, `not found in ${HISTORIES_MAX} histories of "${control.profile}"`)
    if (!last.startsWith('{')) return tell(false, said.slice(-600))
    const { history, promise } = JSON.parse(last) as { history: number; promise: string }
    return tell(true, `history ${history} of "${control.profile}": ${promise}`)
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
