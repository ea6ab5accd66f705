/** `rollcall user`: manages users from the command line: add, list, set roles, reset access, remove. */
import { readdir } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { formatInstant, isRole, ROLES } from '../../../engine/index.ts'
import type { Role } from '../../../engine/index.ts'
import { parseArguments } from '../options.ts'
import type { Command, Status, Terminal } from '../command.ts'
import { createClock } from '../../ops/clock.ts'
import { hashPassword, generatePassword, findPasswordProblem } from '../../office/auth/passwords.ts'
import { formatPermissions, findUsernameProblem } from '../../office/users/team.ts'
import { openStore } from '../../storage/open-store.ts'
import { openExistingStore } from '../open-existing-store.ts'
import type { Permissions, UserChange, Store } from '../../storage/index.ts'

const help = `Usage: rollcall user add <username> --role ROLE [--event ID]... [--password-stdin]
       rollcall user role <username> --role ROLE [--event ID]...
       rollcall user passwd <username> [--password-stdin]
       rollcall user reset-second-factor <username>
       rollcall user remove <username>
       rollcall user list

Manages office users. A new password ends the user's sessions; reset-second-factor is for a lost phone.
Roles are ${ROLES.join(', ')}; each role includes the permissions of the roles before it. The first user must be
an owner.
--event limits a user to an event and can be repeated; without it the user has access to all events. The last owner
with access to all events cannot be removed. The password is generated and printed, or read from standard input with
--password-stdin: at least 8 characters, and not a common password, a keyboard row, or the name of the user or an
event. You can run this command while the server is running.

DATA_DIR and EVENTS_DIR are the folders of the database and the event files.

Exit status: 0 done; 1 the username is taken or unknown, or belongs to the last owner; 2 invalid usage; 3 internal
error.`

const OPTIONS = {
  role: { type: 'string' },
  event: { type: 'string', multiple: true },
  'password-stdin': { type: 'boolean' },
} as const
type Values = {
  readonly role?: string
  readonly event?: readonly string[]
  readonly 'password-stdin'?: boolean
}

/** The options of each subcommand. */
const SUBCOMMANDS: Readonly<Record<string, readonly (keyof typeof OPTIONS)[]>> = {
  add: ['role', 'event', 'password-stdin'],
  role: ['role', 'event'],
  passwd: ['password-stdin'],
  'reset-second-factor': [],
  remove: [],
  list: [],
}

export const userCommand: Command = {
  help,
  run: async (args, terminal) => {
    const parsed = parseArguments(args, OPTIONS, [1, 2], help, terminal)
    if (parsed === null) return 2
    const values: Values = parsed.values
    const [subcommand = '', username] = parsed.positionals
    const allowedOptions = Object.hasOwn(SUBCOMMANDS, subcommand)
      ? SUBCOMMANDS[subcommand]
      : undefined
    const unexpectedOption = Object.keys(values).find((name) =>
      allowedOptions?.every((option) => option !== name),
    )
    if (
      allowedOptions === undefined ||
      unexpectedOption !== undefined ||
      (username === undefined) !== (subcommand === 'list')
    ) {
      terminal.printError(help)
      return 2
    }
    const environment = terminal.environment()
    if (environment === null) return 2
    const eventIds = await readEventIds(environment.eventsDir)
    const usageError = findUsageError(subcommand, username ?? '', values, eventIds)
    if (usageError !== null) {
      terminal.printError(usageError)
      return 2
    }
    const password = await readPassword(username ?? '', values, eventIds, terminal)
    if (password === null) return 2
    // The first owner may be added before the first start.
    const store = await (subcommand === 'add'
      ? openStore(environment)
      : openExistingStore(environment))
    try {
      const clock = createClock(environment.clockStart)
      const request = {
        subcommand,
        username: username ?? '',
        password,
        permissions: readPermissions(values),
        at: clock(),
      }
      return await performSubcommand(store, request, terminal)
    } finally {
      await store.close()
    }
  },
}

/** Returns the event ids from the event files' names; empty if EVENTS_DIR does not exist. */
async function readEventIds(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.flatMap((name) => /^([a-z0-9]+)\.ya?ml$/.exec(name)?.[1] ?? [])
}

