/** `rollcall validate`: every finding of the event files, for people or for a program. */
import { existsSync, statSync, watch } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import {
  applyFixes,
  catalogue,
  compileEvents,
  compileSite,
  countFindings,
  findingsAsGithub,
  findingsAsJson,
  findingsAsSarif,
  formatFindings,
  isDay,
} from '../../engine/index.ts'
import type { Finding, SharedFiles } from '../../engine/index.ts'
import type { Command, Status, Terminal } from './command.ts'
import type { SourceFile } from '../events/folder.ts'
import { readArguments } from './arguments.ts'
import { pathOf, readEventFile, sharedFor } from './files.ts'

const help = `Usage: rollcall validate [files] [--strict] [--production] [--on DAY] [--shared FOLDER]
                         [--format human|json|sarif|github] [--only CODES] [--fix] [--watch]

Checks event files and prints every finding with its line. Without files: all of events/, with the
landing page's words. "-" reads a file from standard input.

  --strict          warnings count like errors
  --production      stand-in values (demo:) are errors
  --on DAY          also what can only be said of a day: an open event that is over (2026-11-21)
  --shared FOLDER   where lists.yaml, gateways.yaml and texts.yaml lie (else _shared beside the file)
  --format FORMAT   json or sarif for programs; github: annotations, ten of a kind, then the report
  --only CODES      these findings alone: EV301,rule-unreachable
  --fix             write the edits that are certain into the files, then check again
  --watch           check again whenever a file changes, until stopped

Without --on the answer never depends on the clock.

Exit status: 0 clean, 1 findings (errors; with --strict warnings too), 2 asked wrongly, 3 our fault.`

const formats = ['human', 'json', 'sarif', 'github'] as const
type Options = {
  readonly strict: boolean
  readonly production: boolean
  readonly on: string | undefined
  readonly shared: string | undefined
  readonly format: (typeof formats)[number]
  readonly only: ReadonlySet<string> | null
}
/** Files that lie beside one `_shared`. */
type Group = {
  readonly files: readonly SourceFile[]
  readonly shared: SharedFiles
  readonly site: SourceFile | null
}

export const validate: Command = {
  summary: 'Check event files: all findings, with their lines',
  help,
  run: async (args, terminal) => {
    const flag = { type: 'boolean' } as const
    const text = { type: 'string' } as const
    const given = readArguments(
      args,
      {
        strict: flag,
        production: flag,
        on: text,
        shared: text,
        format: text,
        only: text,
        fix: flag,
        watch: flag,
      },
      [0, Infinity],
      help,
      terminal,
    )
    if (given === null) return 2
    const {
      strict = false,
      production = false,
      on,
      shared,
      fix = false,
      watch: watches = false,
    } = given.values
    const names = given.positionals
    const format = formats.find((known) => known === (given.values.format ?? 'human'))
    const only = given.values.only === undefined ? null : codesOf(given.values.only)
    const wrong =
      on !== undefined && !isDay(on)
        ? `--on takes a day such as 2026-11-21, not "${on}".`
        : format === undefined
          ? `--format takes ${formats.join(', ')}, not "${given.values.format}".`
          : typeof only === 'string'
            ? only
            : (fix || watches) && names.includes('-')
              ? 'Standard input can be neither mended nor watched: name a file.'
              : null
    if (wrong !== null || format === undefined || typeof only === 'string') {
      terminal.complain(wrong ?? '')
      return 2
    }
    const options = { strict, production, on, shared, format, only }
    const once = async (): Promise<Status> => {
      if (fix && !(await mend(names, options, terminal))) return 2
      const groups = await groupsOf(names, shared, terminal)
      return groups === null ? 2 : judge(groups, options, terminal)
    }
    const status = await once()
    if (!watches || status === 2) return status
    return again(names, shared, once, terminal)
  },
}

/** The codes that codes or their names mean; or the sentence that says which means none. */
function codesOf(list: string): ReadonlySet<string> | string {
  const asked = list.split(',').map((one) => one.trim())
  const codeOf = (name: string): string | undefined =>
    Object.entries(catalogue).find(
      ([code, { slug }]) => code === name.toUpperCase() || slug === name,
    )?.[0]
  const unknown = asked.find((name) => codeOf(name) === undefined)
  return unknown === undefined
    ? new Set(asked.map((name) => codeOf(name) ?? ''))
    : `There is no code "${unknown}". rollcall codes lists them.`
}

