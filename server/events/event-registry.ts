/**
 * Serves the event files on disk, after checking them.
 * A changed file without errors replaces its version as a whole; with errors, the previous version stays.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { dayOf, sortEvents, ok, checkRegistrationOpen, isEventOver } from '../../engine/index.ts'
import type { EventConfig, Instant, OrderId, Result, Site } from '../../engine/index.ts'
import type { EventCard } from '../../engine/api.ts'
import { activationOf, keptFile, NOTHING } from './versions/active-versions.ts'
import type { ServedNow } from './versions/active-versions.ts'
import { compileFolder, readFolder, sharedFolderOf } from './files/event-folder.ts'
import type { Compiled, Judge } from './files/event-folder.ts'
import type { EventRegistry, Log, RefusedFile, ServedEvent } from '../dependencies.ts'
import { followed, openFollowing, passedOver } from './versions/follow-active-versions.ts'
import { keepPromises, lastServed } from './versions/version-approval.ts'
import { closed, lastGood } from './versions/last-valid-version.ts'
import { judgeApart } from './files/check-files-in-worker.ts'
import { besides, closedOf, openRemovals } from './files/removed-files.ts'
import type { Store } from '../storage/index.ts'
import { settled } from './versions/address-conflicts.ts'
import { asStored } from './versions/version-with-renamed-keys.ts'
import { signatureOf, watchFolders } from './files/watch-files.ts'

const NONE: ReadonlySet<string> = new Set()
/** Versions passed to the store at once, so that its queue has space for other writes. */
const KEPT_AT_ONCE = 200

export type RegistryOptions = {
  readonly folder: string
  /** Compiled events by content hash, so that a thousand files start at once. */
  readonly cacheFolder: string
  readonly store: Pick<
    Store,
    | 'keepEventFile'
    | 'lastEventFile'
    | 'eventFile'
    | 'inUse'
    | 'eventsServed'
    | 'isShared'
    | 'activate'
    | 'activeEvents'
  >
  readonly clock: () => Instant
  readonly log: Log
  /** Prints findings in readable form. */
  readonly print: (text: string) => void
  readonly production: boolean
  readonly watches: boolean
  /** Whether it decides what all servers of a database serve; left out: yes. A command only reads. */
  readonly decides?: boolean
  /** Returns why this server cannot serve a valid event, in a sentence; null: it can. */
  readonly cannotServe?: (event: EventConfig) => string | null
  /** Checks a changed folder; left out: a worker thread, which takes as long as the files need. */
  readonly judge?: Judge
  /** Milliseconds of a monotonic clock; left out: the machine's own. */
  readonly steadyMs?: () => number
}

