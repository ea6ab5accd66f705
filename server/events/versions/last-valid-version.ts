/**
 * At startup, serves the last stored version in place of an event file that has an error or was removed. An invalid
 * file therefore affects no other conference, and registered delegates can still use their pages.
 */
import path from 'node:path'
import { err, ok } from '../../../engine/index.ts'
import type { Result } from '../../../engine/index.ts'
import type { Log, ServedEvent } from '../../dependencies.ts'
import type { Store } from '../../storage/index.ts'
import type { CompiledFolder } from '../files/event-folder.ts'
import { readLastServed } from './version-approval.ts'

type StartDeps = {
  readonly store: Pick<Store, 'lastEventFile' | 'valuesInUse' | 'eventsServed'>
  readonly log: Log
  readonly print: (text: string) => void
  readonly production: boolean
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
export const formatRemoved = (id: string): string =>
  `The file ${id}.yaml no longer exists: registration is closed, and registered delegates use the previous version. Restore the file to open registration.`

/** Returns the event id in a file's name. */
export const getEventId = (file: string): string => path.basename(file).replace(/\.ya?ml$/, '')

/**
 * Fails with all messages if no event would be served, and at a first start with any error, when an operator is present
 * to correct it.
 */
export async function findLastValid(
  deps: StartDeps,
  first: CompiledFolder,
): Promise<Result<LastValidVersions, string>> {
  const problems = [...first.folderErrors, ...first.refused.values()]
  const servedIds = await deps.store.eventsServed()
  if (servedIds.length === 0 && problems.length > 0) return err(problems.join('\n'))
  const validIds = new Set(first.served.map(({ config }) => config.id))
  const fallbackVersions: ServedEvent[] = []
  const logEntries: (() => void)[] = []
  for (const [file, reason] of first.refused) {
    const id = getEventId(file)
    if (validIds.has(id)) continue
    const last = await findUsable(deps, id)
    if (last !== null) fallbackVersions.push(last)
    logEntries.push(() => reportFile(deps, file, reason, last))
  }
  const removedWithoutRegistrations: ServedEvent[] = []
  const left: ServedEvent[] = []
  const refusedIds = new Set([...first.refused.keys()].map(getEventId))
  for (const id of servedIds) {
    if (validIds.has(id) || refusedIds.has(id)) continue
    const last = await findUsable(deps, id)
    if (last === null) continue
    // A folder without event files is invalid, because the files were probably not removed one by one.
    const isRemoved = first.hasFiles || (await deps.store.lastEventFile(id))?.goneAt !== null
    if (!isRemoved) fallbackVersions.push(last)
    else if ((await deps.store.valuesInUse(id)).registrations === 0) left.push(last)
    else {
      logEntries.push(() => deps.log.warn({ event: id }, formatRemoved(id)))
      removedWithoutRegistrations.push(closeRegistration(last))
    }
  }
  if (first.served.length + fallbackVersions.length === 0) return err(problems.join('\n'))
  for (const report of logEntries) report()
  for (const problem of first.folderErrors) deps.log.error({}, problem)
  if (!first.hasFiles)
    deps.print(
      `${first.folderErrors[0] ?? ''} These events are served in their last version: ${fallbackVersions.map(({ config }) => config.id).join(', ')}.`,
    )
  return ok({
    fallbacks: fallbackVersions,
    closedEvents: removedWithoutRegistrations,
    droppedEvents: left,
  })
}

/** Returns the last version if it may be served here: a version with demo values must not take real payments. */
async function findUsable(
  { store, production }: StartDeps,
  eventId: string,
): Promise<ServedEvent | null> {
  const last = await readLastServed(store, eventId)
  return last === null || (production && last.config.demo.length > 0) ? null : last
}

export const closeRegistration = (event: ServedEvent): ServedEvent => ({
  ...event,
  config: { ...event.config, status: 'closed' },
  isGone: true,
})

function reportFile(
  { log, print }: StartDeps,
  file: string,
  reason: string,
  last: ServedEvent | null,
): void {
  const name = path.basename(file)
  log.error(
    last === null ? { file: name } : { file: name, version: last.hash.slice(0, 12) },
    reason.split('\n')[0],
  )
  print(
    last === null
      ? `${name} was never served and is not served now. The other events are.`
      : `${name} is not served in its current version; the last valid version (${last.hash.slice(0, 12)}) is. Fix the file; rollcall validate shows what is wrong.`,
  )
}
