/** The database file is deleted, replaced or cut off in the seconds in which a server starts. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ALL_RUNS } from '../../runs.ts'
import {
  attempt,
  attemptHere,
  killHere,
  makeFolders,
  operateHere,
  registerDelegate,
} from './operator.ts'

const folders = makeFolders()
const { dataDir, folder } = folders
const killed = join(folder, 'killed')
const DATABASE = 'rollcall.db'
const REGISTRATIONS = 5

/** What a server leaves that is killed: a database, and what was registered in the log beside it. */
beforeAll(async () => {
  const server = await operateHere(folders)
  for (let n = 0; n < REGISTRATIONS; n += 1)
    await registerDelegate(server.url, `asha${n}@example.org`)
  await killHere(folders, server)
  cpSync(dataDir, killed, { recursive: true, verbatimSymlinks: true })
})
beforeEach(() => {
  rmSync(dataDir, { recursive: true })
  cpSync(killed, dataDir, { recursive: true, verbatimSymlinks: true })
})
afterAll(() => folders.remove())

const registrationsIn = (file: string): number => {
  const db = new Database(file, { readonly: true, fileMustExist: true })
  try {
    return Number(db.prepare('SELECT count(*) FROM registrations').pluck().get())
  } finally {
    db.close()
  }
}

/** Statements of JavaScript, with `fs` and the path `file`. */
const SPOILS = {
  deleted: `for (const end of ['', '-wal', '-shm']) fs.rmSync(file + end, { force: true })`,
  replaced: `fs.copyFileSync(file, file + '.new'); fs.renameSync(file + '.new', file)`,
  'cut off': `fs.truncateSync(file, 0)`,
} as const
/** Moments of the start, each as statements that call `spoil`. */
const MOMENTS = {
  'before the thread that writes has opened it': `if (workerData?.migrates) spoil()`,
  'once it is open, and nothing was read from it yet': `
    const { readFile } = promises
    promises.readFile = (name, ...rest) => {
      if (String(name).endsWith('last-served.json')) spoil()
      return readFile(name, ...rest)
    }
    syncBuiltinESMExports()`,
  'in the moment before it listens': `
    const { createServer } = http
    http.createServer = (...all) => { spoil(); return createServer(...all) }
    syncBuiltinESMExports()`,
} as const

type Moment = keyof typeof MOMENTS

/** Variables for a server to which this happens once in its life. */
const spoiling = (what: keyof typeof SPOILS, when: Moment): { readonly NODE_OPTIONS: string } => ({
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
      ${SPOILS[what]}
    }
    ${MOMENTS[when]}`)}`,
})

const [OPENS, OPEN, LISTENS] = Object.keys(MOMENTS) as [Moment, Moment, Moment]
/** `npm test` tries each moment once. */
type Case = readonly [what: keyof typeof SPOILS, when: Moment]
const TRIED: readonly Case[] = [
  ['deleted', OPENS],
  ['deleted', OPEN],
  ['replaced', LISTENS],
  ['cut off', OPENS],
]
const OTHERS: readonly Case[] = [
  ['deleted', LISTENS],
  ['replaced', OPENS],
  ['replaced', OPEN],
  ['cut off', OPEN],
  ['cut off', LISTENS],
]

test.each(ALL_RUNS ? [...TRIED, ...OTHERS] : TRIED)(
  'a database that is %s while the server starts, %s: nothing is served in its place, and what was in it is in the file that the start names',
  async (what, when) => {
    const { size: logBytes } = statSync(join(dataDir, `${DATABASE}-wal`))
    const { status, printed } = await attempt(folders, { variables: spoiling(what, when) })
    expect([status, printed]).toEqual([
      2,
      expect.stringMatching(
        /The database file was .* while the server started\..*rollcall\.rescued\.db.*run: mkdir .*Then start the server\.\n/s,
      ),
    ])
    const rescued = join(dataDir, 'rollcall.rescued.db')
    const left = readdirSync(dataDir).filter((name) => name.startsWith(DATABASE))
    const isWhole = what !== 'cut off'
    if (isWhole) {
      expect(registrationsIn(rescued)).toBe(REGISTRATIONS)
      expect(left).toEqual(what === 'deleted' ? [] : expect.arrayContaining([DATABASE]))
    } else {
      // What the server has not read is in its log alone, which stays.
      expect(printed).toContain('some rows may be missing: keep all files of DATA_DIR')
      expect(statSync(join(dataDir, `${DATABASE}-wal`)).size).toBeGreaterThanOrEqual(logBytes)
    }
    if (what !== 'replaced') {
      const again = await attemptHere(folders)
      expect([again.status, again.printed]).toEqual([
        2,
        expect.stringContaining('rollcall.rescued.db'),
      ])
    }

    const commands = /run: (mkdir .+rollcall\.db)\. Then start/.exec(printed)?.[1] ?? 'false'
    execFileSync('sh', ['-c', commands])
    expect(existsSync(rescued)).toBe(false)
    const after = await attemptHere(folders)
    expect(after.status).toBe('serves')
    expect(after.printed.includes('is in recovery')).toBe(!isWhole)
    if (isWhole) expect(registrationsIn(join(dataDir, DATABASE))).toBe(REGISTRATIONS)
  },
)
