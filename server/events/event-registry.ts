/**
 * Serves the event files on disk, after checking them.
 * A changed file replaces the served version if it has no errors; otherwise, the previous version is still served.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { dayOf, sortEvents, ok, checkRegistrationOpen, isEventOver } from '../../engine/index.ts'
import type { EventConfig, Instant, OrderId, Result, Site } from '../../engine/index.ts'
import type { EventCard } from '../../engine/api.ts'
import { buildActivation, toStoredVersion, NO_ACTIVE_VERSIONS } from './versions/active-versions.ts'
import type { ActiveState } from './versions/active-versions.ts'
import { compileFolder, readFolder, findSharedFolder } from './files/event-folder.ts'
import type { CompiledFolder, FolderCheck } from './files/event-folder.ts'
import type { EventRegistry, Log, ServedEvent } from '../dependencies.ts'
import { openFollower, runOneAtATime } from './versions/follow-active-versions.ts'
import { listRefusedFiles } from './versions/refused-files.ts'
import { approveVersions, readLastServed } from './versions/version-approval.ts'
import type { HeldVersions } from './versions/version-approval.ts'
import { closeRegistration, findLastValidVersions } from './versions/last-valid-version.ts'
import { checkFolderInWorker } from './files/check-files-in-worker.ts'
import { excludeConflicts, closeOrDropEvents, openRemovalTracker } from './files/removed-files.ts'
import type { Store } from '../storage/index.ts'
import { resolveConflicts } from './versions/address-conflicts.ts'
import { useStoredHashes } from './versions/version-with-renamed-keys.ts'
import { readSignature, watchFolders } from './files/watch-files.ts'

const NO_IDS: ReadonlySet<string> = new Set()
/** The number of versions passed to the store at a time, so that its queue has space for other writes. */
const STORED_BATCH_SIZE = 200

export type RegistryOptions = {
  readonly folder: string
  /** Compiled events by content hash, so that a server with a thousand files starts quickly. */
  readonly cacheFolder: string
  readonly store: Pick<
    Store,
    | 'saveEventFile'
    | 'lastEventFile'
    | 'eventFile'
    | 'valuesInUse'
    | 'eventsServed'
    | 'isShared'
    | 'activate'
    | 'activeEvents'
  >
  readonly clock: () => Instant
  readonly log: Log
  readonly print: (text: string) => void
  readonly production: boolean
  readonly isWatching: boolean
  /** True (default) if this registry activates versions for all servers of the database. A command only reads. */
  readonly activatesVersions?: boolean
  /** Explains why this server cannot serve a valid event, in a sentence; null if it can. */
  readonly explainUnservable?: (event: EventConfig) => string | null
  /** Checks a changed folder; defaults to a worker thread. */
  readonly checkFolder?: FolderCheck
  /** Milliseconds of a monotonic clock; defaults to the machine's own. */
  readonly steadyMs?: () => number
}
type RegistryDeps = RegistryOptions & { readonly heldVersions: HeldVersions }

