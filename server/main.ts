/** Runs a server process: starts, listens, and stops without losing data. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { FastifyListenOptions } from 'fastify'
import { assert, err, formatInstant, ok } from '../engine/index.ts'
import type { Result } from '../engine/index.ts'
import { assemble, cannotStart } from './assemble-server.ts'
import type { AssembleOptions, Assembled, CannotStart } from './assemble-server.ts'
import type { Terminal } from './cli/command.ts'
import { giveBackLater } from './ops/release-memory.ts'
import { refuseIfLost } from './ops/recovery/lost-while-starting.ts'
import { LOST_FOR_GOOD, watchForLoss } from './ops/recovery/rescue-lost-database.ts'
import type { LossWatch } from './ops/recovery/rescue-lost-database.ts'
import { makeClock } from './ops/clock.ts'
import type { Deps, Environment, Log } from './dependencies.ts'
import { makeLog } from './ops/log.ts'
import { servable } from './production-checks.ts'
import { heldSentence } from './registration/uploads/unreferenced-files.ts'
import { hashPassword, makePassword, findPasswordProblem } from './office/auth/passwords.ts'

/** How often unreferenced uploads are searched. */
const SWEEP_MS = 60 * 60 * 1000
/** How often to check that the database is still the opened file; each write also checks. */
const LOOK_MS = 1_000
/** A stop that takes longer has got stuck. */
const STOP_MS_MAX = 30_000
/**
 * Signals within this time count as one: a signal to a whole process group (systemd, Ctrl-C, timeout) reaches the
 * server and its parent, which passes it on.
 */
const SAME_WORD_MS = 1_000

/** `isNew`: an empty database may replace a lost one. The rest is for tests, which wait less or set the time. */
export type Opening = { readonly isNew?: boolean } & Partial<
  Pick<AssembleOptions, 'opens' | 'clock' | 'steadyMs'>
>
/** `stopped` resolves with the exit status: 0, or 2 if the database was lost and the next start does not find the rescued file. */
export type Booted = { readonly url: string; readonly stopped: Promise<0 | 2> }

/** The surroundings of a server: where its log goes, and how it is told to stop. */
export type Place = {
  /** Writes all lines of one turn of the event loop. */
  write(lines: string): void
  /** Resolves with the name of the stop signal. */
  told(log: Log): Promise<string>
  /** Calls back on each request to reload the event files; left out: never. */
  readonly askedToReload?: (reload: () => void) => void
  /** Calls back when the process is about to end, for any reason, to log the cause; left out: never. */
  readonly ends?: (log: Log, lastWords: () => void) => void
}
/** This process, which ends with its server. */
const ownProcess: Place = {
  write: (lines) => void process.stdout.write(lines),
  told: whenTold,
  askedToReload: (reload) => void process.on('SIGHUP', reload),
  ends: (log, lastWords) => {
    // Observed, not caught: the process ends as it would, and the log has the cause.
    process.on('uncaughtExceptionMonitor', (error) =>
      log.error({ error: error.stack ?? String(error) }, 'the server dies of an error of ours'),
    )
    process.on('exit', lastWords)
  },
}

/**
 * Starts everything and listens. Resolves once the address is printed; fails with a message and the exit status
 * if an event file, a variable or the database prevents the start.
 */
