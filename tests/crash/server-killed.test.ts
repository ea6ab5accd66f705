/** Kills a server at random moments while 64 clients send registrations with an upload, and restarts it. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DATABASE_FILE } from '../../server/storage/database/sqlite-connection.ts'
import { runClients, register, startServer, WEB_FORM_HEADERS } from './server.ts'
import type { RunningServer } from './server.ts'
import { findIncomplete, seed, createRandom } from './check-registrations.ts'
import { startS3 } from '../server/registration/s3-server.ts'
import { chooseRuns, registerThorough } from '../runs.ts'

/** The number of kills. CRASH_CYCLES=50 is the long run. */
const kills = Number(process.env['CRASH_CYCLES'] ?? chooseRuns(2, 1))
let folder: string
let runningServer: RunningServer | null
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-killed-'))
  runningServer = null
})
afterEach(async () => {
  await runningServer?.end('SIGKILL')
  rmSync(folder, { recursive: true })
})
const findProblems = (acknowledgedNumbers: readonly string[]): readonly string[] =>
  findIncomplete(folder, acknowledgedNumbers, (sha256) =>
    existsSync(join(folder, 'uploads', sha256.slice(0, 2), sha256)),
  )
/**
 * Counts the emails about repeated registrations. All clients register the same person, who gets such an email only
 * if the registration was sent by the form.
 */
const countSamePersonEmails = (): unknown => {
  const db = new Database(join(folder, DATABASE_FILE), { readonly: true })
  try {
    return db.prepare("SELECT count(*) FROM mail_queue WHERE kind = 'same-person'").pluck().get()
  } finally {
    db.close()
  }
}

/** Each run waits for at least this many responses, however slow the machine is. */
const MIN_RESPONSES = 11
/** The maximum number of responses, so that a run also ends on a slow machine. */
const MAX_RESPONSES = 100
/** A batch commits within a few milliseconds, so kills hit every phase of a commit. */
const MAX_WAIT_MS = 30

/**
 * Kills the server at a random moment after a number of responses. If the kill depended only on time, a server on a
 * busy machine would be killed before its first response. Just before the kill, another browser registers the same
 * person, so that the delegate's email is due when the server is killed. Returns the acknowledged numbers.
 */
async function killUnderLoad(
  server: RunningServer,
  random: () => number,
): Promise<readonly string[]> {
  const acknowledgedNumbers: string[] = []
  const responseCount = MIN_RESPONSES + Math.floor(random() * (MAX_RESPONSES - MIN_RESPONSES))
  const waitMs = random() * MAX_WAIT_MS
  await runClients(server, (regNo) => {
    acknowledgedNumbers.push(regNo)
    if (acknowledgedNumbers.length === responseCount)
      void register(server.url, WEB_FORM_HEADERS).then((formRegNo) => {
        if (formRegNo !== null) acknowledgedNumbers.push(formRegNo)
        setTimeout(() => server.child.kill('SIGKILL'), waitMs)
      })
  })
  expect(server.child.signalCode).toBe('SIGKILL')
  return acknowledgedNumbers
}

test(`every registration confirmed with 201 is complete, with its document, after ${kills} kills (seed ${seed})`, async () => {
  const random = createRandom(seed)
  const acknowledgedNumbers: string[] = []
  runningServer = await startServer(folder)
  for (let kill = 0; kill < kills; kill += 1) {
    acknowledgedNumbers.push(...(await killUnderLoad(runningServer, random)))
    // The check follows the restart, because the server replays the write-ahead log when it starts.
    runningServer = await startServer(folder)
    expect(findProblems(acknowledgedNumbers)).toEqual([])
    // The killed server's unfinished uploads have been deleted.
    expect(readdirSync(join(folder, 'uploads', 'incoming'))).toEqual([])
  }
  await expect.poll(countSamePersonEmails, { timeout: 30_000 }).toBe(1)
  const { url } = runningServer
  const responses = await Promise.all(
    acknowledgedNumbers
      .slice(-20)
      .map(async (regNo) => (await fetch(`${url}/api/afpicon/registrations/${regNo}/`)).status),
  )
  expect(new Set(responses)).toEqual(new Set([200]))
})

test(
  'a killed server leaves no registration whose document is missing from the bucket',
  { tags: ['slow'] },
  async () => {
    const s3 = await startS3()
    try {
      const random = createRandom(seed)
      const variables = s3.getVariables('killed')
      const acknowledgedNumbers: string[] = []
      runningServer = await startServer(folder, { variables })
      for (let kill = 0; kill < kills; kill += 1) {
        acknowledgedNumbers.push(...(await killUnderLoad(runningServer, random)))
        runningServer = await startServer(folder, { variables })
        const storedHashes = new Set(s3.listKeys('killed').map((key) => key.split('/')[1]))
        expect(
          findIncomplete(folder, acknowledgedNumbers, (sha256) => storedHashes.has(sha256)),
        ).toEqual([])
        expect(readdirSync(join(folder, 'uploads'))).toEqual(['incoming'])
        expect(readdirSync(join(folder, 'uploads', 'incoming'))).toEqual([])
      }
    } finally {
      await runningServer?.end('SIGKILL')
      await s3.stop()
    }
  },
)

registerThorough(() => {
  test('negative control: a store that responds before it commits loses registrations confirmed with 201', async () => {
    const preloadArgs = ['--import', join(import.meta.dirname, 'early-answers.ts')]
    const acknowledgedNumbers: string[] = []
    const lostPattern = /0 registrations, 0 payments, 0 audit rows/
    // On a busy machine, the kill may come only after the commit, but not ten times in a row.
    let problems: readonly string[] = []
    for (
      let kills = 0;
      kills < 10 && !problems.some((problem) => lostPattern.test(problem));
      kills += 1
    ) {
      runningServer = await startServer(folder, { nodeArgs: preloadArgs })
      const { child } = runningServer
      await runClients(runningServer, (regNo) => {
        acknowledgedNumbers.push(regNo)
        child.kill('SIGKILL')
      })
      expect(acknowledgedNumbers.length).toBeGreaterThan(kills)
      problems = findProblems(acknowledgedNumbers)
    }
    expect(problems).toContainEqual(expect.stringMatching(lostPattern))
  })
})

registerThorough(() => {
  test('negative control: a missing document is detected', async () => {
    runningServer = await startServer(folder)
    const regNo = await register(runningServer.url)
    if (regNo === null) throw new Error('the registration was rejected')
    await runningServer.end('SIGTERM')
    expect(runningServer.child.exitCode).toBe(0)
    expect(findProblems([regNo])).toEqual([])
    const uploads = join(folder, 'uploads')
    for (const folderName of readdirSync(uploads))
      rmSync(join(uploads, folderName), { recursive: true })
    expect(findProblems([regNo])).toEqual([`${regNo}: the uploaded file is missing`])
  })
})
