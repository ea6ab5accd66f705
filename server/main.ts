/** Runs a server process: starts, listens, and stops without losing data. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { FastifyListenOptions } from 'fastify'
import { assert, err, formatInstant, ok } from '../engine/index.ts'
import type { Result } from '../engine/index.ts'
import { assembleServer, findStartProblem } from './assemble-server.ts'
import type { AssembleOptions, AssembledServer, StartProblem } from './assemble-server.ts'
import type { Terminal } from './cli/command.ts'
import { scheduleMemoryRelease, scheduleMemoryReleaseAfterLoad } from './ops/release-memory.ts'
import { rescueIfLost } from './ops/recovery/lost-while-starting.ts'
import { LOST_DATA_MESSAGE, watchForLoss } from './ops/recovery/rescue-lost-database.ts'
import type { LossWatch } from './ops/recovery/rescue-lost-database.ts'
import { createClock } from './ops/clock.ts'
import type { Deps, Environment, Log } from './dependencies.ts'
import { explainListenError } from './ops/listen-errors.ts'
import { makeLog } from './ops/log.ts'
import { checkProduction } from './production-checks.ts'
import { formatHoldReason } from './registration/uploads/unreferenced-files.ts'
import { hashPassword, generatePassword, findPasswordProblem } from './office/auth/passwords.ts'

/** The interval between searches for unreferenced uploads. */
const SWEEP_INTERVAL_MS = 60 * 60 * 1000
/** The interval between checks that the database is still the file that was opened; each write checks this too. */
const LOSS_CHECK_INTERVAL_MS = 1_000
/** A shutdown that takes longer is stuck. */
const MAX_SHUTDOWN_MS = 30_000
/**
 * Signals within this time count as one: a signal to a process group (systemd, Ctrl-C, timeout) reaches the server and
 * its parent, which forwards it.
 */
const SAME_SIGNAL_MS = 1_000

/**
 * `isNew`: an empty database may replace a lost one. Only tests set the other options, to shorten intervals or set the
 * time.
 */
export type BootOptions = { readonly isNew?: boolean } & Partial<
  Pick<AssembleOptions, 'openStore' | 'clock' | 'steadyMs' | 'checkFolder' | 'maxRehearsalMs'>
>
/**
 * `stopped` resolves with the exit status: 0, or 2 if the database was lost and the next start will not find the
 * rescued file.
 */
export type RunningServer = { readonly url: string; readonly stopped: Promise<0 | 2> }

/** The process that hosts a server: receives its log and passes on stop signals. */
export type ProcessHost = {
  /** Writes all lines from one turn of the event loop. */
  write(output: string): void
  /** Resolves with the name of the stop signal. */
  waitForStop(log: Log): Promise<string>
  /** Calls `reload` on each request to reload the event files; optional. */
  readonly onReload?: (reload: () => void) => void
  /** Calls `writeRest` when the process is about to end for any reason, and logs the cause; optional. */
  readonly onExit?: (log: Log, writeRest: () => void) => void
}
/** The current process, which ends with its server. */
const CURRENT_PROCESS: ProcessHost = {
  write: (output) => void process.stdout.write(output),
  waitForStop: waitForSignal,
  onReload: (reload) => void process.on('SIGHUP', reload),
  onExit: (log, writeRest) => {
    // Only logs the cause, and does not change how the process ends.
    process.on('uncaughtExceptionMonitor', (error) =>
      log.error(
        { error: error.stack ?? String(error) },
        'the server is exiting because of an internal error',
      ),
    )
    process.on('exit', writeRest)
  },
}

/**
 * Starts everything and listens. Resolves once the URL is printed; fails with a message and the exit status
 * if an event file, a variable or the database prevents the start.
 */
