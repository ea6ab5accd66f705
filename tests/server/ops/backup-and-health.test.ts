/** Backups, restores, secrets read from files, and the states that `rollcall health` reports. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readEnvironment } from '../../../server/ops/environment.ts'
import { checkCopy } from '../../../server/storage/recovery/copy-database.ts'
import { lockDataFolder } from '../../../server/storage/database/single-server-lock.ts'
import { createPdf } from '../sample-uploads.ts'
import { fixtureDelegate, buildFixtureEvent } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { runHere } from '../run-command.ts'

let app: TestApp
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-keeping-'))
  app = await startTestApp({
    clock: '2026-01-10',
    events: { 'sample2026.yaml': buildFixtureEvent() },
  })
  await Promise.all(Array.from({ length: 5 }, (_, n) => register(n)))
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Registers a delegate with a letter. Each letter is different, so it is stored as a separate file. */
const register = async (n: number): Promise<void> => {
  const bytes = Buffer.concat([createPdf(), Buffer.from(`% ${n}`)])
  const answer = await app.post(
    '/api/sample2026/register/',
    { ...fixtureDelegate, email: `delegate${n}@sample.example` },
    { letter: { name: 'letter.pdf', bytes } },
  )
  expect(answer.statusCode).toBe(201)
}
const getVariables = (changes: Readonly<Record<string, string>> = {}) => ({
  DATA_DIR: app.dir,
  EVENTS_DIR: app.eventsDir,
  CLOCK: '2026-01-10',
  ...changes,
})

/** Tables that a recovery writes after a restore. */
const RECOVERY_ENTRIES = new Set([
  'audit_log',
  'installation',
  'recoveries',
  'recovery_payments',
  'unknown_orders',
])
const readCopy = (folder: string) => {
  const { rows, ...report } = checkCopy(join(folder, 'rollcall.db'))
  return { ...report, rows: Object.entries(rows).filter(([name]) => !RECOVERY_ENTRIES.has(name)) }
}
const readRestored = (dataDir: string) => {
  expect(checkCopy(join(dataDir, 'rollcall.db')).rows['recoveries']).toBe(1)
  return readCopy(dataDir)
}