/** At a first start, file errors prevent the start, with the findings; later, the last valid version is served. */
export async function openRegistry(
  options: RegistryOptions,
): Promise<Result<EventRegistry, string>> {
  const { folder, store, clock, log, steadyMs = () => performance.now() } = options
  // Determined once: a `_shared` that is missing for a moment must not change the events.
  let shared = sharedFolderOf(folder)
  let isSharedKnown = existsSync(folder)
  // Taken before reading, so that a write during the read counts as a change.
  let signature = await signatureOf(folder, shared)
  const compile = async (judge?: Judge): Promise<Compiled> =>
    asStored(store, await compileFolder(await readFolder(folder, shared), options, judge))
  const judged = await compile()
  const isFirstStart = (await store.eventsServed()).length === 0
  // At a first start, the code that reads the environment refuses it.
  let disk = isFirstStart ? judged : servableOf(options, judged)
  if (disk.findings !== '') options.print(disk.findings)
  const following = await openFollowing(options)
  const listeners = new Set<() => void>()
  let current: Index = indexOf({ ...NOTHING, ...(await following.active(0, disk.served, [])) })

  /** True: the served events have changed. A later activation takes precedence. */
  const take = (next: ServedNow): boolean => {
    const isChanged =
      !same(next.served, current.served) ||
      JSON.stringify(next.site) !== JSON.stringify(current.site)
    if (store.isShared && next.number <= current.number) return false
    current = isChanged ? indexOf(next) : { ...current, ...next, served: current.served }
    if (isChanged) for (const listener of listeners) listener()
    return isChanged
  }
  const follow = followed(async () => {
    const next = await following.active(current.number, disk.served, current.served)
    if (next === null) return false
    following.pass(disk.served, next.served)
    return take(next)
  })
  /** Serves what `choose` makes of the served events; with several servers, all of them do. */
  const decide = async (
    choose: () => Promise<readonly ServedEvent[]>,
    { all, site }: { readonly all: boolean; readonly site: Site | null },
  ): Promise<void> => {
    for (;;) {
      const before = current
      const served = await choose()
      const next = { ...NOTHING, served, site: site ?? before.site }
      if (!store.isShared) {
        await keepAll(options, all ? served : served.filter((one) => !before.served.includes(one)))
        take(next)
        return
      }
      const number = await store.activate(activationOf(before, next, clock(), all))
      if (number !== null) {
        take({ ...next, number, unable: before.unable })
        return
      }
      await follow()
    }
  }
  const removals = openRemovals({ steadyMs, log }, store.isShared)
  const merged = async (removed = NONE): Promise<readonly ServedEvent[]> => {
    const before = current.served
    const wanted = following.wanted(disk.served, before)
    const next = { ...disk, served: await keepPromises(options, wanted, before) }
    if (removed.size === 0) return takeTogether(options, merge(options, before, next), before)
    const isRemoved = ({ config }: ServedEvent): boolean => removed.has(config.id)
    const standing = before.filter((event) => event.isGone !== true && !isRemoved(event))
    const together = takeTogether(options, merge(options, standing, next), standing)
    const gone = [
      ...before.filter(({ isGone }) => isGone === true),
      ...(await closedOf(options, before.filter(isRemoved))),
    ].filter(({ config }) => !together.some((event) => event.config.id === config.id))
    return [...together, ...besides(gone, together)]
  }

  const decides = options.decides ?? true
  if (current.number === 0) {
    const began = await beginning(options, disk)
    if (!began.ok) return began
    if (decides || !store.isShared)
      await decide(async () => began.value, { all: true, site: disk.site })
    else {
      await keepAll(options, began.value)
      current = indexOf({ ...NOTHING, served: began.value, site: disk.site })
    }
  } else if (decides) {
    await following.passKnown(disk.served, current.served)
    await decide(merged, { all: true, site: current.site === null ? disk.site : null })
  }

  removals.look(current.served, disk, false)
  let lookAgain: NodeJS.Timeout | null = null
  const load = async (isTold: boolean): Promise<void> => {
    const siteBefore = JSON.stringify(disk.site)
    if (!isSharedKnown) {
      shared = sharedFolderOf(folder)
      isSharedKnown = existsSync(folder)
    }
    signature = await signatureOf(folder, shared)
    // A proof may block the server while it starts; while it serves, a worker thread runs it.
    disk = servableOf(options, await compile(options.judge ?? judgeApart))
    if (disk.findings !== '') options.print(disk.findings)
    for (const problem of disk.folderErrors) log.warn({}, problem)
    if (store.isShared) {
      await follow()
      if (isTold) following.forgetPassed()
    }
    const { removed, waitMs } = removals.look(current.served, disk, isTold && store.isShared)
    if (lookAgain !== null) clearTimeout(lookAgain)
    lookAgain =
      waitMs === null || !options.watches ? null : setTimeout(() => void reload(false), waitMs)
    lookAgain?.unref()
    await decide(() => merged(removed), {
      all: false,
      // As with versions: an unchanged file on this disk is not news.
      site:
        !store.isShared || isTold || JSON.stringify(disk.site) !== siteBefore ? disk.site : null,
    })
  }
  let working: Promise<void> = Promise.resolve()
  const reload = (isTold: boolean): Promise<void> => {
    working = working
      .then(() => load(isTold))
      .catch((error: unknown) =>
        log.error({ error: String(error) }, 'the event files could not be read again'),
      )
    return working
  }
  const stop = options.watches
    ? watchFolders(
        [folder, shared],
        () => reload(false),
        async () => (await signatureOf(folder, shared)) !== signature,
      )
    : () => {}
  const stopFollowing =
    store.isShared && options.watches ? following.keepUp(follow) : async () => {}

  return ok({
    all: () => current.served,
    byId: (id) => current.byId.get(id) ?? null,
    byOrderId: (orderId) => current.byOrderId(orderId),
    cards: (at) =>
      sortEvents(
        current.served.flatMap(({ config, isGone }) => (isGone ? [] : [cardOf(config, at)])),
        dayOf(at),
      ),
    site: () => current.site,
    refused: () => refusedOf(disk, current, following.passed()),
    reload: () => reload(true),
    follow: async () => store.isShared && follow(),
    onChange: (listener) => void listeners.add(listener),
    close: async () => {
      stop()
      if (lookAgain !== null) clearTimeout(lookAgain)
      await stopFollowing()
      await working
    },
  })
}