/** Opens the registry. An error in a file prevents the first start; later, the last valid version is served. */
export async function openRegistry(
  registryOptions: RegistryOptions,
): Promise<Result<EventRegistry, string>> {
  const options: RegistryDeps = { ...registryOptions, heldVersions: new Map() }
  const { folder, store, clock, log, steadyMs = () => performance.now() } = options
  // Determined once, because the events must not change if `_shared` is missing for a moment.
  let shared = findSharedFolder(folder)
  let isSharedKnown = existsSync(folder)
  // Computed before the files are read, so that a write during the read counts as a change.
  let signature = await readSignature(folder, shared)
  const compile = async (check?: FolderCheck): Promise<CompiledFolder> =>
    useStoredHashes(store, await compileFolder(await readFolder(folder, shared), options, check))
  const compileResult = await compile()
  const isFirstStart = (await store.eventsServed()).length === 0
  // At the first start, the code that reads the environment has already rejected events that cannot be served.
  let disk = isFirstStart ? compileResult : dropUnservable(options, compileResult)
  if (disk.findings !== '') options.print(disk.findings)
  const follower = await openFollower(options)
  const listeners = new Set<() => void>()
  let current: Index = buildIndex({
    ...NO_ACTIVE_VERSIONS,
    ...(await follower.findActiveState(0, disk.served, [])),
  })

  /** Serves `next` unless a later activation is already served. Returns true if the served events have changed. */
  const serveIfNewer = (next: ActiveState): boolean => {
    const isChanged =
      !isSameList(next.served, current.served) ||
      JSON.stringify(next.site) !== JSON.stringify(current.site)
    if (store.isShared && next.number <= current.number) return false
    current = isChanged ? buildIndex(next) : { ...current, ...next, served: current.served }
    if (isChanged) for (const listener of listeners) listener()
    return isChanged
  }
  const refresh = runOneAtATime(async () => {
    const next = await follower.findActiveState(current.number, disk.served, current.served)
    if (next === null) return false
    follower.markOverruled(disk.served, next.served)
    return serveIfNewer(next)
  })
  /** Serves the events that `choose` returns, on all servers. */
  const activate = async (
    choose: () => Promise<readonly ServedEvent[]>,
    { all, site }: { readonly all: boolean; readonly site: Site | null },
  ): Promise<void> => {
    for (;;) {
      const base = current
      const served = await choose()
      const next = { ...NO_ACTIVE_VERSIONS, served, site: site ?? base.site }
      if (!store.isShared) {
        await storeAll(options, all ? served : served.filter((item) => !base.served.includes(item)))
        serveIfNewer(next)
        return
      }
      const number = await store.activate(buildActivation(base, next, clock(), all))
      if (number !== null) {
        serveIfNewer({ ...next, number, unservableEvents: base.unservableEvents })
        return
      }
      await refresh()
    }
  }
  const removals = openRemovalTracker({ steadyMs, log }, store.isShared)
  const mergeWithDisk = async (removedIds = NO_IDS): Promise<readonly ServedEvent[]> => {
    const previous = current.served
    const candidates = follower.selectCandidates(disk.served, previous)
    const next = { ...disk, served: await approveVersions(options, candidates, previous) }
    if (removedIds.size === 0)
      return selectCompatible(options, merge(options, previous, next), previous)
    const isRemoved = ({ config }: ServedEvent): boolean => removedIds.has(config.id)
    const stillServed = previous.filter((event) => event.isGone !== true && !isRemoved(event))
    const compatible = selectCompatible(options, merge(options, stillServed, next), stillServed)
    const removedEvents = [
      ...previous.filter(({ isGone }) => isGone === true),
      ...(await closeOrDropEvents(options, previous.filter(isRemoved))),
    ].filter(({ config }) => !compatible.some((event) => event.config.id === config.id))
    return [...compatible, ...excludeConflicts(removedEvents, compatible)]
  }

  const activatesVersions = options.activatesVersions ?? true
  if (current.number === 0) {
    const startResult = await chooseStartVersions(options, disk)
    if (!startResult.ok) return startResult
    if (activatesVersions || !store.isShared)
      await activate(async () => startResult.value, { all: true, site: disk.site })
    else {
      await storeAll(options, startResult.value)
      current = buildIndex({ ...NO_ACTIVE_VERSIONS, served: startResult.value, site: disk.site })
    }
  } else if (activatesVersions) {
    await follower.markServedBefore(disk.served, current.served)
    await activate(mergeWithDisk, { all: true, site: current.site === null ? disk.site : null })
  }

  removals.check(current.served, disk, false)
  let recheckTimer: NodeJS.Timeout | null = null
  const load = async (isForced: boolean): Promise<void> => {
    const siteBefore = JSON.stringify(disk.site)
    if (!isSharedKnown) {
      shared = findSharedFolder(folder)
      isSharedKnown = existsSync(folder)
    }
    signature = await readSignature(folder, shared)
    // A long check may block the server at startup; later, a worker thread runs it.
    disk = dropUnservable(options, await compile(options.checkFolder ?? checkFolderInWorker))
    if (disk.findings !== '') options.print(disk.findings)
    for (const problem of disk.folderErrors) log.warn({}, problem)
    if (store.isShared) {
      await refresh()
      if (isForced) follower.clearOverruled()
    }
    const { removedIds, waitMs } = removals.check(current.served, disk, isForced && store.isShared)
    if (recheckTimer !== null) clearTimeout(recheckTimer)
    recheckTimer =
      waitMs === null || !options.isWatching ? null : setTimeout(() => void reload(false), waitMs)
    recheckTimer?.unref()
    await activate(() => mergeWithDisk(removedIds), {
      all: false,
      // As with event versions, an unchanged file on this disk does not count as new.
      site:
        !store.isShared || isForced || JSON.stringify(disk.site) !== siteBefore ? disk.site : null,
    })
  }
  let reloading: Promise<void> = Promise.resolve()
  const reload = (isForced: boolean): Promise<void> => {
    reloading = reloading
      .then(() => load(isForced))
      .catch((error: unknown) =>
        log.error({ error: String(error) }, 'the event files could not be reloaded'),
      )
    return reloading
  }
  const stopWatching = options.isWatching
    ? watchFolders(
        [folder, shared],
        () => reload(false),
        async () => (await readSignature(folder, shared)) !== signature,
      )
    : () => {}
  const stopRefreshing =
    store.isShared && options.isWatching ? follower.startPolling(refresh) : async () => {}

  return ok({
    all: () => current.served,
    findById: (id) => current.findById.get(id) ?? null,
    findByOrderId: (orderId) => current.findByOrderId(orderId),
    cards: (at) =>
      sortEvents(
        current.served.flatMap(({ config, isGone }) => (isGone ? [] : [buildCard(config, at)])),
        dayOf(at),
      ),
    site: () => current.site,
    refusedFiles: () =>
      listRefusedFiles(disk, current, follower.getOverruledHashes(), options.heldVersions),
    reload: () => reload(true),
    refresh: async () => store.isShared && refresh(),
    onChange: (listener) => void listeners.add(listener),
    close: async () => {
      stopWatching()
      if (recheckTimer !== null) clearTimeout(recheckTimer)
      await stopRefreshing()
      await reloading
    },
  })
}

