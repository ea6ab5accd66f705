/** Limits on what a server with a wrong clock or database erases, deletes or moves automatically. */
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { runHere } from '../run-command.ts'
import { shortenTimers, makeFolders, startServerHere } from './operator.ts'
import type { RunningServerHere } from './operator.ts'

const HOUR_MS = 60 * 60 * 1000
/** The interval of hourly work in this file: a quarter of a second. */
const SHORT_HOUR_MS = 250
let restoreTimers = (): void => {}
beforeAll(() => {
  restoreTimers = shortenTimers(HOUR_MS, SHORT_HOUR_MS, () => {
    passedHours += 1
  })
})
afterAll(() => restoreTimers())
const POLL_OPTIONS = { timeout: 200_000, interval: 50 }
const RETENTION = '\nretention: {answers: 1 month, files: 10 days}\n'

let folders: ReturnType<typeof makeFolders>
let server: RunningServerHere | null = null
beforeEach(() => {
  folders = makeFolders()
  const file = join(folders.eventsDir, 'afpicon2026.yaml')
  writeFileSync(file, readFileSync(file, 'utf8') + RETENTION)
})
afterEach(async () => {
  await server?.stop()
  folders.remove()
})

const start = async (day: string): Promise<void> => {
  await server?.stop()
  server = await startServerHere(folders, { CLOCK: day })
}
/** The number of times that hourly work has run in this file. */
let passedHours = 0
const readHours = (): number => passedHours
const waitForOutput = async (text: string | RegExp): Promise<void> => {
  await expect.poll(() => server?.readOutput(), POLL_OPTIONS).toMatch(text)
}
const getVariables = (day: string) => ({
  DATA_DIR: folders.dataDir,
  EVENTS_DIR: folders.eventsDir,
  CLOCK: day,
})
const confirmClock = async (day: string): Promise<void> => {
  const confirmArgs = ['db', 'clock', '--confirm', '--who', 'Made Up']
  expect((await runHere(confirmArgs, getVariables(day))).status).toBe(0)
}
const register = async (): Promise<void> => {
  const response = await fetch(`${server?.url}/api/afpicon/register/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      full_name: 'Asha Nair',
      email: 'asha@example.org',
      phone_number: '1',
      ticket_type: 'afpi-gp-specialist',
    }),
  })
  expect(response.status).toBe(201)
}
const listNames = (): unknown => {
  const db = new Database(join(folders.dataDir, 'rollcall.db'), { readonly: true })
  try {
    return db.prepare('SELECT full_name FROM registrations').pluck().all()
  } finally {
    db.close()
  }
}
const readHealth = async (): Promise<{
  health: string
  troubles: readonly string[]
  notes?: readonly string[]
}> => (await fetch(`${server?.url}/healthz`)).json()

test('a server whose clock shows 2031 for an hour erases nothing; once staff confirm the clock, each erasure is logged', async () => {
  await start('2025-10-10')
  await register()
  await start('2031-01-01')
  await waitForOutput('Automatic erasure is paused until you correct the clock')
  const targetHour = readHours() + 6
  await expect.poll(readHours, POLL_OPTIONS).toBeGreaterThan(targetHour)
  expect(listNames()).toEqual(['Asha Nair'])
  expect((await readHealth()).troubles).toContainEqual(
    expect.stringMatching(/^The clock shows 1 January 2031, .* recorded time is 10 October 2025/),
  )
  await start('2025-10-11')
  expect((await readHealth()).troubles).toEqual([])
  await start('2031-01-01')
  await waitForOutput('Automatic erasure is paused until you correct the clock')
  await confirmClock('2031-01-01')
  await waitForOutput(
    /"message":"the personal data of registrations was erased: .*"event":"afpicon2026","registrations":1/,
  )
  expect(listNames()).toEqual([''])
})

const getUploadPath = (name: string): string =>
  join(folders.dataDir, 'uploads', name.slice(0, 2), name)
const createUnreferencedFile = (content: string, day: string): string => {
  const name = createHash('sha256').update(content).digest('hex')
  mkdirSync(join(getUploadPath(name), '..'), { recursive: true })
  writeFileSync(getUploadPath(name), content)
  utimesSync(getUploadPath(name), new Date(day), new Date(day))
  return name
}
const listFilesSetAside = (): readonly string[] => {
  const folder = join(folders.dataDir, 'unknown-files')
  return existsSync(folder) ? readdirSync(folder) : []
}

test('documents that are missing from the database are not deleted: a few are set aside for thirty days, a large number is not moved, and none are moved for a week after a restore', async () => {
  await start('2025-10-01')
  const backup = join(folders.folder, 'backup')
  expect((await runHere(['db', 'backup', backup], getVariables('2025-10-01'))).status).toBe(0)
  const fewFiles = ['one', 'two'].map((content) => createUnreferencedFile(content, '2025-10-02'))
  await start('2025-10-10')
  await confirmClock('2025-10-10')
  await waitForOutput(
    /"message":"uploads that no record refers to were set aside for 30 days","setAside":2/,
  )
  expect(listFilesSetAside().toSorted()).toEqual(fewFiles.toSorted())
  await expect
    .poll(async () => (await readHealth()).notes, POLL_OPTIONS)
    .toEqual([
      expect.stringContaining('2 uploaded files that do not belong to any registration are in'),
    ])

  const manyFiles = Array.from({ length: 30 }, (_, n) =>
    createUnreferencedFile(`proof ${n}`, '2025-10-02'),
  )
  await waitForOutput(
    '30 uploaded files do not belong to any registration in the database, more than interrupted requests would leave behind',
  )
  await expect.poll(async () => (await readHealth()).health, POLL_OPTIONS).toBe('degraded')
  expect(listFilesSetAside()).toHaveLength(2)
  for (const name of manyFiles) expect(existsSync(getUploadPath(name))).toBe(true)
  // They are removed in one turn of the event loop, so the server finds either thirty files or three.
  for (const name of manyFiles.slice(3)) rmSync(getUploadPath(name))
  await expect.poll(() => listFilesSetAside().length, POLL_OPTIONS).toBe(5)

  await server?.stop()
  const restoreArgs = ['db', 'restore', backup, '--move-aside']
  expect((await runHere(restoreArgs, getVariables('2025-10-12'))).status).toBe(0)
  const laterFile = createUnreferencedFile('a proof that is not in the copy', '2025-10-02')
  await start('2025-10-13')
  await confirmClock('2025-10-13')
  await waitForOutput('No file is moved within 7 days of a restore')
  expect(existsSync(getUploadPath(laterFile))).toBe(true)
  // Files that were already set aside are not deleted either.
  await start('2025-10-18')
  await confirmClock('2025-10-18')
  await waitForOutput('No file is moved within 7 days of a restore')
  expect([existsSync(getUploadPath(laterFile)), listFilesSetAside().length]).toEqual([true, 5])
})

const readTroubles = async (): Promise<readonly string[]> => (await readHealth()).troubles
const runDoctor = async (day: string): Promise<string> => {
  const { stdout } = await runHere(['doctor'], {
    ...getVariables(day),
    PORT: String(server?.port),
  })
  return stdout
}

test('a clock that was set back by 15 days while the server was off is reported in the log, by the health check and by rollcall doctor', async () => {
  await start('2025-10-25')
  await register()
  await server?.stop()
  expect(await runDoctor('2025-10-10')).toMatch(
    /^wrong +The clock shows 10 October 2025, .*, but the last recorded time is 25 October 2025, .*: the clock was set back by 15 days/m,
  )
  await start('2025-10-10')
  await waitForOutput(/"level":"warn","message":"the clock was set back by 15 days"/)
  const setBackMessage = /At 10 October 2025, .* the clock was set back by 15 days\. Check/
  expect(await readTroubles()).toEqual([expect.stringMatching(setBackMessage)])
  expect(await runDoctor('2025-10-10')).toMatch(setBackMessage)
  await start('2025-10-10')
  expect(await readTroubles()).toEqual([])
})

test('a clock that was set back by a year and corrected needs no confirmation, because the database has later records', async () => {
  await start('2025-10-01')
  await register()
  await start('2024-10-01')
  await start('2025-10-02')
  expect((await runHere(['db', 'clock'], getVariables('2025-10-02'))).stdout).toContain(
    'It needs no confirmation',
  )
  // As after every jump of the clock, nothing is erased for a day. Whether the message says 365 or 366 days depends on
  // how long the startups take.
  expect(await readTroubles()).toEqual([
    expect.stringMatching(/the clock was set forward by 36[56] days/),
  ])
  // The recorded times do not confirm a clock that shows a later year.
  await start('2024-10-01')
  await start('2026-10-01')
  expect(await readTroubles()).toContainEqual(
    expect.stringMatching(/^The clock shows 1 October 2026, .* recorded time is 2 October 2025/),
  )
})
