/** `rollcall db migrate`: migrates the database while no server runs, or reports whether a migration is needed. */
import { requireParentFolder } from '../../ops/file-permissions.ts'
import { hasServerTraces, explainLostDatabase } from '../../storage/recovery/missing-database.ts'
import { openStore } from '../../storage/open-store.ts'
import { readVersions } from '../../storage/database/migrate-with-safety-copy.ts'
import type { Versions } from '../../storage/database/migrate-with-safety-copy.ts'
import { lockDataFolder } from '../../storage/database/single-server-lock.ts'
import { parseArguments } from '../options.ts'
import { showProgress } from '../progress-line.ts'
import type { Command, Status, Terminal } from '../command.ts'

const help = `Usage: rollcall db migrate [--check]

Updates the database to this version of Rollcall while no server runs. The server does the same when it starts, unless
MIGRATE_AT_START is off; no other command does. A migration that was interrupted continues where it stopped.

With SQLite, the command first writes a copy next to the database: rollcall.before-vN.db. With PostgreSQL, it makes no
copy (run pg_dump first), and it creates the tables in an empty database. It opens its own connections: if DATABASE_URL
is the address of a connection pooler, set it to the address of the database itself for this command.

  --check   only shows whether an update is needed

Exit status: 0 done, or nothing to do; 1 with --check: an update is needed; 2 failed, with the reason.`

export const migrateCommand: Command = {
  help,
  run: async (args, terminal) => {
    const parsed = parseArguments(args, { check: { type: 'boolean' } }, [0, 0], help, terminal)
    if (parsed === null) return 2
    const environment = terminal.environment()
    if (environment === null) return 2
    const { dataDir, databaseUrl } = environment
    requireParentFolder(dataDir)
    const isCheckOnly = parsed.values['check'] === true
    if (databaseUrl !== null)
      return migratePostgres({ dataDir, url: databaseUrl, isCheckOnly }, terminal)
    const lostReason = explainLostDatabase(dataDir)
    if (lostReason !== null) {
      terminal.printError(lostReason)
      return 2
    }
    const versions = readVersions(dataDir)
    const { found, known } = versions
    if (found === null) {
      terminal.print(
        `There is no database in ${dataDir} yet. The server creates one when it first starts.`,
      )
      return 0
    }
    const status = reportVersions(versions, isCheckOnly, terminal)
    if (status !== null) return status
    const release = lockDataFolder(dataDir)
    if (release === null) {
      terminal.printError(`A server is running on ${dataDir}. Stop it first.`)
      return 2
    }
    try {
      const store = await showProgress(terminal, () => openStore({ dataDir, migrates: true }))
      await store.close()
    } finally {
      release()
    }
    terminal.print(
      `The database was migrated from version ${found} to ${known}. A copy of the old one is in rollcall.before-v${known}.db.`,
    )
    return 0
  },
}

/** Prints whether a migration is needed. Returns the exit status; null if the database must be migrated now. */
function reportVersions(
  { found, known }: Versions,
  isCheckOnly: boolean,
  terminal: Terminal,
): Status | null {
  if (found === known) {
    terminal.print(
      `The database already has version ${known}, the one that this version of Rollcall needs.`,
    )
    return 0
  }
  if (!isCheckOnly || (found ?? 0) > known) return null
  terminal.print(
    found === null
      ? 'The database has no tables. Run rollcall db migrate, or start the server, which creates them.'
      : `The database has version ${found}, and this version of Rollcall needs ${known}. Run rollcall db migrate, or start the server, which migrates it.`,
  )
  return 1
}

async function migratePostgres(
  {
    dataDir,
    url,
    isCheckOnly,
  }: { readonly dataDir: string; readonly url: string; readonly isCheckOnly: boolean },
  terminal: Terminal,
): Promise<Status> {
  const { readPostgresVersions, preparePostgresDatabase } =
    await import('../../storage/postgres/prepare-database.ts')
  const versions = await readPostgresVersions(url)
  const status = reportVersions(versions, isCheckOnly, terminal)
  if (status !== null) return status
  await showProgress(terminal, () =>
    preparePostgresDatabase(url, { migrates: true, isNew: !hasServerTraces(dataDir) }),
  )
  const { found, known } = versions
  terminal.print(
    found === null
      ? `The tables of version ${known} were created.`
      : `The database was migrated from version ${found} to ${known}.`,
  )
  return 0
}
