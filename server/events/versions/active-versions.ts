/**
 * Activates event versions for all servers that share a database.
 * A version is activated in the store, at the same moment for all servers. Each server then compiles the active
 * versions; it reads those that are not on its own disk from the store.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { listSeatPools, buildIssuer, getSeatName, listUniqueRules } from '../../../engine/index.ts'
import type { EventConfig, Instant, Site } from '../../../engine/index.ts'
import type { ServedEvent } from '../../dependencies.ts'
import type { Activation, ActiveVersions, ActiveEvent, Store } from '../../storage/index.ts'
import type { Cache } from '../files/compiled-event-cache.ts'
import { readVersion } from './version-approval.ts'
import { closeRegistration } from './last-valid-version.ts'

/** The served events, and the number of their activation. */
export type ActiveState = {
  readonly number: number
  readonly served: readonly ServedEvent[]
  readonly site: Site | null
  /** Events whose active version this server cannot serve, with the reason in a sentence. */
  readonly unservableEvents: ReadonlyMap<string, string>
}
export const NO_ACTIVE_VERSIONS: ActiveState = {
  number: 0,
  served: [],
  site: null,
  unservableEvents: new Map(),
}

export type CompileDeps = {
  readonly store: Pick<Store, 'eventFile'>
  readonly cache: Cache
  readonly production: boolean
  readonly explainUnservable: (event: EventConfig) => string | null
}

/**
 * Compiles the active versions; `compiledEvents` contains those that this server has already compiled. If this server
 * cannot serve a version, the previous one is still served, and new registrations under it are rejected, because the
 * store checks the version.
 */
export async function compileActive(
  deps: CompileDeps,
  { number, site, events }: ActiveVersions,
  compiledEvents: readonly ServedEvent[],
  previous: readonly ServedEvent[],
): Promise<ActiveState> {
  const eventsByHash = new Map(
    compiledEvents.flatMap((event) =>
      event.isGone === true ? [] : [[event.hash, event] as const],
    ),
  )
  const served: ServedEvent[] = []
  const unservable = new Map<string, string>()
  for (const active of events) {
    const { eventId, hash, isGone } = active
    const compiledEvent = eventsByHash.get(hash) ?? (await compileVersion(deps, hash))
    const reason =
      compiledEvent === null ? UNREADABLE_REASON : findObstacle(deps, compiledEvent.config)
    if (compiledEvent !== null && reason === null)
      served.push(isGone ? closeRegistration(compiledEvent) : compiledEvent)
    else {
      unservable.set(
        eventId,
        `${eventId} is active in a version that this server cannot serve: ${reason}`,
      )
      const previousVersion = previous.find(({ config }) => config.id === eventId)
      if (previousVersion !== undefined) served.push(previousVersion)
    }
  }
  return {
    number,
    served,
    site: site === null ? null : (JSON.parse(site) as Site),
    unservableEvents: unservable,
  }
}

const UNREADABLE_REASON = 'it is from a newer version of Rollcall, or not stored.'

function findObstacle(
  { production, explainUnservable }: CompileDeps,
  config: EventConfig,
): string | null {
  return production && config.demo.length > 0
    ? 'it contains demo values.'
    : explainUnservable(config)
}

async function compileVersion(
  { store, cache }: CompileDeps,
  hash: string,
): Promise<ServedEvent | null> {
  // Pauses between two versions, so that requests can proceed.
  await yieldToEventLoop()
  const cachedVersion = await cache.read(hash)
  if (cachedVersion === null) return readVersion(store, hash)
  const storedFile = await store.eventFile(hash)
  return storedFile === null
    ? null
    : { config: cachedVersion.event, hash, text: storedFile.text, shared: storedFile.shared }
}

/**
 * Returns the activation that changes `previous` to the new state. If `all` is true, the data of unchanged
 * versions is stored again.
 */
export function buildActivation(
  previous: { readonly number: number; readonly served: readonly ServedEvent[] },
  { served, site }: { readonly served: readonly ServedEvent[]; readonly site: Site | null },
  at: Instant,
  all: boolean,
): Activation {
  const oldHashes = new Set(previous.served.map(({ hash }) => hash))
  return {
    after: previous.number,
    events: served.map(({ config: { id }, hash, isGone = false }): ActiveEvent => ({
      eventId: id,
      hash,
      isGone,
    })),
    site: site === null ? null : JSON.stringify(site),
    files: served
      .filter(({ hash }) => all || !oldHashes.has(hash))
      .map((event) => toStoredVersion(event, at)),
  }
}

/** Returns a version in the store's format, with the data derived from it. */
export function toStoredVersion(
  { hash, config, text, shared, isGone }: ServedEvent,
  at: Instant,
): Activation['files'][number] {
  const { id: eventId, quotas, holdSeatsMs } = config
  const seatNames = Object.fromEntries(
    listSeatPools(quotas).map((seatPool) => [seatPool.id, getSeatName(config, seatPool)]),
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
    placeNames: seatNames,
    unique: listUniqueRules(config),
    issuer,
    isGone: isGone === true,
  }
}
