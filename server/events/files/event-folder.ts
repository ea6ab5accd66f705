/** Reads and checks a folder of event files, for `rollcall validate` and the server. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { constants, lstat, open, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { err, ok } from '../../../engine/index.ts'
import { formatFindings, hasErrors, readEvent } from '../../../engine/authoring.ts'
import type { Result, Site } from '../../../engine/index.ts'
import type {
  EventFolder,
  Finding,
  CheckedFolder,
  CachedEvent,
  SharedFiles,
  SourceText,
} from '../../../engine/authoring.ts'
import type { ServedEvent } from '../../dependencies.ts'
import { openCache } from './compiled-event-cache.ts'
import { isDescriptorError, RAISE_LIMIT_ADVICE } from '../../ops/file-descriptors.ts'
import { withTimeout, formatTimeoutMessage } from './disk-timeout.ts'
import type { CleanFolder } from './compiled-event-cache.ts'
import type { FolderCheckInput } from './check-files-in-worker.ts'
import { checkFolder } from './check-files.ts'
import { findIgnoredFiles } from './ignored-files.ts'

export type Folder = EventFolder & {
  /** Problems that prevent a check, as full sentences: no event file, or a shared file that cannot be read. */
  readonly problems: readonly string[]
  /** Paths of shared files that are missing or unreadable. They are checked as empty text, with no findings. */
  readonly unreadableSharedFiles: readonly string[]
  /** Path of an event file that cannot be read → the reason, as a full sentence. */
  readonly unreadableFiles: ReadonlyMap<string, string>
  /** One sentence for each file that looks like an event file but is ignored. */
  readonly ignoredMessages: readonly string[]
}
export type CompiledFolder = {
  readonly served: readonly ServedEvent[]
  /** Path of a file that must not be served → the reason. */
  readonly refused: ReadonlyMap<string, string>
  /** Formatted findings, by file path. */
  readonly findingsByPath: ReadonlyMap<string, string>
  /** Errors that do not belong to any single event file. */
  readonly folderErrors: readonly string[]
  /** False if there is no folder, or no event file in it, or if it was not checked. */
  readonly hasFiles: boolean
  /** True if the check was stopped or failed: another attempt may give a result. */
  readonly isUnchecked: boolean
  readonly site: Site | null
  /** Formatted findings; empty if there are none. */
  readonly findings: string
}
export type CompileOptions = { readonly cacheFolder: string; readonly production: boolean }
/** Checks a folder; the error is a sentence that explains why there is no result. */
export type FolderCheck = (input: FolderCheckInput) => Promise<Result<CheckedFolder, string>>

const SHARED_NAMES = ['lists', 'gateways', 'texts', 'site'] as const
type SharedName = (typeof SHARED_NAMES)[number]
/** The bundled events and their shared files. A folder without its own shared files uses these. */
export const BUNDLED_EVENTS = path.join(import.meta.dirname, '..', '..', '..', 'events')
export const BUNDLED_SHARED_FOLDER = path.join(BUNDLED_EVENTS, '_shared')
/** The number of files read concurrently: below the per-process limit on open files, and enough to keep a disk busy. */
const FILE_BATCH_SIZE = 64

/** Returns true if an entry is an event file; files whose names start with a dot belong to editors. */
function isEventFile(name: string): boolean {
  return /\.ya?ml$/.test(name) && !name.startsWith('.')
}

/** Returns the location of a folder's shared files: its `_shared`, otherwise Rollcall's own. */
export function findSharedFolder(folder: string): string {
  const ownFolder = path.join(folder, '_shared')
  return existsSync(path.join(ownFolder, 'texts.yaml')) ? ownFolder : BUNDLED_SHARED_FOLDER
}

/** Returns the paths of all files that events are built from: event files sorted by name, then shared ones. */
export async function listPaths(folder: string, sharedFolder: string): Promise<readonly string[]> {
  return [
    ...(await listEventFiles(folder)),
    ...SHARED_NAMES.map((name) => path.join(sharedFolder, `${name}.yaml`)),
  ]
}

