/** Starts a server for a test file, with free ports, a temporary folder and the sandbox gateway. */
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
import { checkFolderInThisThread } from '../../server/events/files/event-folder.ts'
import { bootServer } from '../../server/main.ts'
import { ALL_RUNS } from '../runs.ts'
import { useCompiledEvents, useEmptyDatabase } from '../server/prepared-files.ts'
import { openStoreInProcess } from '../server/store-without-threads.ts'

export const ROOT = join(import.meta.dirname, '..', '..')
export const ADMIN = { username: 'office', password: 'a long password for tests' } as const

export type TestServer = {
  /** `http://127.0.0.1:PORT`, no trailing slash. */
  readonly url: string
  readonly dataDir: string
  /** A copy of the event files, which a test may change. */
  readonly eventsDir: string
  /** Returns everything printed so far, including the log. */
  readonly readOutput: () => string
  readonly stop: () => Promise<void>
  /** Stops the server and keeps the data, for `serveAgain`. */
  readonly halt: () => Promise<void>
}
export type TestServerProcess = TestServer & { readonly process: ChildProcess }
type Variables = Readonly<Record<string, string>>
/** A function that can change the event files or fill the data folder before the server starts. */
type Prepare = (folders: {
  readonly dataDir: string
  readonly eventsDir: string
}) => void | Promise<void>

/** Below the ports that the system assigns, so that no other process gets a port before our server listens on it. */
const PORT_RANGE = [11_000, 31_000] as const

/** Returns a port that no other test process gets while this process runs. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...PORT_RANGE)
    if ((await reservePort(port)) && (await isPortFree(port))) return port
  }
}

/** Reserves a port by binding its UDP port, which no server here uses. Returns false if it is already reserved. */
const reservePort = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const holder = createSocket('udp4').unref()
    holder.once('error', () => resolve(false))
    holder.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true))
  })

const isPortFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })

/** Whether the web build is up to date. Checked once per worker, for all its test files. */
let isBuildCurrent: boolean | null = null

/**
 * Starts the server in this process, whose modules are already loaded, and waits until it listens. `variables`
 * override the defaults.
 */
