/** Handles event files removed at run time: registration closes, after the time of a rename. */
import type { Instant } from '../../../engine/index.ts'
import { clashesAmong } from '../../../engine/authoring.ts'
import type { Log, ServedEvent } from '../../dependencies.ts'
import type { Store } from '../../storage/index.ts'
import type { Compiled } from './event-folder.ts'
import { keptFile } from '../versions/active-versions.ts'
import { closed, idNamed, REMOVED } from '../versions/last-valid-version.ts'

/** The longest time for which a file is missing while it is renamed, or while its folder is rewritten. */
export const REMOVED_MS = 5_000

type Missing = {
  /** Events whose file has been missing for long enough. */
  readonly removed: ReadonlySet<string>
  /** Milliseconds until this is true for the next one; null: none is missing. */
  readonly waitMs: number | null
}
export type Removals = {
  /** Finds served events without a file on disk. A folder without any event file is faulty, and removes nothing. */
  look(served: readonly ServedEvent[], disk: Compiled, all: boolean): Missing
}

/** `isShared`: an event that was never on this disk was activated by another server, and stays. */
export function openRemovals(
  { steadyMs, log }: { readonly steadyMs: () => number; readonly log: Log },
  isShared: boolean,
): Removals {
  const since = new Map<string, number>()
  const wereHere = new Set<string>()
  return {
    look(served, disk, all) {
      if (!disk.hasFiles) return { removed: new Set(), waitMs: null }
      const here = onDisk(disk)
      for (const id of here) wereHere.add(id)
      const now = steadyMs()
      const missing = served
        .filter(({ config, isGone }) => isGone !== true && !here.has(config.id))
        .map(({ config }) => config.id)
        .filter((id) => all || !isShared || wereHere.has(id))
      for (const id of since.keys()) if (!missing.includes(id)) since.delete(id)
      for (const id of missing) {
        if (!since.has(id) && !all)
          log.warn(
            { event: id },
            `the file ${id}.yaml is missing: registration closes in ${REMOVED_MS / 1000} seconds unless it comes back`,
          )
        since.set(id, since.get(id) ?? now)
      }
      const leftMs = (id: string): number => (since.get(id) ?? now) + REMOVED_MS - now
      const removed = missing.filter((id) => all || leftMs(id) <= 0)
      const waiting = missing.filter((id) => !removed.includes(id)).map(leftMs)
      return {
        removed: new Set(removed),
        waitMs: waiting.length === 0 ? null : Math.min(...waiting),
      }
    },
  }
}

function onDisk({ served, refused }: Compiled): ReadonlySet<string> {
  return new Set([...served.map(({ config }) => config.id), ...[...refused.keys()].map(idNamed)])
}

/**
 * Returns what remains of events whose file was removed: closed if they have registrations, else nothing. A later
 * start without any event file also uses it.
 */
export async function closedOf(
  {
    store,
    clock,
    log,
  }: {
    readonly store: Pick<Store, 'inUse' | 'keepEventFile'>
    readonly clock: () => Instant
    readonly log: Log
  },
  removed: readonly ServedEvent[],
): Promise<readonly ServedEvent[]> {
  const kept: ServedEvent[] = []
  for (const event of removed) {
    const { id } = event.config
    const { registrations } = await store.inUse(id)
    log.warn({ event: id, registrations }, REMOVED(id))
    if (registrations > 0) kept.push(closed(event))
    else await store.keepEventFile(keptFile(closed(event), clock()))
  }
  return kept
}

/** Returns the events without a file that conflict with none of the others: an event may have been renamed. */
export function besides(
  gone: readonly ServedEvent[],
  served: readonly ServedEvent[],
): readonly ServedEvent[] {
  const taken: ServedEvent[] = []
  for (const event of gone) {
    const configs = [...served, ...taken, event].map(({ config }) => config)
    if (clashesAmong(configs).length === 0) taken.push(event)
  }
  return taken
}
