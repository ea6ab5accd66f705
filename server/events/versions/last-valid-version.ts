/**
 * What a start serves of events whose file has an error or has gone: the version that was served last, which the store
 * keeps. One file with a mistake takes no other conference down, and nobody who is registered is left without an answer.
 */
import path from 'node:path'
import { err, ok } from '../../../engine/index.ts'
import type { Result } from '../../../engine/index.ts'
import type { Log, ServedEvent } from '../../dependencies.ts'
import type { Store } from '../../storage/index.ts'
import type { Compiled } from '../files/event-folder.ts'
import { lastServed } from './held-versions.ts'

type Keeper = {
  readonly store: Pick<Store, 'lastEventFile' | 'inUse' | 'eventsServed'>
  readonly log: Log
  readonly print: (text: string) => void
  readonly production: boolean
}
export type LastGood = {
  /** In the place of files with an error. */
  readonly standIns: readonly ServedEvent[]
  /** Of events whose file has gone and in which people are registered. */
  readonly gone: readonly ServedEvent[]
  /** Of events whose file has gone and in which nobody is registered: they are served no more. */
  readonly left: readonly ServedEvent[]
}

/** What is said of an event whose file was removed, wherever it is said. */
export const REMOVED = (id: string): string =>
  `There is no file ${id}.yaml any more: registration is closed, and delegates who are registered are served from the version before. Put the file back to open registration.`

/** The id of the event that a file is named for. */
export const idNamed = (file: string): string => path.basename(file).replace(/\.ya?ml$/, '')

/**
 * Refused, with every sentence there is, at a first start with any error, when somebody is at hand to mend it, and
 * where nothing would be served at all.
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
    // A folder without event files is out of order: nobody has removed each of them.
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

/** The last version, as far as it may be served here: what was rehearsed with demo values is not for real money. */
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
