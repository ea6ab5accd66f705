/**
 * `rollcall db migrate`: migrates the database while no server runs, or reports whether that is needed.
 */
import { lostDatabase } from '../../storage/recovery/missing-database.ts'
import { openStore } from '../../storage/open-store.ts'
import { versionsIn } from '../../storage/database/run-migrations.ts'
import { beginServing } from '../../storage/database/single-server-lock.ts'
import { parseArguments } from '../options.ts'
import type { Command } from '../command.ts'

const help = `Usage: rollcall db migrate [--check]

Updates the database in DATA_DIR to this version of Rollcall. The server does the same when it starts; no other
command does. First it writes a copy next to the database: rollcall.before-vN.db.

  --check   only shows whether an update is needed

Exit status: 0 done, or nothing to do; 1 with --check: an update is needed; 2 it failed, with the reason.`

export const migrateCommand: Command = {
  help,
  run: async (args, terminal) => {
    const parsed = parseArguments(args, { check: { type: 'boolean' } }, [0, 0], help, terminal)
    if (parsed === null) return 2
    const environment = terminal.environment()
    if (environment === null) return 2
    const { dataDir, databaseUrl } = environment
    if (databaseUrl !== null) {
      terminal.printError(
        'DATABASE_URL is set: the server migrates a PostgreSQL database when it starts. Make a copy with pg_dump first.',
      )
      return 2
    }
    const lostReason = lostDatabase(dataDir)
    if (lostReason !== null) {
      terminal.printError(lostReason)
      return 2
    }
    const { found, known } = versionsIn(dataDir)
    if (found === null || found === known) {
      terminal.print(
        found === null
          ? `There is no database in ${dataDir} yet. The server creates one when it first starts.`
          : `The database already has version ${known}, the version of this Rollcall.`,
      )
      return 0
    }
    if (parsed.values['check'] === true && found < known) {
      terminal.print(
        `The database has version ${found}, and this Rollcall needs ${known}. Run rollcall db migrate, or start the server, which migrates it.`,
      )
      return 1
    }
    const release = beginServing(dataDir)
    if (release === null) {
      terminal.printError(`A server is running on ${dataDir}. Stop it first.`)
      return 2
    }
    try {
      await (await openStore({ dataDir, migrates: true })).close()
    } finally {
      release()
    }
    terminal.print(
      `The database was migrated from version ${found} to ${known}. A copy of the old one is in rollcall.before-v${known}.db.`,
    )
    return 0
  },
}
