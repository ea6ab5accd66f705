/** The real command line as a child process, in a folder of its own with a copy of the event files. */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const top = join(import.meta.dirname, '..', '..')
export type Ran = { readonly status: number | null; readonly out: string; readonly err: string }
export type Place = {
  readonly folder: string
  rollcall(
    args: readonly string[],
    more?: { readonly input?: string; readonly variables?: Readonly<Record<string, string>> },
  ): Promise<Ran>
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

function run(
  cwd: string,
  args: readonly string[],
  {
    input,
    variables = {},
  }: { readonly input?: string; readonly variables?: Readonly<Record<string, string>> },
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(top, 'bin', 'rollcall.js'), ...args], {
      cwd,
      env: {
        PATH: process.env['PATH'] ?? '',
        DATA_DIR: join(cwd, 'var'),
        EVENTS_DIR: join(cwd, 'events'),
        ...variables,
      },
    })
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk) => (out += String(chunk)))
    child.stderr.on('data', (chunk) => (err += String(chunk)))
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, out, err }))
    child.stdin.end(input ?? '')
  })
}

/** No-break spaces of money as plain ones, so that expectations can be read. */
export const plain = (text: string): string => text.replaceAll('\u00a0', ' ')
