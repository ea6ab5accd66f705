/** Assembles the server without a socket: `boot` makes it listen, tests inject requests. */
import { accessSync, constants, existsSync } from 'node:fs'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { err, ok } from '../engine/index.ts'
import type { Instant, Result } from '../engine/index.ts'
import { buildApp } from './app.ts'
import type { Deps, Environment, EventRegistry, Log } from './dependencies.ts'
import { watchClock } from './ops/clock-jumps.ts'
import { freeFilesNear } from './ops/free-disk-space.ts'
import { missingAccounts } from './ops/environment.ts'
import { keepPrivate } from './ops/file-permissions.ts'
import { openGateway } from './payments/gateways/select-gateway.ts'
import type { Sandbox } from './payments/gateways/airpay/simulator/simulator.ts'
import { openMailer } from './mail/send-queued-emails.ts'
import { openLapsing } from './registration/actions/expire-unpaid.ts'
import { openPricing } from './payments/reprice-unpaid-daily.ts'
import { within } from './ops/clock.ts'
import type { ByItself } from './ops/clock.ts'
import { openDailyMail } from './mail/send-daily-payment-reviews.ts'
import type { Mailer } from './mail/send-queued-emails.ts'
import { openPayments } from './payments/poll-payments.ts'
import { refuseIfLost } from './ops/recovery/lost-while-starting.ts'
import {
  beginAsLogIsMissing,
  openRecovering,
  recoverIfOlder,
} from './ops/recovery/start-recovery.ts'
import { cacheFolderIn } from './events/files/compiled-event-cache.ts'
import type { Judge } from './events/files/event-folder.ts'
import { openRegistry } from './events/event-registry.ts'
import { warmValidators } from './events/answer-validators.ts'
import { DATABASE_FILE } from './storage/database/sqlite-connection.ts'
import { LostWhileStarting } from './storage/recovery/hold-database.ts'
import {
  holdsTraces,
  lackOf,
  lostDatabase,
  moveRestAside,
} from './storage/recovery/missing-database.ts'
import { openStore } from './storage/open-store.ts'
import { beginServing } from './storage/database/single-server-lock.ts'
import { troubleOf } from './storage/database/error-explanations.ts'
import type { Store } from './storage/index.ts'
import { clockTrust } from './ops/health/clock-check.ts'
import { openKeeping } from './registration/actions/erase-personal-data.ts'
import { openGivenBack } from './mail/send-refund-emails.ts'
import { openUnfinished } from './mail/send-payment-reminders.ts'
import { openUploads, placesIn } from './registration/uploads/store-uploaded-files.ts'

/** A stop waits at most this long for the last note. */
const LAST_NOTE_MS = 1_000

/** What a start creates: the log of the database, locks and notes. */
const FILES_MIN = 16

export type AssembleOptions = {
  readonly clock: () => Instant
  /** Milliseconds of a monotonic clock; left out: the machine's own. */
  readonly steadyMs?: () => number
  readonly log: Log
  /** Prints findings in readable form. */
  readonly print: (text: string) => void
  /** Whether background jobs run: watching event files, polling payments, sending emails. */
  readonly works: boolean
  /** Whether an empty database may replace a lost one; left out: no. */
  readonly isNew?: boolean
  /** Overrides `works` for the event files only. */
  readonly watches?: boolean
  /** Whether new event files are activated for all servers of the database; left out: as `works`. */
  readonly decides?: boolean
  /** Checks changed event files; left out: a worker thread. */
  readonly judge?: Judge
  /** Opens the store; left out: with worker threads. */
  readonly opens?: typeof openStore
}
export type Assembled = {
  readonly app: FastifyInstance
  readonly deps: Deps
  readonly mailer: Mailer
  /** The background jobs, for callers that want to run one now. */
  readonly unfinished: ByItself
  readonly givenBack: ByItself
  readonly keeping: ByItself
  readonly daily: ByItself
  readonly lapsing: ByItself
  /** Changes unpaid registrations to the price of today where that day sets it. */
  readonly pricing: ByItself
  /** Notes the progress of the database, and detects an older one. */
  readonly recovering: ByItself
  /** Null unless the gateway is our own simulator. */
  readonly sandbox: Sandbox | null
  /** Answers pending requests, then closes everything; nothing acknowledged is lost. */
  close(): Promise<void>
}
/**
 * The reason why the server cannot start, with the exit status: 1 an event file, 2 the environment, 75 a
 * temporary problem (EX_TEMPFAIL).
 */
export type CannotStart = { readonly text: string; readonly status: 1 | 2 | 75 }

export async function assemble(
  environment: Environment,
  options: AssembleOptions,
): Promise<Result<Assembled, CannotStart>> {
  const unusable = unusableFolder(environment, options.log)
  if (unusable !== null) return err(unusable)
  const begins = mayBegin(environment, options)
  if (!begins.ok) return err({ text: begins.error, status: 2 })
  try {
    return await assembleServing(environment, { ...options, mayMake: begins.value })
  } catch (error) {
    const cannot = cannotStart(error, environment)
    if (cannot === null) throw error
    return err(cannot)
  }
}

