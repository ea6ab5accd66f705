/** Runs the real command line in a temporary folder with a copy of the event files. */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { main } from '../../../server/cli/run-command.ts'
import { readEnvironment } from '../../../server/ops/environment.ts'
import { withoutThreads } from '../store-without-threads.ts'

export const top = join(import.meta.dirname, '..', '..', '..')
export type CommandResult = {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}
export type CommandFolder = {
  readonly folder: string
  rollcall(args: readonly string[], options?: RunOptions): Promise<CommandResult>
  read(file: string): string
  write(file: string, text: string): void
  /** Replaces exactly one occurrence; throws otherwise. */
  change(file: string, oldText: string, newText: string, targetFile?: string): void
  remove(): void
}

export function createCommandFolder(): CommandFolder {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-commands-'))
  cpSync(join(top, 'events'), join(folder, 'events'), { recursive: true })
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8')
  const write = (file: string, text: string): void => writeFileSync(join(folder, file), text)
  return {
    folder,
    read,
    write,
    rollcall: (args, options = {}) => run(folder, args, options),
    change: (file, oldText, newText, targetFile = file) => {
      const text = read(file)
      if (text.split(oldText).length !== 2)
        throw new Error(`${file} contains "${oldText}" ${text.split(oldText).length - 1} times`)
      write(
        targetFile,
        text.replace(oldText, () => newText),
      )
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

type RunOptions = {
  /** Standard input. */
  readonly input?: string
  readonly variables?: Readonly<Record<string, string>>
  /** If true, runs the command in a separate process, which reads its standard input. */
  readonly isSeparateProcess?: boolean
}

/**
 * Runs `main` of the command line in this process, because starting several hundred processes would be slow.
 * launcher.test.ts tests the launcher.
 */
async function run(
  cwd: string,
  args: readonly string[],
  options: RunOptions,
): Promise<CommandResult> {
  if (options.isSeparateProcess === true) return runInSeparateProcess(cwd, args, options)
  const output = { stdout: '', stderr: '' }
  const printError = (text: string): void => void (output.stderr += `${text}\n`)
  const previousFolder = process.cwd()
  process.chdir(cwd)
  try {
    const status = await main(args, {
      print: (text) => void (output.stdout += `${text}\n`),
      printError,
      eventsDir: getVariables(cwd, options)['EVENTS_DIR'],
      input: Readable.from([options.input ?? '']),
      environment: () => {
        const environmentResult = readEnvironment(getVariables(cwd, options))
        if (environmentResult.ok) return withoutThreads(environmentResult.value)
        for (const message of environmentResult.error) printError(message)
        return null
      },
    })
    return { status, ...output }
  } finally {
    process.chdir(previousFolder)
  }
}

const getVariables = (
  cwd: string,
  { variables = {} }: RunOptions,
): Readonly<Record<string, string>> => ({
  DATA_DIR: join(cwd, 'var'),
  EVENTS_DIR: join(cwd, 'events'),
  ...variables,
})

function runInSeparateProcess(
  cwd: string,
  args: readonly string[],
  options: RunOptions,
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(top, 'bin', 'rollcall.js'), ...args], {
      cwd,
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        ...getVariables(cwd, options),
      },
    })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => (stdout += String(chunk)))
    child.stderr.on('data', (chunk) => (stderr += String(chunk)))
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, stdout, stderr }))
    child.stdin.end(options.input ?? '')
  })
}

/** Replaces the non-breaking spaces of amounts with plain ones, so that expectations are readable. */
export const normaliseSpaces = (text: string): string => text.replaceAll('\u00a0', ' ')
