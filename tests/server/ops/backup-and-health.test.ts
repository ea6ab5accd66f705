/** Backups and bringing them back, secrets in files, and what rollcall health says. */
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
import { beginServing } from '../../../server/storage/database/single-server-lock.ts'
import { createPdf } from '../sample-uploads.ts'
import { fixtureDelegate, fixtureEvent } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { runHere } from '../run-command.ts'

let app: TestApp
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-keeping-'))
  app = await startTestApp({ clock: '2026-01-10', events: { 'sample2026.yaml': fixtureEvent() } })
  await Promise.all(Array.from({ length: 5 }, (_, n) => register(n)))
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Each with a file of its own. */
const register = async (n: number): Promise<void> => {
  const bytes = Buffer.concat([createPdf(), Buffer.from(`% ${n}`)])
  const answer = await app.post(
    '/api/sample2026/register/',
    { ...fixtureDelegate, email: `delegate${n}@sample.example` },
    { letter: { name: 'letter.pdf', bytes } },
  )
  expect(answer.statusCode).toBe(201)
}
const variables = (more: Readonly<Record<string, string>> = {}) => ({
  DATA_DIR: app.dir,
  EVENTS_DIR: app.eventsDir,
  CLOCK: '2026-01-10',
  ...more,
})

/** What the recovery writes that a restore begins. */
const OF_RECOVERY = new Set([
  'audit_log',
  'installation',
  'recoveries',
  'recovery_payments',
  'unknown_orders',
])
const copied = (folder: string) => {
  const { rows, ...looked } = checkCopy(join(folder, 'rollcall.db'))
  return { ...looked, rows: Object.entries(rows).filter(([name]) => !OF_RECOVERY.has(name)) }
}
const restoredIn = (dataDir: string) => {
  expect(checkCopy(join(dataDir, 'rollcall.db')).rows['recoveries']).toBe(1)
  return copied(dataDir)
}