/** Returns what a start serves if nothing was activated before: valid files, else their previous version. */
async function beginning(
  options: RegistryOptions,
  first: Compiled,
): Promise<Result<readonly ServedEvent[], string>> {
  const past = await lastGood(options, first)
  if (!past.ok) return past
  const kept = [...(await keepPromises(options, first.served, [])), ...past.value.standIns]
  await keepAll(options, past.value.left.map(closed))
  const wanted = [...first.served, ...past.value.standIns]
  const together = takeTogether(options, kept, await standIns(options, kept, wanted, first))
  return ok([...together, ...besides(past.value.gone, together)])
}

/** If a version is held back or faulty, returns the others' versions served beside it; else none is needed. */
async function standIns(
  { store }: RegistryOptions,
  kept: readonly ServedEvent[],
  wanted: readonly ServedEvent[],
  { refused }: Compiled,
): Promise<readonly ServedEvent[]> {
  if (same(kept, wanted) && refused.size === 0) return kept
  const before = await Promise.all(kept.map(({ config }) => lastServed(store, config.id)))
  return before.filter((event) => event !== null)
}

/**
 * Leaves out events that this server cannot serve: an impossible payment would be noticed only by the first
 * payer.
 */
function servableOf(
  { folder, cannotServe = () => null }: RegistryOptions,
  compiled: Compiled,
): Compiled {
  const refused = new Map(compiled.refused)
  const served = compiled.served.filter(({ config }) => {
    const why = cannotServe(config)
    if (why !== null) refused.set(path.join(folder, `${config.id}.yaml`), why)
    return why === null
  })
  return { ...compiled, served, refused }
}

/** Returns files on disk that are not served: refused themselves, or another version is served. */
function refusedOf(
  compiled: Compiled,
  { served, unable }: ServedNow,
  passed: ReadonlyMap<string, string>,
): readonly RefusedFile[] {
  const hashes = new Set(served.map(({ hash }) => hash))
  return [
    ...compiled.folderErrors.map((why) => ({ file: '_shared', why })),
    ...[...compiled.refused].map(([file, why]) => {
      const findings = compiled.findingsOf.get(file)
      return { file: path.basename(file), why, ...(findings === undefined ? {} : { findings }) }
    }),
    ...compiled.served
      .filter(({ hash }) => !hashes.has(hash))
      .map(({ config: { id }, hash }) => ({
        file: `${id}.yaml`,
        why:
          passed.get(id) === hash
            ? passedOver(id)
            : `${id}.yaml is not served as it is now: the version before is. The log says why.`,
      })),
    ...[...unable].map(([id, why]) => ({ file: `${id}.yaml`, why })),
  ]
}