/** Lists the event files of a folder. Rejects if the folder does not exist. */
export async function listEventFiles(folder: string): Promise<readonly string[]> {
  const names = await withTimeout(folder, () => readdir(folder))
  if (names === null) throw createTimeoutError(folder)
  return names
    .filter(isEventFile)
    .sort()
    .map((name) => path.join(folder, name))
}

const createTimeoutError = (folder: string): Error => new Error(formatTimeoutMessage(folder))

/** Explains why a folder cannot be read, and what to do next. */
function explainReadError(folder: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT')
    return `EVENTS_DIR is ${folder}, which does not exist. Restore or mount it.`
  if (code === 'ENOTDIR')
    return `EVENTS_DIR is ${folder}, which is not a folder. Set it to the folder of the event files.`
  return code === undefined
    ? message
    : `EVENTS_DIR is ${folder}, which cannot be read (${code}). Check its permissions.`
}

/** Returns the text of a file; null if there is none. Fails with a message if it exists but cannot be read. */
export async function readText(file: string): Promise<Result<string | null, string>> {
  const content = await withTimeout(file, () => readRegularFile(file))
  return content ?? err(formatTimeoutMessage(file))
}

/** Opens regular files only: a FIFO would block until something writes to it. */
async function readRegularFile(file: string): Promise<Result<string | null, string>> {
  try {
    if (!(await stat(file)).isFile())
      return err(`${file} is not a regular file and is not read. Remove it, or rename it.`)
    // The file may have been replaced after it was checked.
    const fileHandle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      return ok(await fileHandle.readFile('utf8'))
    } finally {
      await fileHandle.close()
    }
  } catch (error) {
    if (isDescriptorError(error))
      return err(
        `The file ${file} cannot be read, because too many files are open. ${RAISE_LIMIT_ADVICE}`,
      )
    // A broken link is still in the folder; a file removed during the read is not.
    const exists = await lstat(file).then(
      () => true,
      () => false,
    )
    return exists ? err(`The file ${file} cannot be read. Check its permissions.`) : ok(null)
  }
}

export async function readFolder(
  folder: string,
  shared: string = findSharedFolder(folder),
): Promise<Folder> {
  let names: readonly string[] = []
  let readError: string | null = null
  try {
    names = await listEventFiles(folder)
  } catch (error) {
    readError = explainReadError(folder, error)
  }
  const sharedFiles = await readSharedFolder(shared)
  const unreadableFiles = new Map<string, string>()
  const files: SourceText[] = []
  for (let start = 0; start < names.length; start += FILE_BATCH_SIZE) {
    const batch = names.slice(start, start + FILE_BATCH_SIZE)
    for (const [index, readResult] of (await Promise.all(batch.map(readText))).entries()) {
      const file = batch[index] ?? ''
      if (!readResult.ok) unreadableFiles.set(file, readResult.error)
      else if (readResult.value !== null) files.push({ path: file, text: readResult.value })
    }
  }
  const isEmpty = files.length === 0 && unreadableFiles.size === 0
  return {
    ...sharedFiles,
    files,
    problems: [
      ...sharedFiles.problems,
      ...(isEmpty
        ? [
            readError ??
              `There is no event file to serve in ${folder}. Put one there (rollcall new creates one), or correct EVENTS_DIR.`,
          ]
        : []),
    ],
    unreadableFiles,
    ignoredMessages: await findIgnoredFiles(folder),
  }
}

/**
 * Reads a folder's shared files and its site file. A missing shared file is checked as empty text, and is
 * listed in `unreadableSharedFiles`.
 */