function findUsageError(
  subcommand: string,
  username: string,
  { role, event = [] }: Values,
  eventIds: readonly string[],
): string | null {
  if (role !== undefined && !isRole(role))
    return `Unknown role "${role}". Roles: ${ROLES.join(', ')}.`
  // A default would give a user all permissions if the option was forgotten.
  if (role === undefined && SUBCOMMANDS[subcommand]?.includes('role') === true)
    return `Specify the role with --role: ${ROLES.join(', ')}.`
  const unknownId = event.find((id) => !eventIds.includes(id))
  if (unknownId !== undefined) return `No event "${unknownId}". Events: ${eventIds.join(', ')}.`
  return subcommand === 'add' ? findUsernameProblem(username) : null
}

/** Returns the permissions that the options specify. Subcommands without a role option ignore them. */
function readPermissions({ role, event }: Values): Permissions {
  const roleName: Role = role !== undefined && isRole(role) ? role : 'viewer'
  return { role: roleName, events: event === undefined ? null : [...new Set(event)] }
}

type Password = { readonly text: string; readonly isFromStdin: boolean }

/** Reads the password from standard input or generates one. If it is rejected, prints the reason and returns null. */
async function readPassword(
  username: string,
  values: Values,
  eventIds: readonly string[],
  terminal: Terminal,
): Promise<Password | null> {
  if (values['password-stdin'] !== true) return { text: generatePassword(), isFromStdin: false }
  const text = (await readAll(terminal.input ?? process.stdin)).replace(/\r?\n$/, '')
  const problem = findPasswordProblem(text, [username, ...eventIds])
  if (problem === null) return { text, isFromStdin: true }
  terminal.printError(`${problem} Without --password-stdin, a password is generated.`)
  return null
}

type UserRequest = {
  readonly subcommand: string
  readonly username: string
  readonly password: Password
  readonly permissions: Permissions
  readonly at: ReturnType<ReturnType<typeof createClock>>
}

async function performSubcommand(
  store: Store,
  { subcommand, username, password, permissions, at }: UserRequest,
  { print, printError }: Terminal,
): Promise<Status> {
  const withPassword = (text: string): string =>
    password.isFromStdin ? text : `${text}\nPassword: ${password.text}`
  const printChange = (result: UserChange | 'removed', text: string): Status => {
    if (result === 'done' || result === 'removed') {
      print(text)
      return 0
    }
    printError(
      result === 'unknown'
        ? `No user named "${username}".`
        : `"${username}" is the last owner with access to all events. Add another such owner first, so that users can be managed.`,
    )
    return 1
  }
  switch (subcommand) {
    case 'list':
      for (const user of await store.staffAccounts(at))
        print(
          `${user.username}: ${formatPermissions(user)}${user.hasSecondFactor ? ', second factor' : ''}, ${
            user.signedInAt === null
              ? 'never signed in'
              : `signed in ${formatInstant(user.signedInAt)}`
          }`,
        )
      return 0
    case 'add': {
      if (
        (await store.adminCount()) === 0 &&
        (permissions.role !== 'owner' || permissions.events !== null)
      ) {
        printError(
          'The first user must be an owner with access to all events. This owner can then add other users.',
        )
        return 1
      }
      const addResult = await store.addAdmin(
        username,
        await hashPassword(password.text),
        at,
        permissions,
      )
      if (addResult.ok)
        print(withPassword(`User "${username}" was added: ${formatPermissions(permissions)}.`))
      else printError(`A user named "${username}" already exists.`)
      return addResult.ok ? 0 : 1
    }
    case 'role':
      return printChange(
        await store.setPermissions(username, permissions),
        `"${username}" is now ${formatPermissions(permissions)}.`,
      )
    case 'passwd': {
      const isDone = await store.setPassword(username, await hashPassword(password.text), at)
      return printChange(
        isDone ? 'done' : 'unknown',
        withPassword(`User "${username}" has a new password and is signed out everywhere.`),
      )
    }
    case 'reset-second-factor':
      if (await store.removeSecondFactor(username)) {
        print(`"${username}" signs in without a second factor until they set one up again.`)
        return 0
      }
      printError(
        (await store.admin(username)) === null
          ? `No user named "${username}".`
          : `"${username}" has no second factor.`,
      )
      return 1
    default:
      return printChange(
        await store.removeAdmin(username),
        `User "${username}" was removed and signed out everywhere.`,
      )
  }
}
