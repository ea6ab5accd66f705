/**
 * Simulates the server in a history: the real routes, verification, adapter and store, in virtual time.
 * It can crash between any two calls. Work in progress is then lost, or committed without a response.
 * The routes are built once, but their dependencies change with each start of a server.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import threads from 'node:worker_threads'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { MIN_POLL_MS, instant, buildIssuer } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import { buildApp } from '../../server/app.ts'
import type {
  Deps,
  Environment,
  GatewayAdapter,
  Payments,
  ServedEvent,
} from '../../server/dependencies.ts'
import { createAirpayGateway } from '../../server/payments/gateways/airpay/airpay.ts'
import { combineGateways } from '../../server/payments/gateways/combine-gateways.ts'
import { createRazorpayGateway } from '../../server/payments/gateways/razorpay/razorpay.ts'
import { ORDER_RETURN_PATH } from '../../server/payments/gateways/message-paths.ts'
import { openPayments } from '../../server/payments/poll-payments.ts'
import { StoreBusy } from '../../server/storage/index.ts'
import type { StaffSender, Store } from '../../server/storage/index.ts'
import { writes } from '../../server/storage/operations/writes.ts'
import type { Timeline, Entry, Owner } from './virtual-time.ts'
import type { Disk } from './disk.ts'
import { ACCOUNTS, createRegistry } from './events.ts'
import type { Credentials } from './events.ts'
import type { Network } from './network.ts'
import { RAZORPAY_ACCOUNT } from './razorpay-gateway.ts'
import type { Random } from './random.ts'
import { InlineSheetThread } from './sheet-thread.ts'

/** The store's writes. A crash may commit them without a response. */
const WRITES: ReadonlySet<string> = new Set(Object.keys(writes))
/** The interval at which the server checks whether a poll is due, the same as in the real server. */
const TICK_MS = 10_000
/** The interval while an account is paused. The gateway is not queried then, so frequent checks are not needed. */
const IDLE_TICK_MS = 60_000
/**
 * After how long a refund is checked again if it is unsent or unanswered, and if it was started but is not complete
 * (`MAX_BEGUN_MS`).
 */
const REFUND_RETRY_MS = 5 * 60_000
const MAX_BEGUN_MS = 5 * 24 * 3_600_000
const RESTART_MS = 10_000
/** The proportion of work in progress that is committed without a response at a crash. */
const COMMITTED_AT_CRASH = 0.4

export type SimulatedResponse = {
  readonly status: number
  readonly body: string
  readonly location: string
}
/** Sends a request. Returns null if the connection is lost or the server is down. */
export type SendRequest = (options: InjectOptions) => Promise<SimulatedResponse | null>

/** The environment of a simulated server. */
export type SimulationEnvironment = {
  readonly timeline: Timeline
  readonly disk: Disk
  readonly random: Random
  /** Returns the event files that are in their folder now. `credentials` returns those in the environment. */
  files(): readonly ServedEvent[]
  credentials(): Credentials
  /** Returns by how much the server's clock is ahead of the true time. */
  skewMs(): number
  /** Returns how long the next call to the store takes. */
  storeMs(): number
  isDiskFull(): boolean
  /** Sends a request to the gateway over the simulated network. */
  readonly transport: Network['transport']
  /** Called after each write to the store. */
  onWrite(verb: string): Promise<void>
  trace(describe: () => string): void
}

export type SimulatedServer = {
  readonly call: SendRequest
  /** Crashes the server. At the next start, it reads everything again. `reload` reads only event files. */
  crash(): void
  /** Starts the server. Does nothing if it is already running. */
  start(): Promise<void>
  reload(): Promise<void>
  isUp(): boolean
  /**
   * Call this when the server's clock has been set. Polls that were due by the old clock run within a tick, as in the
   * real server.
   */
  handleClockChange(): void
  /** Runs a background job on the current server. Returns null if the server is down or crashes during the job. */
  runJob<T>(work: (deps: ServerDeps) => Promise<T>): Promise<T | null>
}
export type ServerDeps = Pick<
  Deps,
  'store' | 'events' | 'payments' | 'clock' | 'environment' | 'log'
>

type ServerState = {
  readonly owner: Owner
  readonly store: Store
  readonly payments: Payments
  events: readonly ServedEvent[]
  /** False until the server has stored the event files and their seats. Until then, it responds to no requests. */
  isListening: boolean
  readonly simulation: SimulationEnvironment
}

