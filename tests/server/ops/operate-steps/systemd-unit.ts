/** Those settings of the systemd unit that work without systemd: variables, user, read-only root file system. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The unprivileged system account, which owns none of the program's files. */
export const USER_ID = 65_534

export type Unit = {
  readonly variables: Readonly<Record<string, string>>
  /** The server's command. Its paths are relative to the release folder. */
  readonly command: readonly string[]
  readonly umask: string
  readonly files: string
}

/** Reads the unit's settings from a release folder. */
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
 * A shell script that makes the root file system read-only. Its arguments: writable folders, `--`, further folders to
 * make read-only, `--`, the command.
 */
const READ_ONLY_ROOT = `while [ "$1" != -- ]; do mount --bind "$1" "$1"; shift; done; shift
while [ "$1" != -- ]; do mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"; shift; done; shift
mount -o remount,bind,ro /`
const formatLimits = ({ umask, files }: Unit): string =>
  `umask ${umask}; ulimit -n ${files} 2> /dev/null || true`
const DROP_RIGHTS = `setpriv --reuid=${USER_ID} --regid=${USER_ID} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all --`

export type Confinement = {
  /** Describes the settings that are available on this machine. */
  readonly description: string
  readonly isOtherUser: boolean
  readonly isReadOnly: boolean
  /** Wraps a command so that it runs with these settings and can write only to `writableFolders`. */
  wrapCommand(
    command: readonly string[],
    writableFolders: readonly string[],
  ): readonly [string, ...string[]]
}

const doesCommandSucceed = (command: readonly [string, ...string[]]): boolean =>
  spawnSync(command[0], command.slice(1), { stdio: 'ignore' }).status === 0

/** Applies those of the unit's settings that this machine allows. */
export function createConfinement(unit: Unit, release: string): Confinement {
  const wrapInShell =
    (setup: string, runAs: string) =>
    (namespace: readonly string[]) =>
    (
      command: readonly string[],
      writableFolders: readonly string[],
    ): readonly [string, ...string[]] => {
      const [program = 'sh', ...args] = [
        ...namespace,
        'sh',
        '-c',
        `${setup}\n${formatLimits(unit)}\nexec ${runAs} "$@"`,
        'sh',
        ...(setup === '' ? [] : [...writableFolders, '--', release, '--']),
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
  if (isRoot && canRun(AS_ROOT, DROP_RIGHTS))
    return {
      description: `user ${USER_ID}, read-only root file system, no capabilities, no new privileges, umask ${unit.umask}`,
      isOtherUser: true,
      isReadOnly: true,
      wrapCommand: wrapInShell(READ_ONLY_ROOT, DROP_RIGHTS)(AS_ROOT),
    }
  if (isRoot && doesCommandSucceed(['setpriv', `--reuid=${USER_ID}`, '--clear-groups', 'true']))
    return {
      description: `user ${USER_ID}, no capabilities, no new privileges, umask ${unit.umask}; a read-only root file system is not possible here`,
      isOtherUser: true,
      isReadOnly: false,
      wrapCommand: wrapInShell('', DROP_RIGHTS)([]),
    }
  if (canRun(AS_ANY_USER, ''))
    return {
      description: `read-only root file system, umask ${unit.umask}; running as another user needs root`,
      isOtherUser: false,
      isReadOnly: true,
      wrapCommand: wrapInShell(READ_ONLY_ROOT, '')(AS_ANY_USER),
    }
  return {
    description: `umask ${unit.umask}; neither another user nor a read-only root file system is possible here`,
    isOtherUser: false,
    isReadOnly: false,
    wrapCommand: wrapInShell('', '')([]),
  }
}
