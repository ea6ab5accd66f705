/**
 * Activates event versions for all servers of a database.
 * A version is activated in the store, at one moment for all servers; each follows, and compiles from the store
 * what it has not read from its own disk.
 */
import { setImmediate as rest } from 'node:timers/promises'
import { allSeatPools, buildIssuer, seatName } from '../../../engine/index.ts'
import type { EventConfig, Instant, Site } from '../../../engine/index.ts'
import type { ServedEvent } from '../../dependencies.ts'
import type { Activation, Active, ActiveEvent, Store } from '../../storage/index.ts'
import type { Cache } from '../files/compiled-event-cache.ts'
import { versionOf } from './version-approval.ts'
import { closed } from './last-valid-version.ts'

/** The served events, and the number of their activation. */
export type ServedNow = {
  readonly number: number
  readonly served: readonly ServedEvent[]
  readonly site: Site | null
  /** Events whose active version this server cannot serve, with the reason in a sentence. */
  readonly unable: ReadonlyMap<string, string>
}
export const NOTHING: ServedNow = { number: 0, served: [], site: null, unable: new Map() }

export type Follower = {
  readonly store: Pick<Store, 'eventFile'>
  readonly cache: Cache
  readonly production: boolean
  readonly cannotServe: (event: EventConfig) => string | null
}

/**
 * Compiles the active versions; `known`: those that this server has compiled already. For a version that it
 * cannot serve, the previous one stays here; registrations under it are refused, because the store checks the
 * version.
 */
export async function compileActive(
  follower: Follower,
  { number, site, events }: Active,
  known: readonly ServedEvent[],
  before: readonly ServedEvent[],
): Promise<ServedNow> {
  const byHash = new Map(
    known.flatMap((event) => (event.isGone === true ? [] : [[event.hash, event] as const])),
  )
  const served: ServedEvent[] = []
  const unable = new Map<string, string>()
  for (const active of events) {
    const { eventId, hash, isGone } = active
    const found = byHash.get(hash) ?? (await compiled(follower, hash))
    const why = found === null ? UNREADABLE : whyNot(follower, found.config)
    if (found !== null && why === null) served.push(isGone ? closed(found) : found)
    else {
      unable.set(eventId, `${eventId} is active in a version that this server cannot serve: ${why}`)
      const old = before.find(({ config }) => config.id === eventId)
      if (old !== undefined) served.push(old)
    }
  }
  return { number, served, site: site === null ? null : (JSON.parse(site) as Site), unable }
}

const UNREADABLE = 'it is of a newer Rollcall, or not kept.'

function whyNot({ production, cannotServe }: Follower, config: EventConfig): string | null {
  return production && config.demo.length > 0 ? 'it holds demo values.' : cannotServe(config)
}

async function compiled({ store, cache }: Follower, hash: string): Promise<ServedEvent | null> {
  // Lets requests through between two of them.
  await rest()
  const known = await cache.read(hash)
  if (known === null) return versionOf(store, hash)
  const kept = await store.eventFile(hash)
  return kept === null ? null : { config: known.event, hash, text: kept.text, shared: kept.shared }
}

/**
 * Returns what is to be activated, compared with `before`. `all`: sets everything that depends on a version
 * again.
 */
export function activationOf(
  before: { readonly number: number; readonly served: readonly ServedEvent[] },
  { served, site }: { readonly served: readonly ServedEvent[]; readonly site: Site | null },
  at: Instant,
  all: boolean,
): Activation {
  const old = new Set(before.served.map(({ hash }) => hash))
  return {
    after: before.number,
    events: served.map(({ config: { id }, hash, isGone = false }): ActiveEvent => ({
      eventId: id,
      hash,
      isGone,
    })),
    site: site === null ? null : JSON.stringify(site),
    files: served.filter(({ hash }) => all || !old.has(hash)).map((event) => keptFile(event, at)),
  }
}

/** Returns a version as the store keeps it, with the data that depends on it. */
export function keptFile(
  { hash, config, text, shared, isGone }: ServedEvent,
  at: Instant,
): Activation['files'][number] {
  const { id: eventId, quotas, holdSeatsMs } = config
  const placeNames = Object.fromEntries(
    allSeatPools(quotas).map((place) => [place.id, seatName(config, place)]),
  )
  const issuer = buildIssuer(config)
  return {
    hash,
    eventId,
    text,
    shared,
    at,
    limits: quotas,
    holdPlaceMs: holdSeatsMs,
    placeNames,
    issuer,
    isGone: isGone === true,
  }
}
