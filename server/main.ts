/** A server process: listens, says where, and stops without losing anything. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyListenOptions } from 'fastify'
import { assert, err, formatInstant, ok } from '../engine/index.ts'
import type { Result } from '../engine/index.ts'
import { assemble, cannotStart } from './assemble-server.ts'
import type { AssembleOptions, Assembled, CannotStart } from './assemble-server.ts'
import type { Terminal } from './cli/command.ts'
import { giveBackLater } from './ops/release-memory.ts'
import { makeClock } from './ops/clock.ts'
import type { Deps, Environment, Log } from './dependencies.ts'
import { makeLog } from './ops/log.ts'
import { servable } from './production-checks.ts'
import { DATABASE_FILE } from './storage/database/sqlite-connection.ts'
import { heldSentence } from './registration/uploads/unreferenced-files.ts'
import { hashPassword, makePassword, passwordRefusal } from './office/auth/passwords.ts'

/** Files that no registration refers to are looked for this often. */
const SWEEP_MS = 60 * 60 * 1000
/** Whether the database is still the file that was opened is looked at this often; each write looks by itself. */
const LOOK_MS = 1_000
/** A stop that takes longer than this has got stuck. */
const STOP_MS_MAX = 30_000
/**
 * Told again within this time it is the same word: a signal to a whole process group (systemd, Ctrl-C, timeout) reaches the
 * server and whatever started it, which passes it on.
 */
const SAME_WORD_MS = 1_000

/** `isNew`: an empty database may take the place of one that was lost. The rest is for tests, which wait less or keep time. */
export type Opening = { readonly isNew?: boolean } & Partial<
  Pick<AssembleOptions, 'opens' | 'clock' | 'steadyMs'>
>
export type Booted = { readonly url: string; readonly stopped: Promise<void> }

/** Where a server runs: what its log is written to, and what tells it to stop. */
export type Place = {
  /** Lines of one turn of the event loop at once. */
  write(lines: string): void
  /** Resolves with the name of whatever tells it. */
  told(log: Log): Promise<string>
  /** Calls back whenever somebody wants the event files read again; never when left out. */
  readonly askedToReload?: (reload: () => void) => void
  /** Calls back when the process is about to end, however it does, with what it dies of; never when left out. */
  readonly ends?: (log: Log, lastWords: () => void) => void
}
/** This process, which ends with its server. */
const ownProcess: Place = {
  write: (lines) => void process.stdout.write(lines),
  told: whenTold,
  askedToReload: (reload) => void process.on('SIGHUP', reload),
  ends: (log, lastWords) => {
    // Watched and not caught: it ends as it would, and the log says of what.
    process.on('uncaughtExceptionMonitor', (error) =>
      log.error({ error: error.stack ?? String(error) }, 'the server dies of an error of ours'),
    )
    process.on('exit', lastWords)
  },
}

/**
 * Starts everything and listens. Resolves once it is said where; refused with a sentence and the exit status where an
 * event file, a variable or the database does not let it start.
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
  place.ends?.(log, lines.write)
  // While it starts they are read anyway.
  let readAgain = (): void => {}
  place.askedToReload?.(() => readAgain())
  // From the first moment on: a server that is told to stop while it starts, starts and then stops.
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
  if (!first.ok) {
    await free()
    await assembled.value.close()
    return first
  }
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
  // What lies aside and something refers to comes back before anybody looks for it.
  deps.uploads.reclaim().catch(stumbled(log))
  const sweeping = setInterval(() => {
    sweepUploads(deps).catch(stumbled(log))
  }, SWEEP_MS)
  sweeping.unref()
  const look = noticeLoss(deps)
  const looking = setInterval(() => void look(), LOOK_MS)
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
    const stuck = setTimeout(() => {
      log.error({}, 'the stop got stuck')
      process.exit(3)
    }, STOP_MS_MAX)
    stuck.unref()
    // What is lost with the process is rescued before it ends.
    await look()
    await assembled.value.close()
    clearTimeout(stuck)
    log.info({}, 'stopped')
  })
  return ok({ url, stopped })
}

const stumbled =
  (log: Log) =>
  (error: unknown): void =>
    log.error({ error: String(error) }, 'the sweep of uploads stumbled')

/** What of the files of delegates goes, or is set aside, with a line for each. */
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

