/** From a folder of event files to checked events, with what was compiled before taken from a cache. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { compileEvent, compileSite, formatFindings } from '../../engine/index.ts'
import type { EventConfig, Finding, SharedFiles, Site } from '../../engine/index.ts'
import type { ServedEvent } from '../deps.ts'

export type SourceFile = { readonly path: string; readonly text: string }
export type Folder = {
  readonly files: readonly SourceFile[]
  readonly shared: SharedFiles
  readonly site: SourceFile | null
}
export type Compiled = {
  readonly served: readonly ServedEvent[]
  /** Path of a file that must not be served → why. */
  readonly refused: ReadonlyMap<string, string>
  /** What no single file is to blame for. */
  readonly folderErrors: readonly string[]
  readonly site: Site | null
  /** For people; empty when there is nothing to say. */
  readonly findings: string
}
export type CompileOptions = { readonly cacheFolder: string; readonly production: boolean }

const sharedNames = ['lists', 'gateways', 'texts'] as const
const siteName = 'site.yaml'
/** Files read at once. */
const readAtOnce = 64

/** The paths of everything events are made from, in the order of their names. */
export async function pathsIn(
  folder: string,
): Promise<{ readonly files: readonly string[]; readonly shared: readonly string[] }> {
  const names = (await readdir(folder))
    .filter((name) => /\.ya?ml$/.test(name) && !name.startsWith('.'))
    .sort()
  return {
    files: names.map((name) => path.join(folder, name)),
    shared: [...sharedNames.map((name) => `${name}.yaml`), siteName].map((name) =>
      path.join(folder, '_shared', name),
    ),
  }
}

export async function readFolder(folder: string): Promise<Folder> {
  const { files } = await pathsIn(folder)
  const shared = async (name: string): Promise<SourceFile> => {
    const file = path.join(folder, '_shared', `${name}.yaml`)
    return { path: file, text: (await textOf(file)) ?? '' }
  }
  const [lists, gateways, texts] = [
    await shared('lists'),
    await shared('gateways'),
    await shared('texts'),
  ]
  const sitePath = path.join(folder, '_shared', siteName)
  const siteText = await textOf(sitePath)
  const read: SourceFile[] = []
  for (let from = 0; from < files.length; from += readAtOnce) {
    const batch = files.slice(from, from + readAtOnce)
    const texts = await Promise.all(batch.map(textOf))
    // A file that went while the folder was read is simply not there.
    read.push(
      ...batch.flatMap((file, index) =>
        texts[index] === null || texts[index] === undefined
          ? []
          : [{ path: file, text: texts[index] }],
      ),
    )
  }
  return {
    files: read,
    shared: { lists, gateways, texts },
    site: siteText === null ? null : { path: sitePath, text: siteText },
  }
}

async function textOf(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}

export async function compileFolder(folder: Folder, options: CompileOptions): Promise<Compiled> {
  const shared = JSON.stringify({
    lists: folder.shared.lists.text,
    gateways: folder.shared.gateways.text,
    texts: folder.shared.texts.text,
  })
  const cache = await openCache(options.cacheFolder)
  const served: { readonly file: string; readonly event: ServedEvent }[] = []
  const refused = new Map<string, string>()
  const findings: Finding[] = []
  for (const file of folder.files) {
    const hash = hashOf(file.text, shared)
    const cached = await cache.read(hash)
    const compiled =
      cached === null
        ? compileEvent(file.text, folder.shared, { path: file.path })
        : { event: cached, findings: [] }
    findings.push(...compiled.findings.filter(({ severity }) => severity !== 'note'))
    const { event } = compiled
    if (event === null || compiled.findings.some(({ severity }) => severity === 'error')) {
      refused.set(file.path, `${path.basename(file.path)} is not served: it has findings.`)
      continue
    }
    if (cached === null) await cache.write(hash, event)
    if (options.production && event.demo.length > 0) {
      refused.set(
        file.path,
        `${path.basename(file.path)} is not served with NODE_ENV=production: it holds demo values (${event.demo.join(', ')}).`,
      )
      continue
    }
    served.push({ file: file.path, event: { config: event, hash, text: file.text, shared } })
  }
  const { unique, clashes } = withoutClashes(served)
  for (const [file, reason] of clashes) refused.set(file, reason)
  const site = folder.site === null ? null : compileSite(folder.site.text, folder.site)
  const siteFindings = (site?.findings ?? []).map(
    ({ message, at }) => `${at.path}:${at.start.line}:${at.start.column}: ${message}`,
  )
  return {
    served: unique,
    refused,
    folderErrors: folder.files.length === 0 ? ['There is no event file to serve.'] : [],
    site: site?.site ?? null,
    findings: [
      ...(findings.length === 0 ? [] : [formatFindings(findings, sourcesOf(folder))]),
      ...siteFindings,
    ].join('\n'),
  }
}

