/** One history: the plan happens, in virtual time, and what is promised is looked at on the way. */
import { instant } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import { openLapsing } from '../../server/registration/actions/expire-unpaid.ts'
import { openBank } from './bank.ts'
import { compareAllFigures } from './check-figures.ts'
import { openCourse } from './virtual-time.ts'
import { hireEverybody, openDesk } from './office-actions.ts'
import { freshDisk } from './disk.ts'
import type { Disks } from './disk.ts'
import { ACCOUNTS, EVENTS, RATES, SEEN, served } from './events.ts'
import type { Credentials, EventId, Version } from './events.ts'
import { openGateway } from './gateway.ts'
import { openMachine } from './server.ts'
import type { World } from './server.ts'
import { networkOf } from './network.ts'
import { openHands } from './office-sessions.ts'
import { openOffice } from './treasurer.ts'
import { openPeople } from './delegates.ts'
import { DAY_MS } from './plan.ts'
import type { Mishap, Plan } from './plan.ts'
import { openPost } from './emails.ts'
import { promisesOf } from './check-payments.ts'
import type { Violation } from './check-payments.ts'
import { randomOf } from './random.ts'
import { makeCodes } from './check-seats.ts'
import { noTally } from './tally.ts'
import type { Tally } from './tally.ts'
import { trailOf } from './check-history.ts'

/** After the last thing that is planned; by then most histories have said all that they have to say. */
const SOON_MS = 2 * DAY_MS
/** And when everything that is watched has been looked at for the last time. */
const WATCHED_MS = 12 * DAY_MS
/** How many of those that have nothing open are looked at to the end all the same. */
const TO_THE_END = 0.15
/** Writes that only say when something is looked at again. */
const PLANS_ONLY: ReadonlySet<string> = new Set(['asked', 'silentRefunds', 'keepEventFile'])
const CALL_MS_MAX = 15
/** How often what is over lapses, and for how long somebody looks: longer than any history. */
const SWEEP_MS = 8 * 3_600_000
const SWEPT_MS = 40 * DAY_MS
const NOT_BY_ITSELF = { works: false }
/** A change of an event's file that would last for so long is not taken back in a history. */
const FOR_GOOD_MS = 4 * DAY_MS
/** However often the pages have to be read again. */
const COMPARED_MS_MAX = 3_600_000
/** A disk that is busy with something else. */
const STALL_MS = 8_000

export type Outcome = { readonly violation: Violation | null; readonly tally: Tally }
export type Options = {
  /** Takes what happens, a line each. */
  readonly trace?: (line: string) => void
  /** The database; SQLite in memory where none is named. */
  readonly disks?: Disks
}

