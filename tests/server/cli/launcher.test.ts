/** The launcher and the command line: help, invalid usage, users, and unsupported Node versions. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { launcher, run, runHere, top } from '../run-command.ts'
import type * as Stamp from '../../../server/cli/build/stamp.ts'

const folder = mkdtempSync(join(tmpdir(), 'rollcall-launcher-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the command line', () => {
  test('for an invalid variable, prints one sentence and exits with 2', () => {
    expect(run([launcher, 'start'], { PORT: 'x', DATA_DIR: join(folder, 'unused') })).toEqual({
      status: 2,
      stdout: '',
      stderr: 'PORT must be a port number from 0 to 65535, not "x".\n',
    })
  })

  test('help fits on one screen and lists every command; each command has its own help', async () => {
    const { status, stdout } = run([launcher, '--help'])
    expect(status).toBe(0)
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(24)
    expect(stdout.split('\n').filter((line) => line.length > 88)).toEqual([])
    const [commands = '', groups = ''] = stdout.split('Groups of commands:')
    const names = [...commands.matchAll(/^ {2}(\w+) {2,}\S/gm)].map(([, name]) => [name ?? ''])
    expect(names).toEqual(expect.arrayContaining([['start'], ['validate'], ['doctor']]))
    for (const [, group = ''] of groups.matchAll(/^ {2}(\w+) {2,}\S/gm)) {
      const groupHelp = await runHere([group, '--help'])
      expect(groupHelp.status).toBe(0)
      for (const [, command = ''] of groupHelp.stdout.matchAll(
        new RegExp(`^ {2}${group} (\\S+) {2}`, 'gm'),
      )) {
        expect(groups).toContain(command)
        names.push([group, command])
      }
    }
    expect(names).toEqual(
      expect.arrayContaining([
        ['db', 'backup'],
        ['event', 'members'],
        ['user', 'add'],
      ]),
    )
    for (const name of names) {
      const helpResult = await runHere([...name, '--help'])
      const usagePattern = new RegExp(
        `^(Usage:| {6}) rollcall (event )?${name.join(' ').replace('event ', '')}\\b`,
        'm',
      )
      expect([name, helpResult.status, usagePattern.test(helpResult.stdout)]).toEqual([
        name,
        0,
        true,
      ])
    }
  })

  test.each([
    [['backup'], 'db backup'],
    [['event', 'explian'], 'event explain'],
    [['valdate'], 'validate'],
  ])('suggests the intended command for a typo: %j', async (args, suggestion) => {
    const { status, stderr } = await runHere(args)
    expect(status).toBe(2)
    expect(stderr).toContain(`Did you mean "rollcall ${suggestion}"?`)
  })

  test('suggests nothing for a word that resembles no command', async () => {
    expect((await runHere(['event', 'foo'])).stderr).toMatch(/^Unknown command "event foo"\.\n/)
  })

  test('--version prints the version', async () => {
    expect(await runHere(['--version'])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Rollcall \d+\.\d+\.\d+, Node \d+\.\d+\.\d+\n$/),
    })
  })

  test.each([
    [[]],
    [['dance']],
    [['db']],
    [['db', 'dance']],
    [['start', 'now']],
    [['user']],
    [['user', 'delete', 'x']],
    [['build', '--fast']],
  ])('exits with 2 for invalid usage: %j', async (args) => {
    expect((await runHere(args)).status).toBe(2)
  })

  test('`user add` and `user password` generate and print a password or read it from standard input, and exit with 1 for a duplicate or unknown name', async () => {
    const variables = { DATA_DIR: join(folder, 'cli') }
    const addResult = run([launcher, 'user', 'add', 'meera', '--role', 'owner'], variables)
    expect([addResult.status, addResult.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^User "meera" was added: owner \(all events\)\.\nPassword: [a-z2-9-]{19}\n$/,
      ),
    ])
    expect(await runHere(['user', 'add', 'meera', '--role', 'owner'], variables)).toEqual({
      status: 1,
      stdout: '',
      stderr: 'A user named "meera" already exists.\n',
    })
    expect(
      run(
        [launcher, 'user', 'passwd', 'meera', '--password-stdin'],
        variables,
        'a longer password\n',
      ),
    ).toEqual({
      status: 0,
      stdout: 'User "meera" has a new password and is signed out everywhere.\n',
      stderr: '',
    })
    expect(
      run([launcher, 'user', 'passwd', 'meera', '--password-stdin'], variables, 'short\n').status,
    ).toBe(2)
    // Other common passwords are in tests/server/office/permissions/sign-in-and-attempt-limits.test.ts. These two contain the user's name
    // or an event's name.
    for (const weakPassword of ['meera2026', 'afpicon@2026'])
      expect(
        run(
          [launcher, 'user', 'passwd', 'meera', '--password-stdin'],
          variables,
          `${weakPassword}\n`,
        ).status,
      ).toBe(2)
    expect(await runHere(['user', 'remove', 'meera'], variables)).toEqual({
      status: 1,
      stdout: '',
      stderr:
        '"meera" is the last owner with access to all events. Add another such owner first, so that users can be managed.\n',
    })
    // Otherwise a user added without a role would become an owner of all events.
    expect(await runHere(['user', 'add', 'latha'], variables)).toEqual({
      status: 2,
      stdout: '',
      stderr: 'Specify the role with --role: viewer, desk, treasurer, owner.\n',
    })
    expect((await runHere(['user', 'add', 'latha', '--role', 'owner'], variables)).status).toBe(0)
    expect(await runHere(['user', 'remove', 'meera'], variables)).toEqual({
      status: 0,
      stdout: 'User "meera" was removed and signed out everywhere.\n',
      stderr: '',
    })
    const runUser = async (...args: string[]) => {
      const { status, stdout, stderr } = await runHere(['user', ...args], variables)
      return [status, `${stdout}${stderr}`]
    }
    expect(
      await runUser(
        'add',
        'devi',
        '--role',
        'desk',
        '--event',
        'afpicon2026',
        '--event',
        'midzone2025',
      ),
    ).toEqual([0, expect.stringContaining('was added: front desk (afpicon2026, midzone2025).\n')])
    expect(await runUser('role', 'devi', '--role', 'treasurer')).toEqual([
      0,
      '"devi" is now treasurer (all events).\n',
    ])
    expect(await runUser('role', 'latha', '--role', 'viewer')).toEqual([
      1,
      expect.stringContaining('"latha" is the last owner with access to all events'),
    ])
    expect(await runUser('reset-second-factor', 'devi')).toEqual([
      1,
      '"devi" has no second factor.\n',
    ])
    expect(await runUser('list')).toEqual([
      0,
      'devi: treasurer (all events), never signed in\nlatha: owner (all events), never signed in\n',
    ])
    for (const [invalidArgs, message] of [
      [['add', 'x', '--role', 'king'], 'Unknown role "king"'],
      [['add', 'x', '--role', 'desk', '--event', 'nosuch'], 'No event "nosuch"'],
      [['add', 'two words', '--role', 'desk'], 'no spaces'],
      [['role', 'devi'], 'Specify the role'],
      [['remove', 'devi', '--role', 'desk'], 'Usage'],
    ] as const)
      expect(await runUser(...invalidArgs)).toEqual([2, expect.stringContaining(message)])
    expect(await runHere(['user', 'passwd', 'nobody'], variables)).toEqual({
      status: 1,
      stdout: '',
      stderr: 'No user named "nobody".\n',
    })
  })

  test('on an old Node, starts the installed Node or prints instructions', () => {
    // A preloaded script makes this Node process report an old version. The process that it starts does not preload it.
    const oldNodeScript = join(folder, 'old.cjs')
    writeFileSync(
      oldNodeScript,
      "Object.defineProperty(process.versions, 'node', { value: '20.20.2' })",
    )
    const secondHandOver = run(['--require', oldNodeScript, launcher, '--help'], {
      ROLLCALL_HANDED_OVER: '1',
    })
    expect([secondHandOver.status, secondHandOver.stderr]).toEqual([
      2,
      expect.stringContaining('Rollcall needs Node 22.18 or newer; this is Node 20.20.2.'),
    ])
    const handOver = run(['--require', oldNodeScript, launcher, 'start', 'now'])
    expect([handOver.status, handOver.stderr]).toEqual([
      2,
      expect.stringMatching(/^(Unexpected argument "now"|Rollcall needs Node)/),
    ])
  })
})

test('a command ends without a stack trace if its output is no longer read', () => {
  // `true` closes its input, as `head` does after its last line.
  const command = `"${process.execPath}" "${launcher}" --help | true`
  const { status, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test(
  'if packages are not installed, a command says what to run; a source file that changed after the build is used',
  { tags: ['slow'] },
  async () => {
    const sourceTree = join(folder, 'tree')
    for (const name of ['bin', 'engine', 'schemas', 'server', 'package.json', 'package-lock.json'])
      cpSync(join(top, name), join(sourceTree, name), { recursive: true })
    // Before `npm ci`, a command must not end with a stack trace.
    const result = run([join(sourceTree, 'bin', 'rollcall.js'), 'start'])
    expect([result.status, result.stderr]).toEqual([
      2,
      expect.stringMatching(/^The package \S+ is not installed\. Run "npm ci" in .+\.\n$/),
    ])
    // The command must not create node_modules for its compiled code.
    rmSync(join(sourceTree, 'node_modules'), { recursive: true, force: true })
    symlinkSync(join(top, 'node_modules'), join(sourceTree, 'node_modules'))
    const { hashSources, SERVER_BUILD, STAMP_FILE } = (await import(
      join(sourceTree, 'server', 'cli', 'build', 'stamp.ts')
    )) as typeof Stamp
    mkdirSync(join(sourceTree, 'build'))
    // Replaces the build, which is slow.
    writeFileSync(
      join(sourceTree, 'build', 'run-command.js'),
      "export const main = async () => (console.log('built'), 0)",
    )
    const readFirstHelpLine = (variables: Readonly<Record<string, string>> = {}): string =>
      run([join(sourceTree, 'bin', 'rollcall.js'), '--help'], variables).stdout.split('\n')[0] ?? ''
    // A build without a stamp is incomplete.
    expect(readFirstHelpLine()).toBe('Usage: rollcall <command> [options]')
    writeFileSync(join(sourceTree, 'build', STAMP_FILE), hashSources(SERVER_BUILD.sources))
    expect(readFirstHelpLine()).toBe('built')
    expect(readFirstHelpLine({ ROLLCALL_SOURCES: '1' })).toBe('Usage: rollcall <command> [options]')
    const changedFile = join(sourceTree, 'engine', 'lib', 'money.ts')
    const contentBefore = readFileSync(changedFile, 'utf8')
    writeFileSync(changedFile, `${contentBefore}\n// A line more.\n`)
    expect(readFirstHelpLine()).toBe('Usage: rollcall <command> [options]')
    writeFileSync(changedFile, contentBefore)
    expect(readFirstHelpLine()).toBe('built')
  },
)
