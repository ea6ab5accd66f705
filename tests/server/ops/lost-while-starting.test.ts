/** The database file is deleted, replaced or truncated while a server is starting. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ALL_RUNS } from '../../runs.ts'
import {
  attemptStart,
  attemptStartHere,
  killHere,
  makeFolders,
  startServerHere,
  registerDelegate,
} from './operator.ts'

const folders = makeFolders()
const { dataDir, folder } = folders
const killedFolder = join(folder, 'killed')
const DATABASE = 'rollcall.db'
const REGISTRATION_COUNT = 5

/** Prepares the data folder of a killed server: a database with registrations in its log. */
beforeAll(async () => {
  const server = await startServerHere(folders)
  for (let n = 0; n < REGISTRATION_COUNT; n += 1)
    await registerDelegate(server.url, `asha${n}@example.org`)
  await killHere(folders, server)
  cpSync(dataDir, killedFolder, { recursive: true, verbatimSymlinks: true })
})
beforeEach(() => {
  rmSync(dataDir, { recursive: true })
  cpSync(killedFolder, dataDir, { recursive: true, verbatimSymlinks: true })
})
afterAll(() => folders.remove())

const countRegistrations = (file: string): number => {
  const db = new Database(file, { readonly: true, fileMustExist: true })
  try {
    return Number(db.prepare('SELECT count(*) FROM registrations').pluck().get())
  } finally {
    db.close()
  }
}

/** JavaScript statements that damage the database. They use `fs` and the path `file`. */
const DAMAGE_CODE = {
  deleted: `for (const end of ['', '-wal', '-shm']) fs.rmSync(file + end, { force: true })`,
  replaced: `fs.copyFileSync(file, file + '.new'); fs.renameSync(file + '.new', file)`,
  truncated: `fs.truncateSync(file, 0)`,
} as const
/** Moments during the startup, each with JavaScript statements that call `spoil` at that moment. */
const MOMENTS = {
  'before the writer thread has opened it': `if (workerData?.migrates) spoil()`,
  'after it is opened, and before it is read': `
    const { readFile } = promises
    promises.readFile = (name, ...rest) => {
      if (String(name).endsWith('last-served.json')) spoil()
      return readFile(name, ...rest)
    }
    syncBuiltinESMExports()`,
  'immediately before it listens': `
    const { createServer } = http
    http.createServer = (...args) => { spoil(); return createServer(...args) }
    syncBuiltinESMExports()`,
} as const

type Moment = keyof typeof MOMENTS

/** Creates the environment variables for a server that damages its database once, at the given moment. */
const createDamageVariables = (
  damage: keyof typeof DAMAGE_CODE,
  moment: Moment,
): { readonly NODE_OPTIONS: string } => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(`
    import fs from 'node:fs'
    import http from 'node:http'
    import promises from 'node:fs/promises'
    import { syncBuiltinESMExports } from 'node:module'
    import { workerData } from 'node:worker_threads'
    const file = ${JSON.stringify(join(dataDir, DATABASE))}
    let isDone = false
    const spoil = () => {
      if (isDone) return
      isDone = true
      ${DAMAGE_CODE[damage]}
    }
    ${MOMENTS[moment]}`)}`,
})

const [BEFORE_OPEN, AFTER_OPEN, BEFORE_LISTEN] = Object.keys(MOMENTS) as [Moment, Moment, Moment]
type Case = readonly [damage: keyof typeof DAMAGE_CODE, moment: Moment]
/** The cases of `npm test`, which tries the first moment twice and the others once. */
const TESTED_CASES: readonly Case[] = [
  ['deleted', BEFORE_OPEN],
  ['deleted', AFTER_OPEN],
  ['replaced', BEFORE_LISTEN],
  ['truncated', BEFORE_OPEN],
]
const OTHER_CASES: readonly Case[] = [
  ['deleted', BEFORE_LISTEN],
  ['replaced', BEFORE_OPEN],
  ['replaced', AFTER_OPEN],
  ['truncated', AFTER_OPEN],
  ['truncated', BEFORE_LISTEN],
]

test.each(ALL_RUNS ? [...TESTED_CASES, ...OTHER_CASES] : TESTED_CASES)(
  'if the database is %s while the server starts (%s), no other database is served, and the data is in the file that the startup reports',
  async (damage, moment) => {
    const { size: logBytes } = statSync(join(dataDir, `${DATABASE}-wal`))
    const { status, output } = await attemptStart(folders, {
      variables: createDamageVariables(damage, moment),
    })
    expect([status, output]).toEqual([
      2,
      expect.stringMatching(
        /The database file was .* while the server started\..*rollcall\.rescued\.db.*run: mkdir .*Then start the server\.\n/s,
      ),
    ])
    const rescuedFile = join(dataDir, 'rollcall.rescued.db')
    const remainingFiles = readdirSync(dataDir).filter((name) => name.startsWith(DATABASE))
    const isComplete = damage !== 'truncated'
    if (isComplete) {
      expect(countRegistrations(rescuedFile)).toBe(REGISTRATION_COUNT)
      expect(remainingFiles).toEqual(damage === 'deleted' ? [] : expect.arrayContaining([DATABASE]))
    } else {
      // Data that was not read is only in the database's log, which is kept.
      expect(output).toContain('some rows may be missing: keep all files in DATA_DIR')
      expect(statSync(join(dataDir, `${DATABASE}-wal`)).size).toBeGreaterThanOrEqual(logBytes)
    }
    if (damage !== 'replaced') {
      const secondStart = await attemptStartHere(folders)
      expect([secondStart.status, secondStart.output]).toEqual([
        2,
        expect.stringContaining('rollcall.rescued.db'),
      ])
    }

    const rescueCommand = /run: (mkdir .+rollcall\.db)\. Then start/.exec(output)?.[1] ?? 'false'
    execFileSync('sh', ['-c', rescueCommand])
    expect(existsSync(rescuedFile)).toBe(false)
    const thirdStart = await attemptStartHere(folders)
    expect(thirdStart.status).toBe('serves')
    expect(thirdStart.output.includes('is in recovery')).toBe(!isComplete)
    if (isComplete) expect(countRegistrations(join(dataDir, DATABASE))).toBe(REGISTRATION_COUNT)
  },
)