describe('a backup', () => {
  test('made while delegates register is complete, and can be restored into an empty folder', async () => {
    const into = join(folder, 'one')
    const [backup] = await Promise.all([
      runHere(['db', 'backup', into], variables()),
      ...Array.from({ length: 20 }, (_, n) => register(100 + n)),
    ])
    expect([backup.status, backup.stderr]).toEqual([0, ''])
    const { rows, files } = checkCopy(join(into, 'rollcall.db'))
    expect(rows['registrations']).toBeGreaterThanOrEqual(5)
    expect(files.length).toBe(rows['uploads'])
    expect(backup.stdout).toContain(`${rows['registrations']} registrations, `)
    expect(existsSync(join(into, 'events', 'sample2026.yaml'))).toBe(true)

    const dataDir = join(folder, 'back')
    const restored = await runHere(['db', 'restore', into], variables({ DATA_DIR: dataDir }))
    expect([restored.status, restored.stderr]).toEqual([0, ''])
    expect(restoredIn(dataDir)).toEqual(copied(into))
    for (const sha256 of files)
      expect(readFileSync(join(dataDir, 'uploads', sha256.slice(0, 2), sha256))).toEqual(
        readFileSync(join(app.dir, 'uploads', sha256.slice(0, 2), sha256)),
      )
    // And nothing is written over.
    const twice = await runHere(['db', 'restore', into], variables({ DATA_DIR: dataDir }))
    expect([twice.status, twice.stderr]).toEqual([
      2,
      expect.stringMatching(/contains rollcall\.db.* A backup next to files of another database/),
    ])
    const again = await runHere(['db', 'backup', into], variables())
    expect([again.status, again.stderr]).toEqual([
      2,
      `${into} already exists. Name a new folder.\n`,
    ])
  })

  test('restored next to the log of another database is rejected, or moves that log aside: 60 registrations became "malformed"', async () => {
    const into = join(folder, 'beside')
    await runHere(['db', 'backup', into], variables())
    const dataDir = join(folder, 'with-a-log')
    mkdirSync(dataDir)
    for (const name of ['rollcall.db-wal', 'rollcall.db-shm', 'rollcall.db-journal'])
      writeFileSync(join(dataDir, name), `of another database: ${name}`)
    const refused = await runHere(['db', 'restore', into], variables({ DATA_DIR: dataDir }))
    expect(refused.status).toBe(2)
    expect(refused.stderr).toContain('rollcall.db-wal, rollcall.db-shm, rollcall.db-journal')
    expect(existsSync(join(dataDir, 'rollcall.db'))).toBe(false)

    const moving = ['db', 'restore', into, '--move-aside']
    const done = await runHere(moving, variables({ DATA_DIR: dataDir }))
    expect([done.status, done.stderr]).toEqual([0, ''])
    const aside = /is now in (.+)\./.exec(done.stdout)?.[1] ?? ''
    expect(readFileSync(join(aside, 'rollcall.db-wal'), 'utf8')).toContain('of another database')
    expect(restoredIn(dataDir)).toEqual(copied(into))
  })

  test('restored while a server uses the folder is rejected: registrations confirmed with 201 were lost', async () => {
    const into = join(folder, 'while-serving')
    await runHere(['db', 'backup', into], variables())
    const dataDir = join(folder, 'served')
    mkdirSync(dataDir)
    const leave = beginServing(dataDir)
    const { status, stderr } = await runHere(
      ['db', 'restore', into],
      variables({ DATA_DIR: dataDir }),
    )
    leave?.()
    expect([status, stderr]).toEqual([2, expect.stringContaining('A server is running on')])
    expect(existsSync(join(dataDir, 'rollcall.db'))).toBe(false)
  })

  test('a document damaged in the backup does not replace the intact one on the disk', async () => {
    const into = join(folder, 'damaged-proof')
    await runHere(['db', 'backup', into], variables())
    const [sha256 = ''] = checkCopy(join(into, 'rollcall.db')).files
    const place = join('uploads', sha256.slice(0, 2), sha256)
    const whole = readFileSync(join(into, place))
    writeFileSync(join(into, place), 'damaged')
    const dataDir = join(folder, 'with-proofs')
    mkdirSync(join(dataDir, 'uploads', sha256.slice(0, 2)), { recursive: true })
    writeFileSync(join(dataDir, place), whole)
    const { status } = await runHere(['db', 'restore', into], variables({ DATA_DIR: dataDir }))
    expect(status).toBe(0)
    expect(readFileSync(join(dataDir, place))).toEqual(whole)
  })

  test('that fails leaves nothing and names the place; an empty database is not a backup', async () => {
    const file = join(folder, 'a-file')
    writeFileSync(file, '')
    const failed = await runHere(['db', 'backup', join(file, 'inside')], variables())
    expect([failed.status, failed.stderr]).toEqual([
      2,
      `${join(file, 'inside')} is inside something that is not a folder. Name another place. No backup was made.\n`,
    ])
    const empty = join(folder, 'empty')
    mkdirSync(empty)
    writeFileSync(join(empty, 'rollcall.db'), '')
    const none = await runHere(
      ['db', 'backup', join(folder, 'of-nothing')],
      variables({ DATA_DIR: empty }),
    )
    expect([none.status, none.stderr]).toEqual([
      2,
      expect.stringContaining('An empty database is not a backup'),
    ])
    expect(readdirSync(folder).filter((name) => name.startsWith('of-nothing'))).toEqual([])
  })

  test('that is complete exits with 0 even if its time cannot be recorded; --prune keeps the newest', async () => {
    const backups = join(folder, 'nightly')
    mkdirSync(join(backups, 'not-ours'), { recursive: true })
    for (const day of ['2026-01-10', '2026-01-11', '2026-01-12'])
      await runHere(['db', 'backup', join(backups, day)], variables({ CLOCK: day }))
    rmSync(join(app.dir, 'backed-up'))
    mkdirSync(join(app.dir, 'backed-up', 'in-the-way'), { recursive: true })
    const last = ['db', 'backup', join(backups, 'last'), '--prune', '2']
    const done = await runHere(last, variables({ CLOCK: '2026-01-13' }))
    rmSync(join(app.dir, 'backed-up'), { recursive: true })
    expect([done.status, done.stderr]).toEqual([
      0,
      expect.stringMatching(/^The backup is complete\. /),
    ])
    expect(readdirSync(backups).toSorted()).toEqual(['2026-01-12', 'last', 'not-ours'])
    for (const wrong of ['0', '-1', 'two'])
      expect(
        (await runHere(['db', 'backup', join(backups, 'no'), `--prune=${wrong}`], variables()))
          .status,
      ).toBe(2)
  })

  test('names a missing or damaged file, and keeps the rest', async () => {
    const { files } = checkCopy(join(app.dir, 'rollcall.db'))
    const [gone = '', changed = ''] = files
    const placeOf = (sha256: string): string => join(app.dir, 'uploads', sha256.slice(0, 2), sha256)
    const before = [gone, changed].map((sha256) => readFileSync(placeOf(sha256)))
    rmSync(placeOf(gone))
    writeFileSync(placeOf(changed), 'something else')
    const into = join(folder, 'two')
    const { status, stderr } = await runHere(['db', 'backup', into], variables())
    for (const [at, sha256] of [gone, changed].entries())
      writeFileSync(placeOf(sha256), before[at] ?? '')
    expect(status).toBe(1)
    expect(stderr.trim().split('\n').sort()).toEqual(
      [gone, changed]
        .map((sha256) => `The file ${sha256} is missing or damaged, so it was not copied.`)
        .sort(),
    )
    expect(
      readdirSync(join(into, 'uploads'), { recursive: true }).filter(
        (name) => String(name).length > 60,
      ),
    ).toHaveLength(files.length - 2)
  })

  test('one whose database differs from its list is not restored', async () => {
    const into = join(folder, 'three')
    await runHere(['db', 'backup', into], variables())
    const db = new Database(join(into, 'rollcall.db'))
    db.exec(
      "INSERT INTO event_files (hash, event_id, text, shared, first_at, served_at) VALUES ('x', 'y', '', '{}', 1, 1)",
    )
    db.close()
    const dataDir = join(folder, 'not-back')
    const { status, stderr } = await runHere(
      ['db', 'restore', into],
      variables({ DATA_DIR: dataDir }),
    )
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^The database of the backup has \d+ rows in /),
    ])
    expect(existsSync(join(dataDir, 'rollcall.db'))).toBe(false)
    const none = await runHere(['db', 'restore', folder], variables({ DATA_DIR: dataDir }))
    expect([none.status, none.stderr]).toEqual([2, expect.stringContaining('is not a backup')])
  })
})