let runningServer: ServerState | null = null
const getRunning = (): ServerState => {
  if (runningServer === null) throw new Error('no server is running')
  return runningServer
}
const readClock = (): Instant => {
  const { simulation } = getRunning()
  return instant(simulation.timeline.now() + simulation.skewMs())
}
/** Creates an object whose members are looked up on each use, because the server may have been restarted. */
const createProxy = <T extends object>(current: () => T): T =>
  new Proxy({} as T, { get: (_, name) => current()[name as keyof T] })

const events = createRegistry(() => runningServer?.events ?? [])
const airpay: GatewayAdapter = createAirpayGateway({
  mode: 'live',
  events,
  account: (name) => {
    const accounts: Readonly<Record<string, Account>> =
      ACCOUNTS[getRunning().simulation.credentials()]
    return accounts[name] ?? null
  },
  addresses: null,
})
const razorpay: GatewayAdapter = createRazorpayGateway({
  events,
  account: (name) => (name === RAZORPAY_ACCOUNT.name ? RAZORPAY_ACCOUNT : null),
  addresses: null,
  checkouts: createProxy<Store>(() => getRunning().store),
  returnAddress: (orderId) => `http://127.0.0.1:3000${ORDER_RETURN_PATH}${orderId}/`,
})
const gateway = combineGateways({ airpay, razorpay })
type Account = (typeof ACCOUNTS)['first']['sample']

const environment: Environment = {
  port: 0,
  host: '127.0.0.1',
  publicUrl: 'http://127.0.0.1:3000',
  dataDir: '/nowhere',
  databaseUrl: null,
  eventsDir: '/nowhere',
  production: false,
  firstAdmin: { username: 'admin', password: null },
  smtpUrl: null,
  mailFrom: 'rollcall@sample.example',
  gatewayMode: 'live',
  accounts: {},
  rateLimits: false,
  metricsToken: null,
  clockStart: null,
  trustProxy: null,
  sandboxPort: 0,
}
const log = {
  info: () => {},
  warn: (entry: object, message?: string) =>
    runningServer?.simulation.trace(() => `warning: ${message ?? ''} ${JSON.stringify(entry)}`),
  error: (entry: object, message?: string) =>
    runningServer?.simulation.trace(() => `error: ${message ?? ''} ${JSON.stringify(entry)}`),
}
const rejectUploads = (): never => {
  throw new Error('no file is sent in a history')
}

let app: FastifyInstance | null = null
async function buildRoutes(): Promise<FastifyInstance> {
  if (app !== null) return app
  const deps: Deps = {
    environment,
    store: createProxy(() => getRunning().store),
    events,
    gateway,
    payments: createProxy(() => getRunning().payments),
    uploads: {
      receive: rejectUploads,
      detectType: rejectUploads,
      removePhotoMetadata: rejectUploads,
      storeFile: rejectUploads,
      protectFile: rejectUploads,
      discard: rejectUploads,
      read: rejectUploads,
      reclaim: async () => {},
      state: () => ({ problem: null, note: null }),
      sweep: rejectUploads,
      removeFiles: async () => {},
      listHashes: async () => [],
      check: async () => null,
    },
    clock: readClock,
    mailUnreachableSince: () => null,
    clockJumps: { findRecentJump: () => null, reportJump: () => {}, close: async () => {} },
    isClockTrusted: async () => true,
    log,
  }
  app = await buildApp(deps)
  await app.ready()
  return app
}

/**
 * Replaces timers, network requests and random numbers with the history's. Returns a function that restores the real
 * ones.
 */
function replaceGlobals(environment: SimulationEnvironment): () => void {
  const originals = {
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    fetch: globalThis.fetch,
    timeout: AbortSignal.timeout.bind(AbortSignal),
    randomInt: crypto.randomInt,
    randomBytes: crypto.randomBytes,
    Worker: threads.Worker,
  }
  const timeouts = new WeakMap<object, number>()
  Object.assign(globalThis, {
    setTimeout: (run: () => void, ms = 0) => {
      const entry = environment.timeline.schedule(ms, run, runningServer?.owner ?? null)
      return Object.assign(entry, { unref: () => entry, ref: () => entry })
    },
    clearTimeout: (entry: Entry | undefined) => {
      if (entry !== undefined) entry.isCancelled = true
    },
    fetch: (
      url: string,
      options: { body?: string; signal: object; headers?: Record<string, string> },
    ) =>
      environment.transport(
        url,
        options.body ?? '',
        timeouts.get(options.signal) ?? 0,
        getRunning().owner,
        options.headers?.['x-refund-idempotency'],
      ),
  })
  AbortSignal.timeout = (ms) => {
    const signal = {} as AbortSignal
    timeouts.set(signal, ms)
    return signal
  }
  Object.assign(crypto, {
    randomInt: (limit: number) => Math.floor(environment.random.next() * limit),
    randomBytes: (bytes: number) =>
      Buffer.from(Array.from({ length: bytes }, () => environment.random.below(256))),
  })
  Object.assign(threads, { Worker: InlineSheetThread })
  syncBuiltinESMExports()
  return () => {
    const { timeout, randomInt, randomBytes, Worker, ...globals } = originals
    Object.assign(globalThis, globals)
    AbortSignal.timeout = timeout
    Object.assign(crypto, { randomInt, randomBytes })
    Object.assign(threads, { Worker })
    syncBuiltinESMExports()
  }
}