describe('a backup', () => {
  test('that is made while delegates register is complete and can be restored into an empty folder', async () => {
    const backupFolder = join(folder, 'one')
    const [backup] = await Promise.all([
      runHere(['db', 'backup', backupFolder], getVariables()),
      ...Array.from({ length: 20 }, (_, n) => register(100 + n)),
    ])
    expect([backup.status, backup.stderr]).toEqual([0, ''])
    const { rows, files } = checkCopy(join(backupFolder, 'rollcall.db'))
    expect(rows['registrations']).toBeGreaterThanOrEqual(5)
    expect(files.length).toBe(rows['uploads'])
    expect(backup.stdout).toContain(`${rows['registrations']} registrations, `)
    expect(existsSync(join(backupFolder, 'events', 'sample2026.yaml'))).toBe(true)

    const dataDir = join(folder, 'back')
    const restoreResult = await runHere(
      ['db', 'restore', backupFolder],
      getVariables({ DATA_DIR: dataDir }),
    )
    expect([restoreResult.status, restoreResult.stderr]).toEqual([0, ''])
    expect(readRestored(dataDir)).toEqual(readCopy(backupFolder))
    for (const sha256 of files)
      expect(readFileSync(join(dataDir, 'uploads', sha256.slice(0, 2), sha256))).toEqual(
        readFileSync(join(app.dir, 'uploads', sha256.slice(0, 2), sha256)),
      )
    // A restore does not overwrite existing data.
    const secondRestore = await runHere(
      ['db', 'restore', backupFolder],
      getVariables({ DATA_DIR: dataDir }),
    )
    expect([secondRestore.status, secondRestore.stderr]).toEqual([
      2,
      expect.stringMatching(
        /contains rollcall\.db.* A backup restored next to the files of another database/,
      ),
    ])
    const repeatedBackup = await runHere(['db', 'backup', backupFolder], getVariables())
    expect([repeatedBackup.status, repeatedBackup.stderr]).toEqual([
      2,
      `${backupFolder} already exists. Specify a new folder.\n`,
    ])
  })

  test("is restored into a folder with another database's log only if that log is moved aside", async () => {
    const backupFolder = join(folder, 'beside')
    await runHere(['db', 'backup', backupFolder], getVariables())
    const dataDir = join(folder, 'with-a-log')
    mkdirSync(dataDir)
    for (const name of ['rollcall.db-wal', 'rollcall.db-shm', 'rollcall.db-journal'])
      writeFileSync(join(dataDir, name), `of another database: ${name}`)
    const rejection = await runHere(
      ['db', 'restore', backupFolder],
      getVariables({ DATA_DIR: dataDir }),
    )
    expect(rejection.status).toBe(2)
    expect(rejection.stderr).toContain('rollcall.db-wal, rollcall.db-shm, rollcall.db-journal')
    expect(existsSync(join(dataDir, 'rollcall.db'))).toBe(false)

    const moveCommand = ['db', 'restore', backupFolder, '--move-aside']
    const moveResult = await runHere(moveCommand, getVariables({ DATA_DIR: dataDir }))
    expect([moveResult.status, moveResult.stderr]).toEqual([0, ''])
    const asideFolder = /is now in (.+)\./.exec(moveResult.stdout)?.[1] ?? ''
    expect(readFileSync(join(asideFolder, 'rollcall.db-wal'), 'utf8')).toContain(
      'of another database',
    )
    expect(readRestored(dataDir)).toEqual(readCopy(backupFolder))
  })

  test('is not restored into a folder that a server is using', async () => {
    const backupFolder = join(folder, 'while-serving')
    await runHere(['db', 'backup', backupFolder], getVariables())
    const dataDir = join(folder, 'served')
    mkdirSync(dataDir)
    const stopServing = lockDataFolder(dataDir)
    const { status, stderr } = await runHere(
      ['db', 'restore', backupFolder],
      getVariables({ DATA_DIR: dataDir }),
    )
    stopServing?.()
    expect([status, stderr]).toEqual([2, expect.stringContaining('A server is running on')])
    expect(existsSync(join(dataDir, 'rollcall.db'))).toBe(false)
  })

  test('with a damaged document does not replace the intact document on the disk', async () => {
    const backupFolder = join(folder, 'damaged-proof')
    await runHere(['db', 'backup', backupFolder], getVariables())
    const [sha256 = ''] = checkCopy(join(backupFolder, 'rollcall.db')).files
    const uploadPath = join('uploads', sha256.slice(0, 2), sha256)
    const intactContent = readFileSync(join(backupFolder, uploadPath))
    writeFileSync(join(backupFolder, uploadPath), 'damaged')
    const dataDir = join(folder, 'with-proofs')
    mkdirSync(join(dataDir, 'uploads', sha256.slice(0, 2)), { recursive: true })
    writeFileSync(join(dataDir, uploadPath), intactContent)
    const { status } = await runHere(
      ['db', 'restore', backupFolder],
      getVariables({ DATA_DIR: dataDir }),
    )
    expect(status).toBe(0)
    expect(readFileSync(join(dataDir, uploadPath))).toEqual(intactContent)
  })

  test('that fails leaves no files and reports the path; an empty database cannot be backed up', async () => {
    const file = join(folder, 'a-file')
    writeFileSync(file, '')
    const failedBackup = await runHere(['db', 'backup', join(file, 'inside')], getVariables())
    expect([failedBackup.status, failedBackup.stderr]).toEqual([
      2,
      `${join(file, 'inside')} is in a path that contains a file instead of a folder. Choose another location. No backup was made.\n`,
    ])
    const emptyDir = join(folder, 'empty')
    mkdirSync(emptyDir)
    writeFileSync(join(emptyDir, 'rollcall.db'), '')
    const emptySource = await runHere(
      ['db', 'backup', join(folder, 'of-nothing')],
      getVariables({ DATA_DIR: emptyDir }),
    )
    expect([emptySource.status, emptySource.stderr]).toEqual([
      2,
      expect.stringContaining('An empty database is not a backup'),
    ])
    expect(readdirSync(folder).filter((name) => name.startsWith('of-nothing'))).toEqual([])
  })

  test('that is complete exits with 0 even if its time cannot be recorded; --prune keeps the newest backups', async () => {
    const backupsFolder = join(folder, 'nightly')
    mkdirSync(join(backupsFolder, 'not-ours'), { recursive: true })
    for (const day of ['2026-01-10', '2026-01-11', '2026-01-12'])
      await runHere(['db', 'backup', join(backupsFolder, day)], getVariables({ CLOCK: day }))
    rmSync(join(app.dir, 'backed-up'))
    mkdirSync(join(app.dir, 'backed-up', 'in-the-way'), { recursive: true })
    const backupArgs = ['db', 'backup', join(backupsFolder, 'last'), '--prune', '2']
    const backupResult = await runHere(backupArgs, getVariables({ CLOCK: '2026-01-13' }))
    rmSync(join(app.dir, 'backed-up'), { recursive: true })
    expect([backupResult.status, backupResult.stderr]).toEqual([
      0,
      expect.stringMatching(/^The backup is complete, but /),
    ])
    expect(readdirSync(backupsFolder).toSorted()).toEqual(['2026-01-12', 'last', 'not-ours'])
    for (const invalidCount of ['0', '-1', 'two'])
      expect(
        (
          await runHere(
            ['db', 'backup', join(backupsFolder, 'no'), `--prune=${invalidCount}`],
            getVariables(),
          )
        ).status,
      ).toBe(2)
  })

  test('older than --prune-older-than is deleted, because it may contain erased data', async () => {
    const backupsFolder = join(folder, 'monthly')
    mkdirSync(backupsFolder)
    for (const day of ['2026-01-01', '2026-02-01', '2026-03-01'])
      await runHere(['db', 'backup', join(backupsFolder, day)], getVariables({ CLOCK: day }))
    const args = ['db', 'backup', join(backupsFolder, 'last'), '--prune', '30']
    const backupResult = await runHere(
      [...args, '--prune-older-than', '31'],
      getVariables({ CLOCK: '2026-03-05' }),
    )
    expect(backupResult.stdout).toContain(
      `Removed the older backup ${join(backupsFolder, '2026-02-01')}.`,
    )
    expect(backupResult.stdout).not.toContain('2026-03-01.')
    expect(readdirSync(backupsFolder).toSorted()).toEqual(['2026-03-01', 'last'])
    const refusal = await runHere([...args.slice(0, 3), '--prune-older-than=x'], getVariables())
    expect([refusal.status, refusal.stderr.trim()]).toEqual([
      2,
      '--prune-older-than must be the number of days to keep backups, at least 1, not "x".',
    ])
  })

  test('reports a missing or damaged file and contains the others', async () => {
    const { files } = checkCopy(join(app.dir, 'rollcall.db'))
    const [missingFile = '', changedFile = ''] = files
    const getFilePath = (sha256: string): string =>
      join(app.dir, 'uploads', sha256.slice(0, 2), sha256)
    const contentsBefore = [missingFile, changedFile].map((sha256) =>
      readFileSync(getFilePath(sha256)),
    )
    rmSync(getFilePath(missingFile))
    writeFileSync(getFilePath(changedFile), 'something else')
    const backupFolder = join(folder, 'two')
    const { status, stderr } = await runHere(['db', 'backup', backupFolder], getVariables())
    for (const [index, sha256] of [missingFile, changedFile].entries())
      writeFileSync(getFilePath(sha256), contentsBefore[index] ?? '')
    expect(status).toBe(1)
    expect(stderr.trim().split('\n').sort()).toEqual(
      [missingFile, changedFile]
        .map((sha256) => `The file ${sha256} is missing or damaged, so it was not copied.`)
        .sort(),
    )
    expect(
      readdirSync(join(backupFolder, 'uploads'), { recursive: true }).filter(
        (name) => String(name).length > 60,
      ),
    ).toHaveLength(files.length - 2)
  })

  test('whose database does not match its list of contents is not restored', async () => {
    const backupFolder = join(folder, 'three')
    await runHere(['db', 'backup', backupFolder], getVariables())
    const db = new Database(join(backupFolder, 'rollcall.db'))
    db.exec(
      "INSERT INTO event_files (hash, event_id, text, shared, first_at, served_at) VALUES ('x', 'y', '', '{}', 1, 1)",
    )
    db.close()
    const dataDir = join(folder, 'not-back')
    const { status, stderr } = await runHere(
      ['db', 'restore', backupFolder],
      getVariables({ DATA_DIR: dataDir }),
    )
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^The database in the backup has \d+ rows in /),
    ])
    expect(existsSync(join(dataDir, 'rollcall.db'))).toBe(false)
    const emptySource = await runHere(
      ['db', 'restore', folder],
      getVariables({ DATA_DIR: dataDir }),
    )
    expect([emptySource.status, emptySource.stderr]).toEqual([
      2,
      expect.stringContaining('is not a backup'),
    ])
  })
})

