/**
 * A server as an operator starts it, in a separate process and process group. Servers that need no
 * process (for a signal, a limit, a user or a kill) run in the test's process without the store's
 * threads, which is twenty times faster. `npm run thorough` uses processes for all.
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
import { bootServer } from '../../../server/main.ts'
import type { BootOptions } from '../../../server/main.ts'
import { findFreePort } from '../../browser/serve.ts'
import { useCompiledEvents, useEmptyDatabase } from '../prepared-files.ts'
import { BASE_ENV, top } from '../run-command.ts'
import { ALL_RUNS } from '../../runs.ts'
import { openStoreHere } from '../store-without-threads.ts'

export type Folders = {
  readonly folder: string
  readonly dataDir: string
  readonly eventsDir: string
}
export type RunningServer = {
  readonly url: string
  readonly port: number
  /** The id of the started process, and of its group. */
  readonly pid: number
  readonly printed: () => string
  /** Resolves with the exit status, or the signal that ended it. */
  readonly ended: Promise<number | string>
  stop(): Promise<number | string>
}

/**
 * Makes the folders with one sample event file, because a startup checks all, or with `events`; and with the shared
 * files.
 */
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

/** The variables of a server with these folders. */
export const getDefaultVariables = async (
  { dataDir, eventsDir }: Pick<Folders, 'dataDir' | 'eventsDir'>,
  port: number,
): Promise<Readonly<Record<string, string | undefined>>> => ({
  ...BASE_ENV,
  PORT: String(port),
  SANDBOX_PORT: String(await findFreePort()),
  DATA_DIR: dataDir,
  EVENTS_DIR: eventsDir,
  ADMIN_PASSWORD: 'a password for operators',
  RATE_LIMITS: 'off',
  CLOCK: '2025-10-10',
  // Tests set it to a spare folder; a server in this process reads it here.
  CACHE_DIRECTORY: process.env['CACHE_DIRECTORY'],
})

/** The build does not change while tests run. */
let isBuilt: boolean | null = null