/** Returns the machine's problem that prevents a start; null: the error is a bug of ours. */
export function cannotStart(error: unknown, { dataDir }: Environment): CannotStart | null {
  const trouble = troubleOf(error, dataDir)
  if (trouble === null) return null
  return trouble.isTemporary
    ? { text: `${trouble.text} Then start again; a unit of systemd does so by itself.`, status: 75 }
    : { text: trouble.text, status: 2 }
}

/** Decides whether a new database may be created; refuses if one was lost, or if one exists and should not. */
function mayBegin(
  { dataDir, databaseUrl }: Environment,
  { works, isNew = false }: AssembleOptions,
): Result<boolean, string> {
  if (!works) return ok(false)
  const hasServed = holdsTraces(dataDir)
  if (databaseUrl !== null) return ok(isNew || !hasServed)
  if (isNew && lackOf(dataDir) === null)
    return err(
      `There is a database in ${dataDir}. Start without --new to serve it. To begin with an empty one, move it away or set another DATA_DIR.`,
    )
  const lost = isNew ? null : lostDatabase(dataDir)
  // One that is deleted after this moment is not replaced by an empty one.
  return lost === null ? ok(isNew || lackOf(dataDir) !== null) : err(lost)
}

/** `mayMake`: whether a missing database is created. */
type Beginning = AssembleOptions & { readonly mayMake: boolean }

async function assembleServing(
  environment: Environment,
  options: Beginning,
): Promise<Result<Assembled, CannotStart>> {
  // A process with background jobs must be the only one; a command beside a server only reads.
  const leave = options.works ? beginServing(environment.dataDir) : () => {}
  if (leave === null)
    return err({
      text: `DATA_DIR is ${environment.dataDir}, and another server is at work there: each mail would go out twice. Stop that one first, or give this one a DATA_DIR of its own.`,
      status: 2,
    })
  const assembled = await assembleAlone(environment, options).catch((error: unknown) => {
    leave()
    throw error
  })
  if (!assembled.ok) {
    leave()
    return assembled
  }
  const { close } = assembled.value
  return ok({
    ...assembled.value,
    close: async () => {
      await close()
      leave()
    },
  })
}

async function assembleAlone(
  environment: Environment,
  options: Beginning,
): Promise<Result<Assembled, CannotStart>> {
  const { clock, opens = openStore, works, isNew = false, mayMake } = options
  const aside =
    isNew && environment.databaseUrl === null ? moveRestAside(environment.dataDir, clock()) : null
  if (aside !== null)
    options.print(`${aside.names.join(', ')} of an earlier database are now in ${aside.folder}.`)
  if (works && environment.databaseUrl === null)
    await beginAsLogIsMissing({ ...options, environment })
  const store = await opens({
    ...environment,
    migrates: works,
    isNew: works ? mayMake : undefined,
  }).catch((error: unknown) => {
    if (error instanceof LostWhileStarting) return error
    throw error
  })
  /** What was lost meanwhile is rescued first, whatever else went wrong. */
  const giveUp = async (): Promise<CannotStart | null> => {
    const lost = works ? await refuseIfLost({ ...options, store, environment }) : null
    await store.close()
    return lost
  }
  try {
    if (store instanceof LostWhileStarting) throw store
    const assembled = await assembleOn(store, environment, options)
    return assembled.ok ? assembled : err((await giveUp()) ?? assembled.error)
  } catch (error) {
    const lost = await giveUp()
    if (lost === null) throw error
    return err(lost)
  }
}

