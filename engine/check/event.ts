/** Event files: text → findings, or a checked EventConfig. Alone, and beside each other. */
import type { EventConfig } from '../config.ts'
import { acrossFindings, aloneFindings, type Beside } from './checks/across.ts'
import { applyAllow } from './allow.ts'
import { catalogue, checks } from './catalogue.ts'
import { toConfig } from './compile.ts'
import type { Plain } from './compile/plain.ts'
import { findingOf, type Draft, type Finding, type SharedName } from './finding.ts'
import { modelOf, type CheckOptions, type Model } from './model.ts'
import { own } from '../outcome.ts'
import { readYaml } from './parse.ts'
import type { SharedFiles, Source, SourceText } from './source.ts'
import { shape, shapeFindings } from './shape.ts'

type Compiled = { readonly event: EventConfig | null; readonly findings: readonly Finding[] }
type CompileOptions = CheckOptions

/**
 * One event file. Pure: the same texts give the same findings, whatever the clock, the machine or the
 * order of files. `event` is null when there is a finding of severity error, and only then. Never
 * throws, whatever the text.
 */
export function compileEvent(
  text: string,
  shared: SharedFiles,
  file: { readonly path: string } = { path: 'event' },
  options: CompileOptions = {},
): Compiled {
  const read = readAlone({ path: file.path, text }, readShared(shared), options)
  return finished(read, [])
}

/**
 * An event as its file reads, whatever is wrong with its meaning: for comparing versions of which one
 * may have findings, and for explaining one. Null when its shape is wrong. Never to be served.
 */
export function readEvent(
  text: string,
  shared: SharedFiles,
  file: { readonly path: string } = { path: 'event' },
): EventConfig | null {
  return shapeOf({ path: file.path, text }, readShared(shared)).config
}

/**
 * All files of a folder, each with its own findings and those that only the others explain. Findings
 * of the shared files stand once, in `shared`.
 */
export function compileEvents(
  files: readonly SourceText[],
  shared: SharedFiles,
  options: CompileOptions = {},
): {
  readonly files: readonly (Compiled & { readonly path: string })[]
  readonly shared: readonly Finding[]
} {
  const common = readShared(shared)
  // Buttons may lead to other events' pages, so every file is read once before it is judged.
  const configs = files.map(({ text, path }) => shapeOf({ text, path }, common))
  const routes = configs.flatMap((one) =>
    one.config === null ? [] : [one.config.routes.form, ...one.config.routes.also],
  )
  const read = configs.map((one) =>
    judged(one, common, { ...options, otherRoutes: [...(options.otherRoutes ?? []), ...routes] }),
  )
  const beside = acrossFindings(
    read.flatMap(({ source, config }): Beside[] =>
      config === null ? [] : [{ source, event: config }],
    ),
  )
  return {
    files: read.map((one) => ({
      path: one.source.path,
      ...finished(
        one,
        beside.filter(({ at }) => at.path === one.source.path),
        common.findings,
      ),
    })),
    shared: common.findings,
  }
}

type Shared = {
  readonly sources: Readonly<Record<SharedName, Source>>
  readonly findings: readonly Finding[]
  readonly usable: boolean
}
type Shaped = {
  readonly source: Source
  readonly config: EventConfig | null
  readonly findings: readonly Finding[]
}

/** The shared files stay the same while many events are read beside them; they are read once. */
const sharedRead = new WeakMap<SharedFiles, Shared>()

function readShared(shared: SharedFiles): Shared {
  const known = sharedRead.get(shared)
  if (known !== undefined) return known
  const made = makeShared(shared)
  sharedRead.set(shared, made)
  return made
}

function makeShared(shared: SharedFiles): Shared {
  const read = (['lists', 'gateways', 'texts'] as const).map((name) => {
    const { source, findings } = readYaml(shared[name])
    return {
      name,
      source,
      findings: [
        ...findings,
        ...(source.value === null ? emptyFile(source, findings) : shapeFindings(name, source)),
      ],
    }
  })
  const findings = read.flatMap((one) => one.findings)
  const sources = Object.fromEntries(read.map(({ name, source }) => [name, source])) as Record<
    SharedName,
    Source
  >
  return { sources, findings, usable: !hasErrors(findings) }
}

/** A file without anything in it can be read, but has no shape. */
function emptyFile(source: Source, findings: readonly Finding[]): readonly Finding[] {
  return hasErrors(findings)
    ? []
    : [findingOf('EV103', shape.EV103, { at: '', message: 'the file is empty' }, source)]
}

function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === 'error')
}

function shapeOf(file: SourceText, shared: Shared): Shaped {
  const { source, findings } = readYaml(file)
  if (source.value === null)
    return { source, config: null, findings: [...findings, ...emptyFile(source, findings)] }
  const shape = shapeFindings('event', source)
  // With a wrong shape or a trap somewhere, what the rest means would be guessing.
  if (shape.length > 0 || !shared.usable || source.trapped.size > 0)
    return { source, config: null, findings: [...findings, ...shape] }
  const plain = (name: SharedName): Plain => shared.sources[name].value as Plain
  const config = toConfig(source.value as Plain, {
    lists: plain('lists'),
    gateways: plain('gateways'),
    texts: plain('texts'),
  })
  return { source, config, findings }
}

function readAlone(file: SourceText, shared: Shared, options: CompileOptions): Shaped {
  const shaped = judged(shapeOf(file, shared), shared, options)
  return { ...shaped, findings: [...shared.findings, ...shaped.findings] }
}

function judged(shaped: Shaped, shared: Shared, options: CompileOptions): Shaped {
  const { source, config } = shaped
  if (config === null) return shaped
  const model = modelOf(source, shared.sources, config, options)
  return {
    ...shaped,
    findings: [
      ...shaped.findings,
      ...meaning(model, shared),
      ...aloneFindings({ event: config, source }),
    ],
  }
}

/** Runs every check, causes before their echoes: a check is left out while one of its causes is reported. */
function meaning(model: Model, shared: Shared): readonly Finding[] {
  const results = new Map<string, readonly Draft[]>()
  const run = (code: string): readonly Draft[] => {
    const known = results.get(code)
    const check = own(checks, code)
    if (known !== undefined || check === undefined) return known ?? []
    const drafts = (check.after ?? []).some((cause) => run(cause).length > 0)
      ? []
      : check.find(model)
    results.set(code, drafts)
    return drafts
  }
  return Object.entries(checks).flatMap(([code, meta]) => {
    const severity = code === 'EV991' && model.options.production === true ? 'error' : meta.severity
    return run(code).map((draft) =>
      findingOf(code, { ...meta, severity }, draft, model.source, shared.sources),
    )
  })
}

function finished(
  { source, config, findings }: Shaped,
  beside: readonly Finding[],
  common: readonly Finding[] = [],
): Compiled {
  const all = [...findings, ...beside].sort(byPlace)
  const kept = config === null ? all : applyAllow(all, source, new Set(Object.keys(catalogue)))
  return {
    event: config === null || hasErrors(kept) || hasErrors(common) ? null : config,
    findings: kept,
  }
}

function byPlace(a: Finding, b: Finding): number {
  return (
    compare(a.at.path, b.at.path) ||
    a.at.start.offset - b.at.start.offset ||
    compare(a.code, b.code) ||
    compare(a.message, b.message)
  )
}
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