export async function happen(
  plan: Plan,
  { trace, disks = freshDisk }: Options = {},
): Promise<Outcome> {
  const { seed, history, profile } = plan
  const course = openCourse(plan.start)
  const disk = disks()
  const random = randomOf(profile.name, seed, history, 'chance')
  const gateway = openGateway(randomOf(profile.name, seed, history, 'gateway'))
  const tally = noTally()
  let violation: Violation | null = null
  let lastMs = 0
  const say = (what: () => string): void => {
    if (trace !== undefined) trace(`${since(plan.start, course.now())} ${what()}`)
  }
  const broken = (found: Violation | null): void => {
    if (violation !== null || found === null) return
    violation = found
    say(() => `BROKEN: ${found.promise}: ${found.by}`)
  }
  /** Nothing more is planned before then. */
  const lasts = (ms: number): void => {
    lastMs = Math.max(lastMs, course.now() - plan.start + ms)
  }

  const events: readonly EventId[] = plan.desk.length > 0 ? [...EVENTS, SEEN, RATES] : EVENTS
  const files = new Map<EventId, Version>(events.map((event) => [event, 'usual']))
  let credentials: Credentials = 'first'
  let skewMs = 0
  let fullUntil = 0
  const network = networkOf({
    profile,
    course,
    gateway,
    random: randomOf(profile.name, seed, history, 'network'),
    canKeep: () => course.now() >= fullUntil,
    tally,
    say,
  })
  const hasClock = plan.mishaps.some(({ is }) => is === 'clock')
  const bank = openBank()
  const trail = trailOf(disk.sql)
  const promises = promisesOf({
    sql: disk.sql,
    gateway,
    bank,
    trail,
    closingMarginMs: (order) => (hasClock ? 20 * DAY_MS : order.statesTime ? 0 : 12 * DAY_MS),
    isAskable: ({ merchantId }) =>
      Object.values(ACCOUNTS[credentials]).some((account) => account.merchantId === merchantId),
  })
  const world: World = {
    course,
    disk,
    random,
    files: () =>
      [...files].flatMap(([event, version]) =>
        version === 'gone' ? [] : [served(event, version)],
      ),
    credentials: () => credentials,
    skewMs: () => skewMs,
    storeMs: () => (random.chance(0.002) ? random.below(STALL_MS) : 1 + random.below(CALL_MS_MAX)),
    isDiskFull: () => course.now() < fullUntil,
    transport: network.transport,
    wrote: (verb) => {
      tally.writes += 1
      if (!PLANS_ONLY.has(verb)) broken(promises.afterWrite(course.now()))
      if (verb === 'clockWentBack' && skewMs === 0)
        broken(promises.afterClockWentBack(course.now()))
    },
    trace: say,
  }
  const machine = await openMachine(world)
  try {
    const happens = (mishap: Mishap): void => {
      say(() => JSON.stringify(mishap))
      tally.mishaps += 1
      const later = (ms: number, run: () => void): void => {
        lasts(ms)
        course.after(ms, run)
      }
      switch (mishap.is) {
        case 'crash':
          if (!machine.isUp()) return
          tally.crashes += 1
          machine.crash()
          if (mishap.reopens) disk.reopen()
          later(mishap.downMs, () => void machine.start())
          return
        case 'clock':
          skewMs += mishap.skewMs
          machine.clockWasSet()
          later(mishap.lastsMs, () => {
            skewMs -= mishap.skewMs
            machine.clockWasSet()
          })
          return
        case 'outage':
          network.outage(mishap.kind, mishap.lastsMs)
          lasts(mishap.lastsMs)
          return
        case 'disk full':
          fullUntil = Math.max(fullUntil, course.now() + mishap.lastsMs)
          lasts(mishap.lastsMs)
          return
        case 'file': {
          const put = (version: Version): void => {
            say(() => `file of ${mishap.event}: ${version}`)
            files.set(mishap.event, version)
            if (version !== 'gone') void machine.reload()
            // A file that was removed is served until the server starts again.
            else if (machine.isUp()) {
              machine.crash()
              course.after(1000, () => void machine.start())
            }
          }
          put(mishap.version)
          // Some stay as they are, until nobody looks any more.
          if (mishap.lastsMs < FOR_GOOD_MS) later(mishap.lastsMs, () => put('usual'))
          return
        }
        case 'credentials': {
          // The environment is read at the start.
          const change = (to: Credentials): void => {
            credentials = to
            if (machine.isUp()) {
              machine.crash()
              course.after(1000, () => void machine.start())
            }
          }
          change('moved')
          later(mishap.lastsMs, () => change('first'))
        }
      }
    }
    await makeCodes(disk.store(), plan.start)
    await hireEverybody(disk.store(), plan.start)
    void machine.start()
    for (const mishap of plan.mishaps) {
      lasts(mishap.afterMs)
      course.after(mishap.afterMs, () => happens(mishap))
    }
    const post = openPost({ course, machine, lasts })
    const shared = { plan, course, machine, gateway, tally, say, lasts }
    const versionOf = (event: string): Version =>
      [...files].find(([id]) => id === event)?.[1] ?? 'gone'
    const people = openPeople({ ...shared, bank, promises, broken, post, versionOf })
    const atDesk = new Map<string, string>()
    const joined = (regNo: string, event: string): void => void atDesk.set(regNo, event)
    const numbers = (): readonly string[] => [...people.numbers(), ...atDesk.keys()]
    const eventOf = (regNo: string): string => atDesk.get(regNo) ?? people.eventOf(regNo)
    openOffice({ ...shared, numbers }).begin()
    const desk = { bank, post, trail, broken, numbers, eventOf, joined, versionOf, sql: disk.sql }
    openDesk({ ...shared, ...desk, owedBack: promises.owedBack }).begin()
    people.begin()
    if (plan.desk.length > 0)
      for (let ms = SWEEP_MS; ms < SWEPT_MS; ms += SWEEP_MS)
        course.after(
          ms,
          () => void machine.inside((deps) => openLapsing(deps, NOT_BY_ITSELF).run()),
        )
    /** By the server as it usually is: it runs, and has room on its disk and all its files. */
    const compareAtRest = async (of: ReadonlySet<EventId>): Promise<void> => {
      fullUntil = 0
      for (const event of events) files.set(event, 'usual')
      const given = { sql: disk.sql, gateway, now: course.now, tally }
      const begun = course.now()
      let isDone = false
      const compare = async (): Promise<void> => {
        await (machine.isUp() ? machine.reload() : machine.start())
        broken(await compareAllFigures(openHands({ course, machine, broken, say }), given, of))
        isDone = true
      }
      const compared = compare()
      await course.run(() => (isDone ? course.now() : instant(begun + COMPARED_MS_MAX)))
      await compared
    }
    const until = (ms: number) => (): Instant =>
      violation === null ? instant(plan.start + lastMs + ms) : course.now()
    await course.run(until(SOON_MS))
    const isOpen = (): boolean =>
      disk.sql()("SELECT 1 FROM payments WHERE status = 'pending' AND review IS NULL").get() !==
      undefined
    const isClear = violation === null && !isOpen() && promises.atRest(course.now()) === null
    if (!isClear || random.chance(TO_THE_END)) {
      await course.run(until(WATCHED_MS))
      tally.toTheEnd += 1
    }
    broken(promises.atRest(tally.toTheEnd > 0 ? plan.start + lastMs + WATCHED_MS : course.now()))
    await people.lookOnceMore()
    if (violation === null) await compareAtRest(new Set(numbers().map(eventOf) as EventId[]))
    tally.close(disk.sql(), gateway)
    return { violation, tally }
  } finally {
    machine.close()
    disk.leave()
  }
}

function since(start: Instant, now: Instant): string {
  const seconds = (now - start) / 1000
  const two = (n: number): string => String(Math.floor(n)).padStart(2, '0')
  return `+${Math.floor(seconds / 86_400)}d ${two((seconds / 3600) % 24)}:${two((seconds / 60) % 60)}:${(seconds % 60).toFixed(3).padStart(6, '0')}`
}
