/** Commands run to their end: in a process of their own through the launcher, or here by their own `main`. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { main } from '../../server/cli/run-command.ts'
import { readEnvironment } from '../../server/ops/environment.ts'
import { withoutThreads } from './store-without-threads.ts'

export const top = join(import.meta.dirname, '..', '..')
export const launcher = join(top, 'bin', 'rollcall.js')

// What other processes of this run have compiled is not compiled again.
export const own = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
}

/** Runs a command to its end. */
export function run(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  input = '',
): { readonly status: number | null; readonly out: string; readonly err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args], {
    cwd: top,
    env: { ...own, ...variables },
    input,
    encoding: 'utf8',
  })
  return { status, out: stdout, err: stderr }
}

/**
 * The same without a process: the command line's own `main`. What reads from standard input needs a process, and so does
 * the launcher itself.
 */
export async function runHere(
  args: readonly string[],
  variables: Readonly<Record<string, string>> | null = null,
): Promise<{ readonly status: number; readonly out: string; readonly err: string }> {
  let out = ''
  let complaints = ''
  const status = await main(args, {
    print: (text) => void (out += `${text}\n`),
    printError: (text) => void (complaints += `${text}\n`),
    environment: () => {
      if (variables === null) throw new Error('it goes to work')
      const read = readEnvironment(variables)
      if (!read.ok) throw new Error(read.error.join(' '))
      return withoutThreads(read.value)
    },
  })
  return { status, out, err: complaints }
}
