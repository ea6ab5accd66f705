/** Assembles the server without a socket: the start command makes it listen, tests inject requests. */
import { accessSync, constants, existsSync } from 'node:fs'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { err, ok } from '../engine/index.ts'
import type { Instant, Result } from '../engine/index.ts'
import { buildApp } from './app.ts'
import type { Deps, Environment, EventRegistry, Log } from './dependencies.ts'
import { watchClock } from './ops/clock-jumps.ts'
import { explainFewInodes } from './ops/free-disk-space.ts'
import { listMissingAccounts } from './ops/gateway-accounts.ts'
import { explainDataDir, explainMissingParent, makePrivate } from './ops/file-permissions.ts'
import { openGateway } from './payments/gateways/select-gateway.ts'
import type { OpenSimulators } from './payments/gateways/select-gateway.ts'
import { startMailQueue } from './mail/send-queued-emails.ts'
import { startEarlierRegistrationsJob } from './events/earlier-registrations-job.ts'
import { startExpiryJob } from './registration/actions/expiry-job.ts'
import { startPriceUpdates } from './payments/reprice-unpaid-daily.ts'
import { waitAtMost } from './ops/clock.ts'
import type { PeriodicJob } from './ops/clock.ts'
import { startDailyReviewEmail } from './mail/send-daily-payment-reviews.ts'
import type { Mailer } from './mail/send-queued-emails.ts'
import { openPayments } from './payments/poll-payments.ts'
import { rescueIfLost } from './ops/recovery/lost-while-starting.ts'
import {
  scheduleRecoveryIfLogMissing,
  startProgressRecording,
  recoverIfOlder,
} from './ops/recovery/start-recovery.ts'
import { getCacheFolder } from './events/files/compiled-event-cache.ts'
import type { FolderCheck } from './events/files/event-folder.ts'
import { openRegistry } from './events/event-registry.ts'
import { warmValidators } from './events/answer-validators.ts'
import { DATABASE_FILE } from './storage/database/sqlite-connection.ts'
import { DatabaseLostAtStart } from './storage/recovery/hold-database.ts'
import {
  hasServerTraces,
  describeMissing,
  explainLostDatabase,
  moveRemainingFilesAside,
} from './storage/recovery/missing-database.ts'
import { openStore } from './storage/open-store.ts'
import { lockDataFolder } from './storage/database/single-server-lock.ts'
import { explainMachineProblem } from './storage/database/error-explanations.ts'
import type { Store } from './storage/index.ts'
import { createErasureCheck } from './ops/health/clock-check.ts'
import { startRetentionJob } from './registration/actions/erase-after-retention.ts'
import { startRefundEmails } from './mail/send-refund-emails.ts'
import { startPaymentReminders } from './mail/send-payment-reminders.ts'
import { startSamePersonEmails } from './mail/send-same-person-emails.ts'
import { openUploads, getUploadLocations } from './registration/uploads/store-uploaded-files.ts'

/** The maximum wait for the final progress record during shutdown. */
const FINAL_RECORD_TIMEOUT_MS = 1_000

