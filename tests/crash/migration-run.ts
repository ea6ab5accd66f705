/** Migrates databases of schema version 30, with and without kills: `npm run migrations [COUNT]`. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrations } from '../../server/storage/database/schema.ts'
import { moveToPostgres } from '../../server/storage/database/move-database.ts'
import { hasPostgres, startPostgres } from '../server/storage/postgres-server.ts'
import type { PostgresServer } from '../server/storage/postgres-server.ts'
import { migrateToEnd, killAt, readVersion } from './migration/killed-migration.ts'
import type { StorageLocation } from './migration/killed-migration.ts'
import { compareContents, readContents, readTotals } from './migration/table-contents.ts'
import type { Contents } from './migration/table-contents.ts'

// Fills the databases with the code of version 30, on SQLite and on PostgreSQL, and prints a report. Exits with 1 if
// there is an unexpected difference.

/** The last commit whose schema has version 30. */
const OLD_COMMIT = 'eed793e3fdee953fc42729f2b6cf776f156a5b53'
const OLD_VERSION = 30
const REPOSITORY = join(import.meta.dirname, '../..')
/**
 * The changes that a migration may make: it normalises references of payment claims, rewrites the reason of unmatched
 * bank payments, and marks payments that share a reference for review.
 */
const ALLOWED_DIFFERENCES = /^tellings\.folded: |^captures\.why: |^event_issuers/

