/** `rollcall backup` and `rollcall restore`: all that is stored, as a folder that can be kept elsewhere, and back. */
import path from 'node:path'
import { formatInstant } from '../../engine/index.ts'
import type { Environment } from '../deps.ts'
import { noteBackup } from '../machine/backed-up.ts'
import { backUp, restore } from '../machine/backup.ts'
import type { Copied } from '../machine/backup.ts'
import { makeClock } from '../machine/clock.ts'
import { readArguments } from './arguments.ts'
import type { Command, Status, Terminal } from './command.ts'

const backupHelp = `Usage: rollcall backup DIR

Copies everything that is stored into DIR, which must not be there yet: the database as it is at one moment, the
files that delegates sent, the event files, and a list of what there is. The server may run meanwhile.

  rollcall backup /backups/$(date +%F)

Credentials are not in it: keep the environment of the server somewhere safe too.

Exit status: 0 done; 1 done, and files were missing or damaged on the disk, which it names; 2 it cannot be done.`

const restoreHelp = `Usage: rollcall restore DIR

Puts a backup into DATA_DIR, in which there must be no database and no server at work. Everything is compared
with the list of the backup first. The event files of the backup stay in DIR/events: copy them to EVENTS_DIR,
or point EVENTS_DIR there. A database of an older version is brought up to date by the next start.

Exit status: 0 done; 1 done, and files were missing in the backup, which it names; 2 it cannot be done.`

export const backingUp: Command = {
  summary: 'Copy everything that is stored into a folder, while the server runs',
  help: backupHelp,
  run: async (args, terminal) => {
    const given = readArguments(args, {}, [1, 1], backupHelp, terminal)
    if (given === null) return 2
    const environment = onFile(terminal)
    if (environment === null) return 2
    const at = makeClock(environment.clockStart)()
    const into = path.resolve(given.positionals[0] ?? '')
    const done = await backUp(environment, into, at)
    if (!done.ok) return refused(terminal, done.error)
    await noteBackup(environment.dataDir, at)
    return told(terminal, done.value, `are in ${into}`)
  },
}

export const restoring: Command = {
  summary: 'Put a backup into an empty data folder',
  help: restoreHelp,
  run: async (args, terminal) => {
    const given = readArguments(args, {}, [1, 1], restoreHelp, terminal)
    if (given === null) return 2
    const environment = onFile(terminal)
    if (environment === null) return 2
    const { dataDir } = environment
    const from = path.resolve(given.positionals[0] ?? '')
    const done = await restore(from, environment)
    if (!done.ok) return refused(terminal, done.error)
    return told(terminal, done.value, `of ${formatInstant(done.value.list.at)} are in ${dataDir}`)
  },
}

/** Null after saying why not. */
function onFile(terminal: Terminal): Environment | null {
  const environment = terminal.environment()
  if (environment === null || environment.databaseUrl === null) return environment
  terminal.complain(
    'DATABASE_URL is set: a database in PostgreSQL is copied with pg_dump and put back with pg_restore, and what delegates sent with it.',
  )
  return null
}

function refused(terminal: Terminal, sentence: string): Status {
  terminal.complain(sentence)
  return 2
}

function told(terminal: Terminal, { list, missing }: Copied, where: string): Status {
  const files = list.files.length - missing.length
  terminal.print(
    `${list.rows['registrations'] ?? 0} registrations, ${list.rows['payments'] ?? 0} payments and ${files} files ${where}.`,
  )
  for (const sha256 of missing)
    terminal.complain(`The file ${sha256} is missing or damaged; it is not in the copy.`)
  return missing.length === 0 ? 0 : 1
}
