/** `rollcall db move`: moves the data between databases, or the uploaded files to or from object storage. */
import { makePrivate } from '../../ops/file-permissions.ts'
import { lockDataFolder } from '../../storage/database/single-server-lock.ts'
import { moveToPostgres, moveToSqlite } from '../../storage/database/move-database.ts'
import { parseArguments } from '../options.ts'
import { formatNumberOf, type Command } from '../command.ts'
import { showProgress } from '../progress-line.ts'
import { moveFiles } from './move-files.ts'

const help = `Usage: rollcall db move to-postgres
       rollcall db move to-sqlite
       rollcall db move files-to-s3
       rollcall db move files-from-s3

Copies all data from the database in DATA_DIR to the one in DATABASE_URL, or back, in one transaction. Stop every
server first. The target must be empty; the source is not changed. The transaction is committed only if the number of
rows and the sums of every table match. Uploaded files are copied too: they are in DATA_DIR/uploads or in PostgreSQL.
With UPLOADS_URL they stay in the bucket.

files-to-s3 copies the uploaded files of all registrations to the bucket in UPLOADS_URL, and files-from-s3 copies them back.
Each file is compared with its hash. The source is not changed, and files that the target already has are skipped.

Exit status: 0 done; 1 done, but the listed files were missing or damaged; 2 failed, with the reason.`

const DIRECTIONS = {
  'to-postgres': { move: moveToPostgres, then: 'Start the server with DATABASE_URL.' },
  'to-sqlite': { move: moveToSqlite, then: 'Start the server without DATABASE_URL.' },
} as const

type MovedCounts = Readonly<Record<'registrations' | 'rows' | 'tables' | 'files', number>>

/** Returns the sentences about what was copied. With a bucket, the files stay where they are. */
export function formatMove(
  { registrations, rows, tables, files }: MovedCounts,
  hasBucket: boolean,
): string {
  const movedText = `${formatNumberOf(rows, 'row')} of ${formatNumberOf(tables, 'table')}${hasBucket ? '' : ` and ${formatNumberOf(files, 'file')}`}`
  const bucketText = hasBucket ? ` The bucket has ${formatNumberOf(files, 'file')}.` : ''
  return `${formatNumberOf(registrations, 'registration')} with all ${registrations === 1 ? 'its' : 'their'} data (${movedText}) ${registrations === 1 ? 'was' : 'were'} copied and compared.${bucketText}`
}

export const moveCommand: Command = {
  help,
  run: async (args, terminal) => {
    const parsed = parseArguments(args, {}, [1, 1], help, terminal)
    if (parsed === null) return 2
    const [direction = ''] = parsed.positionals
    if (direction === 'files-to-s3' || direction === 'files-from-s3')
      return moveFiles(direction, terminal)
    if (direction !== 'to-postgres' && direction !== 'to-sqlite') {
      terminal.printError(`Unknown argument "${direction}" for rollcall db move.\n${help}`)
      return 2
    }
    const environment = terminal.environment()
    if (environment === null) return 2
    const { dataDir, databaseUrl, uploadsBucket = null } = environment
    if (databaseUrl === null) {
      terminal.printError(
        'DATABASE_URL is not set. Set it to the address of the PostgreSQL database.',
      )
      return 2
    }
    const { move, then: nextStep } = DIRECTIONS[direction]
    makePrivate(dataDir)
    const release = lockDataFolder(dataDir)
    if (release === null) {
      terminal.printError(`A server is running on ${dataDir}. Stop it first.`)
      return 2
    }
    try {
      const result = await showProgress(terminal, () => move(dataDir, databaseUrl, uploadsBucket))
      if (!result.ok) {
        terminal.printError(result.error)
        return 2
      }
      const { missing } = result.value
      terminal.print(`${formatMove(result.value, uploadsBucket !== null)} ${nextStep}`)
      for (const sha256 of missing)
        terminal.printError(`The file ${sha256} is missing or damaged, so it was not copied.`)
      return missing.length === 0 ? 0 : 1
    } finally {
      release()
    }
  },
}
