/**
 * `rollcall user`: manages users from the command line: add, list, set roles, reset access, remove.
 */
import { readdir } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { formatInstant, isRole, ROLES } from '../../../engine/index.ts'
import type { Role } from '../../../engine/index.ts'
import { readArguments } from '../options.ts'
import type { Command, Status, Terminal } from '../command.ts'
import { makeClock } from '../../ops/clock.ts'
import { hashPassword, makePassword, findPasswordProblem } from '../../office/auth/passwords.ts'
import { formatPermissions, findUsernameProblem } from '../../office/users/team.ts'
import { openStore } from '../../storage/open-store.ts'
import { openExistingStore } from '../open-existing-store.ts'
import type { MayWhat, UserChange, Store } from '../../storage/index.ts'

const help = `Usage: rollcall user add <username> [--role ROLE] [--event ID]... [--password-stdin]
       rollcall user role <username> --role ROLE [--event ID]...
       rollcall user passwd <username> [--password-stdin]
       rollcall user reset-second-factor <username>
       rollcall user remove <username>
       rollcall user list

Manages the users of the office. A new password ends the user's sessions; reset-second-factor is for a lost phone.
Roles are ${ROLES.join(', ')}; each includes the permissions of those before it. The default is owner.
--event limits a user to an event and can be repeated; without it the user works for all events. The last owner of
all events cannot be removed. The password is generated and printed, or read from standard input with
--password-stdin: at least 8 characters, and not easy to guess (a common password, the user's or an event's name, a
keyboard row). The server may be running.

DATA_DIR and EVENTS_DIR are the folders of the database and the event files.

Exit status: 0 done; 1 the name is taken, unknown or the last owner; 2 invalid usage; 3 internal error.`

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
const VERBS: Readonly<Record<string, readonly (keyof typeof OPTIONS)[]>> = {
  add: ['role', 'event', 'password-stdin'],
  role: ['role', 'event'],
  passwd: ['password-stdin'],
  'reset-second-factor': [],
  remove: [],
  list: [],
}

export const admin: Command = {
  help,
  run: async (args, terminal) => {
    const given = readArguments(args, OPTIONS, [1, 2], help, terminal)
    if (given === null) return 2
    const values: Values = given.values
    const [verb = '', username] = given.positionals
    const takes = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined
    const stranger = Object.keys(values).find((name) => takes?.every((one) => one !== name))
    if (
      takes === undefined ||
      stranger !== undefined ||
      (username === undefined) !== (verb === 'list')
    ) {
      terminal.complain(help)
      return 2
    }
    const environment = terminal.environment()
    if (environment === null) return 2
    const events = await eventNames(environment.eventsDir)
    const refusal = refusalOf(verb, username ?? '', values, events)
    if (refusal !== null) {
      terminal.complain(refusal)
      return 2
    }
    const password = await passwordOf(username ?? '', values, events, terminal)
    if (password === null) return 2
    // The first owner may be added before the first start.
    const store = await (verb === 'add' ? openStore(environment) : openExistingStore(environment))
    try {
      const clock = makeClock(environment.clockStart)
      const asked = { verb, username: username ?? '', password, may: mayOf(values), at: clock() }
      return await act(store, asked, terminal)
    } finally {
      await store.close()
    }
  },
}

/** Returns the names of the event files; empty if there is no such folder. */
async function eventNames(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.flatMap((name) => /^([a-z0-9]+)\.ya?ml$/.exec(name)?.[1] ?? [])
}

function refusalOf(
  verb: string,
  username: string,
  { role, event = [] }: Values,
  events: readonly string[],
): string | null {
  if (role !== undefined && !isRole(role))
    return `There is no role "${role}"; there are ${ROLES.join(', ')}.`
  if (verb === 'role' && role === undefined) return 'Say the role with --role.'
  const unknown = event.find((id) => !events.includes(id))
  if (unknown !== undefined)
    return `There is no event "${unknown}"; there are ${events.join(', ')}.`
  return verb === 'add' ? findUsernameProblem(username) : null
}

function mayOf({ role, event }: Values): MayWhat {
  const named: Role = role !== undefined && isRole(role) ? role : 'owner'
  return { role: named, events: event === undefined ? null : [...new Set(event)] }
}

type Password = { readonly text: string; readonly isGiven: boolean }

/** Reads the password from standard input or generates one; null after printing why it is refused. */
async function passwordOf(
  username: string,
  values: Values,
  events: readonly string[],
  terminal: Terminal,
): Promise<Password | null> {
  if (values['password-stdin'] !== true) return { text: makePassword(), isGiven: false }
  const text = (await readAll(terminal.input ?? process.stdin)).replace(/\r?\n$/, '')
  const refusal = findPasswordProblem(text, [username, ...events])
  if (refusal === null) return { text, isGiven: true }
  terminal.complain(`${refusal} Without --password-stdin one is made up.`)
  return null
}

type Asked = {
  readonly verb: string
  readonly username: string
  readonly password: Password
  readonly may: MayWhat
  readonly at: ReturnType<ReturnType<typeof makeClock>>
}

async function act(
  store: Store,
  { verb, username, password, may, at }: Asked,
  { print, complain }: Terminal,
): Promise<Status> {
  const said = (text: string): string =>
    password.isGiven ? text : `${text}\nPassword: ${password.text}`
  const told = (is: UserChange | 'removed', text: string): Status => {
    if (is === 'done' || is === 'removed') {
      print(text)
      return 0
    }
    complain(
      is === 'unknown'
        ? `There is no admin "${username}".`
        : `"${username}" is the last owner of all events: nobody could look after people any more. Add another one first.`,
    )
    return 1
  }
  switch (verb) {
    case 'list':
      for (const person of await store.people(at))
        print(
          `${person.username}: ${formatPermissions(person)}${person.hasSecondFactor ? ', second factor' : ''}, ${
            person.signedInAt === null
              ? 'never signed in'
              : `signed in ${formatInstant(person.signedInAt)}`
          }`,
        )
      return 0
    case 'add': {
      if ((await store.adminCount()) === 0 && (may.role !== 'owner' || may.events !== null)) {
        complain('The first one must be an owner of all events, who can add the others.')
        return 1
      }
      const added = await store.addAdmin(username, await hashPassword(password.text), at, may)
      if (added.ok) print(said(`Admin "${username}" was added, ${formatPermissions(may)}.`))
      else complain(`There is already an admin "${username}".`)
      return added.ok ? 0 : 1
    }
    case 'role':
      return told(
        await store.setMay(username, may),
        `"${username}" is now ${formatPermissions(may)}.`,
      )
    case 'passwd': {
      const isDone = await store.setPassword(username, await hashPassword(password.text), at)
      return told(
        isDone ? 'done' : 'unknown',
        said(`Admin "${username}" has a new password and is signed out everywhere.`),
      )
    }
    case 'reset-second-factor':
      if (await store.dropSecondFactor(username)) {
        print(`"${username}" signs in without a second factor until they set one up again.`)
        return 0
      }
      complain(
        (await store.admin(username)) === null
          ? `There is no admin "${username}".`
          : `"${username}" has no second factor.`,
      )
      return 1
    default:
      return told(
        await store.removeAdmin(username),
        `Admin "${username}" was removed and is signed out everywhere.`,
      )
  }
}
