/** Starts servers for tests as an operator would, in a separate process or in the test's process. */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import { vi } from 'vitest'
import { getBackgroundProcess } from '../../../server/background/background-process.ts'
import { checkFolderInThisThread } from '../../../server/events/files/event-folder.ts'
import { isUpToDate, WEB_BUILD } from '../../../server/cli/build/stamp.ts'
import { readEnvironment } from '../../../server/ops/environment.ts'
import { bootServer } from '../../../server/main.ts'
import type { BootOptions } from '../../../server/main.ts'
import { findFreePort } from '../../browser/serve.ts'
import { useCompiledEvents, useEmptyDatabase } from '../prepared-files.ts'
import { BASE_ENV, top } from '../run-command.ts'
import { ALL_RUNS } from '../../runs.ts'
import { openStoreInProcess } from '../store-without-threads.ts'

export type Folders = {
  readonly folder: string
  readonly dataDir: string
  readonly eventsDir: string
}
export type RunningServer = {
  readonly url: string
  readonly port: number
  /** The id of the started process, which is also the id of its process group. */
  readonly pid: number
  readonly readOutput: () => string
  /** Resolves with the exit status, or with the signal that ended the process. */
  readonly exitStatus: Promise<number | string>
  stop(): Promise<number | string>
}

/**
 * Creates folders that contain the shared files and the event files `events`. The default is a single event file,
 * because a startup checks every file.
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

/** Returns the default environment variables for a server with these folders. */
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
  // Tests can set it to a spare folder. A server in this process reads it from here.
  CACHE_DIRECTORY: process.env['CACHE_DIRECTORY'],
})

/** Whether the web app is built. Null until the first check. The build does not change while tests run. */
let isBuilt: boolean | null = null

/** Starts a server in a separate process and process group. Returns once it listens. */
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
  // A custom command may run as another user or from another source tree.
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
  let output = ''
  // On 'close', all of the process's output has arrived.
  const exitStatus = once(child, 'close').then(
    ([status, signal]: (number | string | null)[]) => status ?? signal ?? 0,
  )
  const url = `http://127.0.0.1:${port}`
  await new Promise<void>((resolve, reject) => {
    const addOutput = (chunk: Buffer): void => {
      output += chunk.toString()
      if (output.includes('/admin/login')) resolve()
    }
    child.stdout.on('data', addOutput)
    child.stderr.on('data', addOutput)
    void exitStatus.then((status) => reject(new Error(`ended with ${status}: ${output}`)))
  })
  if (child.pid === undefined) throw new Error('the process has no id')
  return {
    url,
    port,
    pid: child.pid,
    readOutput: () => output,
    exitStatus,
    stop: () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      return exitStatus
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
  let output = ''
  const addOutput = (text: string): void => void (output += `${text}\n`)
  const write = (lines: string): void => void (output += lines)
  const { promise: stopSignal, resolve: requestStop } = Promise.withResolvers<string>()
  let runExitHandler = (): void => {}
  const bootResult = await bootServer(
    environmentResult.value,
    { print: addOutput, printError: addOutput, environment: () => environmentResult.value },
    {
      write,
      waitForStop: () => stopSignal,
      onExit: (_log, exitHandler) => (runExitHandler = exitHandler),
    },
    { openStore: openStoreInProcess, checkFolder: checkFolderInThisThread, ...openOptions },
  )
  // Node runs exit handlers when a process ends. Here, they run when the server ends.
  if (bootResult.ok) void bootResult.value.stopped.then(runExitHandler, runExitHandler)
  return { booted: bootResult, readOutput: () => output, requestStop }
}

/** Whether a separate process may be used: in thorough runs, except while this process's timers are replaced. */
let isProcessPossible = ALL_RUNS

/**
 * Starts the same server as `startServerProcess`, with the same messages, but in this process and without the store's
 * threads. This is twenty times as fast. `npm run thorough` uses separate processes in all tests.
 */
export async function startServerHere(
  folders: Pick<Folders, 'dataDir' | 'eventsDir'>,
  variables: Readonly<Record<string, string>> = {},
  openOptions: BootOptions = {},
): Promise<RunningServerHere> {
  if (isProcessPossible && Object.keys(openOptions).length === 0)
    return startServerProcess(folders, variables)
  useCompiledEvents(folders.dataDir)
  await useEmptyDatabase(folders.dataDir)
  const { booted, readOutput, requestStop } = await bootHere(folders, { ...openOptions, variables })
  if (!booted.ok)
    throw new Error(`ended with ${booted.error.status}: ${readOutput()}${booted.error.text}`)
  const { url, stopped } = booted.value
  const exitStatus = stopped
  return {
    url,
    port: Number(new URL(url).port),
    readOutput,
    exitStatus,
    stop: () => {
      requestStop('SIGTERM')
      return exitStatus
    },
  }
}

/**
 * Ends a server in this process, and leaves its files as a kill would have left them. The first test in
 * log-of-killed-server.test.ts kills a real process.
 */
