/** A wrong clock, a wrong database: what a server as an operator runs it erases, deletes and moves by itself. */
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
import { hurry, makeFolders, operateHere } from './operator.ts'
import type { Here } from './operator.ts'

const HOUR_MS = 60 * 60 * 1000
/** What a server does each hour it does each quarter of a second. */
const HURRIED_MS = 250
let atLeisure = (): void => {}
beforeAll(() => {
  atLeisure = hurry(HOUR_MS, HURRIED_MS, () => {
    passed += 1
  })
})
afterAll(() => atLeisure())
const PATIENT = { timeout: 200_000, interval: 50 }
const KEEP = '\nretention: {answers: 1 month, files: 10 days}\n'

let folders: ReturnType<typeof makeFolders>
let server: Here | null = null
beforeEach(() => {
  folders = makeFolders()
  const file = join(folders.eventsDir, 'afpicon2026.yaml')
  writeFileSync(file, readFileSync(file, 'utf8') + KEEP)
})
afterEach(async () => {
  await server?.stop()
  folders.remove()
})

const start = async (day: string): Promise<void> => {
  await server?.stop()
  server = await operateHere(folders, { CLOCK: day })
}
/** How many hours have passed for the servers of this file. */
let passed = 0
const hours = (): number => passed
const said = async (text: string | RegExp): Promise<void> => {
  await expect.poll(() => server?.printed(), PATIENT).toMatch(text)
}
const variables = (day: string) => ({
  DATA_DIR: folders.dataDir,
  EVENTS_DIR: folders.eventsDir,
  CLOCK: day,
})
const confirmClock = async (day: string): Promise<void> => {
  const confirm = ['db', 'clock', '--confirm', '--who', 'Made Up']
  expect((await runHere(confirm, variables(day))).status).toBe(0)
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
const names = (): unknown => {
  const db = new Database(join(folders.dataDir, 'rollcall.db'), { readonly: true })
  try {
    return db.prepare('SELECT full_name FROM registrations').pluck().all()
  } finally {
    db.close()
  }
}
const health = async (): Promise<{
  health: string
  troubles: readonly string[]
  notes?: readonly string[]
}> => (await fetch(`${server?.url}/healthz`)).json()

test('an hour in 2031 erases nothing; what is erased after staff confirm the clock is logged', async () => {
  await start('2025-10-10')
  await register()
  await start('2031-01-01')
  await said('Nothing is erased because of its age until the clock is right')
  const until = hours() + 6
  await expect.poll(hours, PATIENT).toBeGreaterThan(until)
  expect(names()).toEqual(['Asha Nair'])
  expect((await health()).troubles).toContainEqual(
    expect.stringMatching(/^The clock shows 1 January 2031, .* recorded time is 10 October 2025/),
  )
  await start('2025-10-11')
  expect((await health()).troubles).toEqual([])
  await start('2031-01-01')
  await said('Nothing is erased because of its age until the clock is right')
  await confirmClock('2031-01-01')
  await said(
    /"message":"the personal data of registrations was erased: .*"event":"afpicon2026","registrations":1/,
  )
  expect(names()).toEqual([''])
})

const stored = (name: string): string => join(folders.dataDir, 'uploads', name.slice(0, 2), name)
const lay = (content: string, day: string): string => {
  const name = createHash('sha256').update(content).digest('hex')
  mkdirSync(join(stored(name), '..'), { recursive: true })
  writeFileSync(stored(name), content)
  utimesSync(stored(name), new Date(day), new Date(day))
  return name
}
const aside = (): readonly string[] => {
  const folder = join(folders.dataDir, 'unknown-files')
  return existsSync(folder) ? readdirSync(folder) : []
}

test('documents that the database does not list are not deleted: a few are set aside for thirty days, many are not moved, and none for a week after a restore', async () => {
  await start('2025-10-01')
  const backup = join(folders.folder, 'backup')
  expect((await runHere(['db', 'backup', backup], variables('2025-10-01'))).status).toBe(0)
  const few = ['one', 'two'].map((content) => lay(content, '2025-10-02'))
  await start('2025-10-10')
  await confirmClock('2025-10-10')
  await said(/"message":"uploads that no record refers to were set aside for 30 days","setAside":2/)
  expect(aside().toSorted()).toEqual(few.toSorted())
  await expect
    .poll(async () => (await health()).notes, PATIENT)
    .toEqual([expect.stringContaining('2 uploaded files that belong to no registration are in')])

  const many = Array.from({ length: 30 }, (_, n) => lay(`proof ${n}`, '2025-10-02'))
  await said('30 uploaded files belong to no registration in the database: more than are ever left')
  await expect.poll(async () => (await health()).health, PATIENT).toBe('degraded')
  expect(aside()).toHaveLength(2)
  for (const name of many) expect(existsSync(stored(name))).toBe(true)
  // At one go: the server looks between two turns of this process, and either sees thirty or three.
  for (const name of many.slice(3)) rmSync(stored(name))
  await expect.poll(() => aside().length, PATIENT).toBe(5)

  await server?.stop()
  const restore = ['db', 'restore', backup, '--move-aside']
  expect((await runHere(restore, variables('2025-10-12'))).status).toBe(0)
  const after = lay('a proof that the copy does not know', '2025-10-02')
  await start('2025-10-13')
  await confirmClock('2025-10-13')
  await said('None is moved within 7 days of a restore')
  expect(existsSync(stored(after))).toBe(true)
  // Nor is anything deleted that lies aside.
  await start('2025-10-18')
  await confirmClock('2025-10-18')
  await said('None is moved within 7 days of a restore')
  expect([existsSync(stored(after)), aside().length]).toEqual([true, 5])
})

const troubles = async (): Promise<readonly string[]> => (await health()).troubles
const doctor = async (day: string): Promise<string> => {
  const { stdout } = await runHere(['doctor'], {
    ...variables(day),
    PORT: String(server?.port),
  })
  return stdout
}

test('a clock that was set back by 15 days while the server was off is in the log, in the health check and in rollcall doctor', async () => {
  await start('2025-10-25')
  await register()
  await server?.stop()
  expect(await doctor('2025-10-10')).toMatch(
    /^wrong +The clock shows 10 October 2025, .*, but the last recorded time is 25 October 2025, .*: the clock was set back by 15 days/m,
  )
  await start('2025-10-10')
  await said(/"level":"warn","message":"the clock was set back by 15 days"/)
  const setBack = /At 10 October 2025, .* the clock was set back by 15 days\. Check/
  expect(await troubles()).toEqual([expect.stringMatching(setBack)])
  expect(await doctor('2025-10-10')).toMatch(setBack)
  await start('2025-10-10')
  expect(await troubles()).toEqual([])
})

test('after the clock was set back by a year and right again, an owner had to confirm it although the database held later records', async () => {
  await start('2025-10-01')
  await register()
  await start('2024-10-01')
  await start('2025-10-02')
  expect((await runHere(['db', 'clock'], variables('2025-10-02'))).stdout).toContain(
    'It needs no confirmation',
  )
  // As for every jump, nothing is erased for a day. How long each start took decides between the two numbers.
  expect(await troubles()).toEqual([
    expect.stringMatching(/the clock was set forward by 36[56] days/),
  ])
  // What was recorded is no reason to believe in a later year.
  await start('2024-10-01')
  await start('2026-10-01')
  expect(await troubles()).toContainEqual(
    expect.stringMatching(/^The clock shows 1 October 2026, .* recorded time is 2 October 2025/),
  )
})