export async function readSharedFolder(folder: string): Promise<Omit<Folder, 'files'>> {
  const problems: string[] = []
  const readSharedFile = async (name: SharedName): Promise<SourceText | null> => {
    const file = path.join(folder, `${name}.yaml`)
    const text = await readText(file)
    if (!text.ok) problems.push(text.error)
    return text.ok && text.value !== null ? { path: file, text: text.value } : null
  }
  const unreadableSharedFiles: string[] = []
  const readTextOrEmpty = async (name: SharedName): Promise<SourceText> => {
    const file = await readSharedFile(name)
    if (file !== null) return file
    const missingPath = path.join(folder, `${name}.yaml`)
    unreadableSharedFiles.push(missingPath)
    return { path: missingPath, text: '' }
  }
  const [lists, gateways, texts, site] = await Promise.all([
    readTextOrEmpty('lists'),
    readTextOrEmpty('gateways'),
    readTextOrEmpty('texts'),
    readSharedFile('site'),
  ])
  const shared = { lists, gateways, texts }
  return {
    shared,
    site,
    problems,
    unreadableSharedFiles,
    unreadableFiles: new Map(),
    ignoredMessages: [],
  }
}

/** Returns all texts by path, for printing findings. */
export function getSources({ files, shared, site }: EventFolder): ReadonlyMap<string, string> {
  const { lists, gateways, texts } = shared
  return new Map(
    [...files, lists, gateways, texts, ...(site === null ? [] : [site])].map((file) => [
      file.path,
      file.text,
    ]),
  )
}

/** Returns the events to serve from a folder, with findings and refused files. */
export async function compileFolder(
  folder: Folder,
  options: CompileOptions,
  check: FolderCheck = checkFolderInThisThread,
): Promise<CompiledFolder> {
  const sharedTexts = serialiseSharedFiles(folder.shared)
  const cache = await openCache(options.cacheFolder)
  const hashes = new Map(
    folder.files.map((file) => [file.path, computeHash(file.text, sharedTexts)]),
  )
  const getHash = (file: string): string => hashes.get(file) ?? ''
  const cachedEvents = new Map<string, CachedEvent>()
  for (let start = 0; start < folder.files.length; start += FILE_BATCH_SIZE) {
    const batch = folder.files.slice(start, start + FILE_BATCH_SIZE)
    const entries = await Promise.all(batch.map(({ path: file }) => cache.read(getHash(file))))
    for (const [index, { path: file }] of batch.entries()) {
      const entry = entries[index]
      if (entry !== undefined && entry !== null) cachedEvents.set(file, entry)
    }
  }
  const { production } = options
  const { files, shared: sharedFiles, site } = folder
  const unreadableSharedFiles = new Set(folder.unreadableSharedFiles)
  const folderHash = computeHash(
    JSON.stringify([
      production,
      site?.text,
      // Paths are replaced by names, because the same files in another folder have the same result.
      files.map(({ path: file }) => [path.basename(file), getHash(file)]),
    ]),
    sharedTexts,
  )
  const cleanFolder =
    cachedEvents.size === files.length ? await cache.readCleanFolder(folderHash) : null
  const checkResult =
    cleanFolder === null
      ? await check({
          folder: { files, shared: sharedFiles, site },
          production,
          cachedEvents,
        })
      : ok(buildCleanResult(files, cachedEvents, cleanFolder))
  if (!checkResult.ok) return createEmptyResult(checkResult.error)
  const checkedFolder = checkResult.value
  if (cleanFolder === null && isClean(checkedFolder))
    await cache.writeCleanFolder(folderHash, { site: checkedFolder.site })
  const served: ServedEvent[] = []
  const refused = new Map(folder.unreadableFiles)
  const findingsByPath = new Map<string, string>()
  for (const [index, file] of folder.files.entries()) {
    const checkedFile = checkedFolder.files[index]
    if (checkedFile === undefined || checkedFile.event === null) {
      const findings = checkedFile?.findings ?? []
      refused.set(
        file.path,
        findings.length === 0 && unreadableSharedFiles.size > 0
          ? `${path.basename(file.path)} was not checked, because ${listNames(unreadableSharedFiles)} in _shared could not be read.`
          : explainRefusal(file, folder.shared, findings, production),
      )
      if (findings.length > 0)
        findingsByPath.set(file.path, formatFindings(findings, getSources(folder)))
      continue
    }
    const { event, isNew, linkedPages } = checkedFile
    served.push({ config: event, hash: getHash(file.path), text: file.text, shared: sharedTexts })
    if (isNew) await cache.write(getHash(file.path), { event, linkedPages })
  }
  const findings = checkedFolder.findings.filter(({ at }) => !unreadableSharedFiles.has(at.path))
  const reportedFindings = findings.filter(({ severity }) => severity !== 'note')
  const hasFiles = folder.files.length + folder.unreadableFiles.size > 0
  const eventPaths = new Set(folder.files.map((file) => file.path))
  return {
    served,
    refused,
    findingsByPath,
    folderErrors: [
      ...folder.problems,
      // Not reported if another problem already explains it.
      ...(hasFiles && folder.problems.length === 0 && unreadableSharedFiles.size > 0
        ? [
            `Missing from _shared: ${listNames(unreadableSharedFiles)}. Restore ${unreadableSharedFiles.size === 1 ? 'it' : 'them'}.`,
          ]
        : []),
      ...(hasFiles && hasErrors(findings.filter(({ at }) => !eventPaths.has(at.path)))
        ? ['The files in _shared have errors.']
        : []),
    ],
    hasFiles,
    isUnchecked: false,
    site: checkedFolder.site,
    findings: [
      ...(reportedFindings.length === 0
        ? []
        : [formatFindings(reportedFindings, getSources(folder))]),
      ...folder.ignoredMessages,
    ].join('\n'),
  }
}

