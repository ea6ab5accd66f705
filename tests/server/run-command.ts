/** Runs commands in a separate process through the launcher, or in this process through `main`. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { main } from '../../server/cli/run-command.ts'
import { readEnvironment } from '../../server/ops/environment.ts'
import { withoutThreads } from './store-without-threads.ts'

export const top = join(import.meta.dirname, '..', '..')
export const launcher = join(top, 'bin', 'rollcall.js')

// Uses the compile cache of the test run.
export const BASE_ENV = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
}

/** Runs a command in a separate process, and waits until it exits. */
export function run(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  input = '',
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args], {
    cwd: top,
    env: { ...BASE_ENV, ...variables },
    input,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

/**
 * Runs a command in this process, through `main`. Commands that read standard input, and tests of the launcher, need a
 * separate process.
 */
export async function runHere(
  args: readonly string[],
  variables: Readonly<Record<string, string>> | null = null,
): Promise<{ readonly status: number; readonly stdout: string; readonly stderr: string }> {
  let stdout = ''
  let stderr = ''
  const status = await main(args, {
    print: (text) => void (stdout += `${text}\n`),
    printError: (text) => void (stderr += `${text}\n`),
    environment: () => {
      if (variables === null) throw new Error('the command needs a valid environment')
      const environmentResult = readEnvironment(variables)
      if (!environmentResult.ok) throw new Error(environmentResult.error.join(' '))
      return withoutThreads(environmentResult.value)
    },
  })
  return { status, stdout, stderr }
}
