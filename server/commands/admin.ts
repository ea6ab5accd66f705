/** `rollcall admin`: adds an admin, or gives one a new password. */
import { text as readAll } from 'node:stream/consumers'
import type { Command, Status, Terminal } from './command.ts'
import { makeClock } from '../machine/clock.ts'
import { hashPassword, makePassword, PASSWORD_CHARACTERS_MIN } from '../office/passwords.ts'
import { openStore } from '../store/open.ts'

const help = `Usage: rollcall admin add <username> [--password-stdin]
       rollcall admin passwd <username> [--password-stdin]

Adds an admin, or gives one a new password and ends their sessions. The password is made up and
printed, or read from standard input with --password-stdin. Works while the server runs.

DATA_DIR says where the database is.

Exit status: 0 done, 1 the name is taken or unknown, 2 asked wrongly, 3 our fault.`

export const admin: Command = {
  summary: 'Add an admin, or set a password',
  help,
  run: async (args, terminal) => {
    const words = args.filter((arg) => !arg.startsWith('--'))
    const [verb, username, ...rest] = words
    const fromStdin = args.includes('--password-stdin')
    const stranger = args.find((arg) => arg.startsWith('--') && arg !== '--password-stdin')
    if (
      (verb !== 'add' && verb !== 'passwd') ||
      username === undefined ||
      rest.length > 0 ||
      stranger !== undefined
    ) {
      terminal.complain(help)
      return 2
    }
    const environment = terminal.environment()
    if (environment === null) return 2
    const password = fromStdin
      ? (await readAll(process.stdin)).replace(/\r?\n$/, '')
      : makePassword()
    if (password.length < PASSWORD_CHARACTERS_MIN) {
      terminal.complain(`The password must be at least ${PASSWORD_CHARACTERS_MIN} characters long.`)
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
