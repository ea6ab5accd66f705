/**
 * At start, replaces event files that have an error or were removed by their last served version.
 * The store keeps it. So one faulty file affects no other conference, and registered delegates can still use
 * their pages.
 */
import path from 'node:path'
import { err, ok } from '../../../engine/index.ts'
import type { Result } from '../../../engine/index.ts'
import type { Log, ServedEvent } from '../../dependencies.ts'
import type { Store } from '../../storage/index.ts'
import type { Compiled } from '../files/event-folder.ts'
import { lastServed } from './version-approval.ts'

type Keeper = {
  readonly store: Pick<Store, 'lastEventFile' | 'inUse' | 'eventsServed'>
  readonly log: Log
  readonly print: (text: string) => void
  readonly production: boolean
}
export type LastGood = {
  /** For files with an error. */
  readonly standIns: readonly ServedEvent[]
  /** Events whose file was removed and that have registrations. */
  readonly gone: readonly ServedEvent[]
  /** Events whose file was removed and that have no registrations: they are no longer served. */
  readonly left: readonly ServedEvent[]
}

/** The sentence for an event whose file was removed, used everywhere. */
export const REMOVED = (id: string): string =>
  `There is no file ${id}.yaml any more: registration is closed, and delegates who are registered are served from the version before. Put the file back to open registration.`

/** Returns the event id in a file's name. */
export const idNamed = (file: string): string => path.basename(file).replace(/\.ya?ml$/, '')

/**
 * Fails, with all messages, at a first start with any error, when an operator is present to correct it, and where
 * nothing would be served at all.
 */
export async function lastGood(keeper: Keeper, first: Compiled): Promise<Result<LastGood, string>> {
  const wrong = [...first.folderErrors, ...first.refused.values()]
  const known = await keeper.store.eventsServed()
  if (known.length === 0 && wrong.length > 0) return err(wrong.join('\n'))
  const fresh = new Set(first.served.map(({ config }) => config.id))
  const standIns: ServedEvent[] = []
  const said: (() => void)[] = []
  for (const [file, why] of first.refused) {
    const id = idNamed(file)
    if (fresh.has(id)) continue
    const last = await usable(keeper, id)
    if (last !== null) standIns.push(last)
    said.push(() => tell(keeper, file, why, last))
  }
  const gone: ServedEvent[] = []
  const left: ServedEvent[] = []
  const refused = new Set([...first.refused.keys()].map(idNamed))
  for (const id of known) {
    if (fresh.has(id) || refused.has(id)) continue
    const last = await usable(keeper, id)
    if (last === null) continue
    // A folder without event files is faulty: the files were not removed one by one.
    const isRemoved = first.hasFiles || (await keeper.store.lastEventFile(id))?.goneAt !== null
    if (!isRemoved) standIns.push(last)
    else if ((await keeper.store.inUse(id)).registrations === 0) left.push(last)
    else {
      said.push(() => keeper.log.warn({ event: id }, REMOVED(id)))
      gone.push(closed(last))
    }
  }
  if (first.served.length + standIns.length === 0) return err(wrong.join('\n'))
  for (const say of said) say()
  for (const problem of first.folderErrors) keeper.log.error({}, problem)
  if (!first.hasFiles)
    keeper.print(
      `${first.folderErrors[0] ?? ''} These events are served as they were served last: ${standIns.map(({ config }) => config.id).join(', ')}.`,
    )
  return ok({ standIns, gone, left })
}

/** Returns the last version if it may be served here: a version with demo values must not take real payments. */
async function usable({ store, production }: Keeper, eventId: string): Promise<ServedEvent | null> {
  const last = await lastServed(store, eventId)
  return last === null || (production && last.config.demo.length > 0) ? null : last
}

export const closed = (event: ServedEvent): ServedEvent => ({
  ...event,
  config: { ...event.config, status: 'closed' },
  isGone: true,
})

function tell({ log, print }: Keeper, file: string, why: string, last: ServedEvent | null): void {
  const name = path.basename(file)
  log.error(
    last === null ? { file: name } : { file: name, version: last.hash.slice(0, 12) },
    why.split('\n')[0],
  )
  print(
    last === null
      ? `${name} was never served and is not served now; the others are.`
      : `${name} is not served as it is now; the last good version (${last.hash.slice(0, 12)}) is. Mend the file: rollcall validate says what is wrong.`,
  )
}
