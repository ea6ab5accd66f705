/** Backups and bringing them back, secrets in files, and what rollcall health says. */
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readEnvironment } from '../../server/machine/environment.ts'
import { lookInto } from '../../server/store/copies.ts'
import { pdf } from '../server/files.ts'
import { fixtureDelegate, fixtureEvent } from '../server/fixture.ts'
import { startTestApp } from '../server/harness.ts'
import type { TestApp } from '../server/harness.ts'
import { runHere } from '../server/running.ts'

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
  const bytes = Buffer.concat([pdf(), Buffer.from(`% ${n}`)])
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

describe('a backup', () => {
  test('made while delegates register is whole, and is what comes back into an empty folder', async () => {
    const into = join(folder, 'one')
    const [backup] = await Promise.all([
      runHere(['backup', into], variables()),
      ...Array.from({ length: 20 }, (_, n) => register(100 + n)),
    ])
    expect([backup.status, backup.err]).toEqual([0, ''])
    const { rows, files } = lookInto(join(into, 'rollcall.db'))
    expect(rows['registrations']).toBeGreaterThanOrEqual(5)
    expect(files.length).toBe(rows['uploads'])
    expect(backup.out).toContain(`${rows['registrations']} registrations, `)
    expect(existsSync(join(into, 'events', 'sample2026.yaml'))).toBe(true)

    const dataDir = join(folder, 'back')
    const restored = await runHere(['restore', into], variables({ DATA_DIR: dataDir }))
    expect([restored.status, restored.err]).toEqual([0, ''])
    const back = lookInto(join(dataDir, 'rollcall.db'))
    expect(back).toEqual({ ...back, rows, files })
    for (const sha256 of files)
      expect(readFileSync(join(dataDir, 'uploads', sha256.slice(0, 2), sha256))).toEqual(
        readFileSync(join(app.dir, 'uploads', sha256.slice(0, 2), sha256)),
      )
    // And nothing is written over.
    const twice = await runHere(['restore', into], variables({ DATA_DIR: dataDir }))
    expect([twice.status, twice.err]).toEqual([
      2,
      expect.stringMatching(/^There is a database in .+ already\./),
    ])
    const again = await runHere(['backup', into], variables())
    expect([again.status, again.err]).toEqual([
      2,
      `${into} is there already: name a folder that is not.\n`,
    ])
  })

  test('a file that is missing or damaged is named, and the rest is kept', async () => {
    const { files } = lookInto(join(app.dir, 'rollcall.db'))
    const [gone = '', changed = ''] = files
    const placeOf = (sha256: string): string => join(app.dir, 'uploads', sha256.slice(0, 2), sha256)
    const before = [gone, changed].map((sha256) => readFileSync(placeOf(sha256)))
    rmSync(placeOf(gone))
    writeFileSync(placeOf(changed), 'something else')
    const into = join(folder, 'two')
    const { status, err } = await runHere(['backup', into], variables())
    for (const [at, sha256] of [gone, changed].entries())
      writeFileSync(placeOf(sha256), before[at] ?? '')
    expect(status).toBe(1)
    expect(err.trim().split('\n').sort()).toEqual(
      [gone, changed]
        .map((sha256) => `The file ${sha256} is missing or damaged; it is not in the copy.`)
        .sort(),
    )
    expect(
      readdirSync(join(into, 'uploads'), { recursive: true }).filter(
        (name) => String(name).length > 60,
      ),
    ).toHaveLength(files.length - 2)
  })

  test('one whose database is not what its list says is not brought back', async () => {
    const into = join(folder, 'three')
    await runHere(['backup', into], variables())
    const db = new Database(join(into, 'rollcall.db'))
    db.exec(
      "INSERT INTO event_files (hash, event_id, text, shared, first_at, served_at) VALUES ('x', 'y', '', '{}', 1, 1)",
    )
    db.close()
    const dataDir = join(folder, 'not-back')
    const { status, err } = await runHere(['restore', into], variables({ DATA_DIR: dataDir }))
    expect([status, err]).toEqual([
      2,
      expect.stringMatching(/^The database of the backup has \d+ rows in /),
    ])
    expect(existsSync(join(dataDir, 'rollcall.db'))).toBe(false)
    const none = await runHere(['restore', folder], variables({ DATA_DIR: dataDir }))
    expect([none.status, none.err]).toEqual([2, expect.stringContaining('is no backup')])
  })
})

test('a secret may stand in a file, and not in two places', () => {
  const file = join(folder, 'smtp')
  writeFileSync(file, 'smtp://127.0.0.1:2525\n')
  const read = readEnvironment({ SMTP_URL_FILE: file })
  expect(read.ok && read.value.smtpUrl).toBe('smtp://127.0.0.1:2525')
  expect(readEnvironment({ SMTP_URL_FILE: file, SMTP_URL: 'smtp://b' })).toMatchObject({
    error: ['SMTP_URL and SMTP_URL_FILE are both set: keep one of them.'],
  })
  expect(readEnvironment({ ADMIN_PASSWORD_FILE: join(folder, 'none') })).toMatchObject({
    error: [`ADMIN_PASSWORD_FILE is ${join(folder, 'none')}, and that file cannot be read.`],
  })
})

test('rollcall health says how the server is, and that there is none', async () => {
  await app.app.listen({ port: 0, host: '127.0.0.1' })
  const address = app.app.server.address()
  const port = typeof address === 'object' && address !== null ? String(address.port) : ''
  const well = await runHere(['health'], variables({ PORT: port }))
  expect([well.status, well.out]).toEqual([0, 'The server is well.\n'])
  const none = await runHere(['health'], variables({ PORT: '1' }))
  expect([none.status, none.err]).toEqual([1, 'No server answers at http://127.0.0.1:1/healthz.\n'])
})