export async function killHere(
  { folder, dataDir }: Pick<Folders, 'folder' | 'dataDir'>,
  server: Pick<RunningServerHere, 'stop' | 'exitStatus'> & { readonly pid?: number },
): Promise<void> {
  if (server.pid !== undefined) {
    process.kill(server.pid, 'SIGKILL')
    await server.exitStatus
    return
  }
  const copy = mkdtempSync(join(folder, 'killed-'))
  cpSync(dataDir, copy, { recursive: true, verbatimSymlinks: true })
  await server.stop()
  rmSync(dataDir, { recursive: true })
  renameSync(copy, dataDir)
}

/** Does the same as `attemptStart`, but in this process. */
export async function attemptStartHere(
  folders: Pick<Folders, 'dataDir' | 'eventsDir'>,
  startOptions: StartOptions = {},
): Promise<{ readonly status: number | string; readonly output: string }> {
  const { variables = {}, isNew, ...openOptions } = startOptions
  if (isProcessPossible && Object.keys(openOptions).length === 0)
    return attemptStart(folders, { variables, args: isNew === true ? ['--new'] : [] })
  const { booted, readOutput, requestStop } = await bootHere(folders, startOptions)
  if (!booted.ok)
    return { status: booted.error.status, output: `${readOutput()}${booted.error.text}\n` }
  requestStop('SIGTERM')
  await booted.value.stopped
  return { status: 'serves', output: readOutput() }
}

/** Sends the first half of a registration request. `finish` sends the rest and returns the complete response. */
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
  // Two responses on another connection show that the server has read the first half. The first request may be read
  // in the same turn of the event loop in which our connection is accepted, but the second is read later.
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
 * Tries to start a server, and returns its output and exit status. If the server starts, it is stopped, and the status
 * is 'serves'.
 */
export async function attemptStart(
  { dataDir, eventsDir }: Pick<Folders, 'dataDir' | 'eventsDir'>,
  {
    args = [],
    variables = {},
    wrapper = [],
  }: {
    readonly args?: readonly string[]
    readonly variables?: Readonly<Record<string, string>>
    /** A command with arguments that runs the server's command, which is appended. */
    readonly wrapper?: readonly string[]
  } = {},
): Promise<{ readonly status: number | string; readonly output: string }> {
  const ownCommand = [process.execPath, join(top, 'bin', 'rollcall.js'), 'start', ...args]
  const [program = '', ...commandArgs] = [...wrapper, ...ownCommand]
  const child = spawn(program, commandArgs, {
    cwd: top,
    env: {
      ...(await getDefaultVariables({ dataDir, eventsDir }, await findFreePort())),
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let hasServed = false
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (hasServed || !output.includes('/admin/login')) return
      hasServed = true
      child.kill('SIGTERM')
    })
  const [status, signal] = (await once(child, 'close')) as (number | string | null)[]
  return { status: hasServed ? 'serves' : (status ?? signal ?? ''), output }
}

/**
 * Makes timers with a given interval, such as those for hourly work, fire earlier in this process. Calls `onCall` each
 * time one fires. Returns a function that restores the timers.
 */
export function shortenTimers(
  intervalMs: number,
  shorterMs: number,
  onCall: () => void = () => {},
): () => void {
  isProcessPossible = false
  const { setTimeout: timeout, setInterval: interval } = globalThis
  const shorten =
    <T extends typeof timeout | typeof interval>(original: T) =>
    (callback: (...args: unknown[]) => void, ms?: number, ...timerArgs: unknown[]) =>
      ms === intervalMs
        ? original(
            (...args: unknown[]) => {
              onCall()
              callback(...args)
            },
            shorterMs,
            ...timerArgs,
          )
        : original(callback, ms, ...timerArgs)
  Object.assign(globalThis, {
    // The promise version of setTimeout also uses this timer.
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
 * Restarts the background process that sends this process's emails, with a shorter timeout. Returns a function that
 * restores the timeout.
 */
export async function shortenBackgroundTimers(
  intervalMs: number,
  shorterMs: number,
): Promise<() => Promise<void>> {
  isProcessPossible = false
  const { NODE_OPTIONS: optionsBefore } = process.env
  await endBackgroundProcess()
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
    if (optionsBefore === undefined) delete process.env['NODE_OPTIONS']
    else process.env['NODE_OPTIONS'] = optionsBefore
    await endBackgroundProcess()
  }
}

async function endBackgroundProcess(): Promise<void> {
  const backgroundProcess = getBackgroundProcess()
  if (backgroundProcess !== null) process.kill(backgroundProcess.pid, 'SIGKILL')
  await vi.waitUntil(() => getBackgroundProcess() === null, { timeout: 200_000 })
}

/** Builds the environment variables that make a process run `code` first. */
export const createPreload = (code: string): { readonly NODE_OPTIONS: string } => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}`,
})

/** Registers a delegate for AFPICON, without a proof. */
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