export async function boot(
  wanted: Environment,
  terminal: Terminal,
  place: Place = ownProcess,
  { isNew = false, ...opening }: Opening = {},
): Promise<Result<Booted, CannotStart>> {
  const fit = servable(wanted)
  if (!fit.ok) return err({ status: 2, text: fit.error.join('\n') })
  for (const sentence of fit.value) terminal.complain(sentence)
  const { environment, free } = await withRealPort(wanted)
  const clock = opening.clock ?? makeClock(environment.clockStart)
  const lines = inOneWrite(place.write)
  const log = makeLog(lines.add, clock)
  let loss: LossWatch | null = null
  place.ends?.(log, () => {
    if (loss?.isUnsaved() === true) log.error({}, LOST_FOR_GOOD)
    log.flush()
    lines.write()
  })
  // During the start they are read anyway.
  let readAgain = (): void => {}
  place.askedToReload?.(() => readAgain())
  // Registered first: a server that is told to stop while it starts completes the start and then stops.
  const told = place.told(log)
  const assembled = await assemble(environment, {
    ...opening,
    clock,
    log,
    print: terminal.complain,
    works: true,
    isNew,
  })
  if (!assembled.ok) {
    await free()
    return assembled
  }
  const { app, deps, sandbox } = assembled.value
  readAgain = () => {
    log.info({}, 'told to read the event files again')
    void deps.events.reload()
  }
  const first = await addFirstAdmin(assembled.value).catch((error: unknown) => {
    const cannot = cannotStart(error, environment)
    if (cannot === null) throw error
    return err(cannot)
  })
  // Before the first answer.
  const lost = await refuseIfLost(deps)
  if (lost !== null || !first.ok) {
    await free()
    await assembled.value.close()
    if (lost !== null) return err(lost)
  }
  if (!first.ok) return first
  const password = first.value
  try {
    await free()
    await app.listen(listeningOn(environment))
  } catch (error) {
    await assembled.value.close()
    const text = cannotListen(error, environment)
    if (text === null) throw error
    return err({ status: 2, text })
  }
  if (place === ownProcess) giveBackLater(app.server)
  // Files that are aside and referred to again come back before they are needed.
  deps.uploads.reclaim().catch(stumbled(log))
  const sweeping = setInterval(() => {
    sweepUploads(deps).catch(stumbled(log))
  }, SWEEP_MS)
  sweeping.unref()
  const watched = watchForLoss(deps)
  loss = watched
  const looking = setInterval(() => void watched.look(), LOOK_MS)
  looking.unref()

  const url = environment.publicUrl
  terminal.print(
    [
      `Rollcall serves ${deps.events.all().length} event${deps.events.all().length === 1 ? '' : 's'} on ${url}`,
      `  Office   ${url}/admin/login`,
      ...(sandbox === null ? [] : [`  Sandbox  ${sandbox.url} (no real money)`]),
      ...(environment.clockStart === null
        ? []
        : [
            `  Clock    started at ${formatInstant(environment.clockStart)} in India, for rehearsal`,
          ]),
      ...(password === null
        ? []
        : [
            `  Admin    ${environment.firstAdmin.username}, password ${password} (printed only now)`,
          ]),
    ].join('\n'),
  )
  const stopped = told.then(async (signal) => {
    clearInterval(sweeping)
    clearInterval(looking)
    log.info({ signal }, 'stopping')
    // Data that would be lost with the process is rescued before it ends.
    await watched.beforeStop()
    const stuck = setTimeout(() => {
      log.error({}, 'the stop got stuck')
      process.exit(3)
    }, STOP_MS_MAX)
    stuck.unref()
    await assembled.value.close()
    clearTimeout(stuck)
    log.flush()
    log.info({}, 'stopped')
    return watched.isElsewhere() ? 2 : 0
  })
  return ok({ url, stopped })
}

const stumbled =
  (log: Log) =>
  (error: unknown): void =>
    log.error({ error: String(error) }, 'the sweep of uploads stumbled')

/** Removes or sets aside uploads, and logs each result. */
async function sweepUploads({
  uploads,
  log,
  isClockTrusted,
}: Pick<Deps, 'uploads' | 'log' | 'isClockTrusted'>): Promise<void> {
  if (!(await isClockTrusted())) return
  const { dropped, removed, setAside, held, aside } = await uploads.sweep()
  if (dropped > 0)
    log.warn({ registrations: dropped }, 'the files of registrations that nobody paid were dropped')
  if (removed > 0) log.info({ removed }, 'uploads that are not needed any more were removed')
  if (setAside > 0)
    log.warn({ setAside, aside }, 'uploads that no record refers to were set aside for 30 days')
  if (held !== null) log.warn({ held: held.count }, heldSentence(held))
}

