/** The real command line, in a folder of its own with a copy of the event files. */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { main } from '../../../server/cli/run-command.ts'
import { readEnvironment } from '../../../server/ops/environment.ts'
import { withoutThreads } from '../store-without-threads.ts'

export const top = join(import.meta.dirname, '..', '..', '..')
export type Ran = { readonly status: number | null; readonly out: string; readonly err: string }
export type Place = {
  readonly folder: string
  rollcall(args: readonly string[], more?: More): Promise<Ran>
  read(file: string): string
  write(file: string, text: string): void
  /** Replaces exactly one occurrence and says so when there is not exactly one. */
  change(file: string, from: string, to: string, into?: string): void
  remove(): void
}

export function place(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-commands-'))
  cpSync(join(top, 'events'), join(folder, 'events'), { recursive: true })
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8')
  const write = (file: string, text: string): void => writeFileSync(join(folder, file), text)
  return {
    folder,
    read,
    write,
    rollcall: (args, more = {}) => run(folder, args, more),
    change: (file, from, to, into = file) => {
      const text = read(file)
      if (text.split(from).length !== 2)
        throw new Error(`${file} holds "${from}" ${text.split(from).length - 1} times`)
      write(
        into,
        text.replace(from, () => to),
      )
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

type More = {
  /** What is typed in. */
  readonly input?: string
  readonly variables?: Readonly<Record<string, string>>
  /** In a process of its own, which reads its standard input. */
  readonly isAlone?: boolean
}

/**
 * The command line's own `main`, in the folder, with its own modules already loaded: a process for each of some
 * hundred commands would spend its time on starting. The launcher has tests of its own (tests/server/cli/launcher.test.ts).
 */
async function run(cwd: string, args: readonly string[], more: More): Promise<Ran> {
  if (more.isAlone === true) return runAlone(cwd, args, more)
  const printed = { out: '', err: '' }
  const printError = (text: string): void => void (printed.err += `${text}\n`)
  const before = process.cwd()
  process.chdir(cwd)
  try {
    const status = await main(args, {
      print: (text) => void (printed.out += `${text}\n`),
      printError,
      eventsDir: variablesIn(cwd, more)['EVENTS_DIR'],
      input: Readable.from([more.input ?? '']),
      environment: () => {
        const read = readEnvironment(variablesIn(cwd, more))
        if (read.ok) return withoutThreads(read.value)
        for (const sentence of read.error) printError(sentence)
        return null
      },
    })
    return { status, ...printed }
  } finally {
    process.chdir(before)
  }
}

const variablesIn = (cwd: string, { variables = {} }: More): Readonly<Record<string, string>> => ({
  DATA_DIR: join(cwd, 'var'),
  EVENTS_DIR: join(cwd, 'events'),
  ...variables,
})

function runAlone(cwd: string, args: readonly string[], more: More): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(top, 'bin', 'rollcall.js'), ...args], {
      cwd,
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        ...variablesIn(cwd, more),
      },
    })
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk) => (out += String(chunk)))
    child.stderr.on('data', (chunk) => (err += String(chunk)))
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, out, err }))
    child.stdin.end(more.input ?? '')
  })
}

/** No-break spaces of money as plain ones, so that expectations can be read. */
export const plain = (text: string): string => text.replaceAll('\u00a0', ' ')
