/** Records the system calls of a process with strace, in the order in which they ended. */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** One completed system call: `name(args) = result`. In `args`, each file descriptor is followed by its path. */
export type SystemCall = { readonly name: string; readonly args: string; readonly result: string }

/** Returns whether strace, a Debian package for Linux, is installed. */
const isInstalled = (): boolean =>
  spawnSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' }).status === 0

/** Returns whether processes can be traced. Installs strace if possible. Containers may forbid tracing. */
export function canTrace(): boolean {
  if (isInstalled()) return true
  if (process.getuid?.() !== 0) return false
  const aptOptions = {
    stdio: 'ignore',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  } as const
  spawnSync('apt-get', ['update', '-qq'], aptOptions)
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'strace'], aptOptions)
  return isInstalled()
}

/**
 * Starts a command under strace, which leaves the command's signals and exit status unchanged (-D). `trace` lists the
 * system calls that are written to `traceFile`.
 */
export const startTrace = (
  traceFile: string,
  trace: readonly string[],
  command: readonly string[],
  options: Parameters<typeof spawn>[2],
) =>
  spawn(
    'strace',
    ['-D', '-f', '-y', '-s', '64', '-e', `trace=${trace.join(',')}`, '-o', traceFile, ...command],
    options,
  )

/**
 * Reads the completed calls. A call that was interrupted by another thread has two lines, which are joined at the
 * position of the second.
 */
export function readTrace(file: string): readonly SystemCall[] {
  const startedCalls = new Map<string, string>()
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, pid = '', lineText = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? []
      const unfinished = /^(.*) <unfinished \.\.\.>$/.exec(lineText)
      if (unfinished) {
        startedCalls.set(pid, unfinished[1] ?? '')
        return []
      }
      const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(lineText)
      const fullCall = resumed ? (startedCalls.get(pid) ?? '') + (resumed[1] ?? '') : lineText
      const [, name, args = '', result = ''] = /^(\w+)\((.*)\)\s+= (-?\d+.*)$/.exec(fullCall) ?? []
      return name === undefined ? [] : [{ name, args, result }]
    })
}
