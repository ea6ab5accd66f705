/**
 * At startup, serves the last stored version in place of an event file that has an error or was removed.
 * An invalid file therefore affects no other conference, and registered delegates can still use their pages.
 */
import path from 'node:path'
import { err, ok } from '../../../engine/index.ts'
import type { EventConfig, Result } from '../../../engine/index.ts'
import type { Log, ServedEvent } from '../../dependencies.ts'
import type { Store } from '../../storage/index.ts'
import type { CompiledFolder } from '../files/event-folder.ts'
import { readLastServed } from './version-approval.ts'

type StartDeps = {
  readonly store: Pick<Store, 'lastEventFile' | 'valuesInUse' | 'eventsServed'>
  readonly log: Log
  readonly print: (text: string) => void
  readonly production: boolean
  readonly explainUnservable?: (event: EventConfig) => string | null
}
export type LastValidVersions = {
  /** The versions served in place of files with an error. */
  readonly fallbacks: readonly ServedEvent[]
  /** Events whose file was removed and that have registrations. */
  readonly closedEvents: readonly ServedEvent[]
  /** Events whose file was removed and that have no registrations: they are no longer served. */
  readonly droppedEvents: readonly ServedEvent[]
}

/** Returns the sentence about an event whose file was removed. */
export const formatRemovedMessage = (id: string): string =>
  `The file ${id}.yaml no longer exists: registration is closed, and registered delegates use the previous version. Restore the file to open registration.`

/** Returns the event id in a file's name. */
export const getEventId = (file: string): string => path.basename(file).replace(/\.ya?ml$/, '')

/**
 * Finds the versions to serve. Fails with all messages if no event would be served, or if there is any error at the
 * first start, when an operator is present to correct it.
 */
export async function findLastValidVersions(
  deps: StartDeps,
  disk: CompiledFolder,
): Promise<Result<LastValidVersions, string>> {
  const problems = [...disk.folderErrors, ...disk.refused.values()]
  const servedIds = await deps.store.eventsServed()
  if (servedIds.length === 0 && problems.length > 0) return err(problems.join('\n'))
  const validIds = new Set(disk.served.map(({ config }) => config.id))
  const fallbacks: ServedEvent[] = []
  const logEntries: (() => void)[] = []
  for (const [file, reason] of disk.refused) {
    const id = getEventId(file)
    if (validIds.has(id)) continue
    const lastVersion = await findUsableVersion(deps, id)
    if (lastVersion !== null) fallbacks.push(lastVersion)
    // If its last version cannot be served here either, the start fails with the reason, and the file may be valid.
    if (lastVersion !== null && (deps.explainUnservable?.(lastVersion.config) ?? null) !== null)
      continue
    const hasFindings = disk.findingsByPath.has(file)
    logEntries.push(() => reportFile(deps, { file, reason, hasFindings }, lastVersion))
  }
  const closedEvents: ServedEvent[] = []
  const droppedEvents: ServedEvent[] = []
  const refusedIds = new Set([...disk.refused.keys()].map(getEventId))
  for (const id of servedIds) {
    if (validIds.has(id) || refusedIds.has(id)) continue
    const lastVersion = await findUsableVersion(deps, id)
    if (lastVersion === null) continue
    // A folder without event files is invalid, because the files were probably not removed one by one.
    const isRemoved = disk.hasFiles || (await deps.store.lastEventFile(id))?.goneAt !== null
    if (!isRemoved) fallbacks.push(lastVersion)
    else if ((await deps.store.valuesInUse(id)).registrations === 0) droppedEvents.push(lastVersion)
    else {
      logEntries.push(() => deps.log.warn({ event: id }, formatRemovedMessage(id)))
      closedEvents.push(closeRegistration(lastVersion))
    }
  }
  if (disk.served.length + fallbacks.length === 0) return err(problems.join('\n'))
  for (const report of logEntries) report()
  for (const problem of disk.folderErrors) {
    deps.log.error({}, problem)
    if (disk.hasFiles) deps.print(problem)
  }
  if (!disk.hasFiles)
    deps.print(
      `${disk.folderErrors[0] ?? ''} These events are served in their last version: ${fallbacks.map(({ config }) => config.id).join(', ')}.`,
    )
  return ok({
    fallbacks,
    closedEvents,
    droppedEvents,
  })
}

/** Returns the last version if it may be served here: a version with demo values must not take real payments. */
async function findUsableVersion(
  { store, production }: StartDeps,
  eventId: string,
): Promise<ServedEvent | null> {
  const lastVersion = await readLastServed(store, eventId)
  return lastVersion === null || (production && lastVersion.config.demo.length > 0)
    ? null
    : lastVersion
}

export const closeRegistration = (event: ServedEvent): ServedEvent => ({
  ...event,
  config: { ...event.config, status: 'closed' },
  isGone: true,
})

function reportFile(
  { log, print }: StartDeps,
  refused: { readonly file: string; readonly reason: string; readonly hasFindings: boolean },
  lastVersion: ServedEvent | null,
): void {
  const name = path.basename(refused.file)
  const reason = refused.reason.split('\n')[0]
  log.error(
    lastVersion === null ? { file: name } : { file: name, version: lastVersion.hash.slice(0, 12) },
    reason,
  )
  const advice = refused.hasFindings ? 'Fix the file; rollcall validate lists its errors.' : reason
  print(
    lastVersion === null
      ? `${name} is not served and has no earlier version to serve. The other events are served.`
      : `${name} is not served in its current version; the last valid version (${lastVersion.hash.slice(0, 12)}) is served instead. ${advice}`,
  )
}