export type AssembleOptions = {
  readonly clock: () => Instant
  /** A monotonic clock in milliseconds; defaults to the machine's own. */
  readonly steadyMs?: () => number
  readonly log: Log
  /** Prints findings in readable form. */
  readonly print: (text: string) => void
  /** True if background jobs run: watching event files, polling payments, sending emails. */
  readonly hasJobs: boolean
  /** True if an empty database may replace a lost one; defaults to false. */
  readonly isNew?: boolean
  /** Overrides `hasJobs` for the event files only. */
  readonly isWatching?: boolean
  /** True if this process activates new event files for all servers that share the database; defaults to `hasJobs`. */
  readonly activatesVersions?: boolean
  /** Checks changed event files; defaults to a worker thread. */
  readonly checkFolder?: FolderCheck
  /** Opens the store; defaults to worker threads. */
  readonly openStore?: typeof openStore
  readonly maxRehearsalMs?: number
}
export type AssembledServer = {
  readonly app: FastifyInstance
  readonly deps: Deps
  readonly mailer: Mailer
  /** The background jobs, so that callers can run one immediately. */
  readonly paymentReminders: PeriodicJob
  readonly refundEmails: PeriodicJob
  readonly samePersonEmails: PeriodicJob
  readonly retention: PeriodicJob
  readonly dailyReviewEmail: PeriodicJob
  readonly expiry: PeriodicJob
  readonly earlierRegistrations: PeriodicJob
  /** Changes unpaid registrations to today's price if the credit date sets it. */
  readonly priceUpdates: PeriodicJob
  /** Records the progress of the database, and detects if it was replaced by an older one. */
  readonly recovery: PeriodicJob
  /** The gateway simulators. Null if the gateways are real. */
  readonly simulators: OpenSimulators | null
  /** Completes pending requests, then closes everything; no acknowledged data is lost. */
  close(): Promise<void>
}
/** The cause of a failed startup, with exit status 1 (event file), 2 (environment) or 75 (temporary problem). */
export type StartProblem = { readonly text: string; readonly status: 1 | 2 | 75 }

export async function assembleServer(
  environment: Environment,
  options: AssembleOptions,
): Promise<Result<AssembledServer, StartProblem>> {
  const folderProblem = checkFolders(environment, options.log)
  if (folderProblem !== null) return err(folderProblem)
  const creationResult = checkDatabaseCreation(environment, options)
  if (!creationResult.ok) return err({ text: creationResult.error, status: 2 })
  try {
    return await assembleWithLock(environment, {
      ...options,
      canCreateDatabase: creationResult.value,
    })
  } catch (error) {
    const problem = findStartProblem(error, environment)
    if (problem === null) throw error
    return err(problem)
  }
}

/** Returns the problem with the machine that prevents startup; null if the error is a bug. */
export function findStartProblem(error: unknown, { dataDir }: Environment): StartProblem | null {
  const problem = explainMachineProblem(error, dataDir)
  if (problem === null) return null
  return problem.isTemporary
    ? {
        text: `${problem.text} Then start again; a systemd unit does so automatically.`,
        status: 75,
      }
    : { text: problem.text, status: 2 }
}

/** Decides whether a new database may be created; refuses if one was lost, or if one exists unexpectedly. */
function checkDatabaseCreation(
  { dataDir, databaseUrl }: Environment,
  { hasJobs, isNew = false }: AssembleOptions,
): Result<boolean, string> {
  if (!hasJobs) return ok(false)
  const hasTraces = hasServerTraces(dataDir)
  if (databaseUrl !== null) return ok(isNew || !hasTraces)
  if (isNew && describeMissing(dataDir) === null)
    return err(
      `${dataDir} already contains a database. Start without --new to use it. To start with an empty one, move it elsewhere or set another DATA_DIR.`,
    )
  const lossMessage = isNew ? null : explainLostDatabase(dataDir)
  // A database that is deleted after this check is not replaced by an empty one.
  return lossMessage === null ? ok(isNew || describeMissing(dataDir) !== null) : err(lossMessage)
}

/** If `canCreateDatabase` is true, startup creates a missing database. */
type StartOptions = AssembleOptions & { readonly canCreateDatabase: boolean }

async function assembleWithLock(
  environment: Environment,
  options: StartOptions,
): Promise<Result<AssembledServer, StartProblem>> {
  // A process with background jobs must be the only one; CLI commands run alongside a server and only read.
  const releaseLock = options.hasJobs ? lockDataFolder(environment.dataDir) : () => {}
  if (releaseLock === null)
    return err({
      text: `Another server is using DATA_DIR (${environment.dataDir}), so each email would be sent twice. Stop that server, or set another DATA_DIR for this one.`,
      status: 2,
    })
  const assembleResult = await assembleWithStore(environment, options).catch((error: unknown) => {
    releaseLock()
    throw error
  })
  if (!assembleResult.ok) {
    releaseLock()
    return assembleResult
  }
  const { close } = assembleResult.value
  return ok({
    ...assembleResult.value,
    close: async () => {
      await close()
      releaseLock()
    },
  })
}

