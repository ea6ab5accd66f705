/** The log states the reason for many identical rejections or errors without writing a line for each. */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { instant } from '../../../engine/index.ts'
import { makeLog } from '../../../server/ops/log.ts'
import { openMailServer } from '../mail/mail-server.ts'
import { useEmptyDatabase } from '../prepared-files.ts'
import { buildRegistration } from '../sample-registrations.ts'
import { openStoreInProcess } from '../store-without-threads.ts'
import { shortenTimers, makeFolders, startServerHere, registerDelegate } from './operator.ts'
import type { RunningServerHere } from './operator.ts'

const POLL_OPTIONS = { timeout: 200_000, interval: 100 }
const at = instant(Date.parse('2025-10-10T12:00:00+05:30'))
let folders: ReturnType<typeof makeFolders>
let server: RunningServerHere | null = null
beforeEach(() => {
  folders = makeFolders()
})
afterEach(async () => {
  await server?.stop()
  server = null
  folders.remove()
})

type LogLine = { readonly message?: string; readonly left_out?: number; readonly of?: string }
const parseLines = (logText: string): readonly LogLine[] =>
  logText
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine)
/** Counts a message's written lines, its omitted lines, and the minutes in which lines were omitted. */
const countLines = (lines: readonly LogLine[], message: string) => {
  const omissions = lines.filter(({ of: omittedMessage }) => omittedMessage === message)
  return {
    written: lines.filter((line) => line.message === message).length,
    leftOut: omissions.reduce((sum, { left_out: n = 0 }) => sum + n, 0),
    gaps: omissions.length,
  }
}

test('the log does not report a full disk while the database is missing', async () => {
  server = await startServerHere(folders)
  const { dataDir } = folders
  for (const name of readdirSync(dataDir))
    if (name.startsWith('rollcall.db')) rmSync(join(dataDir, name))
  const { url } = server
  const register = async (): Promise<number> => {
    const { status } = await registerDelegate(url, 'asha@example.org')
    return status
  }
  await expect.poll(register, POLL_OPTIONS).toBe(503)
  await expect
    .poll(() => server?.readOutput(), POLL_OPTIONS)
    .toMatch(/requests are refused: the database file was deleted\. Keep the server running until/)
  expect(server.readOutput()).not.toContain('is full')
})

test('a mail server that rejects 60 emails does not fill the log with 60 lines', async () => {
  const addresses = Array.from({ length: 60 }, (_, n) => `asha${n}@example.org`)
  const mailServer = await openMailServer({
    byRecipient: Object.fromEntries(addresses.map((to) => [to, [450, 'later'] as const])),
  })
  try {
    await useEmptyDatabase(folders.dataDir)
    const store = await openStoreInProcess({ dataDir: folders.dataDir })
    for (const to of addresses) {
      const registration = await store.register(buildRegistration({ at }))
      if (!registration.ok) throw new Error(registration.error.code)
      const email = { to, copyTo: null, subject: 'Registered', text: 'You are registered.\n' }
      await store.queueMail(registration.value.regNo, email, at)
    }
    await store.close()
    server = await startServerHere(folders, { SMTP_URL: mailServer.url })
    const countAttempts = (): Promise<number> => Promise.resolve(mailServer.countRecipients())
    await expect.poll(countAttempts, POLL_OPTIONS).toBeGreaterThanOrEqual(60)
    await server.stop()
    const {
      written,
      leftOut,
      gaps: omissions,
    } = countLines(
      parseLines(server.readOutput()),
      'an email could not be sent; it will be retried',
    )
    expect(leftOut).toBeGreaterThan(0)
    // On a slow machine, the attempts take several minutes, and each minute may have 20 lines.
    expect(written).toBeLessThanOrEqual(20 * (omissions + 1))
  } finally {
    await mailServer.close()
  }
})

test('the number of omitted lines is logged a minute later, and other messages are not delayed', async () => {
  let logText = ''
  const stop = shortenTimers(60_000, 50)
  try {
    const log = makeLog(
      (line) => void (logText += line),
      () => at,
    )
    for (let n = 0; n < 25; n += 1) log.error({ n }, 'the same')
    for (let n = 0; n < 25; n += 1) log.info({ n }, 'a payment changed')
    log.warn({}, 'another')
    expect(countLines(parseLines(logText), 'the same')).toEqual({
      written: 20,
      leftOut: 0,
      gaps: 0,
    })
    expect(countLines(parseLines(logText), 'a payment changed').written).toBe(25)
    expect(countLines(parseLines(logText), 'another').written).toBe(1)
    await expect
      .poll(() => countLines(parseLines(logText), 'the same'))
      .toEqual({ written: 20, leftOut: 5, gaps: 1 })
    log.error({}, 'the same')
    expect(countLines(parseLines(logText), 'the same').written).toBe(21)
  } finally {
    stop()
  }
})
