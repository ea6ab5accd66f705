/** Steps that test stored data: a backup under load, its restore, and migrations from each earlier version. */
import { createHash } from 'node:crypto'
import { chownSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { migrations } from '../../../../server/storage/database/schema.ts'
import { startLoad } from '../load.ts'
import type { Folders } from '../operator.ts'
import { fillEmptyTables, insertFirstRows } from './older-version.ts'
import {
  createLoadRequest,
  readMetrics,
  readRegNos,
  openOffice,
  PAID_EVENT_ID,
  readRows,
  expectSame,
} from './installation.ts'
import type { Step } from './step.ts'
import { USER_ID } from './systemd-unit.ts'

/** Tables that a recovery writes after a restore. */
const RECOVERY_ENTRIES = new Set([
  'audit_log',
  'installation',
  'recoveries',
  'recovery_payments',
  'unknown_orders',
])
const POLL_COLUMNS: Readonly<Record<string, null>> = {
  next_ask_at: null,
  next_at: null,
  asking_until: null,
  watch_until: null,
}

/** Hashes the data that must be the same in a copy and in the database restored from it. */
function hashComparableRows(file: string): Readonly<Record<string, string>> {
  return hashTables(file, (row) => ({ ...row, ...POLL_COLUMNS }), RECOVERY_ENTRIES)
}

/** Hashes the rows of each table, except in tables that SQLite or the search index derives. */
function hashTables(
  file: string,
  mapRow: (row: Readonly<Record<string, unknown>>) => unknown = (row) => row,
  excludedTables: ReadonlySet<string> = new Set(),
): Readonly<Record<string, string>> {
  const tables = readRows(
    file,
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search%' ORDER BY name",
  )
    .map(({ name }) => String(name))
    .filter((name) => !excludedTables.has(name))
  return Object.fromEntries(
    tables.map((table) => {
      const rows = readRows(file, `SELECT * FROM "${table}"`).map((row) =>
        JSON.stringify(mapRow(row)),
      )
      const hash = createHash('sha256').update(rows.toSorted().join('\n')).digest('hex')
      return [table, `${rows.length} rows ${hash}`]
    }),
  )
}
/** Lists the content hashes of the proofs. */
function listProofs(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.length === 64)
    .map((entry) =>
      createHash('sha256')
        .update(readFileSync(join(entry.parentPath, entry.name)))
        .digest('hex'),
    )
    .sort()
}

/** Reads the figures in the office and in /metrics, except those that describe the process or the current moment. */
async function readFigures(url: string): Promise<Readonly<Record<string, unknown>>> {
  const office = await openOffice(url)
  const { data } = JSON.parse(await office('/admin/dashboard/stats/')) as {
    readonly data: Record<string, unknown>
  }
  const figures = [...(await readMetrics(url))].filter(([name]) =>
    /^rollcall_(registrations|mails|payments_pending|reviews|events\b)/.test(name),
  )
  const lists = (
    JSON.parse(await office('/admin/session/')) as {
      readonly events: { readonly lists: { readonly export: { readonly api: string } }[] }[]
    }
  ).events.flatMap(({ lists }) => lists.map((list) => list.export.api))
  const exports = await Promise.all(lists.map((api) => office(api)))
  return { ...data, now: null, figures, exports }
}

const RESPONSES_BEFORE_BACKUP = 120

