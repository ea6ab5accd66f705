/**
 * The systemd unit's settings as far as they work without systemd: variables, user, read-only root.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The system's account without privileges: it owns no file of the program. */
export const USER_ID = 65_534

export type Unit = {
  readonly variables: Readonly<Record<string, string>>
  /** Its paths are relative to the program's folder. */
  readonly command: readonly string[]
  readonly umask: string
  readonly files: string
}

/** The unit's settings in a release folder. */
export function readUnit(release: string): Unit {
  const text = readFileSync(join(release, 'deploy', 'rollcall.service'), 'utf8')
  const readSettings = (name: string): readonly string[] =>
    [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)
  const readSingleSetting = (name: string): string => {
    const [value = '', ...extraSettings] = readSettings(name)
    if (value === '' || extraSettings.length > 0)
      throw new Error(`the unit must have ${name} exactly once`)
    return value
  }
  const [program = '', ...args] = readSingleSetting('ExecStart').split(' ')
  return {
    variables: Object.fromEntries(
      readSettings('Environment')
        .join(' ')
        .split(' ')
        .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    ),
    command: [program.replace(/^\/opt\/rollcall\//, ''), ...args],
    umask: readSingleSetting('UMask'),
    files: readSingleSetting('LimitNOFILE'),
  }
}

/**
 * A shell script. Its arguments: writable folders, `--`, folders that become read-only in addition
 * to the root, `--`, the command.
 */
const READ_ONLY_ROOT = `while [ "$1" != -- ]; do mount --bind "$1" "$1"; shift; done; shift
while [ "$1" != -- ]; do mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"; shift; done; shift
mount -o remount,bind,ro /`
const formatLimits = ({ umask, files }: Unit): string =>
  `umask ${umask}; ulimit -n ${files} 2> /dev/null || true`
const NO_RIGHTS = `setpriv --reuid=${USER_ID} --regid=${USER_ID} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all --`

export type Confinement = {
  /** The settings that are available on this machine. */
  readonly output: string
  readonly isOtherUser: boolean
  readonly isReadOnly: boolean
  /** Wraps a command with the settings. `writes`: its writable folders. */
  confined(command: readonly string[], writes: readonly string[]): readonly [string, ...string[]]
}

const doesCommandSucceed = (command: readonly [string, ...string[]]): boolean =>
  spawnSync(command[0], command.slice(1), { stdio: 'ignore' }).status === 0

/** The unit's settings that this machine allows. */
export function createConfinement(unit: Unit, release: string): Confinement {
  const wrapInShell =
    (setup: string, runAs: string) =>
    (namespace: readonly string[]) =>
    (command: readonly string[], writes: readonly string[]): readonly [string, ...string[]] => {
      const [program = 'sh', ...args] = [
        ...namespace,
        'sh',
        '-c',
        `${setup}\n${formatLimits(unit)}\nexec ${runAs} "$@"`,
        'sh',
        ...(setup === '' ? [] : [...writes, '--', release, '--']),
        ...command,
      ]
      return [program, ...args]
    }
  const isRoot = process.getuid?.() === 0
  const AS_ROOT = ['unshare', '--mount', '--propagation', 'private']
  const AS_ANY_USER = ['unshare', '--user', '--map-root-user', '--mount']
  const canRun = (namespace: readonly string[], runAs: string): boolean =>
    doesCommandSucceed([
      'unshare',
      ...namespace.slice(1),
      'sh',
      '-c',
      `mount -o remount,bind,ro / && exec ${runAs} true`,
    ])
  if (isRoot && canRun(AS_ROOT, NO_RIGHTS))
    return {
      output: `user ${USER_ID}, read-only root, no capabilities, no new privileges, umask ${unit.umask}`,
      isOtherUser: true,
      isReadOnly: true,
      confined: wrapInShell(READ_ONLY_ROOT, NO_RIGHTS)(AS_ROOT),
    }
  if (isRoot && doesCommandSucceed(['setpriv', `--reuid=${USER_ID}`, '--clear-groups', 'true']))
    return {
      output: `user ${USER_ID}, no capabilities, no new privileges, umask ${unit.umask}; a read-only root is not possible here`,
      isOtherUser: true,
      isReadOnly: false,
      confined: wrapInShell('', NO_RIGHTS)([]),
    }
  if (canRun(AS_ANY_USER, ''))
    return {
      output: `read-only root, umask ${unit.umask}; running as another user needs root`,
      isOtherUser: false,
      isReadOnly: true,
      confined: wrapInShell(READ_ONLY_ROOT, '')(AS_ANY_USER),
    }
  return {
    output: `umask ${unit.umask}; neither another user nor a read-only root is possible here`,
    isOtherUser: false,
    isReadOnly: false,
    confined: wrapInShell('', '')([]),
  }
}
