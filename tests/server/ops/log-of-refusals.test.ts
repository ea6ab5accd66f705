/** What the log says while a server refuses or fails many times for one reason: the reason, and not a line for each. */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { instant } from '../../../engine/index.ts'
import { makeLog } from '../../../server/ops/log.ts'
import { openMailServer } from '../mail/mail-server.ts'
import { useEmptyDatabase } from '../prepared-files.ts'
import { newRegistration } from '../sample-registrations.ts'
import { openStoreHere } from '../store-without-threads.ts'
import { hurry, makeFolders, operateHere, registerDelegate } from './operator.ts'
import type { Here } from './operator.ts'

const PATIENT = { timeout: 200_000, interval: 100 }
const at = instant(Date.parse('2025-10-10T12:00:00+05:30'))
let folders: ReturnType<typeof makeFolders>
let server: Here | null = null
beforeEach(() => {
  folders = makeFolders()
})
afterEach(async () => {
  await server?.stop()
  server = null
  folders.remove()
})

type Line = { readonly message?: string; readonly left_out?: number; readonly of?: string }
const linesOf = (printed: string): readonly Line[] =>
  printed
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)
/** So many lines of a message, and so many that were left out in how many minutes. */
const countsOf = (lines: readonly Line[], message: string) => {
  const gaps = lines.filter(({ of }) => of === message)
  return {
    written: lines.filter((line) => line.message === message).length,
    leftOut: gaps.reduce((sum, { left_out: n = 0 }) => sum + n, 0),
    gaps: gaps.length,
  }
}

test('the log said "the machine takes no more" while the database was missing: it says so, and what to do', async () => {
  server = await operateHere(folders)
  const { dataDir } = folders
  for (const name of readdirSync(dataDir))
    if (name.startsWith('rollcall.db')) rmSync(join(dataDir, name))
  const { url } = server
  const register = async (): Promise<number> => {
    const { status } = await registerDelegate(url, 'asha@example.org')
    return status
  }
  await expect.poll(register, PATIENT).toBe(503)
  await expect
    .poll(() => server?.printed(), PATIENT)
    .toMatch(/requests are refused: the database file was deleted\. Do not stop the server before/)
  expect(server.printed()).not.toContain('takes no more')
})

test('a mail server that refused 60 emails filled the log with as many lines: 20 a minute are written, and one says how many were left out', async () => {
  const many = Array.from({ length: 60 }, (_, n) => `asha${n}@example.org`)
  const mail = await openMailServer({
    of: Object.fromEntries(many.map((to) => [to, [450, 'later'] as const])),
  })
  try {
    await useEmptyDatabase(folders.dataDir)
    const store = await openStoreHere({ dataDir: folders.dataDir })
    for (const to of many) {
      const made = await store.register(newRegistration({ at }))
      if (!made.ok) throw new Error(made.error.code)
      const email = { to, copyTo: null, subject: 'Registered', text: 'You are registered.\n' }
      await store.queueMail(made.value.regNo, email, at)
    }
    await store.close()
    server = await operateHere(folders, { SMTP_URL: mail.url })
    const tried = (): Promise<number> => Promise.resolve(mail.tried())
    await expect.poll(tried, PATIENT).toBeGreaterThanOrEqual(60)
    await server.stop()
    const { written, leftOut, gaps } = countsOf(
      linesOf(server.printed()),
      'an email could not be sent; it will be retried',
    )
    expect(leftOut).toBeGreaterThan(0)
    // A machine that takes minutes for it writes as many lines in each of them.
    expect(written).toBeLessThanOrEqual(20 * (gaps + 1))
  } finally {
    await mail.close()
  }
})

test('the number of omitted lines is logged a minute later, and other messages are not delayed', async () => {
  let written = ''
  const stop = hurry(60_000, 50)
  try {
    const log = makeLog(
      (line) => void (written += line),
      () => at,
    )
    for (let n = 0; n < 25; n += 1) log.error({ n }, 'the same')
    for (let n = 0; n < 25; n += 1) log.info({ n }, 'a payment changed')
    log.warn({}, 'another')
    expect(countsOf(linesOf(written), 'the same')).toEqual({ written: 20, leftOut: 0, gaps: 0 })
    expect(countsOf(linesOf(written), 'a payment changed').written).toBe(25)
    expect(countsOf(linesOf(written), 'another').written).toBe(1)
    await expect
      .poll(() => countsOf(linesOf(written), 'the same'))
      .toEqual({ written: 20, leftOut: 5, gaps: 1 })
    log.error({}, 'the same')
    expect(countsOf(linesOf(written), 'the same').written).toBe(21)
  } finally {
    stop()
  }
})