function judge(groups: readonly Group[], options: Options, terminal: Terminal): Status {
  const findings = groups.flatMap((group) => selected(group, options))
  const sources = new Map(
    groups.flatMap(({ files, shared, site }) =>
      [...files, shared.lists, shared.gateways, shared.texts, ...(site === null ? [] : [site])].map(
        (file) => [file.path, file.text] as const,
      ),
    ),
  )
  const files = groups.reduce((count, { files }) => count + files.length, 0)
  const human = [
    ...(findings.length > 0 ? [formatFindings(findings, sources)] : []),
    countFindings(findings, files),
  ].join('\n')
  switch (options.format) {
    case 'json':
      terminal.print(findingsAsJson(findings, files))
      break
    case 'sarif':
      terminal.print(findingsAsSarif(findings))
      break
    case 'github':
      terminal.print(findings.length === 0 ? human : `${findingsAsGithub(findings)}\n\n${human}`)
      break
    case 'human':
      terminal.print(human)
  }
  return findings.some(
    ({ severity }) => severity === 'error' || (options.strict && severity === 'warning'),
  )
    ? 1
    : 0
}

function selected(group: Group, { production, on, only }: Options): readonly Finding[] {
  return findingsOf(group, { production, ...(on === undefined ? {} : { on }) }).filter(
    ({ code }) => only === null || only.has(code),
  )
}

/** Writes the certain edits into the files. False after saying what cannot be read. */
async function mend(
  names: readonly string[],
  options: Options,
  terminal: Terminal,
): Promise<boolean> {
  const groups = await groupsOf(names, options.shared, terminal)
  if (groups === null) return false
  for (const group of groups) {
    const findings = selected(group, options)
    for (const file of [
      ...group.files,
      group.shared.lists,
      group.shared.gateways,
      group.shared.texts,
    ]) {
      const { text, applied } = applyFixes(
        file.text,
        findings.filter(({ at }) => at.path === file.path),
      )
      if (applied === 0) continue
      await writeFile(file.path, text)
      terminal.complain(`${file.path}: ${applied} edit${applied === 1 ? '' : 's'} written.`)
    }
  }
  return true
}

/** Editors write a file in several steps; this long after the last one it is read. */
const settleMs = 150

/** Runs until the process is told to stop. */
async function again(
  names: readonly string[],
  shared: string | undefined,
  once: () => Promise<Status>,
  terminal: Terminal,
): Promise<Status> {
  const asked = names.length === 0 ? ['events'] : names
  const beside = asked.map((name) => (isFolder(name) ? name : path.dirname(pathOf(name) ?? name)))
  const folders = new Set([
    ...beside,
    ...beside.map((folder) => path.join(folder, '_shared')),
    ...(shared === undefined ? [] : [shared]),
  ])
  let settling: NodeJS.Timeout | null = null
  const soon = (): void => {
    if (settling !== null) clearTimeout(settling)
    settling = setTimeout(
      () => void once().catch((error: unknown) => terminal.complain(String(error))),
      settleMs,
    )
  }
  for (const folder of folders) if (isFolder(folder)) watch(folder, soon)
  terminal.complain('Watching; stop with Ctrl+C.')
  return new Promise(() => {})
}

function findingsOf(
  { files, shared, site }: Group,
  options: { readonly production: boolean; readonly on?: string },
): readonly Finding[] {
  const compiled = compileEvents(files, shared, options)
  const ofSite = site === null ? [] : compileSite(site.text, site).findings
  return [...compiled.shared, ...ofSite, ...compiled.files.flatMap((file) => file.findings)]
}

/** The files asked for, by the shared files that belong to them. Null after saying what cannot be read. */
async function groupsOf(
  names: readonly string[],
  shared: string | undefined,
  terminal: Terminal,
): Promise<readonly Group[] | null> {
  const folders = names.length === 0 ? ['events'] : names.filter(isFolder)
  const paths = (await Promise.all(folders.map(eventFilesIn))).flat()
  if (names.length === 0 && paths.length === 0) {
    terminal.complain(
      'There is no event file in events/. Name the files to check, or go to the folder that holds events/.',
    )
    return null
  }
  const read = await Promise.all(
    [...paths, ...names.filter((name) => !isFolder(name))].map((name) =>
      readEventFile(name, terminal),
    ),
  )
  const files = read.filter((file) => file !== null)
  if (files.length < read.length) return null
  const groups = new Map<
    string,
    { files: SourceFile[]; shared: SharedFiles; site: SourceFile | null }
  >()
  for (const file of files) {
    const common = await sharedFor(file.path, shared)
    const group = groups.get(common.texts.path) ?? {
      files: [],
      shared: common,
      site: folders.length > 0 ? await siteBeside(common.texts.path) : null,
    }
    group.files.push(file)
    groups.set(common.texts.path, group)
  }
  return [...groups.values()]
}

function isFolder(name: string): boolean {
  return existsSync(name) && statSync(name).isDirectory()
}

async function eventFilesIn(folder: string): Promise<readonly string[]> {
  if (!existsSync(folder)) return []
  const names = await readdir(folder)
  return names
    .filter((name) => /\.ya?ml$/.test(name) && !name.startsWith('.'))
    .sort()
    .map((name) => path.join(folder, name))
}

async function siteBeside(texts: string): Promise<SourceFile | null> {
  const file = path.join(path.dirname(texts), 'site.yaml')
  return existsSync(file) ? { path: file, text: await readFile(file, 'utf8') } : null
}
