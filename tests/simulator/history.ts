/** Runs one history: executes the plan in virtual time and checks the invariants after each write. */
import { instant } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import { startExpiryJob } from '../../server/registration/actions/expiry-job.ts'
import { createBank } from './bank.ts'
import { compareAllFigures } from './check-figures.ts'
import { createTimeline } from './virtual-time.ts'
import { createStaff, createStaffSimulation } from './office-actions.ts'
import { openSqliteDisk } from './disk.ts'
import type { OpenDisk } from './disk.ts'
import { ACCOUNTS, EVENTS, TAX_RATES_EVENT, APPROVAL_EVENT, compileServedEvent } from './events.ts'
import type { Credentials, EventId, Version } from './events.ts'
import { createGateway } from './gateway.ts'
import { RAZORPAY_MERCHANT } from './razorpay-gateway.ts'
import { createSimulatedServer } from './server.ts'
import type { SimulationEnvironment } from './server.ts'
import type { Store } from '../../server/storage/index.ts'
import { createNetwork } from './network.ts'
import { createStaffClient } from './office-sessions.ts'
import { createTreasurer } from './treasurer.ts'
import { createDelegates } from './delegates.ts'
import { DAY_MS } from './plan.ts'
import type { Incident, Plan } from './plan.ts'
import { chooseEuroEvent, chooseRazorpayEvent } from './profiles.ts'
import { createMailbox } from './emails.ts'
import { createInvariants } from './check-payments.ts'
import type { Violation } from './check-payments.ts'
import { createRandom } from './random.ts'
import { createCodes } from './check-seats.ts'
import { createTally } from './tally.ts'
import type { Tally } from './tally.ts'
import { createHistoryInvariants } from './check-history.ts'

/** How long after its last planned event a history runs. By then, most histories are settled. */
const SETTLED_MS = 2 * DAY_MS
/** How long after its last planned event a history runs at most. By then, polling has ended for every payment. */
const POLLING_END_MS = 12 * DAY_MS
/** The proportion of histories without open payments that still run to the end. */
const FULL_LENGTH_SHARE = 0.15
/** Writes that only schedule later work. The invariants are not checked after them. */
const SCHEDULING_WRITES: ReadonlySet<string> = new Set<keyof Store>([
  'recordStatusQuery',
  'markUnansweredRefunds',
  'saveEventFile',
])
const MAX_CALL_MS = 15
/** The interval of the expiry job. */
const EXPIRY_INTERVAL_MS = 8 * 3_600_000
const EXPIRY_JOBS_END_MS = 40 * DAY_MS
const NO_TIMER = { isEnabled: false }
/** An event file that changes for at least this long is not changed back within the history. */
const PERMANENT_MS = 4 * DAY_MS
/** How long comparing the pages may take in virtual time. */
const MAX_COMPARISON_MS = 3_600_000
/** How long a busy disk blocks at most. */
const STALL_MS = 8_000

export type HistoryResult = { readonly violation: Violation | null; readonly tally: Tally }
export type HistoryOptions = {
  /** Called with a line for each event. */
  readonly trace?: (line: string) => void
  /** Opens the database. By default, this is SQLite in memory. */
  readonly openDisk?: OpenDisk
}