async function assembleWithStore(
  environment: Environment,
  options: StartOptions,
): Promise<Result<AssembledServer, StartProblem>> {
  const { clock, openStore: open = openStore, hasJobs, isNew = false, canCreateDatabase } = options
  const movedFiles =
    isNew && environment.databaseUrl === null
      ? moveRemainingFilesAside(environment.dataDir, clock())
      : null
  if (movedFiles !== null)
    options.print(
      `${movedFiles.names.join(', ')} of an earlier database are now in ${movedFiles.folder}.`,
    )
  if (hasJobs && environment.databaseUrl === null)
    await scheduleRecoveryIfLogMissing({ ...options, environment })
  const store = await open({
    ...environment,
    migrates: hasJobs,
    isNew: hasJobs ? canCreateDatabase : undefined,
  }).catch((error: unknown) => {
    if (error instanceof DatabaseLostAtStart) return error
    throw error
  })
  /** Closes the store. If the database was lost in the meantime, rescues its data first. */
  const closeAfterFailure = async (): Promise<StartProblem | null> => {
    const rescueResult = hasJobs ? await rescueIfLost({ ...options, store, environment }) : null
    await store.close()
    return rescueResult
  }
  try {
    if (store instanceof DatabaseLostAtStart) throw store
    const assembleResult = await assembleParts(store, environment, options)
    return assembleResult.ok
      ? assembleResult
      : err((await closeAfterFailure()) ?? assembleResult.error)
  } catch (error) {
    const rescueResult = await closeAfterFailure()
    if (rescueResult === null) throw error
    return err(rescueResult)
  }
}

async function assembleParts(
  store: Store,
  environment: Environment,
  options: AssembleOptions,
): Promise<Result<AssembledServer, StartProblem>> {
  const { clock, log } = options
  // Must run before anything is sent, queried or erased.
  if (options.hasJobs) await recoverIfOlder({ store, clock, log, environment })
  if (!existsSync(environment.eventsDir) && (await store.eventsServed()).length === 0)
    return err({ text: explainNoEvents(environment.eventsDir), status: 2 })
  const openedEvents = await openEvents(environment, options, store)
  if (!openedEvents.ok) return openedEvents
  const events = openedEvents.value
  const openedGateway = await openGateway({ environment, events, store, clock, log })
  if (!openedGateway.ok) {
    await events.close()
    return err({ text: openedGateway.error, status: 2 })
  }
  const { gateway, simulators, close: closeGateway } = openedGateway.value
  const clockJumps = watchClock({ clock, log }, { ...options, isEnabled: options.hasJobs })
  const jobs = { isEnabled: options.hasJobs }
  const payments = openPayments({ store, events, gateway, clock, log }, jobs)
  const mailer = startMailQueue({ store, events, clock, clockJumps, log, environment }, jobs)
  const paymentReminders = startPaymentReminders({ store, events, clock, log }, jobs)
  const refundEmails = startRefundEmails({ store, events, clock, log }, jobs)
  const samePersonEmails = startSamePersonEmails({ store, events, clock, log }, jobs)
  const expiry = startExpiryJob({ store, events, clock, log }, jobs)
  const earlierRegistrations = startEarlierRegistrationsJob({ store, events, clock, log }, jobs)
  const priceUpdates = startPriceUpdates({ store, events, clock, log }, jobs)
  const recovery = startProgressRecording({ store, clock, log, environment }, jobs)
  const dailyReviewEmail = startDailyReviewEmail({ store, events, clock, log, environment }, jobs)
  const uploads = openUploads({ ...getUploadLocations(environment), store, clock })
  const isClockTrusted = createErasureCheck({ store, clock, clockJumps, log })
  // Must run before anything is recorded with the time of a clock that may be wrong.
  if (options.hasJobs) await isClockTrusted()
  const retention = startRetentionJob(
    { store, events, clock, log, environment, uploads, isClockTrusted },
    jobs,
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
    mailUnreachableSince: mailer.unreachableSince,
    isClockTrusted,
    maxRehearsalMs: options.maxRehearsalMs,
    log,
  }
  const app = await buildApp(deps)
  const { promise: listening, resolve: onListening } = Promise.withResolvers<void>()
  app.addHook('onListen', (done) => {
    onListening()
    done()
  })
  await app.ready()
  const validatorWarmUp = options.hasJobs ? warmValidators(events, clock, log, listening) : null
  return ok({
    app,
    deps,
    mailer,
    paymentReminders,
    refundEmails,
    samePersonEmails,
    retention,
    dailyReviewEmail,
    expiry,
    earlierRegistrations,
    priceUpdates,
    recovery,
    simulators,
    close: async () => {
      // Stops accepting requests first, then stops the services that running requests need, and the store last.
      validatorWarmUp?.stop()
      await app.close()
      await clockJumps.close()
      await payments.close()
      await paymentReminders.close()
      await refundEmails.close()
      await samePersonEmails.close()
      await expiry.close()
      await earlierRegistrations.close()
      await priceUpdates.close()
      await recovery.close()
      // The next start compares the database with this record.
      if (options.hasJobs) await waitAtMost(FINAL_RECORD_TIMEOUT_MS, recovery.run(), () => {})
      await retention.close()
      await dailyReviewEmail.close()
      await mailer.close()
      await closeGateway()
      await events.close()
      await store.close()
    },
  })
}