export const backUpAndRestore: Step = {
  name: 'back up under load, restore into an empty folder',
  run: async (installation, print) => {
    const folders = installation.createFolders('kept')
    const backupFolder = installation.createFolder('backups')
    const socketParent = await installation.serve(folders)
    const clientLoad = startLoad(socketParent.url, { clients: 8, createRequest: createLoadRequest })
    await clientLoad.waitForResponses(RESPONSES_BEFORE_BACKUP)
    const numbersBefore = readRegNos(folders)
    const backupUnderLoad = join(backupFolder, 'under-load')
    const backup = await installation.runRollcall(
      folders,
      ['db', 'backup', backupUnderLoad],
      [backupFolder],
    )
    expectSame(
      'the exit status of the backup under load',
      [backup.status, backup.output.split('\n').length],
      [0, 1],
    )
    await clientLoad.waitForResponses(clientLoad.count() + 30)
    const { failures, regNos } = await clientLoad.end()
    expectSame('requests that failed during the backup', failures, [])
    print(`under load: ${backup.output}`)

    const restoredFolders = installation.createFolders('restored')
    const restore = async (sourceFolder: string, targetFolders: Folders): Promise<void> => {
      const { status, output } = await installation.runRollcall(
        targetFolders,
        ['db', 'restore', sourceFolder],
        [backupFolder],
      )
      expectSame('the exit status of the restore', status, 0)
      print(`restored: ${output.split('\n')[0]}`)
      expectSame(
        'every row',
        hashComparableRows(join(targetFolders.dataDir, 'rollcall.db')),
        hashComparableRows(join(sourceFolder, 'rollcall.db')),
      )
      expectSame(
        'every proof',
        listProofs(join(targetFolders.dataDir, 'uploads')),
        listProofs(join(sourceFolder, 'uploads')),
      )
    }
    await restore(backupUnderLoad, restoredFolders)
    const restoredNumbers = new Set(readRegNos(restoredFolders))
    expectSame(
      'delegates who were confirmed before the backup, but are not in it',
      numbersBefore.filter((number) => !restoredNumbers.has(number)),
      [],
    )
    const expectedProofs = readRows(
      join(restoredFolders.dataDir, 'rollcall.db'),
      'SELECT DISTINCT sha256 FROM uploads ORDER BY sha256',
    ).map(({ sha256 }) => sha256)
    expectSame(
      'the proofs of delegates in the backup',
      listProofs(join(restoredFolders.dataDir, 'uploads')),
      expectedProofs,
    )
    print(
      `${restoredNumbers.size} registrations (${numbersBefore.length} were confirmed before the backup began, ${regNos.length} by its end), ${expectedProofs.length} proofs, all intact`,
    )

    // Now no client is active, so the figures and the backup describe the same state.
    const figuresBefore = await readFigures(socketParent.url)
    const quietBackup = join(backupFolder, 'at-rest')
    expectSame(
      'the exit status of the backup',
      (await installation.runRollcall(folders, ['db', 'backup', quietBackup], [backupFolder]))
        .status,
      0,
    )
    await socketParent.close()
    const quietFolders = installation.createFolders('again')
    await restore(quietBackup, quietFolders)
    const endCommand = ['db', 'recovery', 'end', '--who', 'operator', '--mails', 'send']
    expectSame(
      'the exit status after ending the recovery',
      (await installation.runRollcall(quietFolders, endCommand)).status,
      0,
    )
    const server = await installation.serve({ ...quietFolders, eventsDir: folders.eventsDir })
    const figuresAfter = await readFigures(server.url)
    expectSame('every figure', figuresAfter, figuresBefore)
    await server.close()
    const { figures, exports } = figuresBefore as { figures: unknown[]; exports: string[] }
    print(
      `served from the restored folder: dashboard, ${figures.length} figures and ${exports.length} exports (${exports.join('').length} characters) are the same`,
    )
  },
}

export const migrateEachVersion: Step = {
  name: 'migrate a filled database from each earlier version',
  run: async (installation, print) => {
    const latestVersion = migrations.length
    // A server reports more than a command does, so one is started on the oldest earlier version, the middle one
    // and the newest.
    const servedVersions = new Set([1, Math.ceil(latestVersion / 2), latestVersion - 1])
    for (let version = 1; version < latestVersion; version += 1) {
      const folders = installation.createFolders(`version-${version}`)
      const file = join(folders.dataDir, 'rollcall.db')
      const db = new Database(file)
      db.pragma('journal_mode = WAL')
      for (const [index, step] of migrations.slice(0, version).entries()) {
        db.exec(step)
        if (index === 0) insertFirstRows(db, PAID_EVENT_ID)
      }
      const { filledCount: filledTables, empty: emptyTables } = fillEmptyTables(db)
      db.pragma(`user_version = ${version}`)
      db.pragma('wal_checkpoint(TRUNCATE)')
      db.close()
      if (installation.confinement.isOtherUser)
        for (const name of readdirSync(folders.dataDir))
          chownSync(join(folders.dataDir, name), USER_ID, USER_ID)
      const contentBefore = hashTables(file)
      const numbers = readRegNos(folders)
      const rejection = await installation.runRollcall(folders, ['user', 'list'])
      expectSame(
        `version ${version}: the exit status of a command that may not migrate`,
        rejection.status,
        2,
      )
      let migrateCommand = 'rollcall db migrate'
      if (servedVersions.has(version)) {
        migrateCommand = 'a start'
        const socketParent = await installation.serve(folders)
        const figures = await readMetrics(socketParent.url)
        const registrationCount = [...figures]
          .filter(([name]) => name.startsWith('rollcall_registrations{'))
          .reduce((sum, [, count]) => sum + count, 0)
        expectSame(`version ${version}: registrations counted`, registrationCount, numbers.length)
        await socketParent.close()
      } else
        expectSame(
          `version ${version}: the exit status of the migration`,
          (await installation.runRollcall(folders, ['db', 'migrate'])).status,
          0,
        )
      const copy = join(folders.dataDir, `rollcall.before-v${latestVersion}.db`)
      expectSame(`version ${version}: the copy`, hashTables(copy), contentBefore)
      expectSame(
        `version ${version}: the version after the migration`,
        readRows(file, 'PRAGMA user_version'),
        [{ user_version: latestVersion }],
      )
      expectSame(
        `version ${version}: the registration numbers after the migration`,
        readRegNos(folders),
        numbers,
      )
      expectSame(`version ${version}: integrity`, readRows(file, 'PRAGMA quick_check'), [
        { quick_check: 'ok' },
      ])
      expectSame(`version ${version}: references`, readRows(file, 'PRAGMA foreign_key_check'), [])
      print(
        `version ${version}: ${filledTables} tables filled${emptyTables.length === 0 ? '' : ` (empty: ${emptyTables.join(', ')})`}, migrated to ${latestVersion} by ${migrateCommand}; the copy is unchanged`,
      )
    }
  },
}