test('a secret can be in a file, and not in two places', () => {
  const file = join(folder, 'smtp')
  writeFileSync(file, 'smtp://127.0.0.1:2525\n')
  const read = readEnvironment({ SMTP_URL_FILE: file })
  expect(read.ok && read.value.smtpUrl).toBe('smtp://127.0.0.1:2525')
  expect(readEnvironment({ SMTP_URL_FILE: file, SMTP_URL: 'smtp://b' })).toMatchObject({
    error: ['SMTP_URL and SMTP_URL_FILE are both set. Set only one of them.'],
  })
  expect(readEnvironment({ ADMIN_PASSWORD_FILE: join(folder, 'none') })).toMatchObject({
    error: [`ADMIN_PASSWORD_FILE is ${join(folder, 'none')}, but that file cannot be read.`],
  })
})

test('rollcall health reports the state of the server, or that none runs', async () => {
  await app.app.listen({ port: 0, host: '127.0.0.1' })
  const address = app.app.server.address()
  const port = typeof address === 'object' && address !== null ? String(address.port) : ''
  const well = await runHere(['health'], variables({ PORT: port }))
  expect([well.status, well.stdout]).toEqual([0, 'The server is healthy.\n'])
  const none = await runHere(['health'], variables({ PORT: '1' }))
  expect([none.status, none.stderr]).toEqual([
    1,
    'No server responds at http://127.0.0.1:1/healthz.\n',
  ])
})