/** Returns which valid events can be served together; reports those that cannot. */
function takeTogether(
  { log, print }: RegistryOptions,
  wanted: readonly ServedEvent[],
  before: readonly ServedEvent[],
): readonly ServedEvent[] {
  const { served, put } = settled(wanted, before)
  for (const { event, why } of put) {
    const { id } = event.config
    log.warn({ event: id }, 'a version that does not go with the others is not served')
    print(`${id}.yaml is not served as it is now: ${why}. What was served before stays.`)
  }
  return served
}

type Index = ServedNow & {
  readonly byId: ReadonlyMap<string, ServedEvent>
  readonly byOrderId: (orderId: string | OrderId) => ServedEvent | null
}

function indexOf(now: ServedNow): Index {
  const { served } = now
  const byPrefix = new Map(served.map((event) => [event.config.orderId.prefix, event]))
  const lengths = [...new Set([...byPrefix.keys()].map((prefix) => prefix.length))].sort(
    (a, b) => b - a,
  )
  return {
    ...now,
    byId: new Map(served.map((event) => [event.config.id, event])),
    byOrderId: (orderId) => {
      for (const length of lengths) {
        const event = byPrefix.get(orderId.slice(0, length))
        if (event === undefined) continue
        const rest = orderId.slice(length)
        const { followedBy } = event.config.orderId
        if (followedBy === 'anything' ? rest.length > 0 : /^\d+$/.test(rest)) return event
      }
      return null
    },
  }
}

/** Merges the new versions of valid files with the previous versions of all others. */
function merge(
  options: RegistryOptions,
  before: readonly ServedEvent[],
  next: Compiled,
): readonly ServedEvent[] {
  const fresh = new Map(next.served.map((event) => [event.config.id, event]))
  const kept = before.filter(({ config, isGone }) => !fresh.has(config.id) && !isGone)
  for (const { config } of kept)
    options.log.warn({ event: config.id }, 'the version served before is kept')
  for (const [file, reason] of next.refused)
    options.log.warn({ file: path.basename(file) }, reason.split('\n')[0] ?? 'refused')
  // Each event keeps its position; new ones follow.
  const merged = before.map((event) => {
    const changed = fresh.get(event.config.id)
    if (changed === undefined) return event
    // A removed file may return unchanged.
    return changed.hash === event.hash && !event.isGone ? event : changed
  })
  return [
    ...merged,
    ...next.served.filter(({ config }) => !before.some((event) => event.config.id === config.id)),
  ]
}

function same(a: readonly ServedEvent[], b: readonly ServedEvent[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ hash, isGone }, at) => hash === b[at]?.hash && isGone === b[at]?.isGone)
  )
}

async function keepAll(
  { store, clock }: RegistryOptions,
  served: readonly ServedEvent[],
): Promise<void> {
  for (let from = 0; from < served.length; from += KEPT_AT_ONCE) {
    const batch = served.slice(from, from + KEPT_AT_ONCE)
    await Promise.all(batch.map((event) => store.keepEventFile(keptFile(event, clock()))))
  }
}

function cardOf(config: EventConfig, at: Instant): EventCard {
  const { id, title, theme, about, from, to, hours, venue, status, look, routes } = config
  const opening = checkRegistrationOpen(config, dayOf(at))
  return {
    id,
    title,
    from,
    to,
    venue,
    status,
    look,
    routes,
    ...(theme === undefined ? {} : { theme }),
    ...(about === undefined ? {} : { about }),
    ...(hours === undefined ? {} : { hours }),
    open: opening.open,
    closed: opening.open
      ? null
      : opening.by === 'early'
        ? { by: opening.by, opens: opening.opens }
        : { by: opening.by },
    took_place: isEventOver(config, dayOf(at)),
  }
}
