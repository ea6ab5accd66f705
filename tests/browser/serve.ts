/**
 * A real server for a test file: free ports, a folder that is thrown away, the sandbox gateway. It runs among the tests,
 * whose modules are read already, or as a process of its own where that is what is tested.
 */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { closeSync, cpSync, mkdtempSync, openSync, readFileSync, rmSync, watch } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { vi } from 'vitest'
import { isUpToDate, WEB_BUILD } from '../../server/cli/build/stamp.ts'
import { readEnvironment } from '../../server/ops/environment.ts'
import { checkFolderHere } from '../../server/events/files/event-folder.ts'
import { boot } from '../../server/main.ts'
import { useCompiledEvents, useEmptyDatabase } from '../server/prepared-files.ts'

export const TOP = join(import.meta.dirname, '..', '..')
export const ADMIN = { username: 'office', password: 'a long password for tests' } as const

export type Served = {
  /** `http://127.0.0.1:PORT`, no trailing slash. */
  readonly url: string
  readonly dataDir: string
  /** A copy of the event files that a test may change. */
  readonly eventsDir: string
  /** Everything that was printed, and the log. */
  readonly printed: () => string
  readonly stop: () => Promise<void>
  /** Stops and keeps the data, for `serveAgain`. */
  readonly halt: () => Promise<void>
}
export type ServedAlone = Served & { readonly process: ChildProcess }
type Variables = Readonly<Record<string, string>>
/** May change the event files or fill the data folder before the server starts. */
type Prepare = (folders: {
  readonly dataDir: string
  readonly eventsDir: string
}) => void | Promise<void>

/** Below those that a system gives to whoever asks for any: nobody is given one of these before our server listens. */
const PORTS = [11_000, 31_000] as const

/** A port of which no other process of the tests is told while this one lives. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...PORTS)
    if ((await isReserved(port)) && (await isFree(port))) return port
  }
}

/** Nothing here speaks UDP: its port of the same number says that somebody has been told of it. */
const isReserved = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const holder = createSocket('udp4').unref()
    holder.once('error', () => resolve(false))
    holder.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true))
  })

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })

/** Asked once for all files of a worker. */
let isBuilt: boolean | null = null

