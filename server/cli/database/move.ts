/** `rollcall db move`: moves all stored data from SQLite to PostgreSQL, or back. */
import { keepPrivate } from '../../ops/file-permissions.ts'
import { beginServing } from '../../storage/database/single-server-lock.ts'
import { moveToPostgres, moveToSqlite } from '../../storage/database/move-database.ts'
import { readArguments } from '../options.ts'
import type { Command } from '../command.ts'

const help = `Usage: rollcall db move to-postgres
       rollcall db move to-sqlite

Moves all data from the database in DATA_DIR to the one that DATABASE_URL names, or back: everything or nothing.
Stop every server first. The target must be empty; the source is not changed. The move counts only if the rows and
sums of every table are equal. Uploaded files move too: they are in DATA_DIR/uploads or in PostgreSQL.

Exit status: 0 done; 1 done, but the named files were missing or damaged; 2 it failed, with the reason.`

const WAYS = {
  'to-postgres': { move: moveToPostgres, then: 'Start the server with DATABASE_URL.' },
  'to-sqlite': { move: moveToSqlite, then: 'Start the server without DATABASE_URL.' },
} as const

export const moving: Command = {
  help,
  run: async (args, terminal) => {
    const given = readArguments(args, {}, [1, 1], help, terminal)
    if (given === null) return 2
    const [word = ''] = given.positionals
    if (word !== 'to-postgres' && word !== 'to-sqlite') {
      terminal.complain(`rollcall db move does not know "${word}".\n${help}`)
      return 2
    }
    const environment = terminal.environment()
    if (environment === null) return 2
    const { dataDir, databaseUrl } = environment
    if (databaseUrl === null) {
      terminal.complain('DATABASE_URL is not set: it names the database in PostgreSQL.')
      return 2
    }
    const { move, then } = WAYS[word]
    keepPrivate(dataDir)
    const leave = beginServing(dataDir)
    if (leave === null) {
      terminal.complain(`A server is at work in ${dataDir}. Stop it first.`)
      return 2
    }
    try {
      const moved = move(dataDir, databaseUrl)
      if (!moved.ok) {
        terminal.complain(moved.error)
        return 2
      }
      const { registrations, rows, tables, files, missing } = moved.value
      terminal.print(
        `${registrations} registrations and all that belongs to them, ${rows} rows of ${tables} tables and ${files} files, are moved and compared. ${then}`,
      )
      for (const sha256 of missing)
        terminal.complain(`The file ${sha256} is missing or damaged; it was not moved.`)
      return missing.length === 0 ? 0 : 1
    } finally {
      leave()
    }
  },
}