test('a secret can be read from a file, but not set in two variables', () => {
  const file = join(folder, 'smtp')
  writeFileSync(file, 'smtp://127.0.0.1:2525\n')
  const environmentResult = readEnvironment({ SMTP_URL_FILE: file })
  expect(environmentResult.ok && environmentResult.value.smtpUrl).toBe('smtp://127.0.0.1:2525')
  expect(readEnvironment({ SMTP_URL_FILE: file, SMTP_URL: 'smtp://b' })).toMatchObject({
    error: ['SMTP_URL and SMTP_URL_FILE are both set. Set only one of them.'],
  })
  expect(readEnvironment({ ADMIN_PASSWORD_FILE: join(folder, 'none') })).toMatchObject({
    error: [`ADMIN_PASSWORD_FILE is ${join(folder, 'none')}, but there is no such file.`],
  })
  expect(readEnvironment({ ADMIN_PASSWORD_FILE: folder })).toMatchObject({
    error: [`ADMIN_PASSWORD_FILE is ${folder}, which is a folder. Specify the file in it.`],
  })
})

test('rollcall health reports the state of the server, or that no server is running', async () => {
  await app.app.listen({ port: 0, host: '127.0.0.1' })
  const address = app.app.server.address()
  const port = typeof address === 'object' && address !== null ? String(address.port) : ''
  const healthyResult = await runHere(['health'], getVariables({ PORT: port }))
  expect([healthyResult.status, healthyResult.stdout]).toEqual([0, 'The server is healthy.\n'])
  const noServerResult = await runHere(['health'], getVariables({ PORT: '1' }))
  expect([noServerResult.status, noServerResult.stderr]).toEqual([
    1,
    'No server responds at http://127.0.0.1:1/healthz.\n',
  ])
})
