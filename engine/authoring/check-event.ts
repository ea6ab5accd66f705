/** Compiles and checks event files, alone and together: text → findings, or a valid EventConfig. */
import type { EventConfig } from '../event/config.ts'
import {
  findClashesAcrossFiles,
  findClashesInFile,
  isNamedFor,
  type OtherEvent,
} from './checks/other-events/shared-addresses.ts'
import { applyAllow } from './accepted-findings.ts'
import { catalogue, checks } from './finding-catalogue.ts'
import { toConfig } from './compile/event.ts'
import type { PlainMap } from './compile/read-checked-values.ts'
import { createFinding, hasErrors, type Draft, type Finding, type SharedName } from './finding.ts'
import { createModel, type CheckOptions, type Model } from './checked-file.ts'
import { getOwn } from '../lib/result.ts'
import { memoize } from '../lib/memoize.ts'
import { readEventFile } from './schema/renamed-keys.ts'
import type { Source } from './syntax/source.ts'
import type { SharedFiles, SourceText } from '../event/source-files.ts'
import { readWithSchema } from './schema/check-schema.ts'

type CompiledEvent = { readonly event: EventConfig | null; readonly findings: readonly Finding[] }
type CompileOptions = CheckOptions

/**
 * Compiles one event file. The findings depend only on the texts and options, not on the clock, the machine or the
 * order of files. `event` is null if and only if a finding is an error. `uncheckedEvent` is the result of `readEvent`.
 * Never throws, regardless of the text.
 */
export function compileEvent(
  text: string,
  shared: SharedFiles,
  file: { readonly path: string } = { path: 'event' },
  options: CompileOptions = {},
): CompiledEvent & { readonly uncheckedEvent: EventConfig | null } {
  const parsedFile = checkSingleFile({ path: file.path, text }, readShared(shared), options)
  return { ...buildResult(parsedFile, []), uncheckedEvent: parsedFile.config }
}

/**
 * Reads an event without running the checks, to explain it or to compare versions that may have findings. Returns null
 * if its structure is invalid. Never serve the result.
 */
export function readEvent(
  text: string,
  shared: SharedFiles,
  file: { readonly path: string } = { path: 'event' },
): EventConfig | null {
  return parseEventFile({ path: file.path, text }, readShared(shared)).config
}

/** An event that had no findings when the same texts were compiled earlier, with its references to other files. */
export type CachedEvent = {
  readonly event: EventConfig
  /** Pages of other events that this event's buttons link to. */
  readonly linkedPages: readonly string[]
}
export type CompiledFiles = {
  readonly files: readonly CompiledFile[]
  readonly shared: readonly Finding[]
}
export type CompiledFile = CompiledEvent & {
  readonly path: string
  readonly linkedPages: readonly string[]
  /** True if the file was checked in this run. If false, its warnings and notes were reported earlier. */
  readonly isNew: boolean
}

/**
 * Compiles all files of a folder. The result for each file includes the findings that depend on other files. Findings
 * in the shared files are listed once, in `shared`.
 */