/** Starts a server process, and returns once it listens. */
export async function startServerProcess(
  { dataDir, eventsDir }: Pick<Folders, 'dataDir' | 'eventsDir'>,
  variables: Readonly<Record<string, string>> = {},
  command?: readonly [string, ...string[]],
): Promise<RunningServer> {
  isBuilt ??= isUpToDate(WEB_BUILD)
  if (!isBuilt)
    throw new Error(
      'the web app is not built from the current sources: run npm run build, or npm test',
    )
  // A custom command may run as another user and in another tree.
  if (command === undefined) {
    useCompiledEvents(dataDir)
    await useEmptyDatabase(dataDir)
  }
  const port = await findFreePort()
  const [program, ...args] = command ?? [process.execPath, join(top, 'bin', 'rollcall.js'), 'start']
  const child = spawn(program, args, {
    cwd: top,
    env: { ...(await getDefaultVariables({ dataDir, eventsDir }, port)), ...variables },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  // All its output has arrived by then.
  const ended = once(child, 'close').then(
    ([status, signal]: (number | string | null)[]) => status ?? signal ?? 0,
  )
  const url = `http://127.0.0.1:${port}`
  await new Promise<void>((resolve, reject) => {
    const readOutput = (chunk: Buffer): void => {
      printed += chunk.toString()
      if (printed.includes('/admin/login')) resolve()
    }
    child.stdout.on('data', readOutput)
    child.stderr.on('data', readOutput)
    void ended.then((status) => reject(new Error(`ended with ${status}: ${printed}`)))
  })
  if (child.pid === undefined) throw new Error('the process has no id')
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

/** A server that runs in the test's process. */
export type RunningServerHere = Omit<RunningServer, 'pid'>
type StartOptions = BootOptions & { readonly variables?: Readonly<Record<string, string>> }

async function bootHere(
  folders: Pick<Folders, 'dataDir' | 'eventsDir'>,
  { variables = {}, ...openOptions }: StartOptions,
) {
  const environmentResult = readEnvironment({
    ...(await getDefaultVariables(folders, 0)),
    SANDBOX_PORT: '0',
    ...variables,
  })
  if (!environmentResult.ok) throw new Error(environmentResult.error.join('\n'))
  let printed = ''
  const readOutput = (text: string): void => void (printed += `${text}\n`)
  const write = (lines: string): void => void (printed += lines)
  const { promise: started, resolve } = Promise.withResolvers<string>()
  let runExitHandler = (): void => {}
  const booted = await bootServer(
    environmentResult.value,
    { print: readOutput, printError: readOutput, environment: () => environmentResult.value },
    {
      write,
      waitForStop: () => started,
      onExit: (_log, exitHandler) => (runExitHandler = exitHandler),
    },
    { openStore: openStoreHere, checkFolder: checkFolderHere, ...openOptions },
  )
  // Node runs exit handlers when the process ends.
  if (booted.ok) void booted.value.stopped.then(runExitHandler, runExitHandler)
  return { booted, printed: () => printed, tell: resolve }
}

/** False while this process's timers are replaced: the server must then run in this process. */
let isProcessPossible = ALL_RUNS

/** The same server as `startServerProcess` starts, in this process, with the same messages. */
export async function startServerHere(
  folders: Pick<Folders, 'dataDir' | 'eventsDir'>,
  variables: Readonly<Record<string, string>> = {},
  openOptions: BootOptions = {},
): Promise<RunningServerHere> {
  if (isProcessPossible && Object.keys(openOptions).length === 0)
    return startServerProcess(folders, variables)
  useCompiledEvents(folders.dataDir)
  await useEmptyDatabase(folders.dataDir)
  const {
    booted,
    printed,
    tell: resolveStarted,
  } = await bootHere(folders, { ...openOptions, variables })
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
      resolveStarted('SIGTERM')
      return ended
    },
  }
}

/**
 * Ends a server in this process and restores its files as a kill would have left them. The first
 * test of log-of-killed-server.test.ts kills a process.
 */
export async function killHere(
  { folder, dataDir }: Pick<Folders, 'folder' | 'dataDir'>,
  server: Pick<RunningServerHere, 'stop' | 'ended'> & { readonly pid?: number },
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

/** Like `attemptStart`, but in this process. */
export async function attemptStartHere(
  folders: Pick<Folders, 'dataDir' | 'eventsDir'>,
  startOptions: StartOptions = {},
): Promise<{ readonly status: number | string; readonly printed: string }> {
  const { variables = {}, isNew, ...openOptions } = startOptions
  if (isProcessPossible && Object.keys(openOptions).length === 0)
    return attemptStart(folders, { variables, args: isNew === true ? ['--new'] : [] })
  const { booted, printed, tell: resolveStarted } = await bootHere(folders, startOptions)
  if (!booted.ok)
    return { status: booted.error.status, printed: `${printed()}${booted.error.text}\n` }
  resolveStarted('SIGTERM')
  await booted.value.stopped
  return { status: 'serves', printed: printed() }
}

/** Sends only the first half of a registration. `finish` sends the rest and returns the complete response. */
export async function sendHalf(
  server: Pick<RunningServer, 'url' | 'port'>,
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
  // Responses on another connection show that the server has read the first half. The first response may be read in
  // the turn in which our connection is accepted; the second is read later.
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

/**
 * Starts a server that may not start. Returns its output and exit status; a started server is
 * stopped, and its status is 'serves'.
 */
export async function attemptStart(
  { dataDir, eventsDir }: Pick<Folders, 'dataDir' | 'eventsDir'>,
  {
    args = [],
    variables = {},
    before = [],
  }: {
    readonly args?: readonly string[]
    readonly variables?: Readonly<Record<string, string>>
    /** The command that runs the server's command, and its arguments. */
    readonly before?: readonly string[]
  } = {},
): Promise<{ readonly status: number | string; readonly printed: string }> {
  const ownCommand = [process.execPath, join(top, 'bin', 'rollcall.js'), 'start', ...args]
  const [program = '', ...commandArgs] = [...before, ...ownCommand]
  const child = spawn(program, commandArgs, {
    cwd: top,
    env: {
      ...(await getDefaultVariables({ dataDir, eventsDir }, await findFreePort())),
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  let hasServed = false
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      if (hasServed || !printed.includes('/admin/login')) return
      hasServed = true
      child.kill('SIGTERM')
    })
  const [status, signal] = (await once(child, 'close')) as (number | string | null)[]
  return { status: hasServed ? 'serves' : (status ?? signal ?? ''), printed }
}

/**
 * Makes timers of this process with a given interval fire earlier, such as those of hourly work. Calls back each
 * time. Returns a function that undoes it.
 */
export function shortenTimers(
  intervalMs: number,
  shorterMs: number,
  started: () => void = () => {},
): () => void {
  isProcessPossible = false
  const { setTimeout: timeout, setInterval: interval } = globalThis
  const shorten =
    <T extends typeof timeout | typeof interval>(before: T) =>
    (callback: (...args: unknown[]) => void, ms?: number, ...commandArgs: unknown[]) =>
      ms === intervalMs
        ? before(
            (...args: unknown[]) => {
              started()
              callback(...args)
            },
            shorterMs,
            ...commandArgs,
          )
        : before(callback, ms, ...commandArgs)
  Object.assign(globalThis, {
    // The promise version uses this timer too.
    setTimeout: Object.assign(shorten(timeout), {
      [promisify.custom]: timeout[promisify.custom as unknown as keyof typeof timeout],
    }),
    setInterval: shorten(interval),
  })
  return () => {
    isProcessPossible = ALL_RUNS
    Object.assign(globalThis, { setTimeout: timeout, setInterval: interval })
  }
}

/**
 * The same for timeouts of the background process that sends this process's emails: it is restarted
 * with shorter timeouts. Returns a function that undoes it.
 */
export async function shortenBackgroundTimers(
  intervalMs: number,
  shorterMs: number,
): Promise<() => Promise<void>> {
  isProcessPossible = false
  const { NODE_OPTIONS: before } = process.env
  await endBackground()
  Object.assign(
    process.env,
    createPreload(
      `const { setTimeout: timeout } = globalThis
      globalThis.setTimeout = Object.assign(
        (work, ms, ...rest) => timeout(work, ms === ${intervalMs} ? ${shorterMs} : ms, ...rest), timeout)`,
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

/** Variables with which a process runs this code first, to change its environment. */
export const createPreload = (code: string): { readonly NODE_OPTIONS: string } => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}`,
})

/** Registers a person without a proof for AFPICON. */
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
