/** Commands that migrate a database, and the copy that is made before a migration. */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DATABASE_FILE, openToWrite } from '../../../server/storage/database/sqlite-connection.ts'
import { openStore } from '../../../server/storage/open-store.ts'
import { migrations } from '../../../server/storage/database/schema.ts'
import { lockDataFolder } from '../../../server/storage/database/single-server-lock.ts'
import { runHere } from '../run-command.ts'

const latestVersion = migrations.length
const COPY_FILE = `rollcall.before-v${latestVersion}.db`
let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'rollcall-migrating-'))
  const db = openToWrite(join(dataDir, DATABASE_FILE))
  for (const step of migrations.slice(0, -1)) db.exec(step)
  db.pragma(`user_version = ${latestVersion - 1}`)
  db.exec(
    "INSERT INTO event_files (hash, event_id, text, shared, first_at, served_at) VALUES ('one', 'sample2026', '', '{}', 1, 1)",
  )
  db.close()
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

/** Reads a database's version and the number of its event files. */
function readState(file: string): readonly unknown[] {
  const db = new Database(join(dataDir, file), { readonly: true })
  try {
    const { n } = db.prepare('SELECT count(*) AS n FROM event_files').get() as { n: number }
    return [db.pragma('user_version', { simple: true }), n]
  } finally {
    db.close()
  }
}

test('a command from a newer version of Rollcall leaves the database unchanged, and states what to do', async () => {
  const { status, stderr } = await runHere(['user', 'list'], { DATA_DIR: dataDir })
  expect([status, stderr]).toEqual([
    2,
    `The database is from an older version of Rollcall (${latestVersion - 1}; this one needs ${latestVersion}). Stop the server and start it with this version, or run rollcall db migrate. Both make a copy first.\n`,
  ])
  expect(readState(DATABASE_FILE)).toEqual([latestVersion - 1, 1])
})

test('rollcall db migrate reports whether a migration is needed, does not run next to a server, and makes a copy first', async () => {
  const variables = { DATA_DIR: dataDir }
  expect(await runHere(['db', 'migrate', '--check'], variables)).toMatchObject({ status: 1 })
  const stopServing = lockDataFolder(dataDir)
  expect(await runHere(['db', 'migrate'], variables)).toEqual({
    status: 2,
    stdout: '',
    stderr: `A server is running on ${dataDir}. Stop it first.\n`,
  })
  stopServing?.()
  expect(readState(DATABASE_FILE)).toEqual([latestVersion - 1, 1])
  expect(await runHere(['db', 'migrate'], variables)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(
      `was migrated from version ${latestVersion - 1} to ${latestVersion}.`,
    ),
  })
  expect([readState(DATABASE_FILE), readState(COPY_FILE)]).toEqual([
    [latestVersion, 1],
    [latestVersion - 1, 1],
  ])
  expect(await runHere(['db', 'migrate', '--check'], variables)).toMatchObject({ status: 0 })
})

test('with MIGRATE_AT_START=off the server does not start on an older database, and rollcall db migrate migrates it', async () => {
  const message = `The database has version ${latestVersion - 1}, and this version of Rollcall needs ${latestVersion}. MIGRATE_AT_START is off, so the server does not migrate it: run rollcall db migrate, then start the server.`
  const server = { dataDir, migrates: true, migratesAtStart: false }
  await expect(openStore(server)).rejects.toThrow(message)
  expect(readdirSync(dataDir)).not.toContain(COPY_FILE)
  const variables = { DATA_DIR: dataDir, MIGRATE_AT_START: 'off' }
  expect(await runHere(['db', 'migrate'], variables)).toMatchObject({ status: 0 })
  await (await openStore(server)).close()
  expect(readState(DATABASE_FILE)).toEqual([latestVersion, 1])
})

test('a migration that was killed continues, and keeps the copy made before it', async () => {
  copyFileSync(join(dataDir, DATABASE_FILE), join(dataDir, COPY_FILE))
  const db = openToWrite(join(dataDir, DATABASE_FILE))
  db.exec(migrations.at(-1) ?? '')
  // All steps are done, but the new tables have no data yet.
  db.pragma(`user_version = ${(latestVersion - 1) * 1000 + latestVersion}`)
  db.exec('DELETE FROM event_files')
  db.close()
  expect(await runHere(['user', 'list'], { DATA_DIR: dataDir })).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(`from an older version of Rollcall (${latestVersion - 1};`),
  })
  await (await openStore({ dataDir, migrates: true })).close()
  expect([readState(DATABASE_FILE), readState(COPY_FILE)]).toEqual([
    [latestVersion, 0],
    [latestVersion - 1, 1],
  ])
})

test('a disk without space for the copy leaves the database unchanged', async () => {
  // A folder with its name prevents the copy from being written.
  mkdirSync(join(dataDir, `${COPY_FILE}.part`, 'in the way'), { recursive: true })
  await expect(openStore({ dataDir, migrates: true })).rejects.toThrow()
  expect(readState(DATABASE_FILE)).toEqual([latestVersion - 1, 1])
  expect(readdirSync(dataDir)).not.toContain(COPY_FILE)
})

test('on a database from a newer version, every command, including rollcall db migrate, prints a sentence and exits with 2', async () => {
  const db = openToWrite(join(dataDir, DATABASE_FILE))
  db.pragma('user_version = 999')
  db.close()
  const message = `The database is from a newer version of Rollcall (999; this one supports ${latestVersion}). Start that version.\n`
  for (const command of [
    ['db', 'migrate'],
    ['db', 'migrate', '--check'],
    ['user', 'list'],
    ['payment', 'reviews'],
  ])
    expect(await runHere(command, { DATA_DIR: dataDir })).toMatchObject({
      status: 2,
      stderr: message,
    })
  expect(readdirSync(dataDir)).not.toContain(COPY_FILE)
})
