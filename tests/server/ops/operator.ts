/**
 * A server as an operator starts it: its own process in its own process group, on folders that outlive it. Servers that need
 * no process (for a signal, a limit, a user or a kill) run in the test's process without the store's threads, which takes a
 * twentieth of the time. `npm run thorough` starts these as processes too.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import { vi } from 'vitest'
import { getBackgroundProcess } from '../../../server/background/background-process.ts'
import { checkFolderHere } from '../../../server/events/files/event-folder.ts'
import { isUpToDate, WEB_BUILD } from '../../../server/cli/build/stamp.ts'
import { readEnvironment } from '../../../server/ops/environment.ts'
import { boot } from '../../../server/main.ts'
import type { BootOptions } from '../../../server/main.ts'
import { freePort } from '../../browser/serve.ts'
import { useCompiledEvents, useEmptyDatabase } from '../prepared-files.ts'
import { BASE_ENV, top } from '../run-command.ts'
import { ALL_RUNS } from '../../runs.ts'
import { openStoreHere } from '../store-without-threads.ts'

export type Folders = {
  readonly folder: string
  readonly dataDir: string
  readonly eventsDir: string
}
export type Operated = {
  readonly url: string
  readonly port: number
  /** Of the process that was started, and of its group. */
  readonly pid: number
  readonly printed: () => string
  /** Resolves with the status, or with the signal it died of. */
  readonly ended: Promise<number | string>
  stop(): Promise<number | string>
}