export async function runHistory(
  plan: Plan,
  { trace, openDisk = openSqliteDisk }: HistoryOptions = {},
): Promise<HistoryResult> {
  const { seed, history, profile } = plan
  const disk = await openDisk()
  const timeline = createTimeline(plan.start, disk.getRunningWork)
  const random = createRandom(profile.name, seed, history, 'chance')
  const gateway = createGateway(createRandom(profile.name, seed, history, 'gateway'))
  const tally = createTally()
  let violation: Violation | null = null
  let endMs = 0
  const writeTrace = (describe: () => string): void => {
    if (trace !== undefined) trace(`${formatElapsed(plan.start, timeline.now())} ${describe()}`)
  }
  const reportViolation = (newViolation: Violation | null): void => {
    if (newViolation === null || violation !== null) return
    violation = newViolation
    writeTrace(() => `BROKEN: ${newViolation.invariant}: ${newViolation.cause}`)
  }
  /** Extends the history so that it ends no earlier than `ms` from now. */
  const extendHistory = (ms: number): void => {
    endMs = Math.max(endMs, timeline.now() - plan.start + ms)
  }

  const staffEvents: readonly EventId[] =
    profile.euro > 0
      ? [APPROVAL_EVENT, TAX_RATES_EVENT, chooseEuroEvent(profile)]
      : [APPROVAL_EVENT, TAX_RATES_EVENT]
  const events: readonly EventId[] =
    plan.staffSteps.length > 0 || profile.euro > 0
      ? [...EVENTS, ...staffEvents]
      : profile.razorpay > 0
        ? [...EVENTS, chooseRazorpayEvent(profile)]
        : EVENTS
  const files = new Map<EventId, Version>(events.map((event) => [event, 'usual']))
  let credentials: Credentials = 'first'
  let skewMs = 0
  let diskFullUntil = 0
  const network = createNetwork({
    profile,
    timeline,
    gateway,
    random: createRandom(profile.name, seed, history, 'network'),
    canStore: () => timeline.now() >= diskFullUntil,
    tally,
    writeTrace,
  })
  const hasClockFault = plan.incidents.some(({ is }) => is === 'clock')
  const bank = createBank()
  const actionHistory = createHistoryInvariants(disk.sql)
  const invariants = createInvariants({
    sql: disk.sql,
    serverSql: disk.serverSql,
    gateway,
    bank,
    actionHistory,
    isClockAccurate: !hasClockFault,
    hasNoOutages: plan.incidents.length === 0,
    getClosingMarginMs: (order) =>
      hasClockFault ? 20 * DAY_MS : order.isTimeStated ? 0 : 12 * DAY_MS,
    canQuery: ({ merchantId }) =>
      merchantId === RAZORPAY_MERCHANT ||
      Object.values(ACCOUNTS[credentials]).some((account) => account.merchantId === merchantId),
  })
  const environment: SimulationEnvironment = {
    timeline,
    disk,
    random,
    files: () =>
      [...files].flatMap(([event, version]) =>
        version === 'removed' ? [] : [compileServedEvent(event, version)],
      ),
    credentials: () => credentials,
    skewMs: () => skewMs,
    storeMs: () => (random.chance(0.002) ? random.below(STALL_MS) : 1 + random.below(MAX_CALL_MS)),
    isDiskFull: () => timeline.now() < diskFullUntil,
    transport: network.transport,
    onWrite: async (verb) => {
      tally.writes += 1
      if (!SCHEDULING_WRITES.has(verb)) reportViolation(await invariants.afterWrite(timeline.now()))
      if (verb === 'rescheduleAfterClockChange' && skewMs === 0)
        reportViolation(await invariants.afterClockWentBack(timeline.now()))
    },
    trace: writeTrace,
  }
  const server = await createSimulatedServer(environment)
  try {
    const applyIncident = (incident: Incident): void => {
      writeTrace(() => JSON.stringify(incident))
      tally.incidents += 1
      const schedule = (ms: number, run: () => void): void => {
        extendHistory(ms)
        timeline.schedule(ms, run)
      }
      switch (incident.is) {
        case 'crash':
          if (!server.isUp()) return
          tally.crashes += 1
          server.crash()
          // Reopens the database after the writes that are committed during the crash without a response.
          if (incident.reopens) timeline.schedule(0, () => disk.reopen())
          schedule(incident.downtimeMs, () => void server.start())
          return
        case 'clock':
          skewMs += incident.skewMs
          server.handleClockChange()
          schedule(incident.lastsMs, () => {
            skewMs -= incident.skewMs
            server.handleClockChange()
          })
          return
        case 'outage':
          network.startOutage(incident.kind, incident.lastsMs)
          extendHistory(incident.lastsMs)
          return
        case 'disk full':
          diskFullUntil = Math.max(diskFullUntil, timeline.now() + incident.lastsMs)
          extendHistory(incident.lastsMs)
          return
        case 'file': {
          const serveVersion = (version: Version): void => {
            writeTrace(() => `file of ${incident.event}: ${version}`)
            files.set(incident.event, version)
            if (version !== 'removed') void server.reload()
            // A removed file is still served until the server restarts.
            else if (server.isUp()) {
              server.crash()
              timeline.schedule(1000, () => void server.start())
            }
          }
          serveVersion(incident.version)
          // Some versions are served for the rest of the history.
          if (incident.lastsMs < PERMANENT_MS)
            schedule(incident.lastsMs, () => serveVersion('usual'))
          return
        }
        case 'credentials': {
          // The environment is read at startup.
          const changeCredentials = (newCredentials: Credentials): void => {
            credentials = newCredentials
            if (server.isUp()) {
              server.crash()
              timeline.schedule(1000, () => void server.start())
            }
          }
          changeCredentials('takenOver')
          schedule(incident.lastsMs, () => changeCredentials('first'))
        }
      }
    }
    await createCodes(disk.store(), plan.start)
    await createStaff(disk.store(), plan.start)
    void server.start()
    for (const incident of plan.incidents) {
      extendHistory(incident.afterMs)
      timeline.schedule(incident.afterMs, () => applyIncident(incident))
    }
    const mailbox = createMailbox({ timeline, server, extendHistory })
    const sharedContext = { plan, timeline, server, gateway, tally, writeTrace, extendHistory }
    const getVersion = (event: string): Version =>
      [...files].find(([id]) => id === event)?.[1] ?? 'removed'
    const delegates = createDelegates({
      ...sharedContext,
      bank,
      invariants,
      reportViolation,
      mailbox,
      getVersion,
    })
    const deskRegistrations = new Map<string, string>()
    const addRegNo = (regNo: string, event: string): void =>
      void deskRegistrations.set(regNo, event)
    const listRegNos = (): readonly string[] => [
      ...delegates.listRegNos(),
      ...deskRegistrations.keys(),
    ]
    const getEvent = (regNo: string): string =>
      deskRegistrations.get(regNo) ?? delegates.findEventId(regNo)
    createTreasurer({ ...sharedContext, listRegNos }).begin()
    const deskContext = {
      bank,
      mailbox,
      actionHistory,
      reportViolation,
      listRegNos,
      getEvent,
      addRegNo,
      getVersion,
      sql: disk.sql,
    }
    createStaffSimulation({
      ...sharedContext,
      ...deskContext,
      getOwedPartOfRefunds: invariants.getOwedPartOfRefunds,
    }).begin()
    delegates.begin()
    if (plan.staffSteps.length > 0)
      for (let ms = EXPIRY_INTERVAL_MS; ms < EXPIRY_JOBS_END_MS; ms += EXPIRY_INTERVAL_MS)
        timeline.schedule(
          ms,
          () => void server.runJob((deps) => startExpiryJob(deps, NO_TIMER).run()),
        )
    /** Restores a working server, then compares all figures. */
    const compareAtRest = async (eventIds: ReadonlySet<EventId>): Promise<void> => {
      diskFullUntil = 0
      for (const event of events) files.set(event, 'usual')
      const figuresContext = { sql: disk.sql, gateway, now: timeline.now, tally }
      const startedAt = timeline.now()
      let isDone = false
      const compareFigures = async (): Promise<void> => {
        await (server.isUp() ? server.reload() : server.start())
        reportViolation(
          await compareAllFigures(
            createStaffClient({ timeline, server, reportViolation, writeTrace }),
            figuresContext,
            eventIds,
          ),
        )
        isDone = true
      }
      const comparison = compareFigures()
      await timeline.run(() => (isDone ? timeline.now() : instant(startedAt + MAX_COMPARISON_MS)))
      await comparison
    }
    const createEndReader = (ms: number) => (): Instant =>
      violation === null ? instant(plan.start + endMs + ms) : timeline.now()
    await timeline.run(createEndReader(SETTLED_MS))
    const hasOpenPayments = async (): Promise<boolean> =>
      (await disk
        .sql()("SELECT 1 FROM payments WHERE status = 'pending' AND review IS NULL")
        .get()) !== undefined
    const isSettled =
      violation === null &&
      !(await hasOpenPayments()) &&
      (await invariants.whenIdle(timeline.now())) === null
    if (!isSettled || random.chance(FULL_LENGTH_SHARE)) {
      await timeline.run(createEndReader(POLLING_END_MS))
      tally.toTheEnd += 1
    }
    reportViolation(
      await invariants.whenIdle(
        tally.toTheEnd > 0 ? plan.start + endMs + POLLING_END_MS : timeline.now(),
      ),
    )
    await delegates.openPagesAgain()
    if (violation === null) await compareAtRest(new Set(listRegNos().map(getEvent) as EventId[]))
    await tally.close(disk.sql(), gateway)
    return { violation, tally }
  } finally {
    server.close()
    await disk.discard()
  }
}

function formatElapsed(start: Instant, now: Instant): string {
  const seconds = (now - start) / 1000
  const padTwoDigits = (n: number): string => String(Math.floor(n)).padStart(2, '0')
  return `+${Math.floor(seconds / 86_400)}d ${padTwoDigits((seconds / 3600) % 24)}:${padTwoDigits((seconds / 60) % 60)}:${(seconds % 60).toFixed(3).padStart(6, '0')}`
}