export async function createSimulatedServer(
  simulation: SimulationEnvironment,
): Promise<SimulatedServer & { close(): void }> {
  const routes = await buildRoutes()
  const { timeline, disk } = simulation
  const restoreGlobals = replaceGlobals(simulation)
  const onCrash = new Set<() => void>()
  const uncommitted = new Map<Entry, () => void>()
  let plannedEntry: Entry | null = null

  const createDelayedStore = (owner: Owner, getStore = disk.store): Store =>
    new Proxy({} as Store, {
      get:
        (_, verb: keyof Store) =>
        (...args: unknown[]) =>
          // The chunks of an export are read while the response is sent, so there is no separate promise for them.
          verb === 'exportRows'
            ? (getStore().exportRows as (...args: unknown[]) => unknown)(...args)
            : verb === 'forSender'
              ? createDelayedStore(owner, () => getStore().forSender(args[0] as StaffSender))
              : new Promise((resolve, reject) => {
                  const run = async (): Promise<unknown> => {
                    const operation = (
                      getStore()[verb] as (...given: unknown[]) => Promise<unknown>
                    )(...args)
                    simulation.trace(() => `store: ${verb}`)
                    if (!WRITES.has(verb)) return operation
                    await operation.catch(() => {})
                    await simulation.onWrite(verb)
                    await planNextRun()
                    return operation
                  }
                  const entry = timeline.schedule(
                    simulation.storeMs(),
                    () => {
                      uncommitted.delete(entry)
                      if (simulation.isDiskFull() && WRITES.has(verb))
                        reject(new StoreBusy('the disk is full'))
                      else run().then(resolve, reject)
                    },
                    owner,
                  )
                  if (WRITES.has(verb)) uncommitted.set(entry, () => void run().catch(() => {}))
                }),
    })

  /** Returns the true time at which the next job is due by the server's own clock. Null if no job is planned. */
  const findNextDue = async (): Promise<number | null> => {
    const row = await disk
      .sql()<Record<'open' | 'ended' | 'refund' | 'dispute', number | null>>(
        `SELECT min(iif(status = 'pending' AND review IS NULL, next_ask_at + ${MIN_POLL_MS}, NULL)) AS open,
        min(iif(watch_until IS NOT NULL AND NOT (status = 'pending' AND review IS NULL), next_ask_at, NULL)) AS ended,
        (SELECT min(coalesce(asked_at, at) + iif(state = 'asked' AND said IS NOT NULL, ${MAX_BEGUN_MS}, ${REFUND_RETRY_MS}))
          FROM refunds WHERE state IN ('wanted', 'asked')) AS refund,
        (SELECT min(next_ask_at) FROM disputes) AS dispute FROM payments`,
      )
      .get()
    const times = Object.values(row ?? {}).filter((time) => time !== null)
    return times.length === 0 ? null : Math.min(...times) - simulation.skewMs()
  }
  let earliestTickAt = 0
  let isReconciling = false
  const planNextRun = async (): Promise<void> => {
    if (runningServer === null || isReconciling) return
    const dueAt = await findNextDue()
    if (dueAt === null || runningServer === null || isReconciling) return
    const tickAt = Math.max(dueAt, earliestTickAt)
    if (plannedEntry !== null && !plannedEntry.isCancelled && plannedEntry.at <= tickAt) return
    if (plannedEntry !== null) plannedEntry.isCancelled = true
    plannedEntry = timeline.schedule(tickAt - timeline.now(), reconcile, runningServer.owner)
  }
  const reconcile = (): void => {
    plannedEntry = null
    if (runningServer === null) return
    const { owner, payments } = runningServer
    isReconciling = true
    const queriesBefore = queryCount
    void payments
      .queryDue()
      .catch((error: unknown) => simulation.trace(() => `the reconciler failed: ${String(error)}`))
      .then(() => {
        if (owner.isRemoved) return
        isReconciling = false
        earliestTickAt = timeline.now() + (queryCount > queriesBefore ? TICK_MS : IDLE_TICK_MS)
        void planNextRun()
      })
  }
  const handleClockChange = (): void => {
    if (runningServer === null) return
    if (isReconciling) {
      timeline.schedule(TICK_MS, handleClockChange, runningServer.owner)
      return
    }
    if (plannedEntry !== null) plannedEntry.isCancelled = true
    plannedEntry = timeline.schedule(TICK_MS, reconcile, runningServer.owner)
  }
  let queryCount = 0
  const transport = simulation.transport
  Object.assign(simulation, {
    transport: (...args: Parameters<SimulationEnvironment['transport']>) => {
      queryCount += 1
      return transport(...args)
    },
  })

  const storeFiles = async (store: Store, files: readonly ServedEvent[]): Promise<void> => {
    for (const { hash, config, text, shared } of files) {
      const { id: eventId, quotas: limits, holdSeatsMs: holdPlaceMs } = config
      const [at, issuer] = [readClock(), buildIssuer(config)]
      await store.saveEventFile({ hash, eventId, text, shared, at, limits, holdPlaceMs, issuer })
    }
  }
  const crash = (): void => {
    if (runningServer === null) return
    runningServer.owner.isRemoved = true
    runningServer = null
    plannedEntry = null
    for (const commit of uncommitted.values())
      if (simulation.random.chance(COMMITTED_AT_CRASH)) commit()
    uncommitted.clear()
    for (const resolveLost of onCrash) resolveLost()
    onCrash.clear()
  }
  const start = async (): Promise<void> => {
    if (runningServer !== null) return
    const owner = { isRemoved: false }
    const store = createDelayedStore(owner)
    const payments = openPayments(
      { store, events, gateway, clock: readClock, log },
      { isEnabled: false },
    )
    isReconciling = false
    const files = simulation.files()
    runningServer = { owner, store, payments, events: files, isListening: false, simulation }
    events.notifyChanged()
    try {
      await storeFiles(store, files)
    } catch {
      // The simulated supervisor restarts the server.
      crash()
      timeline.schedule(RESTART_MS, () => void start())
      return
    }
    if (owner.isRemoved || runningServer === null) return
    runningServer.isListening = true
    earliestTickAt = timeline.now() + TICK_MS
    void planNextRun()
  }
  return {
    start,
    crash,
    isUp: () => runningServer !== null,
    handleClockChange,
    runJob: (work) => {
      if (runningServer === null) return Promise.resolve(null)
      const { store, payments } = runningServer
      return new Promise((resolve) => {
        const resolveNull = (): void => resolve(null)
        onCrash.add(resolveNull)
        const waitUntilDone = async (): Promise<void> => {
          const result = await work({
            store,
            events,
            payments,
            clock: readClock,
            environment,
            log,
          }).catch((error: unknown) => {
            simulation.trace(() => `it failed: ${String(error)}`)
            return null
          })
          if (onCrash.delete(resolveNull)) resolve(result)
        }
        void waitUntilDone()
      })
    },
    call: (options) => {
      if (runningServer === null || !runningServer.isListening) return Promise.resolve(null)
      return new Promise((resolve) => {
        const disconnect = (): void => {
          timeline.leaveRequest()
          resolve(null)
        }
        onCrash.add(disconnect)
        timeline.enterRequest()
        void routes.inject(options).then((response) => {
          if (!onCrash.delete(disconnect)) return
          timeline.leaveRequest()
          resolve({
            status: response.statusCode,
            body: response.body,
            location: response.headers.location ?? '',
          })
        })
      })
    },
    reload: async () => {
      if (runningServer === null) return
      const { store, owner } = runningServer
      const files = simulation.files()
      // As in the real server, the served versions do not change if the files cannot be stored.
      if (
        !(await storeFiles(store, files).then(
          () => true,
          () => false,
        ))
      )
        return
      if (owner.isRemoved || runningServer === null) return
      // A removed file is still served until the server restarts.
      const servedWithoutFile = runningServer.events.filter(
        ({ config }) => !files.some((file) => file.config.id === config.id),
      )
      runningServer.events = [...files, ...servedWithoutFile]
      events.notifyChanged()
    },
    close: () => {
      if (runningServer !== null) runningServer.owner.isRemoved = true
      runningServer = null
      for (const resolveLost of onCrash) resolveLost()
      onCrash.clear()
      restoreGlobals()
    },
  }
}