export function compileEvents(
  files: readonly SourceText[],
  shared: SharedFiles,
  options: CompileOptions = {},
): CompiledFiles {
  const steps = compileEventsStepwise(files, shared, options, () => null)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/**
 * Like `compileEvents`, but pauses after each file, so that a server can answer requests while it compiles a thousand
 * files. If the text of a file without findings is unchanged (`findCachedEvent`), only the checks that depend on other
 * files and options are repeated.
 */
export function* compileEventsStepwise(
  files: readonly SourceText[],
  shared: SharedFiles,
  options: CompileOptions,
  findCachedEvent: (file: SourceText) => CachedEvent | null,
): Generator<void, CompiledFiles> {
  const parsedShared = readShared(shared)
  // Buttons may link to other events' pages, so all files are read before any is checked.
  const filesToCheck: FileToCheck[] = []
  for (const file of files) {
    const cachedEvent = findCachedEvent(file)
    const isCached =
      cachedEvent !== null &&
      isNamedFor(cachedEvent.event.id, file.path) &&
      !dependsOnDayOrProduction(cachedEvent, options)
    filesToCheck.push(
      isCached
        ? { file, cachedEvent, parsedFile: null }
        : { file, cachedEvent: null, parsedFile: parseEventFile(file, parsedShared) },
    )
    if (!isCached) yield
  }
  const routes = new Set([
    ...(options.otherRoutes ?? []),
    ...filesToCheck.flatMap(({ cachedEvent, parsedFile }) =>
      listFormRoutes(cachedEvent?.event ?? parsedFile?.config ?? null),
    ),
  ])
  const checkFile = ({ file, parsedFile }: FileToCheck): ParsedFile =>
    checkParsedFile(parsedFile ?? parseEventFile(file, parsedShared), parsedShared, {
      ...options,
      otherRoutes: [...routes],
    })
  const checkedFiles: CheckedFile[] = []
  for (const file of filesToCheck) {
    const hasSameLinks =
      file.cachedEvent !== null &&
      haveSameStrings(
        file.cachedEvent.linkedPages,
        listLinkedAddresses(file.cachedEvent.event, routes),
      )
    const newResult = hasSameLinks ? null : checkFile(file)
    checkedFiles.push({
      ...file,
      newResult,
      config: newResult === null ? (file.cachedEvent?.event ?? null) : newResult.config,
    })
    if (!hasSameLinks) yield
  }
  const crossFileDrafts = Map.groupBy(
    findClashesAcrossFiles(
      checkedFiles.flatMap(({ file, config, newResult }): OtherEvent[] =>
        config === null
          ? []
          : [
              {
                event: config,
                path: file.path,
                isNew: newResult !== null,
                source: () => newResult?.source ?? readEventFile(file).source,
              },
            ],
      ),
    ),
    ({ at }) => at.path,
  )
  return {
    files: checkedFiles.map((entry) => {
      const { path } = entry.file
      const clashes = crossFileDrafts.get(path) ?? []
      const newResult =
        clashes.length === 0 ? entry.newResult : (entry.newResult ?? checkFile(entry))
      return {
        path,
        isNew: newResult !== null,
        linkedPages: entry.config === null ? [] : listLinkedAddresses(entry.config, routes),
        ...(newResult === null
          ? { event: entry.config, findings: [] }
          : buildResult(newResult, clashes, parsedShared.findings)),
      }
    }),
    shared: parsedShared.findings,
  }
}

type FileToCheck = {
  readonly file: SourceText
  readonly cachedEvent: CachedEvent | null
  readonly parsedFile: ParsedFile | null
}
/** `newResult` is null if the earlier result is still valid. */
type CheckedFile = FileToCheck & {
  readonly config: EventConfig | null
  readonly newResult: ParsedFile | null
}

/** Returns true if the date or the `production` option may cause new findings in an event that had none. */
function dependsOnDayOrProduction(
  { event }: CachedEvent,
  { on, production: isProduction }: CompileOptions,
): boolean {
  return on !== undefined || (isProduction === true && event.demo.length > 0)
}

function listFormRoutes(event: EventConfig | null): readonly string[] {
  return event === null ? [] : [event.routes.form, ...event.routes.also]
}

/** Returns the addresses in `routes` that the event's buttons link to. */
export function listLinkedAddresses(
  event: EventConfig,
  routes: ReadonlySet<string>,
): readonly string[] {
  const { errorButtons, success, failed } = event.results
  const targets = [...errorButtons, ...success.buttons, ...failed.buttons].flatMap((button) =>
    'go' in button ? [button.go] : [],
  )
  return [...new Set(targets)].filter((target) => routes.has(target)).sort()
}

function haveSameStrings(texts: readonly string[], others: readonly string[]): boolean {
  return texts.length === others.length && texts.every((text, index) => text === others[index])
}

type ParsedSharedFiles = {
  readonly sources: Readonly<Record<SharedName, Source>>
  readonly findings: readonly Finding[]
  readonly isUsable: boolean
}
type ParsedFile = {
  readonly source: Source
  readonly config: EventConfig | null
  readonly findings: readonly Finding[]
}

/** Reads the shared files once for all events that use them. */
const readShared = memoize((shared: SharedFiles): ParsedSharedFiles => {
  const sharedFiles = (['lists', 'gateways', 'texts'] as const).map((name) => ({
    name,
    ...readWithSchema(name, shared[name]),
  }))
  const findings = sharedFiles.flatMap((entry) => entry.findings)
  const sources = Object.fromEntries(
    sharedFiles.map(({ name, source }) => [name, source]),
  ) as Record<SharedName, Source>
  return { sources, findings, isUsable: !hasErrors(findings) }
})

function parseEventFile(file: SourceText, shared: ParsedSharedFiles): ParsedFile {
  const { source, value, findings } = readWithSchema('event', file)
  if (value === null || !shared.isUsable) return { source, config: null, findings }
  const toPlain = (name: SharedName): PlainMap => shared.sources[name].value as PlainMap
  const config = toConfig(value as PlainMap, {
    lists: toPlain('lists'),
    gateways: toPlain('gateways'),
    texts: toPlain('texts'),
  })
  return { source, config, findings }
}

function checkSingleFile(
  file: SourceText,
  shared: ParsedSharedFiles,
  options: CompileOptions,
): ParsedFile {
  const parsedFile = checkParsedFile(parseEventFile(file, shared), shared, options)
  return { ...parsedFile, findings: [...shared.findings, ...parsedFile.findings] }
}

function checkParsedFile(
  parsedFile: ParsedFile,
  shared: ParsedSharedFiles,
  options: CompileOptions,
): ParsedFile {
  const { source, config } = parsedFile
  if (config === null) return parsedFile
  const model = createModel(source, shared.sources, config, options)
  return {
    ...parsedFile,
    findings: [
      ...parsedFile.findings,
      ...runChecks(model, shared),
      ...findClashesInFile({ event: config, source }),
    ],
  }
}

/** Runs all checks, causes before consequences. Skips a check if one of its causes was reported. */
function runChecks(model: Model, shared: ParsedSharedFiles): readonly Finding[] {
  const results = new Map<string, readonly Draft[]>()
  const run = (code: string): readonly Draft[] => {
    const cachedDrafts = results.get(code)
    const check = getOwn(checks, code)
    if (cachedDrafts !== undefined || check === undefined) return cachedDrafts ?? []
    const drafts = (check.after ?? []).some((cause) => run(cause).length > 0)
      ? []
      : check.find(model)
    results.set(code, drafts)
    return drafts
  }
  return Object.entries(checks).flatMap(([code, meta]) => {
    const severity = code === 'EV991' && model.options.production === true ? 'error' : meta.severity
    return run(code).map((draft) =>
      createFinding(code, { ...meta, severity }, draft, model.source, shared.sources),
    )
  })
}

function buildResult(
  { source, config, findings }: ParsedFile,
  clashes: readonly Finding[],
  sharedFindings: readonly Finding[] = [],
): CompiledEvent {
  const allFindings = [...findings, ...clashes].sort(compareFindings)
  const remaining =
    config === null ? allFindings : applyAllow(allFindings, source, new Set(Object.keys(catalogue)))
  return {
    event: config === null || hasErrors(remaining) || hasErrors(sharedFindings) ? null : config,
    findings: remaining,
  }
}

function compareFindings(a: Finding, b: Finding): number {
  return (
    compareStrings(a.at.path, b.at.path) ||
    a.at.start.offset - b.at.start.offset ||
    compareStrings(a.code, b.code) ||
    compareStrings(a.message, b.message)
  )
}
function compareStrings(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