const explainNoEvents = (eventsDir: string): string =>
  `EVENTS_DIR is ${eventsDir}, which does not exist. Set it to the folder of the event files.`

/** Returns a problem; null if there are event files or served versions, and DATA_DIR is writable. */
function checkFolders(environment: Environment, log: Log): StartProblem | null {
  const { eventsDir, dataDir, databaseUrl } = environment
  if (
    !existsSync(eventsDir) &&
    databaseUrl === null &&
    !existsSync(path.join(dataDir, DATABASE_FILE))
  )
    return { text: explainNoEvents(eventsDir), status: 2 }
  const missingParent = explainMissingParent(dataDir)
  if (missingParent !== null) return { text: missingParent, status: 2 }
  const inodeProblem = explainFewInodes(dataDir)
  if (inodeProblem !== null) return { text: inodeProblem, status: 75 }
  try {
    const { restrictedCount, notOwned } = makePrivate(dataDir)
    if (restrictedCount > 0)
      log.warn(
        { tightened: restrictedCount },
        'other users of this machine could read files in DATA_DIR; now only the user who runs the server can',
      )
    if (notOwned.length > 0)
      log.warn(
        { entries: notOwned.length, first: notOwned[0] },
        'a file in DATA_DIR belongs to another user, and others may be able to read it',
      )
    accessSync(dataDir, constants.W_OK)
    return null
  } catch (error) {
    const problem = findStartProblem(error, environment)
    if (problem?.status === 75) return problem
    return { text: explainDataDir(dataDir, error), status: 2 }
  }
}

/** Opens the checked event files, with the credentials they need. */
export async function openEvents(
  environment: Environment,
  options: AssembleOptions,
  store: Store,
): Promise<Result<EventRegistry, StartProblem>> {
  const openedEvents = await openRegistry({
    folder: environment.eventsDir,
    cacheFolder: getCacheFolder(environment.dataDir),
    store,
    clock: options.clock,
    log: options.log,
    print: options.print,
    production: environment.production,
    explainUnservable: (event) => listMissingAccounts(environment, [event])[0] ?? null,
    isWatching: options.isWatching ?? options.hasJobs,
    activatesVersions: options.activatesVersions ?? options.hasJobs,
    ...(options.checkFolder === undefined ? {} : { checkFolder: options.checkFolder }),
    ...(options.steadyMs === undefined ? {} : { steadyMs: options.steadyMs }),
  })
  if (!openedEvents.ok) return err({ text: openedEvents.error, status: 1 })
  const missingAccounts = listMissingAccounts(
    environment,
    openedEvents.value.all().flatMap(({ config, isGone }) => (isGone ? [] : [config])),
  )
  if (missingAccounts.length === 0) return openedEvents
  await openedEvents.value.close()
  return err({ text: missingAccounts.join('\n'), status: 2 })
}
