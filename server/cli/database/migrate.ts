/**
 * `rollcall db migrate`: migrates the database while no server runs, or reports whether that is needed.
 */
import { lostDatabase } from '../../storage/recovery/missing-database.ts'
import { openStore } from '../../storage/open-store.ts'
import { versionsIn } from '../../storage/database/run-migrations.ts'
import { beginServing } from '../../storage/database/single-server-lock.ts'
import { readArguments } from '../options.ts'
import type { Command } from '../command.ts'

const help = `Usage: rollcall db migrate [--check]

Updates the database in DATA_DIR to this version of Rollcall. The server does the same when it starts; no other
command does. First it writes a copy beside the database: rollcall.before-vN.db.

  --check   only shows whether an update is needed

Exit status: 0 done, or nothing to do; 1 with --check: an update is needed; 2 it failed, with the reason.`

export const migrating: Command = {
  help,
  run: async (args, terminal) => {
    const given = readArguments(args, { check: { type: 'boolean' } }, [0, 0], help, terminal)
    if (given === null) return 2
    const environment = terminal.environment()
    if (environment === null) return 2
    const { dataDir, databaseUrl } = environment
    if (databaseUrl !== null) {
      terminal.complain(
        'DATABASE_URL is set: a database in PostgreSQL is brought up to date by the next start. Copy it with pg_dump first.',
      )
      return 2
    }
    const lost = lostDatabase(dataDir)
    if (lost !== null) {
      terminal.complain(lost)
      return 2
    }
    const { found, known } = versionsIn(dataDir)
    if (found === null || found === known) {
      terminal.print(
        found === null
          ? `There is no database in ${dataDir} yet; the first start makes one.`
          : `The database is of version ${known}, which this Rollcall writes.`,
      )
      return 0
    }
    if (given.values['check'] === true && found < known) {
      terminal.print(
        `The database is of version ${found}, and this Rollcall writes ${known}: the next start migrates it, or rollcall db migrate does now.`,
      )
      return 1
    }
    const leave = beginServing(dataDir)
    if (leave === null) {
      terminal.complain(`A server is at work in ${dataDir}. Stop it first.`)
      return 2
    }
    try {
      await (await openStore({ dataDir, migrates: true })).close()
    } finally {
      leave()
    }
    terminal.print(
      `The database was of version ${found} and is of version ${known} now. What it was before is in rollcall.before-v${known}.db.`,
    )
    return 0
  },
}