/** A socket that was handed over is listened on already: who asks while the server is started again waits in its queue. */
function listeningOn({ port, host, socketFd }: Environment): FastifyListenOptions {
  const handed = socketFd === undefined ? {} : { fd: socketFd }
  return { port, host, ...handed }
}

/** Why nobody can be listened to, in a sentence; null: it is a fault of ours. */
function cannotListen(error: unknown, { port, host, socketFd }: Environment): string | null {
  const { code } = error as NodeJS.ErrnoException
  if (socketFd !== undefined)
    return `LISTEN_FDS says that a socket was opened for the server, and it cannot listen on it (${code}).`
  return code === 'EADDRINUSE'
    ? `Port ${port} on ${host} is already in use. Set PORT to a free one.`
    : null
}

/** Looked at once more after so long: whoever renames it back at once has lost nothing. */
const SURE_MS = 300
/** A rescue for which there is no room is tried again this often. */
const RESCUE_AGAIN_MS = 30_000

/**
 * Looks whether the database file is still the one that was opened, and where it is not, writes what the server still holds
 * into a file of its own, saying where. Answers when that is done, or has failed.
 */
export function noticeLoss({ store, log }: Pick<Deps, 'store' | 'log'>): () => Promise<void> {
  let isSaid = false
  let isRescued = false
  let failedAt: number | null = null
  const look = async (): Promise<void> => {
    if (isRescued) return
    let what = await store.lost()
    if (what === null) return
    if (!isSaid) {
      await sleep(SURE_MS)
      what = await store.lost()
      if (what === null) return
      log.error(
        { file: DATABASE_FILE },
        `the database file ${what} while the server runs: writes are refused. DO NOT STOP THE SERVER: it holds data that is in no file any more, and is writing it out`,
      )
      isSaid = true
    }
    if (failedAt !== null && performance.now() - failedAt < RESCUE_AGAIN_MS) return
    try {
      const { file, rows, isWhole } = await store.rescue()
      isRescued = true
      log.error({ file, rows, isWhole }, isWhole ? WHOLE(file) : PARTS(file))
    } catch (error) {
      failedAt = performance.now()
      log.error(
        { error: String(error) },
        `what the server holds of the database could not be written out. DO NOT STOP THE SERVER: make room in DATA_DIR; it tries again every ${RESCUE_AGAIN_MS / 1000} seconds`,
      )
    }
  }
  let looking: Promise<void> | null = null
  return () => {
    looking ??= look().finally(() => {
      looking = null
    })
    return looking
  }
}
const NEXT = (file: string): string =>
  `Stop the server, move rollcall.db, rollcall.db-wal and rollcall.db-shm (what is there of them) into another folder, rename ${file} to rollcall.db and start the server`
const WHOLE = (file: string): string =>
  `everything that was in the database is in ${file}, which was checked. ${NEXT(file)}`
const PARTS = (file: string): string =>
  `what could be read of the database is in ${file}: compare its rows with the last backup, because some may be missing, and keep all files of DATA_DIR. ${NEXT(file)}`

/** Lines of one turn of the event loop in one write: under load a write per line is felt. `write` does not wait for its end. */
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

/** Resolves at the first SIGTERM or SIGINT; another one later does not wait. */
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
 * Port 0 is any free one. It has to be known before anything refers to the server's address, and is nobody else's while
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
  // Where starting fails by an error of ours, nothing frees it.
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
 * Adds the first admin when there is none. Answers the password if it was made up, to be printed once;
 * refuses one that everybody guesses.
 */
async function addFirstAdmin({ deps }: Assembled): Promise<Result<string | null, CannotStart>> {
  const { store, environment, clock, events } = deps
  if ((await store.adminCount()) > 0) return ok(null)
  const given = environment.firstAdmin.password
  const names = [environment.firstAdmin.username, ...events.all().map(({ config }) => config.id)]
  const refusal = given === null ? null : passwordRefusal(given, names)
  if (refusal !== null)
    return err({
      status: 2,
      text: `ADMIN_PASSWORD is not taken. ${refusal} Or leave it out, and one is made up.`,
    })
  const password = given ?? makePassword()
  const added = await store.addAdmin(
    environment.firstAdmin.username,
    await hashPassword(password),
    clock(),
  )
  return ok(added.ok && given === null ? password : null)
}