export async function bootServer(
  requestedEnvironment: Environment,
  terminal: Terminal,
  host: ProcessHost = CURRENT_PROCESS,
  { isNew = false, ...options }: BootOptions = {},
): Promise<Result<RunningServer, StartProblem>> {
  const checkResult = checkProduction(requestedEnvironment)
  if (!checkResult.ok) return err({ status: 2, text: checkResult.error.join('\n') })
  for (const sentence of checkResult.value) terminal.printError(sentence)
  const reserveResult = await reservePort(requestedEnvironment)
  if (!reserveResult.ok) return reserveResult
  const { environment, free: releasePort } = reserveResult.value
  const clock = options.clock ?? createClock(environment.clockStart)
  const output = batchWrites(host.write)
  const log = makeLog(output.add, clock)
  let loss: LossWatch | null = null
  host.onExit?.(log, () => {
    if (loss?.isUnsaved() === true) log.error({}, LOST_DATA_MESSAGE)
    log.flush()
    output.write()
  })
  // Startup reads the event files anyway, so reload requests during startup are ignored.
  let reload = (): void => {}
  host.onReload?.(() => reload())
  // Registered first: a server that gets a stop signal during startup completes it and then stops.
  const stopSignal = host.waitForStop(log)
  const assembleResult = await assembleServer(environment, {
    ...options,
    clock,
    log,
    print: terminal.printError,
    hasJobs: true,
    isNew,
  })
  if (!assembleResult.ok) {
    await releasePort()
    return assembleResult
  }
  const { app, deps, simulators } = assembleResult.value
  reload = () => {
    log.info({}, 'reloading the event files on request')
    void deps.events.reload()
  }
  const explainStartError = (error: unknown): Result<never, StartProblem> => {
    const problem = findStartProblem(error, environment)
    if (problem === null) throw error
    return err(problem)
  }
  const firstAdmin = await prepareFirstAdmin(assembleResult.value).catch(explainStartError)
  // This must come before the first request is accepted.
  const rescueResult = await rescueIfLost(deps)
  if (rescueResult !== null || !firstAdmin.ok) {
    await releasePort()
    await assembleResult.value.close()
    if (rescueResult !== null) return err(rescueResult)
  }
  if (!firstAdmin.ok) return firstAdmin
  try {
    await releasePort()
    await app.listen(buildListenOptions(environment))
  } catch (error) {
    await assembleResult.value.close()
    const problem = explainSocketError(error, environment)
    if (problem === null) throw error
    return err(problem)
  }
  // The owner is added only once the server listens: if startup failed later, the password would never be printed.
  const addResult = await firstAdmin.value().catch(explainStartError)
  if (!addResult.ok) {
    const lostResult = await rescueIfLost(deps)
    await assembleResult.value.close()
    return lostResult === null ? addResult : err(lostResult)
  }
  const password = addResult.value
  if (host === CURRENT_PROCESS) {
    scheduleMemoryRelease(app.server)
    scheduleMemoryReleaseAfterLoad(app.server)
  }
  // Set-aside files that a registration refers to again are moved back before they are needed.
  deps.uploads.reclaim().catch(logSweepError(log))
  const sweepTimer = setInterval(() => {
    sweepUploads(deps).catch(logSweepError(log))
  }, SWEEP_INTERVAL_MS)
  sweepTimer.unref()
  const lossWatch = watchForLoss(deps)
  loss = lossWatch
  const lossTimer = setInterval(() => void lossWatch.check(), LOSS_CHECK_INTERVAL_MS)
  lossTimer.unref()

  const url = environment.publicUrl
  terminal.print(
    [
      `Rollcall serves ${deps.events.all().length} event${deps.events.all().length === 1 ? '' : 's'} on ${url}`,
      `  Office   ${url}/admin/login`,
      ...(simulators === null ? [] : [`  Sandbox  ${simulators.origins.page} (no real money)`]),
      ...(environment.clockStart === null
        ? []
        : [
            `  Clock    started at ${formatInstant(environment.clockStart)} in India, for rehearsal`,
          ]),
      ...(password === null
        ? []
        : [
            `  Admin    ${environment.firstAdmin.username}, password ${password} (shown only once)`,
          ]),
    ].join('\n'),
  )
  const stopped = stopSignal.then(async (signal) => {
    clearInterval(sweepTimer)
    clearInterval(lossTimer)
    log.info({ signal }, 'stopping')
    // Data that would be lost with the process is rescued before it exits.
    await lossWatch.waitUntilSaved()
    const shutdownTimer = setTimeout(() => {
      log.error({}, 'the shutdown timed out')
      process.exit(3)
    }, MAX_SHUTDOWN_MS)
    shutdownTimer.unref()
    await assembleResult.value.close()
    clearTimeout(shutdownTimer)
    log.flush()
    log.info({}, 'stopped')
    return lossWatch.isOutsideDataDir() ? 2 : 0
  })
  return ok({ url, stopped })
}

const logSweepError =
  (log: Log) =>
  (error: unknown): void =>
    log.error({ error: String(error) }, 'the sweep of uploads failed')

/** Removes or sets aside uploads, and logs each result. */
async function sweepUploads({
  uploads,
  log,
  isClockTrusted,
}: Pick<Deps, 'uploads' | 'log' | 'isClockTrusted'>): Promise<void> {
  if (!(await isClockTrusted())) return
  const { dropped, removed, setAside, held, asideCount } = await uploads.sweep()
  if (dropped > 0)
    log.warn({ registrations: dropped }, 'the files of unpaid registrations were deleted')
  if (removed > 0) log.info({ removed }, 'uploads that are no longer needed were removed')
  if (setAside > 0)
    log.warn(
      { setAside, aside: asideCount },
      'uploads that no record refers to were set aside for 30 days',
    )
  if (held !== null) log.warn({ held: held.count }, formatHoldReason(held))
}

