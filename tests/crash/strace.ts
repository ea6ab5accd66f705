/** System calls of a process, in the order in which they ended. Linux only; strace is Debian's package. */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** One finished call: `name(args) = result`. `args` holds each file descriptor with its path. */
export type SystemCall = { readonly name: string; readonly args: string; readonly result: string }

const works = (): boolean =>
  spawnSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' }).status === 0

/** Whether processes can be traced here: installs strace where that is allowed. Containers may forbid tracing altogether. */
export function canTrace(): boolean {
  if (works()) return true
  if (process.getuid?.() !== 0) return false
  const apt = {
    stdio: 'ignore',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  } as const
  spawnSync('apt-get', ['update', '-qq'], apt)
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'strace'], apt)
  return works()
}

/** Runs a command under strace as if it ran by itself (-D: its signals and its end are its own); `trace` names the calls, `out` is the file for them. */
export const traced = (
  out: string,
  trace: readonly string[],
  command: readonly string[],
  options: Parameters<typeof spawn>[2],
) =>
  spawn(
    'strace',
    ['-D', '-f', '-y', '-s', '64', '-e', `trace=${trace.join(',')}`, '-o', out, ...command],
    options,
  )

/** A call that another thread's interrupts stands on two lines; it counts where it ended. */
export function readTrace(file: string): readonly SystemCall[] {
  const begun = new Map<string, string>()
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, pid = '', rest = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? []
      const unfinished = /^(.*) <unfinished \.\.\.>$/.exec(rest)
      if (unfinished) {
        begun.set(pid, unfinished[1] ?? '')
        return []
      }
      const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)
      const whole = resumed ? (begun.get(pid) ?? '') + (resumed[1] ?? '') : rest
      const [, name, args = '', result = ''] = /^(\w+)\((.*)\)\s+= (-?\d+.*)$/.exec(whole) ?? []
      return name === undefined ? [] : [{ name, args, result }]
    })
}
