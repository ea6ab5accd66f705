/** Handles event files removed at run time: registration closes, after enough time for a rename. */
import type { Instant } from '../../../engine/index.ts'
import { findClashes } from '../../../engine/authoring.ts'
import type { Log, ServedEvent } from '../../dependencies.ts'
import type { Store } from '../../storage/index.ts'
import type { CompiledFolder } from './event-folder.ts'
import { toStoredVersion } from '../versions/active-versions.ts'
import {
  closeRegistration,
  getEventId,
  formatRemovedMessage,
} from '../versions/last-valid-version.ts'

/** While a file is renamed or its folder is rewritten, it is missing for less than this time. */
export const REMOVAL_DELAY_MS = 5_000
/** The delay before a folder is checked again after its check was stopped, because the machine may have been busy. */
const RECHECK_DELAY_MS = 120_000

type RemovalCheck = {
  /** Events whose file has been missing for long enough. */
  readonly removedIds: ReadonlySet<string>
  /** Milliseconds until the folder must be checked again. Null if no check is needed until a file changes. */
  readonly waitMs: number | null
}
export type RemovalTracker = {
  /**
   * Finds served events without a file on disk. A folder without any event file is treated as invalid, so no event
   * counts as removed.
   */
  check(served: readonly ServedEvent[], disk: CompiledFolder, isForced: boolean): RemovalCheck
}

/**
 * Creates the tracker. If `isShared` is true, an event that was never on this disk was activated by another server,
 * and is kept.
 */
export function openRemovalTracker(
  { steadyMs, log }: { readonly steadyMs: () => number; readonly log: Log },
  isShared: boolean,
): RemovalTracker {
  const missingSince = new Map<string, number>()
  const seenOnDisk = new Set<string>()
  return {
    check(served, disk, isForced) {
      if (!disk.hasFiles)
        return { removedIds: new Set(), waitMs: disk.isUnchecked ? RECHECK_DELAY_MS : null }
      const idsOnDisk = listIds(disk)
      for (const id of idsOnDisk) seenOnDisk.add(id)
      const now = steadyMs()
      const missingIds = served
        .filter(({ config, isGone }) => isGone !== true && !idsOnDisk.has(config.id))
        .map(({ config }) => config.id)
        .filter((id) => isForced || !isShared || seenOnDisk.has(id))
      for (const id of missingSince.keys()) if (!missingIds.includes(id)) missingSince.delete(id)
      for (const id of missingIds) {
        if (!missingSince.has(id) && !isForced)
          log.warn(
            { event: id },
            `the file ${id}.yaml is missing: registration closes in ${REMOVAL_DELAY_MS / 1000} seconds unless it is restored`,
          )
        missingSince.set(id, missingSince.get(id) ?? now)
      }
      const getRemainingMs = (id: string): number =>
        (missingSince.get(id) ?? now) + REMOVAL_DELAY_MS - now
      const overdueIds = missingIds.filter((id) => isForced || getRemainingMs(id) <= 0)
      const waitTimes = missingIds.filter((id) => !overdueIds.includes(id)).map(getRemainingMs)
      return {
        removedIds: new Set(overdueIds),
        waitMs: waitTimes.length === 0 ? null : Math.min(...waitTimes),
      }
    },
  }
}

function listIds({ served, refused }: CompiledFolder): ReadonlySet<string> {
  return new Set([...served.map(({ config }) => config.id), ...[...refused.keys()].map(getEventId)])
}

/**
 * Closes events whose file was removed if they have registrations, and returns them; drops the others. A later start
 * without any event file uses the stored result.
 */
export async function closeOrDropEvents(
  {
    store,
    clock,
    log,
  }: {
    readonly store: Pick<Store, 'valuesInUse' | 'saveEventFile'>
    readonly clock: () => Instant
    readonly log: Log
  },
  removedEvents: readonly ServedEvent[],
): Promise<readonly ServedEvent[]> {
  const closedEvents: ServedEvent[] = []
  for (const event of removedEvents) {
    const { id } = event.config
    const { registrations } = await store.valuesInUse(id)
    log.warn({ event: id, registrations }, formatRemovedMessage(id))
    if (registrations > 0) closedEvents.push(closeRegistration(event))
    else await store.saveEventFile(toStoredVersion(closeRegistration(event), clock()))
  }
  return closedEvents
}

/** Returns the removed events that conflict with no served event. A removed event conflicts if its file was renamed. */
export function excludeConflicts(
  removedEvents: readonly ServedEvent[],
  served: readonly ServedEvent[],
): readonly ServedEvent[] {
  const acceptedEvents: ServedEvent[] = []
  for (const event of removedEvents) {
    const configs = [...served, ...acceptedEvents, event].map(({ config }) => config)
    if (findClashes(configs).length === 0) acceptedEvents.push(event)
  }
  return acceptedEvents
}