/**
 * Returns the address or socket to listen on. An inherited socket is already listening: clients that connect during a
 * restart wait in its queue.
 */
function buildListenOptions({ port, host, socketFd }: Environment): FastifyListenOptions {
  const socket = socketFd === undefined ? {} : { fd: socketFd }
  return { port, host, ...socket }
}

/** Explains why the server cannot listen; null if the error is a bug. */
function explainSocketError(error: unknown, environment: Environment): StartProblem | null {
  const { code } = error as NodeJS.ErrnoException
  const text =
    environment.socketFd === undefined
      ? explainListenError(error, { ...environment, variable: 'PORT' })
      : `LISTEN_FDS provides a socket, but the server cannot listen on it (${code}).`
  return text === null ? null : { status: 2, text }
}

/**
 * Combines all lines from one turn of the event loop, because a write per line costs noticeable time under load.
 * `write` does not wait for completion.
 */
function batchWrites(write: (output: string) => void): {
  readonly add: (line: string) => void
  readonly write: () => void
} {
  let output = ''
  const writeAll = (): void => {
    const outputs = output
    output = ''
    if (outputs !== '') write(outputs)
  }
  return {
    add: (line) => {
      if (output === '') setImmediate(writeAll)
      output += line
    },
    write: writeAll,
  }
}

/** Resolves at the first SIGTERM or SIGINT; a second one ends the process immediately. */
function waitForSignal(log: Log): Promise<string> {
  return new Promise((resolve) => {
    let firstSignalAt: number | null = null
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        const at = performance.now()
        if (firstSignalAt !== null && at - firstSignalAt > SAME_SIGNAL_MS) {
          log.warn({ signal }, 'second stop signal: exiting immediately')
          process.exit(3)
        }
        firstSignalAt ??= at
        resolve(signal)
      })
    }
  })
}

/** `free` releases the port just before the server listens on it. */
type ReservedPort = { readonly environment: Environment; readonly free: () => Promise<void> }

/**
 * Reserves a free port if `port` is 0, because its number must be known before other parts use the server's URL.
 * The port stays reserved until `free` is called.
 */
async function reservePort(
  requiredEnvironment: Environment,
): Promise<Result<ReservedPort, StartProblem>> {
  if (requiredEnvironment.port !== 0 || requiredEnvironment.socketFd !== undefined)
    return ok({ environment: requiredEnvironment, free: async () => {} })
  const reservation = createServer((socket) => socket.destroy())
  reservation.listen(0, requiredEnvironment.host)
  try {
    await once(reservation, 'listening')
  } catch (error) {
    const problem = explainSocketError(error, requiredEnvironment)
    if (problem === null) throw error
    return err(problem)
  }
  // If the start fails because of a bug, nothing releases the port, and it must not keep the process alive.
  reservation.unref()
  const address = reservation.address()
  assert(typeof address === 'object' && address !== null, 'a listening server has no port')
  const { port } = address
  return ok({
    environment: {
      ...requiredEnvironment,
      port,
      publicUrl: requiredEnvironment.publicUrl.replace(/:0$/, `:${port}`),
    },
    free: async () => {
      reservation.close()
      await once(reservation, 'close')
    },
  })
}

/**
 * Returns a function that adds the first owner if there is none, and returns the password if it was generated, to be
 * printed once. Rejects a password that is easy to guess.
 */
async function prepareFirstAdmin({
  deps,
}: AssembledServer): Promise<
  Result<() => Promise<Result<string | null, StartProblem>>, StartProblem>
> {
  const { store, environment, clock, events } = deps
  if ((await store.adminCount()) > 0) return ok(async () => ok(null))
  const { username, password: configuredPassword } = environment.firstAdmin
  const names = [username, ...events.all().map(({ config }) => config.id)]
  const passwordProblem =
    configuredPassword === null ? null : findPasswordProblem(configuredPassword, names)
  if (passwordProblem !== null)
    return err({
      status: 2,
      text: `ADMIN_PASSWORD was not accepted. ${passwordProblem} Or leave it out to have one generated.`,
    })
  const password = configuredPassword ?? generatePassword()
  const hash = await hashPassword(password)
  return ok(async () => {
    const newOwner = await store.addAdmin(username, hash, clock())
    return ok(newOwner.ok && configuredPassword === null ? password : null)
  })
}