/** With one of our event files beside the shared ones, because a start reads and checks all of them; or with `events`. */
export function makeFolders(
  events: readonly string[] = ['afpicon2026.yaml'],
): Folders & { remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-machine-'))
  const eventsDir = join(folder, 'events')
  for (const name of ['_shared', ...events])
    cpSync(join(top, 'events', name), join(eventsDir, name), { recursive: true })
  return {
    folder,
    dataDir: join(folder, 'var'),
    eventsDir,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** The variables of a server of those folders. */
export const usual = async (
  { dataDir, eventsDir }: Pick<Folders, 'dataDir' | 'eventsDir'>,
  port: number,
): Promise<Readonly<Record<string, string | undefined>>> => ({
  ...BASE_ENV,
  PORT: String(port),
  SANDBOX_PORT: String(await freePort()),
  DATA_DIR: dataDir,
  EVENTS_DIR: eventsDir,
  ADMIN_PASSWORD: 'a password for operators',
  RATE_LIMITS: 'off',
  CLOCK: '2025-10-10',
  // Tests of a spare folder set it; a server in this process reads it here.
  CACHE_DIRECTORY: process.env['CACHE_DIRECTORY'],
})

/** Nothing that is built changes while tests run. */
let built: boolean | null = null

/** Starts it and answers once it says that it listens. */
export async function operate(
  { dataDir, eventsDir }: Pick<Folders, 'dataDir' | 'eventsDir'>,
  variables: Readonly<Record<string, string>> = {},
  command?: readonly [string, ...string[]],
): Promise<Operated> {
  built ??= isUpToDate(WEB_BUILD)
  if (!built)
    throw new Error('the web app is not built from these sources: npm run build, or npm test')
  // A command of its own may be another user's, whose folder holds nothing of ours, and of another tree.
  if (command === undefined) {
    useCompiledEvents(dataDir)
    await useEmptyDatabase(dataDir)
  }
  const port = await freePort()
  const [program, ...args] = command ?? [process.execPath, join(top, 'bin', 'rollcall.js'), 'start']
  const child = spawn(program, args, {
    cwd: top,
    env: { ...(await usual({ dataDir, eventsDir }, port)), ...variables },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  // All that it printed has come by then.
  const ended = once(child, 'close').then(
    ([status, signal]: (number | string | null)[]) => status ?? signal ?? 0,
  )
  const url = `http://127.0.0.1:${port}`
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      printed += chunk.toString()
      if (printed.includes('/admin/login')) resolve()
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    void ended.then((status) => reject(new Error(`ended with ${status}: ${printed}`)))
  })
  if (child.pid === undefined) throw new Error('a process without a number')
  return {
    url,
    port,
    pid: child.pid,
    printed: () => printed,
    ended,
    stop: () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      return ended
    },
  }
}

/** Without a process. */
export type Here = Omit<Operated, 'pid'>
type Beginning = BootOptions & { readonly variables?: Readonly<Record<string, string>> }

async function bootHere(
  folders: Pick<Folders, 'dataDir' | 'eventsDir'>,
  { variables = {}, ...opening }: Beginning,
) {
  const read = readEnvironment({
    ...(await usual(folders, 0)),
    SANDBOX_PORT: '0',
    ...variables,
  })
  if (!read.ok) throw new Error(read.error.join('\n'))
  let printed = ''
  const hear = (text: string): void => void (printed += `${text}\n`)
  const write = (lines: string): void => void (printed += lines)
  const { promise: told, resolve: tell } = Promise.withResolvers<string>()
  let lastWords = (): void => {}
  const booted = await boot(
    read.value,
    { print: hear, printError: hear, environment: () => read.value },
    { write, waitForStop: () => told, onExit: (_log, words) => (lastWords = words) },
    { opens: openStoreHere, checkFolder: checkFolderHere, ...opening },
  )
  // What a process does when it ends.
  if (booted.ok) void booted.value.stopped.then(lastWords, lastWords)
  return { booted, printed: () => printed, tell }
}

/** False while the timers of this process are changed: a server has to be in it then. */
let isProcessPossible = ALL_RUNS

/** The same server as `operate` starts, in this process; with the same messages. */
export async function operateHere(
  folders: Pick<Folders, 'dataDir' | 'eventsDir'>,
  variables: Readonly<Record<string, string>> = {},
  opening: BootOptions = {},
): Promise<Here> {
  if (isProcessPossible && Object.keys(opening).length === 0) return operate(folders, variables)
  useCompiledEvents(folders.dataDir)
  await useEmptyDatabase(folders.dataDir)
  const { booted, printed, tell } = await bootHere(folders, { ...opening, variables })
  if (!booted.ok)
    throw new Error(`ended with ${booted.error.status}: ${printed()}${booted.error.text}`)
  const { url, stopped } = booted.value
  const ended = stopped
  return {
    url,
    port: Number(new URL(url).port),
    printed,
    ended,
    stop: () => {
      tell('SIGTERM')
      return ended
    },
  }
}

/**
 * Ends a server of this process and leaves its files as a kill would have left them: as they were while it served. The
 * first test of log-of-killed-server.test.ts kills a process.
 */
export async function killHere(
  { folder, dataDir }: Pick<Folders, 'folder' | 'dataDir'>,
  server: Pick<Here, 'stop' | 'ended'> & { readonly pid?: number },
): Promise<void> {
  if (server.pid !== undefined) {
    process.kill(server.pid, 'SIGKILL')
    await server.ended
    return
  }
  const left = mkdtempSync(join(folder, 'killed-'))
  cpSync(dataDir, left, { recursive: true, verbatimSymlinks: true })
  await server.stop()
  rmSync(dataDir, { recursive: true })
  renameSync(left, dataDir)
}

/** As `attempt`, in this process. */
export async function attemptHere(
  folders: Pick<Folders, 'dataDir' | 'eventsDir'>,
  beginning: Beginning = {},
): Promise<{ readonly status: number | string; readonly printed: string }> {
  const { variables = {}, isNew, ...opening } = beginning
  if (isProcessPossible && Object.keys(opening).length === 0)
    return attempt(folders, { variables, args: isNew === true ? ['--new'] : [] })
  const { booted, printed, tell } = await bootHere(folders, beginning)
  if (!booted.ok)
    return { status: booted.error.status, printed: `${printed()}${booted.error.text}\n` }
  tell('SIGTERM')
  await booted.value.stopped
  return { status: 'serves', printed: printed() }
}

/** A registration of which the first half is sent: `finish` sends the rest and answers with all that comes back. */
export async function halfSent(
  server: Pick<Operated, 'url' | 'port'>,
  path = '/api/afpicon/register/',
  answers: Readonly<Record<string, string>> = {
    full_name: 'Asha Nair',
    email: 'asha@example.org',
    phone_number: '1',
    ticket_type: 'afpi-gp-specialist',
  },
): Promise<{ finish(): Promise<string> }> {
  const body = JSON.stringify(answers)
  const socket = connect(server.port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 20)}`,
  )
  // Answered requests on another connection say that the server has read the first half by now. The first may be read in
  // the same turn in which our connection is accepted; the second is not.
  for (const _ of ['accepted', 'read']) await (await fetch(`${server.url}/healthz`)).text()
  return {
    finish: async () => {
      socket.write(body.slice(20))
      let answer = ''
      for await (const chunk of socket) answer += String(chunk)
      return answer
    },
  }
}

/** Starts it where it may not start: answers what it printed and the status that it ends with; one that serves is stopped, and is 'serves'. */
export async function attempt(
  { dataDir, eventsDir }: Pick<Folders, 'dataDir' | 'eventsDir'>,
  {
    args = [],
    variables = {},
    before = [],
  }: {
    readonly args?: readonly string[]
    readonly variables?: Readonly<Record<string, string>>
    /** Words of a command that runs the rest of its line. */
    readonly before?: readonly string[]
  } = {},
): Promise<{ readonly status: number | string; readonly printed: string }> {
  const own = [process.execPath, join(top, 'bin', 'rollcall.js'), 'start', ...args]
  const [program = '', ...rest] = [...before, ...own]
  const child = spawn(program, rest, {
    cwd: top,
    env: { ...(await usual({ dataDir, eventsDir }, await freePort())), ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  let serves = false
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      if (serves || !printed.includes('/admin/login')) return
      serves = true
      child.kill('SIGTERM')
    })
  const [status, signal] = (await once(child, 'close')) as (number | string | null)[]
  return { status: serves ? 'serves' : (status ?? signal ?? ''), printed }
}

/**
 * Timers of this process that are set to so many milliseconds go off after fewer: what a server does each hour or each minute.
 * Calls back whenever one does. Answers how to let them be.
 */
export function hurry(wanted: number, instead: number, told: () => void = () => {}): () => void {
  isProcessPossible = false
  const { setTimeout: timeout, setInterval: interval } = globalThis
  const hurried =
    <T extends typeof timeout | typeof interval>(before: T) =>
    (work: (...args: unknown[]) => void, ms?: number, ...rest: unknown[]) =>
      ms === wanted
        ? before(
            (...args: unknown[]) => {
              told()
              work(...args)
            },
            instead,
            ...rest,
          )
        : before(work, ms, ...rest)
  Object.assign(globalThis, {
    // What promises of it is known by it.
    setTimeout: Object.assign(hurried(timeout), {
      [promisify.custom]: timeout[promisify.custom as unknown as keyof typeof timeout],
    }),
    setInterval: hurried(interval),
  })
  return () => {
    isProcessPossible = ALL_RUNS
    Object.assign(globalThis, { setTimeout: timeout, setInterval: interval })
  }
}

/**
 * The same for timeouts of the background process, which sends the emails of this process: it is ended, and its
 * successor starts with shorter ones. Returns how to undo it.
 */
export async function hurryBackground(
  wanted: number,
  instead: number,
): Promise<() => Promise<void>> {
  isProcessPossible = false
  const { NODE_OPTIONS: before } = process.env
  await endBackground()
  Object.assign(
    process.env,
    running(
      `const { setTimeout: timeout } = globalThis
      globalThis.setTimeout = Object.assign(
        (work, ms, ...rest) => timeout(work, ms === ${wanted} ? ${instead} : ms, ...rest), timeout)`,
    ),
  )
  return async () => {
    isProcessPossible = ALL_RUNS
    if (before === undefined) delete process.env['NODE_OPTIONS']
    else process.env['NODE_OPTIONS'] = before
    await endBackground()
  }
}

async function endBackground(): Promise<void> {
  const running = getBackgroundProcess()
  if (running !== null) process.kill(running.pid, 'SIGKILL')
  await vi.waitUntil(() => getBackgroundProcess() === null, { timeout: 200_000 })
}

/** Variables with which a process runs this code first: what tests change of its surroundings. */
export const running = (code: string): { readonly NODE_OPTIONS: string } => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}`,
})

/** Registers for AFPICON, with a person who needs no proof. */
export const registerDelegate = (url: string, email: string): Promise<Response> =>
  fetch(`${url}/api/afpicon/register/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      full_name: 'Asha Nair',
      email,
      phone_number: '1',
      ticket_type: 'afpi-gp-specialist',
    }),
  })
