/** Opens event files by path, by event id, or from standard input (`-`), with their shared files. */
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { ok } from '../../../engine/index.ts'
import {
  compileEvent,
  formatFindings,
  formatList,
  findNearest,
  readEvent,
} from '../../../engine/authoring.ts'
import type { EventConfig } from '../../../engine/index.ts'
import type { SharedFiles, SourceText } from '../../../engine/authoring.ts'
import type { Terminal } from '../command.ts'
import {
  BUNDLED_EVENTS,
  BUNDLED_SHARED,
  readShared,
  readText,
} from '../../events/files/event-folder.ts'
import { findIgnoredFiles } from '../../events/files/ignored-files.ts'

/** `status`: 1 when the file has errors. */
export type OpenedEvent = {
  readonly file: SourceText
  readonly shared: SharedFiles
  readonly event: EventConfig
  readonly status: 0 | 1
}

/** Finds the named file: a path, or an event id in `events/`. Null when there is none. */
export function pathOf(name: string): string | null {
  return (
    [name, path.join('events', `${name}.yaml`), path.join(BUNDLED_EVENTS, `${name}.yaml`)].find(
      (file) => (file === name || /^[a-z][a-z0-9]*$/.test(name)) && existsSync(file),
    ) ?? null
  )
}

/** Null after printing that it cannot be read. */
export async function readEventFile(name: string, terminal: Terminal): Promise<SourceText | null> {
  if (name === '-')
    return { path: 'standard input', text: await readAll(terminal.input ?? process.stdin) }
  const file = pathOf(name)
  const text = file === null ? null : await readText(file)
  if (file === null || text === null || !text.ok || text.value === null) {
    terminal.complain(`The file ${name} cannot be read.${await otherFiles(name)}`)
    return null
  }
  return { path: file, text: text.value }
}

/**
 * Reports that no server reads a file of this name, in the same words as for its folder. Empty for a file that is
 * read, or that does not look like an event file.
 */
export async function unreadAs(name: string): Promise<readonly string[]> {
  const file = pathOf(name)
  if (file === null) return []
  const folder = path.dirname(file)
  const itself = path.join(folder, path.basename(file))
  return (await findIgnoredFiles(folder)).filter((one) => one.startsWith(`${itself} is not read: `))
}

/** Suggests names for a missing file: an event with a similar name, or a file that is ignored. */
async function otherFiles(name: string): Promise<string> {
  const folder = path.dirname(name) === '.' ? 'events' : path.dirname(name)
  const asked = path
    .basename(name)
    .replace(/\.ya?ml$/i, '')
    .toLowerCase()
  const unread = (await findIgnoredFiles(folder)).find((one) =>
    path
      .basename(one.split(' is not read')[0] ?? '')
      .toLowerCase()
      .startsWith(asked),
  )
  if (unread !== undefined) return ` ${unread}`
  const files = await readdir(folder).catch(() => [])
  const ids = files
    .filter((file) => /\.ya?ml$/.test(file))
    .map((file) => file.replace(/\.ya?ml$/, ''))
  const bare = (id: string): string => id.replace(/\d+$/, '')
  const near =
    ids.filter((id) => asked.length > 2 && (id.includes(asked) || asked.includes(bare(id))))[0] ??
    findNearest(asked, ids)?.name ??
    ids.find((id) => findNearest(bare(asked), [bare(id)]) !== null)
  return near !== undefined
    ? ` Did you mean ${near}?`
    : ids.length === 0
      ? ''
      : ` The events here: ${formatList(ids)}.`
}

/**
 * Returns the folder of a single file's shared files: `named`, else `_shared` beside it, else in `events/` here,
 * else the program's own.
 */
export function sharedFolderFor(file: string, named?: string): string {
  const places = [
    ...(named === undefined ? [] : [named]),
    path.join(path.dirname(file), '_shared'),
    path.join('events', '_shared'),
  ]
  return places.find((place) => existsSync(path.join(place, 'texts.yaml'))) ?? BUNDLED_SHARED
}

export async function sharedFor(file: string, named?: string): Promise<SharedFiles> {
  return (await readShared(sharedFolderFor(file, named))).shared
}

/**
 * Returns the event for use. Fails when the file cannot be read (2) or its structure is wrong (1), after printing
 * why.
 */
export async function openEvent(
  name: string,
  terminal: Terminal,
  shared?: string,
): Promise<
  | { readonly ok: true; readonly value: OpenedEvent }
  | { readonly ok: false; readonly status: 1 | 2 }
> {
  const file = await readEventFile(name, terminal)
  if (file === null) return { ok: false, status: 2 }
  return compiled(file, await sharedFor(file.path, shared), terminal)
}

/** A file with semantic errors can still be used: the effect of a mistake is best seen in an example. */
export function compiled(
  file: SourceText,
  shared: SharedFiles,
  terminal: Terminal,
): { readonly ok: true; readonly value: OpenedEvent } | { readonly ok: false; readonly status: 1 } {
  const { findings } = compileEvent(file.text, shared, file)
  // The file may be a copy under another name; only a served file must have the event's name.
  const errors = findings.filter(({ severity, code }) => severity === 'error' && code !== 'EV807')
  const event = readEvent(file.text, shared, file)
  if (event !== null) {
    if (errors.length > 0)
      terminal.complain(
        `${file.path} has ${errors.length} error${errors.length === 1 ? '' : 's'}; rollcall validate says which.`,
      )
    return ok({ file, shared, event, status: errors.length > 0 ? 1 : 0 })
  }
  const sources = new Map(
    [file, shared.lists, shared.gateways, shared.texts].map((source) => [source.path, source.text]),
  )
  terminal.complain(formatFindings(errors, sources))
  return { ok: false, status: 1 }
}