/** Returns the events to serve at startup if none were activated before: valid files, else previous versions. */
async function chooseStartVersions(
  options: RegistryDeps,
  disk: CompiledFolder,
): Promise<Result<readonly ServedEvent[], string>> {
  const lastValid = await findLastValidVersions(options, disk)
  if (!lastValid.ok) return lastValid
  const { fallbacks, droppedEvents, closedEvents } = lastValid.value
  const approvedEvents = [...(await approveVersions(options, disk.served, [])), ...fallbacks]
  await storeAll(options, droppedEvents.map(closeRegistration))
  const candidates = [...disk.served, ...fallbacks]
  const previous = await findPreviousVersions(options, approvedEvents, candidates, disk)
  const compatible = selectCompatible(options, approvedEvents, previous)
  return ok([...compatible, ...excludeConflicts(closedEvents, compatible)])
}

/** Returns the previous versions of all events if a version is held back or invalid; otherwise the current ones. */
async function findPreviousVersions(
  { store }: RegistryOptions,
  current: readonly ServedEvent[],
  requested: readonly ServedEvent[],
  { refused }: CompiledFolder,
): Promise<readonly ServedEvent[]> {
  if (isSameList(current, requested) && refused.size === 0) return current
  const previous = await Promise.all(current.map(({ config }) => readLastServed(store, config.id)))
  return previous.filter((event) => event !== null)
}

/** Excludes events that this server cannot serve. Otherwise, the problem would appear only at the first payment. */
function dropUnservable(
  { folder, explainUnservable = () => null }: RegistryOptions,
  compileResult: CompiledFolder,
): CompiledFolder {
  const refused = new Map(compileResult.refused)
  const served = compileResult.served.filter(({ config }) => {
    const reason = explainUnservable(config)
    if (reason !== null) refused.set(path.join(folder, `${config.id}.yaml`), reason)
    return reason === null
  })
  return { ...compileResult, served, refused }
}

