/** `rollcall admin`: adds an admin, removes one, or gives one a new password. */
import { readdir } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import type { Command, Status, Terminal } from './command.ts'
import { makeClock } from '../machine/clock.ts'
import { hashPassword, makePassword, passwordRefusal } from '../office/passwords.ts'
import { openStore } from '../store/open.ts'

const help = `Usage: rollcall admin add <username> [--password-stdin]
       rollcall admin passwd <username> [--password-stdin]
       rollcall admin remove <username>

Adds an admin, gives one a new password and ends their sessions, or removes one with their sessions;
the last admin is not removed. The password is made up and printed, or read from standard input with
--password-stdin: at least 8 characters, and none that is guessed first (a common one, the user's or
an event's name, a row of keys). Works while the server runs.

DATA_DIR says where the database is, EVENTS_DIR where the event files are.

Exit status: 0 done, 1 the name is taken or unknown or the last, 2 asked wrongly, 3 our fault.`

export const admin: Command = {
  summary: 'Add or remove an admin, or set a password',
  help,
  run: async (args, terminal) => {
    const words = args.filter((arg) => !arg.startsWith('--'))
    const [verb, username, ...rest] = words
    const fromStdin = args.includes('--password-stdin')
    const stranger = args.find((arg) => arg.startsWith('--') && arg !== '--password-stdin')
    if (
      (verb !== 'add' && verb !== 'passwd' && verb !== 'remove') ||
      (verb === 'remove' && fromStdin) ||
      username === undefined ||
      rest.length > 0 ||
      stranger !== undefined
    ) {
      terminal.complain(help)
      return 2
    }
    const environment = terminal.environment()
    if (environment === null) return 2
    if (verb === 'remove') return remove(username, environment.dataDir, terminal)
    const password = fromStdin
      ? (await readAll(process.stdin)).replace(/\r?\n$/, '')
      : makePassword()
    const names = [username, ...(await eventNames(environment.eventsDir))]
    const refusal = fromStdin ? passwordRefusal(password, names) : null
    if (refusal !== null) {
      terminal.complain(refusal)
      return 2
    }
    const store = await openStore({ dataDir: environment.dataDir })
    try {
      return await write(
        verb,
        username,
        password,
        fromStdin,
        store,
        terminal,
        makeClock(environment.clockStart),
      )
    } finally {
      await store.close()
    }
  },
}

/** What the event files are called; none where there is no such folder. */
async function eventNames(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.flatMap((name) => /^([a-z0-9]+)\.ya?ml$/.exec(name)?.[1] ?? [])
}

async function remove(username: string, dataDir: string, terminal: Terminal): Promise<Status> {
  const store = await openStore({ dataDir })
  try {
    const is = await store.removeAdmin(username)
    if (is === 'removed') {
      terminal.print(`Admin "${username}" was removed and is signed out everywhere.`)
      return 0
    }
    terminal.complain(
      is === 'unknown'
        ? `There is no admin "${username}".`
        : `"${username}" is the last admin: nobody could sign in any more. Add another one first.`,
    )
    return 1
  } finally {
    await store.close()
  }
}

async function write(
  verb: 'add' | 'passwd',
  username: string,
  password: string,
  given: boolean,
  store: Awaited<ReturnType<typeof openStore>>,
  terminal: Terminal,
  clock: ReturnType<typeof makeClock>,
): Promise<Status> {
  const passwordHash = await hashPassword(password)
  const isDone =
    verb === 'add'
      ? (await store.addAdmin(username, passwordHash, clock())).ok
      : await store.setPassword(username, passwordHash, clock())
  if (!isDone) {
    terminal.complain(
      verb === 'add'
        ? `There is already an admin "${username}".`
        : `There is no admin "${username}".`,
    )
    return 1
  }
  const said =
    verb === 'add'
      ? `Admin "${username}" was added.`
      : `Admin "${username}" has a new password and is signed out everywhere.`
  terminal.print(given ? said : `${said}\nPassword: ${password}`)
  return 0
}