/** Starts the server here and answers when it listens. `variables` are laid over the usual ones. */
export async function serve(
  variables: Variables = {},
  prepare: Prepare = () => {},
): Promise<Served> {
  if (!(isBuilt ??= isUpToDate(WEB_BUILD)))
    throw new Error('the web app is not built from these sources: npm run build, or npm test')
  const { folder, dataDir, eventsDir } = await foldersOf(TOP, prepare)
  const read = readEnvironment({
    ...usual({ dataDir, eventsDir }),
    PORT: '0',
    SANDBOX_PORT: '0',
    ...variables,
  })
  if (!read.ok) throw new Error(read.error.join('\n'))
  let printed = ''
  const hear = (text: string): void => void (printed += `${text}\n`)
  const { promise: told, resolve: tell } = Promise.withResolvers<string>()
  const booted = await boot(
    read.value,
    { print: hear, printError: hear, environment: () => read.value },
    { write: hear, waitForStop: () => told },
    // A thread reads the checker first, and has a time limit, after which a busy machine keeps the old version.
    { checkFolder: checkFolderHere },
  )
  if (!booted.ok) throw new Error(`the server does not start: ${booted.error.text}\n${printed}`)
  const { url, stopped } = booted.value
  const halt = async (): Promise<void> => {
    tell('the test')
    await stopped
  }
  return {
    url,
    dataDir,
    eventsDir,
    printed: () => printed,
    halt,
    stop: async () => {
      await halt()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Stops that server and starts one with its data, as after a night. Stopping the new one removes the data. */
export async function serveAgain(before: Served, variables: Variables): Promise<Served> {
  await before.halt()
  const { dataDir, eventsDir } = before
  const served = await serve({ ...variables, DATA_DIR: dataDir, EVENTS_DIR: eventsDir })
  return {
    ...served,
    dataDir,
    eventsDir,
    stop: async () => {
      await served.stop()
      await before.stop()
    },
  }
}

async function foldersOf(
  tree: string,
  prepare: Prepare,
): Promise<{ readonly folder: string; readonly dataDir: string; readonly eventsDir: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-browser-'))
  const folders = { dataDir: join(folder, 'var'), eventsDir: join(folder, 'events') }
  cpSync(join(tree, 'events'), folders.eventsDir, { recursive: true })
  // Another checkout has other tables.
  if (tree === TOP) await useEmptyDatabase(folders.dataDir)
  await prepare(folders)
  useCompiledEvents(folders.dataDir)
  return { folder, ...folders }
}

const usual = (folders: { readonly dataDir: string; readonly eventsDir: string }): Variables => ({
  DATA_DIR: folders.dataDir,
  EVENTS_DIR: folders.eventsDir,
  ADMIN_USERNAME: ADMIN.username,
  ADMIN_PASSWORD: ADMIN.password,
  RATE_LIMITS: 'off',
})

/**
 * Starts a process and answers when it says that it listens. `tree` is another checkout; the command `demo` fills a
 * database of its own.
 */
export async function serveAlone(
  variables: Variables = {},
  prepare: Prepare = () => {},
  tree: string = TOP,
  command: 'start' | 'demo' = 'start',
): Promise<ServedAlone> {
  const { folder, dataDir, eventsDir } = await foldersOf(tree, prepare)
  const port = String(await freePort())
  const url = `http://127.0.0.1:${port}`
  // What it prints goes to a file: a pipe would make the load generator of the bench read every line.
  const printedTo = join(folder, 'printed.txt')
  const output = openSync(printedTo, 'a')
  const printed = (): string => readFileSync(printedTo, 'utf8')
  const child = spawn(process.execPath, [join(tree, 'bin', 'rollcall.js'), command], {
    cwd: tree,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      PORT: port,
      SANDBOX_PORT: String(await freePort()),
      ...usual({ dataDir, eventsDir }),
      ...variables,
    },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  await new Promise<void>((resolve, reject) => {
    const watcher = watch(printedTo, () => look())
    const look = (): void => {
      if (!printed().includes(url)) return
      watcher.close()
      resolve()
    }
    child.on('exit', (status) => {
      watcher.close()
      reject(new Error(`the server ended with ${status}:\n${printed()}`))
    })
    look()
  })
  const halt = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
  }
  return {
    url,
    dataDir,
    eventsDir,
    process: child,
    printed,
    halt,
    stop: async () => {
      await halt()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Waits until the server has drawn a page: one for which it has no time goes out without. */
export const drawn = (url: string): Promise<void> =>
  vi.waitFor(
    async () => {
      if (!(await (await fetch(url)).text()).includes('"drawn":true'))
        throw new Error(`${url} is not drawn`)
    },
    { timeout: 200_000 },
  )

/** A link such as the mail has, until a day; the mail itself goes out an hour after the delegate left. */
export function linkToPay(
  { url, dataDir }: Pick<Served, 'url' | 'dataDir'>,
  regNo: string,
  until: string,
): string {
  const token = randomBytes(32).toString('base64url')
  const hash = createHash('sha256').update(token).digest('hex')
  const db = new Database(join(dataDir, 'rollcall.db'), { timeout: 200_000 })
  const { changes } = db
    .prepare(
      `INSERT INTO links (token_hash, registration_id, purpose, created_at, expires_at)
       SELECT ?, id, 'pay', 0, ? FROM registrations WHERE reg_no = ?`,
    )
    .run(hash, Date.parse(until), regNo)
  db.close()
  if (changes !== 1) throw new Error(`nobody is registered as ${regNo}`)
  return `${url}/pay/${token}`
}