function sourcesOf(folder: Folder): ReadonlyMap<string, string> {
  const { lists, gateways, texts } = folder.shared
  return new Map(
    [...folder.files, lists, gateways, texts, ...(folder.site === null ? [] : [folder.site])].map(
      ({ path: file, text }) => [file, text],
    ),
  )
}

function hashOf(text: string, shared: string): string {
  return createHash('sha256').update(text).update('\0').update(shared).digest('hex')
}

/** Two files that name the same event, order numbers, page or call cannot both be served: the first stays. */
function withoutClashes(
  served: readonly { readonly file: string; readonly event: ServedEvent }[],
): { readonly unique: readonly ServedEvent[]; readonly clashes: ReadonlyMap<string, string> } {
  const owners = new Map<string, string>()
  const clashes = new Map<string, string>()
  const unique = served.filter(({ file, event }) => {
    const names = namesOf(event.config)
    const taken = names.find((name) => owners.has(name))
    if (taken !== undefined) {
      clashes.set(
        file,
        `${path.basename(file)} is not served: ${taken} is already used by ${path.basename(owners.get(taken) ?? '')}.`,
      )
      return false
    }
    for (const name of names) owners.set(name, file)
    return true
  })
  return { unique: unique.map(({ event }) => event), clashes }
}

function namesOf(config: EventConfig): readonly string[] {
  const bare = (route: string): string => route.replace(/(?<=.)\/$/, '')
  const { form, also, success, failed } = config.routes
  return [
    `the event id ${config.id}`,
    `the order number prefix ${config.orderId.prefix}`,
    ...new Set([form, ...also, success, failed].map((route) => `the page ${bare(route)}`)),
    `the call ${bare(config.api.register)}`,
    `the call ${bare(config.api.registration)}`,
  ]
}

type Cache = {
  read(hash: string): Promise<EventConfig | null>
  write(hash: string, event: EventConfig): Promise<void>
}

/** Keyed by the event's texts and by the engine that compiled them: another engine may read them otherwise. */
async function openCache(folder: string): Promise<Cache> {
  const mine = path.join(folder, await engineHash())
  await mkdir(mine, { recursive: true })
  return {
    read: async (hash) => {
      const text = await textOf(path.join(mine, `${hash}.json`))
      try {
        return text === null ? null : (JSON.parse(text) as EventConfig)
      } catch {
        // Written while the machine lost its power: compile it again.
        return null
      }
    },
    write: async (hash, event) => {
      const beside = path.join(mine, `${hash}.${randomUUID()}`)
      await writeFile(beside, JSON.stringify(event))
      await rename(beside, path.join(mine, `${hash}.json`))
    },
  }
}

let engineHashOnce: Promise<string> | null = null
function engineHash(): Promise<string> {
  engineHashOnce ??= (async () => {
    const top = path.join(import.meta.dirname, '..', '..')
    const hash = createHash('sha256')
    for (const folder of ['engine', 'schemas']) {
      const names = (await readdir(path.join(top, folder), { recursive: true }))
        .filter((name) => /\.(ts|json)$/.test(name))
        .sort()
      for (const name of names)
        hash.update(name).update(await readFile(path.join(top, folder, name)))
    }
    return hash.digest('hex').slice(0, 16)
  })()
  return engineHashOnce
}