let hasFailed = false
const report = (line: string, isPass = true): void => {
  if (!isPass) hasFailed = true
  console.log(`${isPass ? ' ' : '!'} ${line}`)
}
async function measureTime<T>(label: string, operation: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const result = await operation()
  report(`${label}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  return result
}

function checkOutOldVersion(folder: string): void {
  mkdirSync(folder)
  const archive = execFileSync('git', ['archive', OLD_COMMIT], {
    cwd: REPOSITORY,
    maxBuffer: 1024 * 1024 * 1024,
  })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'))
}

const getDatabase = ({ dataDir, url }: StorageLocation): string =>
  url ?? join(dataDir, 'rollcall.db')

/** Compares the rows with the old version's rows, and the totals with the rows. Returns a hash of the rows. */
async function compareRows(
  name: string,
  contentsBefore: Contents,
  storage: StorageLocation,
): Promise<string> {
  const { rows, tables, differences, hash } = compareContents(
    contentsBefore,
    await readContents(getDatabase(storage)),
  )
  const unexpectedDifferences = differences.filter(
    (difference) => !ALLOWED_DIFFERENCES.test(difference),
  )
  report(
    `${name}: ${rows} rows of ${tables} tables, hash ${hash}; differences: ${differences.join('; ') || 'none'}`,
    unexpectedDifferences.length === 0,
  )
  const { counted: countedTotals, stored: storedTotals } = await readTotals(getDatabase(storage))
  report(
    `${name}: totals ${countedTotals === storedTotals ? 'match the rows' : `${countedTotals}, rows ${storedTotals}`}`,
    countedTotals === storedTotals,
  )
  return hash
}

/**
 * Migrates copies of an old database, with and without kills, and compares the results. `copy` creates another
 * copy.
 */
async function checkMigration(
  name: string,
  copy: (name: string) => Promise<StorageLocation>,
): Promise<StorageLocation> {
  const latestVersion = migrations.length
  const original = await copy('original')
  const before = await readContents(getDatabase(original))
  const totals = (await readTotals(getDatabase(original))).counted
  report(`${name}: totals before ${totals}`)
  const storage = await copy('migrated')
  await measureTime(`${name}: migrated`, () => migrateToEnd(storage))
  const hash = await compareRows(name, before, storage)
  const totalsAfter = (await readTotals(getDatabase(storage))).counted
  report(
    `${name}: totals ${totalsAfter === totals ? 'unchanged' : totalsAfter}`,
    totalsAfter === totals,
  )
  const inProgressBase = OLD_VERSION * 1000
  const killVersions = [
    OLD_VERSION + 1,
    inProgressBase + OLD_VERSION + 1,
    inProgressBase + OLD_VERSION + 5,
    inProgressBase + OLD_VERSION + 10,
    inProgressBase + latestVersion,
  ]
  for (const [index, target] of killVersions.entries()) {
    const killedStorage = await copy(`killed${index}`)
    const versionWhenKilled = await killAt(killedStorage, target)
    await migrateToEnd(killedStorage)
    const hashAfterKill = await compareRows(
      `${name}, killed at version ${versionWhenKilled}`,
      before,
      killedStorage,
    )
    report(
      `${name}, killed at version ${versionWhenKilled}: the same rows as without a kill`,
      hashAfterKill === hash,
    )
  }
  const oftenKilledStorage = await copy('often')
  const versions: number[] = []
  for (
    let target = inProgressBase + OLD_VERSION + 1;
    target <= inProgressBase + latestVersion;
    target += 3
  )
    versions.push(await killAt(oftenKilledStorage, target))
  await migrateToEnd(oftenKilledStorage)
  const hashAfterKills = await compareRows(
    `${name}, killed at versions ${versions.join(', ')}`,
    before,
    oftenKilledStorage,
  )
  report(`${name}, killed several times: the same rows as without a kill`, hashAfterKills === hash)
  report(
    `${name}: version ${await readVersion(oftenKilledStorage)}`,
    (await readVersion(oftenKilledStorage)) === latestVersion,
  )
  return storage
}

const registrationCount = process.argv[2] ?? '50000'
const existingFolder = process.argv[3]
const folder = mkdtempSync(join(tmpdir(), 'rollcall-migration-'))
let server: PostgresServer | null = null
try {
  const checkout = join(folder, 'old')
  checkOutOldVersion(checkout)
  const fillScript = join(import.meta.dirname, 'migration/fill-old-database.ts')
  const fill = async (...args: readonly string[]): Promise<void> => {
    const output = execFileSync(process.execPath, [fillScript, checkout, ...args], {
      encoding: 'utf8',
    })
    report(`refused by the old store: ${output.trim() || 'none'}`, output.trim() === '')
  }
  const filledFolder = existingFolder ?? join(folder, 'filled')
  if (existingFolder === undefined)
    await measureTime(
      `SQLite: ${registrationCount} registrations filled by ${OLD_COMMIT.slice(0, 8)}`,
      () => fill(filledFolder, registrationCount),
    )
  const sqlite = await checkMigration('SQLite', async (name) => {
    const dataDir = join(folder, name)
    cpSync(filledFolder, dataDir, { recursive: true })
    return { dataDir, url: null }
  })
  if (hasPostgres) {
    const postgres = await startPostgres()
    server = postgres
    const movedUrl = await postgres.database('old_moved')
    await measureTime('PostgreSQL: moved from SQLite by the old version', async () => {
      execFileSync(process.execPath, ['bin/rollcall.js', 'move', 'to-postgres'], {
        cwd: checkout,
        env: { ...process.env, DATA_DIR: filledFolder, DATABASE_URL: movedUrl },
        stdio: ['ignore', 'inherit', 'inherit'],
      })
    })
    const smallUrl = await postgres.database('old_direct')
    await measureTime('PostgreSQL: 620 registrations filled by the old version', () =>
      fill(join(folder, 'direct'), '620', smallUrl),
    )
    const dataDir = join(folder, 'no-data')
    mkdirSync(dataDir)
    for (const [name, source] of [
      ['PostgreSQL, moved', 'old_moved'],
      ['PostgreSQL, direct', 'old_direct'],
    ] as const)
      await checkMigration(name, async (copy) => ({
        dataDir,
        url: await postgres.database(`${source}_${copy}`, { template: source }),
      }))
    const targetUrl = await postgres.database('moved_new')
    const result = await measureTime('the migrated SQLite database moves to PostgreSQL', () =>
      moveToPostgres(sqlite.dataDir, targetUrl),
    )
    report(`db move: ${JSON.stringify(result.ok ? result.value : result.error)}`, result.ok)
    await compareRows('db move', await readContents(getDatabase(sqlite)), {
      dataDir,
      url: targetUrl,
    })
  }
} finally {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = hasFailed ? 1 : 0
