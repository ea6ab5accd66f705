/** A real server under 64 clients that send a proof with every registration, killed at random moments and started again. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { besiege, register, startServer } from './server.ts'
import type { Running } from './server.ts'
import { brokenIn, seed, seeded } from './check-registrations.ts'
import { startS3 } from '../server/registration/s3-server.ts'
import { runs, onlyThorough } from '../runs.ts'

/** CRASH_CYCLES=50 is the long run. */
const kills = Number(process.env['CRASH_CYCLES'] ?? runs(2, 1))
let folder: string
let running: Running | null
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-killed-'))
  running = null
})
afterEach(async () => {
  await running?.end('SIGKILL')
  rmSync(folder, { recursive: true })
})
const broken = (acknowledged: readonly string[]): readonly string[] =>
  brokenIn(folder, acknowledged, (sha256) =>
    existsSync(join(folder, 'uploads', sha256.slice(0, 2), sha256)),
  )

/** No siege ends before so many registrations were answered, however slow the machine is. */
const ANSWERS_MIN = 11
/** And none goes on longer than this: a moment of a quick machine, and still an end on one that has no time. */
const ANSWERS_MAX = 100
/** A batch takes some milliseconds to commit: within this, every moment of it comes. */
const WAIT_MS_MAX = 30

/**
 * Kills the server at a random moment: so many answers after the clients have set out, and then a moment
 * later. By the clock alone, a machine that is busy would kill it before the first answer. Tells what was answered.
 */
async function siege(server: Running, random: () => number): Promise<readonly string[]> {
  const told: string[] = []
  const answers = ANSWERS_MIN + Math.floor(random() * (ANSWERS_MAX - ANSWERS_MIN))
  const wait_ms = random() * WAIT_MS_MAX
  await besiege(server, (regNo) => {
    told.push(regNo)
    if (told.length === answers) setTimeout(() => server.child.kill('SIGKILL'), wait_ms)
  })
  expect(server.child.signalCode).toBe('SIGKILL')
  return told
}

test(`every registration confirmed with 201 is complete, with its document, after ${kills} kills (seed ${seed})`, async () => {
  const random = seeded(seed)
  const acknowledged: string[] = []
  running = await startServer(folder)
  for (let kill = 0; kill < kills; kill += 1) {
    acknowledged.push(...(await siege(running, random)))
    // Started again first: the server itself brings the log back in, then we look.
    running = await startServer(folder)
    expect(broken(acknowledged)).toEqual([])
    // What the killed one was taking in is gone.
    expect(readdirSync(join(folder, 'uploads', 'incoming'))).toEqual([])
  }
  const { url } = running
  const read = await Promise.all(
    acknowledged
      .slice(-20)
      .map(async (regNo) => (await fetch(`${url}/api/afpicon/registrations/${regNo}/`)).status),
  )
  expect(new Set(read)).toEqual(new Set([200]))
})

test('a server that is killed leaves no registration without its document in the bucket', async () => {
  const s3 = await startS3()
  try {
    const random = seeded(seed)
    const variables = s3.variables('killed')
    const acknowledged: string[] = []
    running = await startServer(folder, { variables })
    for (let kill = 0; kill < kills; kill += 1) {
      acknowledged.push(...(await siege(running, random)))
      running = await startServer(folder, { variables })
      const stored = new Set(s3.keys('killed').map((key) => key.split('/')[1]))
      expect(brokenIn(folder, acknowledged, (sha256) => stored.has(sha256))).toEqual([])
      expect(readdirSync(join(folder, 'uploads'))).toEqual(['incoming'])
      expect(readdirSync(join(folder, 'uploads', 'incoming'))).toEqual([])
    }
  } finally {
    await running?.end('SIGKILL')
    await s3.stop()
  }
})

onlyThorough(() => {
  test('negative control: a store that responds before it commits loses registrations confirmed with 201', async () => {
    const before = ['--import', join(import.meta.dirname, 'early-answers.ts')]
    const told: string[] = []
    const lost = /0 registrations, 0 payments, 0 audit rows/
    // A busy machine may kill it only after the commit; not ten times in a row.
    let wrong: readonly string[] = []
    for (let kills = 0; kills < 10 && !wrong.some((one) => lost.test(one)); kills += 1) {
      running = await startServer(folder, { before })
      const { child } = running
      await besiege(running, (regNo) => {
        told.push(regNo)
        child.kill('SIGKILL')
      })
      expect(told.length).toBeGreaterThan(kills)
      wrong = broken(told)
    }
    expect(wrong).toContainEqual(expect.stringMatching(lost))
  })
})

onlyThorough(() => {
  test('negative control: a missing document is detected', async () => {
    running = await startServer(folder)
    const regNo = await register(running.url)
    if (regNo === null) throw new Error('the registration was refused')
    await running.end('SIGTERM')
    expect(running.child.exitCode).toBe(0)
    expect(broken([regNo])).toEqual([])
    const uploads = join(folder, 'uploads')
    for (const sub of readdirSync(uploads)) rmSync(join(uploads, sub), { recursive: true })
    expect(broken([regNo])).toEqual([`${regNo}: the proof's file is not there`])
  })
})
