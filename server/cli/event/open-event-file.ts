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
  BUNDLED_SHARED_FOLDER,
  readSharedFolder,
  readText,
} from '../../events/files/event-folder.ts'
import { findIgnoredFiles } from '../../events/files/ignored-files.ts'

/** `status` is 1 if the file has errors. */
export type OpenedEvent = {
  readonly file: SourceText
  readonly shared: SharedFiles
  readonly event: EventConfig
  readonly status: 0 | 1
}

const DEFAULT_FOLDER = 'events'

/** Returns EVENTS_DIR, relative to the current folder if it is inside, so that findings contain short paths. */
export function findEventsFolder({ eventsDir = DEFAULT_FOLDER }: Terminal): string {
  const relative = path.relative('.', eventsDir)
  return relative === '' || relative.startsWith('..') ? path.resolve(eventsDir) : relative
}

/**
 * Finds a file by path, or by event id in EVENTS_DIR. Null if there is none. Rollcall's bundled events can be found
 * by id only if EVENTS_DIR is not set, because the server does not serve them otherwise.
 */
export function findEventPath(name: string, terminal: Terminal): string | null {
  const eventsFolder = findEventsFolder(terminal)
  const folders = [eventsFolder, ...(eventsFolder === DEFAULT_FOLDER ? [BUNDLED_EVENTS] : [])]
  const pathsById = /^[a-z][a-z0-9]*$/.test(name)
    ? folders.map((folder) => path.join(folder, `${name}.yaml`))
    : []
  return [name, ...pathsById].find((file) => existsSync(file)) ?? null
}

/** Reads an event file. If it cannot be read, prints an error and returns null. */
export async function readEventFile(name: string, terminal: Terminal): Promise<SourceText | null> {
  if (name === '-')
    return { path: 'standard input', text: await readAll(terminal.input ?? process.stdin) }
  const file = findEventPath(name, terminal)
  const text = file === null ? null : await readText(file)
  if (file === null || text === null || !text.ok || text.value === null) {
    terminal.printError(`The file ${name} cannot be read.${await suggestFiles(name, terminal)}`)
    return null
  }
  return { path: file, text: text.value }
}

/**
 * Explains why servers ignore a file with this name, in the same words as the report about its folder. Empty for a
 * file that servers read, or that does not look like an event file.
 */
export async function explainIgnoredFile(
  name: string,
  terminal: Terminal,
): Promise<readonly string[]> {
  const file = findEventPath(name, terminal)
  if (file === null) return []
  const folder = path.dirname(file)
  const eventPath = path.join(folder, path.basename(file))
  return (await findIgnoredFiles(folder)).filter((ignoredFile) =>
    ignoredFile.startsWith(`${eventPath} is not read: `),
  )
}

/** Suggests names for a missing file: an event with a similar name, or a file that is ignored. */
async function suggestFiles(name: string, terminal: Terminal): Promise<string> {
  const folder = path.dirname(name) === '.' ? findEventsFolder(terminal) : path.dirname(name)
  const baseName = path
    .basename(name)
    .replace(/\.ya?ml$/i, '')
    .toLowerCase()
  const unreadReason = (await findIgnoredFiles(folder)).find((ignoredFile) =>
    path
      .basename(ignoredFile.split(' is not read')[0] ?? '')
      .toLowerCase()
      .startsWith(baseName),
  )
  if (unreadReason !== undefined) return ` ${unreadReason}`
  const files = await readdir(folder).catch(() => [])
  const ids = files
    .filter((file) => /\.ya?ml$/.test(file))
    .map((file) => file.replace(/\.ya?ml$/, ''))
  const removeYear = (id: string): string => id.replace(/\d+$/, '')
  const similarId =
    ids.filter(
      (id) => baseName.length > 2 && (id.includes(baseName) || baseName.includes(removeYear(id))),
    )[0] ??
    findNearest(baseName, ids)?.name ??
    ids.find((id) => findNearest(removeYear(baseName), [removeYear(id)]) !== null)
  return similarId !== undefined
    ? ` Did you mean ${similarId}?`
    : ids.length === 0
      ? ''
      : ` The folder “${folder}” contains these events: ${formatList(ids)}.`
}

/**
 * Returns the folder of a file's shared files: `sharedFolder`, otherwise `_shared` next to the file, otherwise in
 * EVENTS_DIR, otherwise Rollcall's own.
 */
export function findSharedFolder(file: string, terminal: Terminal, sharedFolder?: string): string {
  const candidates = [
    ...(sharedFolder === undefined ? [] : [sharedFolder]),
    path.join(path.dirname(file), '_shared'),
    path.join(findEventsFolder(terminal), '_shared'),
  ]
  return (
    candidates.find((folder) => existsSync(path.join(folder, 'texts.yaml'))) ??
    BUNDLED_SHARED_FOLDER
  )
}

export async function readSharedFiles(
  file: string,
  terminal: Terminal,
  sharedFolder?: string,
): Promise<SharedFiles> {
  return (await readSharedFolder(findSharedFolder(file, terminal, sharedFolder))).shared
}

/**
 * Opens an event. On failure prints the reason; the status is 2 if the file cannot be read, 1 if its structure is
 * invalid.
 */
export async function openEvent(
  name: string,
  terminal: Terminal,
  sharedFolder?: string,
): Promise<
  | { readonly ok: true; readonly value: OpenedEvent }
  | { readonly ok: false; readonly status: 1 | 2 }
> {
  const file = await readEventFile(name, terminal)
  if (file === null) return { ok: false, status: 2 }
  return compileFile(file, await readSharedFiles(file.path, terminal, sharedFolder), terminal)
}

/** Compiles a file. Accepts semantic errors, because an example best shows the effect of an error. */
export function compileFile(
  file: SourceText,
  shared: SharedFiles,
  terminal: Terminal,
): { readonly ok: true; readonly value: OpenedEvent } | { readonly ok: false; readonly status: 1 } {
  const { findings } = compileEvent(file.text, shared, file)
  // The file may be a copy with another name; only a served file must be named after its event.
  const errors = findings.filter(({ severity, code }) => severity === 'error' && code !== 'EV807')
  const event = readEvent(file.text, shared, file)
  if (event !== null) {
    if (errors.length > 0)
      terminal.printError(
        `${file.path} has ${errors.length} error${errors.length === 1 ? '' : 's'}; rollcall validate lists them.`,
      )
    return ok({ file, shared, event, status: errors.length > 0 ? 1 : 0 })
  }
  const sources = new Map(
    [file, shared.lists, shared.gateways, shared.texts].map((source) => [source.path, source.text]),
  )
  terminal.printError(formatFindings(errors, sources))
  return { ok: false, status: 1 }
}
