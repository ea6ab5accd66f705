/** The unit of systemd as far as it can be had without systemd: its variables, its user, its root that nobody writes. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** nobody: owns nothing of the program. */
export const USER_ID = 65_534

export type Unit = {
  readonly variables: Readonly<Record<string, string>>
  /** Below the folder of the program. */
  readonly command: readonly string[]
  readonly umask: string
  readonly files: string
}

/** What the unit in the folder of a release says. */
export function unitOf(release: string): Unit {
  const text = readFileSync(join(release, 'deploy', 'rollcall.service'), 'utf8')
  const said = (name: string): readonly string[] =>
    [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)
  const only = (name: string): string => {
    const [value = '', ...more] = said(name)
    if (value === '' || more.length > 0) throw new Error(`the unit says ${name} not once`)
    return value
  }
  const [program = '', ...args] = only('ExecStart').split(' ')
  return {
    variables: Object.fromEntries(
      said('Environment')
        .join(' ')
        .split(' ')
        .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    ),
    command: [program.replace(/^\/opt\/rollcall\//, ''), ...args],
    umask: only('UMask'),
    files: only('LimitNOFILE'),
  }
}

/** Folders that stay writable, then `--`, then those that become read-only beside the root, then `--` and the command. */
const READ_ONLY_ROOT = `while [ "$1" != -- ]; do mount --bind "$1" "$1"; shift; done; shift
while [ "$1" != -- ]; do mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"; shift; done; shift
mount -o remount,bind,ro /`
const LIMITS = ({ umask, files }: Unit): string =>
  `umask ${umask}; ulimit -n ${files} 2> /dev/null || true`
const NO_RIGHTS = `setpriv --reuid=${USER_ID} --regid=${USER_ID} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all --`

export type Confinement = {
  /** What could be had on this machine, and what could not. */
  readonly said: string
  readonly isOtherUser: boolean
  readonly isReadOnly: boolean
  /** The command so that it runs under the settings; `writes` are the folders that it may write. */
  confined(command: readonly string[], writes: readonly string[]): readonly [string, ...string[]]
}

const works = (command: readonly [string, ...string[]]): boolean =>
  spawnSync(command[0], command.slice(1), { stdio: 'ignore' }).status === 0

/** As much of the unit's settings as this machine lets us have. */
export function confinementOf(unit: Unit, release: string): Confinement {
  const shell =
    (before: string, as: string) =>
    (namespace: readonly string[]) =>
    (command: readonly string[], writes: readonly string[]): readonly [string, ...string[]] => {
      const [first = 'sh', ...rest] = [
        ...namespace,
        'sh',
        '-c',
        `${before}\n${LIMITS(unit)}\nexec ${as} "$@"`,
        'sh',
        ...(before === '' ? [] : [...writes, '--', release, '--']),
        ...command,
      ]
      return [first, ...rest]
    }
  const isRoot = process.getuid?.() === 0
  const asRoot = ['unshare', '--mount', '--propagation', 'private']
  const asAnybody = ['unshare', '--user', '--map-root-user', '--mount']
  const tried = (namespace: readonly string[], as: string): boolean =>
    works([
      'unshare',
      ...namespace.slice(1),
      'sh',
      '-c',
      `mount -o remount,bind,ro / && exec ${as} true`,
    ])
  if (isRoot && tried(asRoot, NO_RIGHTS))
    return {
      said: `user ${USER_ID}, read-only root, no capabilities, no new privileges, umask ${unit.umask}`,
      isOtherUser: true,
      isReadOnly: true,
      confined: shell(READ_ONLY_ROOT, NO_RIGHTS)(asRoot),
    }
  if (isRoot && works(['setpriv', `--reuid=${USER_ID}`, '--clear-groups', 'true']))
    return {
      said: `user ${USER_ID}, no capabilities, no new privileges, umask ${unit.umask}; a read-only root is not to be had here`,
      isOtherUser: true,
      isReadOnly: false,
      confined: shell('', NO_RIGHTS)([]),
    }
  if (tried(asAnybody, ''))
    return {
      said: `read-only root, umask ${unit.umask}; another user is not to be had here without root`,
      isOtherUser: false,
      isReadOnly: true,
      confined: shell(READ_ONLY_ROOT, '')(asAnybody),
    }
  return {
    said: `umask ${unit.umask}; neither another user nor a read-only root is to be had here`,
    isOtherUser: false,
    isReadOnly: false,
    confined: shell('', '')([]),
  }
}
