/**
 * The event files on disk as they are served: checked before anybody sees them, replaced whole when
 * a changed file is clean, kept as they were when it is not.
 */
import { watch } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { dayOf, openOn } from '../../engine/index.ts'
import type { EventCard, EventConfig, Instant, OrderId, Result, Site } from '../../engine/index.ts'
import { compileFolder, pathsIn, readFolder } from './folder.ts'
import type { Compiled, Folder } from './folder.ts'
import type { EventRegistry, Log, ServedEvent } from '../deps.ts'
import { keepPromises } from './held-back.ts'
import type { Store } from '../store/store.ts'

/** Editors write a file in several steps; this long after the last one it is read. */
const settleMs = 150
/** Where the system does not tell of changes (network drives, containers), the folder is looked at this often. */
const pollMs = 2_000
/** Versions handed to the store at once, so that its queue keeps room for others. */
const keepBatch = 200

export type RegistryOptions = {
  readonly folder: string
  /** Compiled events by content hash, so that a thousand files start at once. */
  readonly cacheFolder: string
  readonly store: Pick<Store, 'keepEventFile' | 'lastEventFile' | 'inUse'>
  readonly clock: () => Instant
  readonly log: Log
  /** Takes findings as people read them. */
  readonly print: (text: string) => void
  readonly production: boolean
  readonly watches: boolean
}

/** Refuses, with the findings as text, while any file has an error. */
export async function openRegistry(
  options: RegistryOptions,
): Promise<Result<EventRegistry, string>> {
  const first = await compileFolder(await readFolder(options.folder), options)
  if (first.findings !== '') options.print(first.findings)
  if (first.refused.size > 0 || first.folderErrors.length > 0)
    return { ok: false, error: [...first.folderErrors, ...first.refused.values()].join('\n') }
  const kept = await keepPromises(options, first.served, [])
  await keepAll(options, kept)

  let current = indexOf(kept, first.site)
  let signature = await signatureOf(options.folder)
  let working: Promise<void> = Promise.resolve()
  const listeners = new Set<() => void>()

  const load = async (): Promise<void> => {
    const folder = await readFolder(options.folder)
    signature = await signatureOf(options.folder)
    const compiled = await compileFolder(folder, options)
    const next = {
      ...compiled,
      served: await keepPromises(options, compiled.served, current.served),
    }
    if (next.findings !== '') options.print(next.findings)
    const served = merge(options, folder, current.served, next)
    if (same(served, current.served) && JSON.stringify(next.site) === JSON.stringify(current.site))
      return
    await keepAll(
      options,
      served.filter((event) => !current.served.includes(event)),
    )
    current = indexOf(served, next.site ?? current.site)
    for (const listener of listeners) listener()
  }
  const reload = (): Promise<void> => {
    working = working
      .then(load)
      .catch((error: unknown) =>
        options.log.error({ error: String(error) }, 'the event files could not be read again'),
      )
    return working
  }
  const stop = options.watches
    ? watchFolder(
        options.folder,
        reload,
        async () => (await signatureOf(options.folder)) !== signature,
      )
    : () => {}

  return {
    ok: true,
    value: {
      all: () => current.served,
      byId: (id) => current.byId.get(id) ?? null,
      byOrderId: (orderId) => current.byOrderId(orderId),
      cards: (at) => current.served.map(({ config }) => cardOf(config, at)),
      site: () => current.site,
      reload,
      onChange: (listener) => void listeners.add(listener),
      close: async () => {
        stop()
        await working
      },
    },
  }
}

type Index = {
  readonly served: readonly ServedEvent[]
  readonly byId: ReadonlyMap<string, ServedEvent>
  readonly byOrderId: (orderId: string | OrderId) => ServedEvent | null
  readonly site: Site | null
}

function indexOf(served: readonly ServedEvent[], site: Site | null): Index {
  const byPrefix = new Map(served.map((event) => [event.config.orderId.prefix, event]))
  const lengths = [...new Set([...byPrefix.keys()].map((prefix) => prefix.length))].sort(
    (a, b) => b - a,
  )
  return {
    served,
    site,
    byId: new Map(served.map((event) => [event.config.id, event])),
    byOrderId: (orderId) => {
      for (const length of lengths) {
        const event = byPrefix.get(orderId.slice(0, length))
        if (event === undefined) continue
        const rest = orderId.slice(length)
        const { followedBy } = event.config.orderId
        if (followedBy === 'anything' ? rest.length > 0 : /^\d+$/.test(rest)) return event
      }
      return null
    },
  }
}