async function assembleOn(
  store: Store,
  environment: Environment,
  options: AssembleOptions,
): Promise<Result<Assembled, CannotStart>> {
  const { clock, log } = options
  // Before anything is sent, queried or erased.
  if (options.works) await recoverIfOlder({ store, clock, log, environment })
  if (!existsSync(environment.eventsDir) && (await store.eventsServed()).length === 0)
    return err({ text: noEvents(environment.eventsDir), status: 2 })
  const opened = await openEvents(environment, options, store)
  if (!opened.ok) return opened
  const events = opened.value
  const opening = await openGateway({ environment, events, clock, log })
  if (!opening.ok) {
    await events.close()
    return err({ text: opening.error, status: 2 })
  }
  const { gateway, sandbox, close: closeGateway } = opening.value
  const clockJumps = watchClock({ clock, log }, options)
  const payments = openPayments(
    { store, events, gateway, clock, log },
    { reconciles: options.works },
  )
  const mailer = openMailer(
    { store, events, clock, clockJumps, log, environment },
    { works: options.works },
  )
  const unfinished = openUnfinished({ store, events, clock, log }, { works: options.works })
  const givenBack = openGivenBack({ store, events, clock, log }, { works: options.works })
  const lapsing = openLapsing({ store, events, clock, log }, { works: options.works })
  const pricing = openPricing({ store, events, clock, log }, { works: options.works })
  const recovering = openRecovering({ store, clock, log, environment }, { works: options.works })
  const daily = openDailyMail({ store, events, clock, log, environment }, { works: options.works })
  const uploads = openUploads({ ...placesIn(environment.dataDir), store, clock })
  const isClockTrusted = clockTrust({ store, clock, clockJumps, log })
  // Before anything is recorded by a clock that may be wrong.
  if (options.works) await isClockTrusted()
  const keeping = openKeeping(
    { store, events, clock, log, environment, uploads, isClockTrusted },
    { works: options.works },
  )
  const deps: Deps = {
    environment,
    store,
    events,
    gateway,
    payments,
    uploads,
    clock,
    clockJumps,
    mailSilentSince: mailer.silentSince,
    isClockTrusted,
    log,
  }
  const app = await buildApp(deps)
  const { promise: listening, resolve: listens } = Promise.withResolvers<void>()
  app.addHook('onListen', (done) => {
    listens()
    done()
  })
  await app.ready()
  const warming = options.works ? warmValidators(events, clock, log, listening) : null
  return ok({
    app,
    deps,
    mailer,
    unfinished,
    givenBack,
    keeping,
    daily,
    lapsing,
    pricing,
    recovering,
    sandbox,
    close: async () => {
      // From the outside in: no new requests, then what running requests still need, the store last.
      warming?.stop()
      await app.close()
      await clockJumps.close()
      await payments.close()
      await unfinished.close()
      await givenBack.close()
      await lapsing.close()
      await pricing.close()
      await recovering.close()
      // So that the next start knows the progress of the database.
      if (options.works) await within(LAST_NOTE_MS, recovering.run(), () => {})
      await keeping.close()
      await daily.close()
      await mailer.close()
      await closeGateway()
      await events.close()
      await store.close()
    },
  })
}

const noEvents = (eventsDir: string): string =>
  `EVENTS_DIR is ${eventsDir}, and there is no such folder.`

/** Null when the event files are readable, or were once, and the data folder is writable. */
function unusableFolder(environment: Environment, log: Log): CannotStart | null {
  const { eventsDir, dataDir, databaseUrl } = environment
  if (
    !existsSync(eventsDir) &&
    databaseUrl === null &&
    !existsSync(path.join(dataDir, DATABASE_FILE))
  )
    return { text: noEvents(eventsDir), status: 2 }
  const noFiles = noFilesLeft(dataDir)
  if (noFiles !== null) return noFiles
  try {
    const { tightened, notOurs } = keepPrivate(dataDir)
    if (tightened > 0)
      log.warn(
        { tightened },
        'other users of this machine could read what is in DATA_DIR; now only the user who runs the server can',
      )
    if (notOurs.length > 0)
      log.warn(
        { entries: notOurs.length, first: notOurs[0] },
        'something in DATA_DIR belongs to another user, and others may read it',
      )
    accessSync(dataDir, constants.W_OK)
    return null
  } catch (error) {
    const cannot = cannotStart(error, environment)
    if (cannot?.status === 75) return cannot
    return { text: `DATA_DIR is ${dataDir}, and nothing can be written there.`, status: 2 }
  }
}

/** Without free inodes SQLite reports an error of the database, half way through the start. */
function noFilesLeft(dataDir: string): CannotStart | null {
  const files = freeFilesNear(dataDir)
  if (files === null || files >= FILES_MIN) return null
  return {
    text: `DATA_DIR is ${dataDir}, and its disk has room for ${files} more files (free inodes); a start needs ${FILES_MIN}. Remove files that are not needed: "df -i" shows the disks, and "du --inodes" where the files are. Then start again; a unit of systemd does so by itself.`,
    status: 75,
  }
}

/** Opens the checked event files, with the credentials they need. */
export async function openEvents(
  environment: Environment,
  options: AssembleOptions,
  store: Store,
): Promise<Result<EventRegistry, CannotStart>> {
  const opened = await openRegistry({
    folder: environment.eventsDir,
    cacheFolder: cacheFolderIn(environment.dataDir),
    store,
    clock: options.clock,
    log: options.log,
    print: options.print,
    production: environment.production,
    cannotServe: (event) => missingAccounts(environment, [event])[0] ?? null,
    watches: options.watches ?? options.works,
    decides: options.decides ?? options.works,
    ...(options.judge === undefined ? {} : { judge: options.judge }),
    ...(options.steadyMs === undefined ? {} : { steadyMs: options.steadyMs }),
  })
  if (!opened.ok) return err({ text: opened.error, status: 1 })
  const missing = missingAccounts(
    environment,
    opened.value.all().flatMap(({ config, isGone }) => (isGone ? [] : [config])),
  )
  if (missing.length === 0) return opened
  await opened.value.close()
  return err({ text: missing.join('\n'), status: 2 })
}
