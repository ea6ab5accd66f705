/** Compares new event versions with those that stored registrations were made with. */
import path from 'node:path'
import { getOwn } from '../../../engine/index.ts'
import { compareWithPast, formatFindings, readEvent } from '../../../engine/authoring.ts'
import type { EventConfig } from '../../../engine/index.ts'
import type { Finding, SharedFiles } from '../../../engine/authoring.ts'
import type { Log, ServedEvent } from '../../dependencies.ts'
import type { Store } from '../../storage/index.ts'
import { looksCutOff } from '../files/truncated-file.ts'

type Keeper = {
  readonly folder: string
  readonly store: Pick<Store, 'lastEventFile' | 'inUse'>
  readonly log: Log
  readonly print: (text: string) => void
}
/** Events checked at once, so that the store's queue has space for other work. */
const JUDGED_AT_ONCE = 50

/**
 * Returns the events to serve. A version that would break stored registrations, or that is truncated, is held
 * back, and the previous one (served until now, or at the last start) is used instead. Reports this with the
 * findings.
 */
export async function keepPromises(
  keeper: Keeper,
  fresh: readonly ServedEvent[],
  before: readonly ServedEvent[],
): Promise<readonly ServedEvent[]> {
  const kept: ServedEvent[] = []
  for (let from = 0; from < fresh.length; from += JUDGED_AT_ONCE) {
    kept.push(
      ...(await Promise.all(
        fresh.slice(from, from + JUDGED_AT_ONCE).map(async (next) => {
          const served = before.find(({ config }) => config.id === next.config.id)
          if (served !== undefined)
            return served.hash === next.hash ? next : judged(keeper, next, served)
          const last = await keeper.store.lastEventFile(next.config.id)
          // Unchanged: compiling it again would take a quarter of a server's start.
          if (last?.hash === next.hash) return next
          const old = compiled(last)
          return old === null ? next : judged(keeper, next, old)
        }),
      )),
    )
  }
  return kept
}

async function judged(
  { folder, store, log, print }: Keeper,
  next: ServedEvent,
  old: ServedEvent,
): Promise<ServedEvent> {
  const { id } = next.config
  const file = { path: path.join(folder, `${id}.yaml`), text: next.text }
  const findings = await brokenPromises(store, next.config, file, old.config)
  if (findings.length > 0) print(formatFindings(findings, new Map([[file.path, file.text]])))
  if (!findings.some(({ severity }) => severity === 'error')) {
    if (!looksCutOff(next.text, old.text)) return next
    const sentence = `${id}.yaml stops in the middle of what it was before, like a file that was not written to its end. The version before is served. If this is meant, put "# end" in its last line.`
    log.warn({ event: id, version: old.hash.slice(0, 12) }, sentence)
    print(sentence)
    return old
  }
  log.warn(
    { event: id, version: old.hash.slice(0, 12) },
    `${id}.yaml is not served as it is now: it would break stored registrations. The last good version is served.`,
  )
  print(
    `${id}.yaml is not served as it is now; the last good version (${old.hash.slice(0, 12)}) is. Mend it, or accept each finding with allow and a reason.`,
  )
  return old
}

/** Returns what a new version would break in the stored registrations; nothing if there are none. */
export async function brokenPromises(
  store: Pick<Store, 'inUse'>,
  next: EventConfig,
  file: { readonly path: string; readonly text: string },
  old: EventConfig,
): Promise<readonly Finding[]> {
  const use = await store.inUse(next.id)
  return use.registrations === 0 ? [] : compareWithPast(next, file, old, use)
}

/**
 * Compiles the last served version of an event again; null when there is none, or none that this engine can read.
 */
export async function lastServed(
  store: Pick<Store, 'lastEventFile'>,
  eventId: string,
): Promise<ServedEvent | null> {
  return compiled(await store.lastEventFile(eventId))
}

/** Compiles the version that a registration was made with again; null when it is not stored. */
export async function versionOf(
  store: Pick<Store, 'eventFile'>,
  hash: string,
): Promise<ServedEvent | null> {
  return compiled(await store.eventFile(hash))
}

function compiled(last: Awaited<ReturnType<Store['lastEventFile']>>): ServedEvent | null {
  if (last === null) return null
  // It was valid when it was stored; new findings of a later engine are no reason to drop it.
  const event = readEvent(last.text, sharedOf(last.shared))
  return event === null
    ? null
    : { config: event, hash: last.hash, text: last.text, shared: last.shared }
}

/** Returns what the store keeps beside an event's text: the texts of the shared files it was compiled with. */
export function sharedOf(json: string): SharedFiles {
  const kept = JSON.parse(json) as Readonly<Record<string, string>>
  const file = (name: string) => ({ path: `_shared/${name}.yaml`, text: getOwn(kept, name) ?? '' })
  return { lists: file('lists'), gateways: file('gateways'), texts: file('texts') }
}