/** What is clean in its new version; of everything else, the version that was served before. */
function merge(
  options: RegistryOptions,
  folder: Folder,
  before: readonly ServedEvent[],
  next: Compiled,
): readonly ServedEvent[] {
  const fresh = new Map(next.served.map((event) => [event.config.id, event]))
  const kept = before.filter(({ config }) => !fresh.has(config.id))
  for (const { config } of kept)
    options.log.warn({ event: config.id }, 'the version served before is kept')
  for (const [file, reason] of next.refused)
    options.log.warn({ file: path.basename(file) }, reason.split('\n')[0] ?? 'refused')
  if (folder.files.length === 0 && before.length > 0)
    options.log.warn({}, 'the folder of event files is empty')
  // An event keeps its place; new ones follow.
  const merged = before.map((event) => {
    const changed = fresh.get(event.config.id)
    return changed === undefined || changed.hash === event.hash ? event : changed
  })
  return [
    ...merged,
    ...next.served.filter(({ config }) => !before.some((event) => event.config.id === config.id)),
  ]
}

function same(a: readonly ServedEvent[], b: readonly ServedEvent[]): boolean {
  return a.length === b.length && a.every((event, index) => event.hash === b[index]?.hash)
}

async function keepAll(
  { store, clock }: RegistryOptions,
  served: readonly ServedEvent[],
): Promise<void> {
  for (let from = 0; from < served.length; from += keepBatch) {
    const batch = served.slice(from, from + keepBatch)
    await Promise.all(
      batch.map(({ hash, config, text, shared }) =>
        store.keepEventFile({ hash, eventId: config.id, text, shared, at: clock() }),
      ),
    )
  }
}

function cardOf(config: EventConfig, at: Instant): EventCard {
  const { id, title, theme, about, from, to, hours, venue, status, look, routes } = config
  return {
    id,
    title,
    from,
    to,
    venue,
    status,
    look,
    routes,
    ...(theme === undefined ? {} : { theme }),
    ...(about === undefined ? {} : { about }),
    ...(hours === undefined ? {} : { hours }),
    open: openOn(config, dayOf(at)).open,
  }
}

/** Names, sizes and times of everything the events are made from. */
async function signatureOf(folder: string): Promise<string> {
  const { files, shared } = await pathsIn(folder)
  const parts = await Promise.all(
    [...files, ...shared].map(async (file) => {
      const found = await stat(file).catch(() => null)
      return found === null ? `${file}:gone` : `${file}:${found.size}:${found.mtimeMs}`
    }),
  )
  return parts.join('\n')
}

/** Answers how to stop. Watching and polling both: the one is quick, the other sure. */
function watchFolder(
  folder: string,
  reload: () => Promise<void>,
  changed: () => Promise<boolean>,
): () => void {
  let settling: NodeJS.Timeout | null = null
  const soon = (): void => {
    if (settling !== null) clearTimeout(settling)
    settling = setTimeout(() => void reload(), settleMs)
  }
  const watchers: FSWatcher[] = []
  for (const place of [folder, path.join(folder, '_shared')]) {
    try {
      const watcher = watch(place, soon)
      watcher.on('error', () => watcher.close())
      watchers.push(watcher)
    } catch {
      // Not every file system tells of changes; polling sees them.
    }
  }
  let stopped = false
  let poll = setTimeout(look, pollMs)
  function look(): void {
    void changed()
      .catch(() => false)
      .then((isChanged) => {
        if (stopped) return
        if (isChanged) soon()
        poll = setTimeout(look, pollMs)
        poll.unref()
      })
  }
  poll.unref()
  return () => {
    stopped = true
    clearTimeout(poll)
    if (settling !== null) clearTimeout(settling)
    for (const watcher of watchers) watcher.close()
  }
}
