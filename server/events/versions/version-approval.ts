/** Compares new event versions with the versions under which registrations were stored. */
import path from 'node:path'
import { getOwn } from '../../../engine/index.ts'
import {
  collectChangedValues,
  compareWithServedVersion,
  formatFindings,
  readEvent,
} from '../../../engine/authoring.ts'
import type { EventConfig } from '../../../engine/index.ts'
import type { Finding, SharedFiles } from '../../../engine/authoring.ts'
import type { Log, RefusedFile, ServedEvent } from '../../dependencies.ts'
import type { Store } from '../../storage/index.ts'
import { isTruncated } from '../files/truncated-file.ts'

/** A valid version that is not served, with the reason in a sentence. */
type HeldVersion = Omit<RefusedFile, 'file'> & { readonly hash: string }

/** By event id, the last version that is not served although it is valid. */
export type HeldVersions = Map<string, HeldVersion>

type ApprovalDeps = {
  readonly folder: string
  readonly store: Pick<Store, 'lastEventFile' | 'valuesInUse'>
  readonly log: Log
  readonly print: (text: string) => void
  readonly heldVersions: HeldVersions
}
/** The number of events checked concurrently, so that the store's queue has space for other work. */
const CHECKED_BATCH_SIZE = 50

/**
 * Returns the events to serve. A version that would break stored registrations, or that is truncated, is held back; the
 * previous one is served instead. This is reported with the findings.
 */
export async function approveVersions(
  deps: ApprovalDeps,
  candidates: readonly ServedEvent[],
  previousEvents: readonly ServedEvent[],
): Promise<readonly ServedEvent[]> {
  const approvedEvents: ServedEvent[] = []
  for (let start = 0; start < candidates.length; start += CHECKED_BATCH_SIZE) {
    approvedEvents.push(
      ...(await Promise.all(
        candidates.slice(start, start + CHECKED_BATCH_SIZE).map(async (next) => {
          const servedVersion = previousEvents.find(({ config }) => config.id === next.config.id)
          if (servedVersion !== undefined)
            return servedVersion.hash === next.hash
              ? next
              : approveVersion(deps, next, servedVersion)
          const lastFile = await deps.store.lastEventFile(next.config.id)
          // The version is unchanged: compiling it again would take a quarter of a server's startup time.
          if (lastFile?.hash === next.hash) return next
          const lastVersion = compileStored(lastFile)
          return lastVersion === null ? next : approveVersion(deps, next, lastVersion)
        }),
      )),
    )
  }
  return approvedEvents
}

async function approveVersion(
  { folder, store, log, print, heldVersions }: ApprovalDeps,
  next: ServedEvent,
  lastVersion: ServedEvent,
): Promise<ServedEvent> {
  const { id } = next.config
  const version = lastVersion.hash.slice(0, 12)
  const file = { path: path.join(folder, `${id}.yaml`), text: next.text }
  const findings = await findBreakingChanges(store, next.config, file, lastVersion.config)
  const findingsText = formatFindings(findings, new Map([[file.path, file.text]]))
  if (findings.length > 0) print(findingsText)
  const errors = findings.filter(({ severity }) => severity === 'error')
  if (errors.length === 0) {
    if (!isTruncated(next.text, lastVersion.text)) return next
    const sentence = `${id}.yaml ends in the middle of its previous version, like a truncated file. The previous version is served. If this is intended, put "# end" in its last line.`
    heldVersions.set(id, { hash: next.hash, why: sentence })
    log.warn({ event: id, version }, sentence)
    print(sentence)
    return lastVersion
  }
  const sentence = `${id}.yaml is not served in its current version: it would break stored registrations. The last valid version is served.`
  heldVersions.set(id, { hash: next.hash, why: sentence, findings: findingsText })
  const codes = [...new Set(errors.map(({ code }) => code))]
  log.warn({ event: id, version, findings: codes.join(', ') }, sentence)
  print(
    `${id}.yaml is not served in its current version; the last valid version (${version}) is served instead. Fix it, or accept each finding with allow and a reason.`,
  )
  return lastVersion
}

/** Returns findings about changes that would break stored registrations; empty if there are none. */
export async function findBreakingChanges(
  store: Pick<Store, 'valuesInUse'>,
  next: EventConfig,
  file: { readonly path: string; readonly text: string },
  lastVersion: EventConfig,
): Promise<readonly Finding[]> {
  const usage = await store.valuesInUse(next.id, collectChangedValues(next, lastVersion))
  return usage.registrations === 0 ? [] : compareWithServedVersion(next, file, lastVersion, usage)
}

/**
 * Compiles an event's last served version; null if there is none that this engine can read.
 */
export async function readLastServed(
  store: Pick<Store, 'lastEventFile'>,
  eventId: string,
): Promise<ServedEvent | null> {
  return compileStored(await store.lastEventFile(eventId))
}

/** Compiles the version under which a registration was made; null if it is not stored. */
export async function readVersion(
  store: Pick<Store, 'eventFile'>,
  hash: string,
): Promise<ServedEvent | null> {
  return compileStored(await store.eventFile(hash))
}

function compileStored(file: Awaited<ReturnType<Store['lastEventFile']>>): ServedEvent | null {
  if (file === null) return null
  // The version was valid when it was stored; findings of a later engine do not invalidate it.
  const event = readEvent(file.text, parseSharedFiles(file.shared))
  return event === null
    ? null
    : { config: event, hash: file.hash, text: file.text, shared: file.shared }
}

/** Parses the texts of the shared files that an event was compiled with, which are stored with its text. */
export function parseSharedFiles(json: string): SharedFiles {
  const texts = JSON.parse(json) as Readonly<Record<string, string>>
  const findFile = (name: string) => ({
    path: `_shared/${name}.yaml`,
    text: getOwn(texts, name) ?? '',
  })
  return { lists: findFile('lists'), gateways: findFile('gateways'), texts: findFile('texts') }
}