/** A passed socket is already listening: clients that connect while the server restarts wait in its queue. */
function listeningOn({ port, host, socketFd }: Environment): FastifyListenOptions {
  const handed = socketFd === undefined ? {} : { fd: socketFd }
  return { port, host, ...handed }
}

/** Explains why the server cannot listen, in a sentence; null: it is a bug of ours. */
function cannotListen(error: unknown, { port, host, socketFd }: Environment): string | null {
  const { code } = error as NodeJS.ErrnoException
  if (socketFd !== undefined)
    return `LISTEN_FDS says that a socket was opened for the server, and it cannot listen on it (${code}).`
  return code === 'EADDRINUSE'
    ? `Port ${port} on ${host} is already in use. Set PORT to a free one.`
    : null
}

/**
 * Combines all lines of one turn of the event loop: a write per line is noticeable under load. `write` does not
 * wait for completion.
 */
function inOneWrite(write: (lines: string) => void): {
  readonly add: (line: string) => void
  readonly write: () => void
} {
  let lines = ''
  const writeAll = (): void => {
    const all = lines
    lines = ''
    if (all !== '') write(all)
  }
  return {
    add: (line) => {
      if (lines === '') setImmediate(writeAll)
      lines += line
    },
    write: writeAll,
  }
}

/** Resolves at the first SIGTERM or SIGINT; a later second one does not wait. */
function whenTold(log: Log): Promise<string> {
  return new Promise((resolve) => {
    let toldAt: number | null = null
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        const at = performance.now()
        if (toldAt !== null && at - toldAt > SAME_WORD_MS) {
          log.warn({ signal }, 'told twice: stopping at once')
          process.exit(3)
        }
        toldAt ??= at
        resolve(signal)
      })
    }
  })
}

/**
 * Port 0 means any free one. It must be known before anything refers to the server's address, and reserved while
 * the server starts: it is held until `free` is called.
 */
async function withRealPort(
  wanted: Environment,
): Promise<{ readonly environment: Environment; readonly free: () => Promise<void> }> {
  if (wanted.port !== 0 || wanted.socketFd !== undefined)
    return { environment: wanted, free: async () => {} }
  const holding = createServer((socket) => socket.destroy())
  holding.listen(0, wanted.host)
  await once(holding, 'listening')
  // If the start fails because of a bug, nothing frees it.
  holding.unref()
  const address = holding.address()
  assert(typeof address === 'object' && address !== null, 'a server that listens on no port')
  const { port } = address
  return {
    environment: { ...wanted, port, publicUrl: wanted.publicUrl.replace(/:0$/, `:${port}`) },
    free: async () => {
      holding.close()
      await once(holding, 'close')
    },
  }
}

/**
 * Adds the first owner when there is none. Returns the password if it was generated, to be printed once; refuses
 * one that is easy to guess.
 */
async function addFirstAdmin({ deps }: Assembled): Promise<Result<string | null, CannotStart>> {
  const { store, environment, clock, events } = deps
  if ((await store.adminCount()) > 0) return ok(null)
  const given = environment.firstAdmin.password
  const names = [environment.firstAdmin.username, ...events.all().map(({ config }) => config.id)]
  const refusal = given === null ? null : findPasswordProblem(given, names)
  if (refusal !== null)
    return err({
      status: 2,
      text: `ADMIN_PASSWORD was not accepted. ${refusal} Or leave it out to have one generated.`,
    })
  const password = given ?? makePassword()
  const added = await store.addAdmin(
    environment.firstAdmin.username,
    await hashPassword(password),
    clock(),
  )
  return ok(added.ok && given === null ? password : null)
}