/** Returns the valid events that can be served together; reports those that cannot. */
function selectCompatible(
  { log, print, heldVersions }: RegistryDeps,
  wantedEvents: readonly ServedEvent[],
  previous: readonly ServedEvent[],
): readonly ServedEvent[] {
  const { served, rejectedEvents } = resolveConflicts(wantedEvents, previous)
  for (const { event, why: reason } of rejectedEvents) {
    const { id } = event.config
    log.warn({ event: id }, 'a version that conflicts with other events is not served')
    const sentence = `${id}.yaml is not served in its current version: ${reason}. The previous one is served.`
    heldVersions.set(id, { hash: event.hash, why: sentence })
    print(sentence)
  }
  return served
}

type Index = ActiveState & {
  readonly findById: ReadonlyMap<string, ServedEvent>
  readonly findByOrderId: (orderId: string | OrderId) => ServedEvent | null
}

function buildIndex(state: ActiveState): Index {
  const { served } = state
  const eventsByPrefix = new Map(served.map((event) => [event.config.orderId.prefix, event]))
  const lengths = [...new Set([...eventsByPrefix.keys()].map((prefix) => prefix.length))].sort(
    (a, b) => b - a,
  )
  return {
    ...state,
    findById: new Map(served.map((event) => [event.config.id, event])),
    findByOrderId: (orderId) => {
      for (const length of lengths) {
        const event = eventsByPrefix.get(orderId.slice(0, length))
        if (event === undefined) continue
        const suffix = orderId.slice(length)
        const { followedBy } = event.config.orderId
        if (followedBy === 'anything' ? suffix.length > 0 : /^\d+$/.test(suffix)) return event
      }
      return null
    },
  }
}

/** Merges the new versions of valid files with the previous versions of all others. */
function merge(
  options: RegistryOptions,
  previous: readonly ServedEvent[],
  next: CompiledFolder,
): readonly ServedEvent[] {
  const newVersions = new Map(next.served.map((event) => [event.config.id, event]))
  const keptEvents = previous.filter(({ config, isGone }) => !newVersions.has(config.id) && !isGone)
  for (const { config } of keptEvents)
    options.log.warn({ event: config.id }, 'the previous version stays')
  for (const [file, reason] of next.refused)
    options.log.warn({ file: path.basename(file) }, reason.split('\n')[0] ?? 'refused')
  // Each event keeps its position; new ones follow.
  const mergedEvents = previous.map((event) => {
    const newVersion = newVersions.get(event.config.id)
    if (newVersion === undefined) return event
    // A removed file may be restored unchanged.
    return newVersion.hash === event.hash && !event.isGone ? event : newVersion
  })
  return [
    ...mergedEvents,
    ...next.served.filter(({ config }) => !previous.some((event) => event.config.id === config.id)),
  ]
}

function isSameList(a: readonly ServedEvent[], b: readonly ServedEvent[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ hash, isGone }, index) => hash === b[index]?.hash && isGone === b[index]?.isGone)
  )
}

async function storeAll(
  { store, clock }: RegistryOptions,
  served: readonly ServedEvent[],
): Promise<void> {
  for (let start = 0; start < served.length; start += STORED_BATCH_SIZE) {
    const batch = served.slice(start, start + STORED_BATCH_SIZE)
    await Promise.all(batch.map((event) => store.saveEventFile(toStoredVersion(event, clock()))))
  }
}

function buildCard(config: EventConfig, at: Instant): EventCard {
  const { id, title, theme, about, from, to, hours, venue, status, look, routes } = config
  const openState = checkRegistrationOpen(config, dayOf(at))
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
    open: openState.open,
    closed: openState.open
      ? null
      : openState.by === 'early'
        ? { by: openState.by, opens: openState.opens }
        : { by: openState.by },
    took_place: isEventOver(config, dayOf(at)),
  }
}
