/** Event files that are removed while the server runs: registration for their events closes, after the seconds that a file needs to be renamed. */
import type { Instant } from '../../../engine/index.ts'
import { clashesAmong } from '../../../engine/authoring.ts'
import type { Log, ServedEvent } from '../../dependencies.ts'
import type { Store } from '../../storage/index.ts'
import type { Compiled } from './event-folder.ts'
import { keptFile } from '../versions/active-versions.ts'
import { closed, idNamed, REMOVED } from '../versions/last-valid-version.ts'

/** A file that is renamed, or a folder that is written anew, lacks it for so long at most. */
export const REMOVED_MS = 5_000

type Missing = {
  /** Events whose file is missing for long enough. */
  readonly removed: ReadonlySet<string>
  /** When the next of them will have been; null: none is missing. */
  readonly waitMs: number | null
}
export type Removals = {
  /** Of what is served, what has no file on the disk. A folder without any event file is out of order, and removes nothing. */
  look(served: readonly ServedEvent[], disk: Compiled, all: boolean): Missing
}

/** `isShared`: what was never on this disk was activated by another server, and stays. */
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
 * What is left of events whose file was removed: closed where people are registered, else nothing. A later start without any event
 * file knows of it.
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

/** Those of the events without a file that take nothing from the others: an event may have been renamed. */
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