const listNames = (files: ReadonlySet<string>): string =>
  [...files].map((file) => path.basename(file)).join(', ')

/** Returns true if the same files will give the same result: there are no findings, and every file was in the cache. */
function isClean({ files, findings }: CheckedFolder): boolean {
  return findings.length === 0 && files.every(({ event, isNew }) => event !== null && !isNew)
}

/** Returns the result for a folder that had no findings and whose files are all in the cache. */
function buildCleanResult(
  files: readonly SourceText[],
  cachedEvents: ReadonlyMap<string, CachedEvent>,
  { site }: CleanFolder,
): CheckedFolder {
  return {
    files: files.map(({ path: file }) => {
      const { event, linkedPages } = cachedEvents.get(file) ?? {
        event: null,
        linkedPages: [],
      }
      return { path: file, event, linkedPages, findings: [], isNew: false }
    }),
    site,
    findings: [],
  }
}

/** Checks in this thread, with pauses but without a time limit. */
export const checkFolderInThisThread: FolderCheck = async ({ folder, production, cachedEvents }) =>
  ok(await checkFolder(folder, { production }, ({ path: file }) => cachedEvents.get(file) ?? null))

/** Returns a result without events for a folder that could not be checked. */
function createEmptyResult(reason: string): CompiledFolder {
  return {
    served: [],
    refused: new Map(),
    findingsByPath: new Map(),
    folderErrors: [reason],
    // The folder was not checked, so no file counts as missing.
    hasFiles: false,
    isUnchecked: true,
    site: null,
    findings: reason,
  }
}

function explainRefusal(
  file: SourceText,
  shared: SharedFiles,
  findings: readonly Finding[],
  production: boolean,
): string {
  const name = path.basename(file.path)
  const errors = findings.filter(({ severity }) => severity === 'error')
  const hasDemoValues =
    production && errors.length > 0 && errors.every(({ slug }) => slug === 'demo-values')
  return hasDemoValues
    ? `${name} is not served in production (NODE_ENV=production or GATEWAY_MODE=live): it contains demo values (${readEvent(file.text, shared, file)?.demo.join(', ') ?? ''}).`
    : `${name} is not served: it has errors. rollcall validate shows them.`
}

/** Serialises the texts of the shared files that an event was compiled with; they are stored with its text. */
function serialiseSharedFiles({ lists, gateways, texts }: SharedFiles): string {
  return JSON.stringify({ lists: lists.text, gateways: gateways.text, texts: texts.text })
}

function computeHash(text: string, sharedTexts: string): string {
  return createHash('sha256').update(text).update('\0').update(sharedTexts).digest('hex')
}