export async function serve(
  variables: Variables = {},
  prepare: Prepare = () => {},
): Promise<TestServer> {
  if (!(isBuildCurrent ??= isUpToDate(WEB_BUILD)))
    throw new Error(
      'the web app is not built from the current sources: run npm run build, or npm test',
    )
  const { folder, dataDir, eventsDir } = await createFolders(ROOT, prepare)
  const environment = readEnvironment({
    ...buildDefaultVariables({ dataDir, eventsDir }),
    PORT: '0',
    SANDBOX_PORT: '0',
    ...variables,
  })
  if (!environment.ok) throw new Error(environment.error.join('\n'))
  let output = ''
  const appendOutput = (text: string): void => void (output += `${text}\n`)
  const { promise: stopRequested, resolve: requestStop } = Promise.withResolvers<string>()
  const bootResult = await bootServer(
    environment.value,
    { print: appendOutput, printError: appendOutput, environment: () => environment.value },
    { write: appendOutput, waitForStop: () => stopRequested },
    {
      // A worker thread has a time limit and would first have to load the checker, so that on a busy machine the old
      // version would remain active.
      checkFolder: checkFolderInThisThread,
      // On a busy machine, a rehearsal takes longer than a proxy would wait.
      maxRehearsalMs: 600_000,
      // Starting the SQLite threads takes longer than loading a page. The threads have their own tests, and are used
      // by server processes.
      ...(ALL_RUNS ? {} : { opens: openStoreInProcess }),
    },
  )
  if (!bootResult.ok)
    throw new Error(`the server did not start: ${bootResult.error.text}\n${output}`)
  const { url, stopped } = bootResult.value
  const halt = async (): Promise<void> => {
    requestStop('the test')
    await stopped
  }
  return {
    url,
    dataDir,
    eventsDir,
    readOutput: () => output,
    halt,
    stop: async () => {
      await halt()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Stops a server and starts another with its data, for example on another day. Stopping the new server removes the
 * data.
 */
export async function serveAgain(previous: TestServer, variables: Variables): Promise<TestServer> {
  await previous.halt()
  const { dataDir, eventsDir } = previous
  const server = await serve({ ...variables, DATA_DIR: dataDir, EVENTS_DIR: eventsDir })
  return {
    ...server,
    dataDir,
    eventsDir,
    stop: async () => {
      await server.stop()
      await previous.stop()
    },
  }
}

async function createFolders(
  tree: string,
  prepare: Prepare,
): Promise<{ readonly folder: string; readonly dataDir: string; readonly eventsDir: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-browser-'))
  const folders = { dataDir: join(folder, 'var'), eventsDir: join(folder, 'events') }
  cpSync(join(tree, 'events'), folders.eventsDir, { recursive: true })
  // The tables of another checkout may differ.
  if (tree === ROOT) await useEmptyDatabase(folders.dataDir)
  await prepare(folders)
  useCompiledEvents(folders.dataDir)
  return { folder, ...folders }
}

const buildDefaultVariables = (folders: {
  readonly dataDir: string
  readonly eventsDir: string
}): Variables => ({
  DATA_DIR: folders.dataDir,
  EVENTS_DIR: folders.eventsDir,
  ADMIN_USERNAME: ADMIN.username,
  ADMIN_PASSWORD: ADMIN.password,
  RATE_LIMITS: 'off',
})

/**
 * Starts a server process and waits until it reports that it is listening. `tree` can be another checkout. The command
 * `demo` fills its own database.
 */
export async function serveAsProcess(
  variables: Variables = {},
  prepare: Prepare = () => {},
  tree: string = ROOT,
  command: 'start' | 'demo' = 'start',
): Promise<TestServerProcess> {
  const { folder, dataDir, eventsDir } = await createFolders(tree, prepare)
  const port = variables['PORT'] ?? String(await findFreePort())
  const url = `http://127.0.0.1:${port}`
  // Output goes to a file. With a pipe, the benchmark's load generator would have to read every
  // line.
  const outputPath = join(folder, 'printed.txt')
  const output = openSync(outputPath, 'a')
  const readOutput = (): string => readFileSync(outputPath, 'utf8')
  const child = spawn(process.execPath, [join(tree, 'bin', 'rollcall.js'), command], {
    cwd: tree,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      PORT: port,
      SANDBOX_PORT: String(await findFreePort()),
      ...buildDefaultVariables({ dataDir, eventsDir }),
      ...variables,
    },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  await new Promise<void>((resolve, reject) => {
    const watcher = watch(outputPath, () => checkOutput())
    const checkOutput = (): void => {
      if (!readOutput().includes(variables['PUBLIC_URL'] ?? url)) return
      watcher.close()
      resolve()
    }
    child.on('exit', (status) => {
      watcher.close()
      reject(new Error(`the server exited with ${status}:\n${readOutput()}`))
    })
    checkOutput()
  })
  const halt = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await exited
  }
  return {
    url,
    dataDir,
    eventsDir,
    process: child,
    readOutput,
    halt,
    stop: async () => {
      await halt()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Waits until the server renders the page. While the server is busy, it sends pages that the browser must render. */
export const waitUntilRendered = (url: string): Promise<void> =>
  vi.waitFor(
    async () => {
      if (!(await (await fetch(url)).text()).includes('"drawn":true'))
        throw new Error(`${url} is not rendered`)
    },
    { timeout: 200_000 },
  )

/** Creates a payment link that expires on a given day, like the link in a payment reminder. */
export function createPaymentLink(
  { url, dataDir }: Pick<TestServer, 'url' | 'dataDir'>,
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
  if (changes !== 1) throw new Error(`no registration has the number ${regNo}`)
  return `${url}/pay/${token}`
}
