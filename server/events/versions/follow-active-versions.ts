/**
 * Keeps a server up to date with the active versions of its shared database.
 * It adopts versions that other servers activate, and activates only new versions on its own disk, because the files of
 * several machines do not change at the same moment.
 */
import { repeatTask } from '../../ops/clock.ts'
import type { EventConfig } from '../../../engine/index.ts'
import type { Log, ServedEvent } from '../../dependencies.ts'
import type { Store } from '../../storage/index.ts'
import { compileActive } from './active-versions.ts'
import type { ActiveState } from './active-versions.ts'
import { openCache } from '../files/compiled-event-cache.ts'

/** The interval between a server's checks for a new activation. */
const POLL_INTERVAL_MS = 1_000

type Options = {
  readonly cacheFolder: string
  readonly store: Pick<Store, 'activeEvents' | 'eventFile' | 'valuesInUse' | 'isShared'>
  readonly log: Log
  readonly print: (text: string) => void
  readonly production: boolean
  readonly explainUnservable?: (event: EventConfig) => string | null
}
export type VersionFollower = {
  /**
   * Returns the compiled active versions; null if the given number is current or there are no other servers.
   */
  findActiveState(
    number: number,
    eventsOnDisk: readonly ServedEvent[],
    previousEvents: readonly ServedEvent[],
  ): Promise<ActiveState | null>
  /** Returns the versions to serve from this disk; for overruled files, the active versions. */
  selectCandidates(
    eventsOnDisk: readonly ServedEvent[],
    active: readonly ServedEvent[],
  ): readonly ServedEvent[]
  /** Marks files that another server's decision overrules. */
  markOverruled(eventsOnDisk: readonly ServedEvent[], active: readonly ServedEvent[]): void
  /** Marks versions that were served before, because they are not new, and logs them. Called at startup. */
  markServedBefore(
    eventsOnDisk: readonly ServedEvent[],
    active: readonly ServedEvent[],
  ): Promise<void>
  /** Returns the hashes of ignored files on this disk, by event id. */
  getOverruledHashes(): ReadonlyMap<string, string>
  /** Stops ignoring files on this disk, on request. */
  clearOverruled(): void
  /** Checks for new activations repeatedly; returns a function that stops the checks. */
  startPolling(refresh: () => Promise<boolean>): () => Promise<void>
}

export async function openFollower(options: Options): Promise<VersionFollower> {
  const { store, log, print, production, explainUnservable = () => null } = options
  const compileDeps = {
    store,
    cache: await openCache(options.cacheFolder),
    production,
    explainUnservable,
  }
  const overruledHashes = new Map<string, string>()
  const isActive = ({ hash, config }: ServedEvent, active: readonly ServedEvent[]): boolean =>
    active.some(
      (activeVersion) =>
        activeVersion.config.id === config.id &&
        activeVersion.hash === hash &&
        activeVersion.isGone !== true,
    )
  return {
    findActiveState: async (number, eventsOnDisk, previousEvents) => {
      const activeVersions = store.isShared ? await store.activeEvents(number) : null
      if (activeVersions === null) return null
      const activeState = await compileActive(
        compileDeps,
        activeVersions,
        [...eventsOnDisk, ...previousEvents],
        previousEvents,
      )
      for (const reason of activeState.unservableEvents.values()) {
        log.error({}, reason)
        print(reason)
      }
      return activeState
    },
    selectCandidates: (eventsOnDisk, active) =>
      eventsOnDisk.flatMap((event) => {
        const { id } = event.config
        if (overruledHashes.get(id) !== event.hash) return [event]
        return active.filter(({ config }) => config.id === id)
      }),
    markOverruled: (eventsOnDisk, active) => {
      for (const event of eventsOnDisk)
        if (!isActive(event, active)) overruledHashes.set(event.config.id, event.hash)
    },
    markServedBefore: async (eventsOnDisk, active) => {
      for (const event of eventsOnDisk) {
        const { id } = event.config
        if (isActive(event, active) || (await store.eventFile(event.hash)) === null) continue
        overruledHashes.set(id, event.hash)
        log.warn({ event: id }, explainOverruled(id))
        print(explainOverruled(id))
      }
    },
    getOverruledHashes: () => overruledHashes,
    clearOverruled: () => overruledHashes.clear(),
    startPolling: (refresh) => {
      let isLogged = false
      return repeatTask(
        POLL_INTERVAL_MS,
        async () => {
          await refresh()
          isLogged = false
        },
        (error) => {
          if (!isLogged) log.error({ error: String(error) }, 'could not read the active versions')
          isLogged = true
        },
      )
    },
  }
}

export const explainOverruled = (id: string): string =>
  `${id}.yaml on this machine differs from the version that all servers serve, and was served before. To serve it again on all servers, run rollcall event reload.`

/** Runs one check at a time: a call during a check waits for the next check, which starts after the call. */
export function runOneAtATime(checkNow: () => Promise<boolean>): () => Promise<boolean> {
  let currentCheck: Promise<boolean> | null = null
  let next: Promise<boolean> | null = null
  const checkSerially = (): Promise<boolean> => {
    if (currentCheck === null) {
      currentCheck = checkNow().finally(() => {
        currentCheck = null
      })
      return currentCheck
    }
    next ??= currentCheck
      .catch(() => false)
      .then(() => {
        next = null
        return checkSerially()
      })
    return next
  }
  return checkSerially
}
