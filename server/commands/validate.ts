/** `rollcall validate`: every finding of the event files, for people or for a program. */
import { readdir, readFile } from 'node:fs/promises'
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { compileEvents, compileSite, countFindings, formatFindings, isDay } from '../../engine/index.ts'
import type { Finding, SharedFiles } from '../../engine/index.ts'
import type { Command, Status, Terminal } from '../cli.ts'
import type { SourceFile } from '../compiling.ts'
import { readArguments } from './arguments.ts'
import { readEventFile, sharedFor } from './files.ts'

const help = `Usage: rollcall validate [files] [--strict] [--production] [--on DAY] [--shared FOLDER]

Checks event files and prints every finding with its line. Without files: all of events/, with the
landing page's words. "-" reads a file from standard input.

  --strict          warnings count like errors
  --production      stand-in values (demo:) are errors
  --on DAY          also what can only be said of a day: an open event that is over (2026-11-21)
  --shared FOLDER   where lists.yaml, gateways.yaml and texts.yaml lie (else _shared beside the file)

Without --on the answer never depends on the clock.

Exit status: 0 clean, 1 findings (errors; with --strict warnings too), 2 asked wrongly, 3 our fault.`

type Options = { readonly strict: boolean; readonly production: boolean; readonly on: string | undefined; readonly shared: string | undefined }
/** Files that lie beside one `_shared`. */
type Group = { readonly files: readonly SourceFile[]; readonly shared: SharedFiles; readonly site: SourceFile | null }

export const validate: Command = {
  summary: 'Check event files: all findings, with their lines',
  help,
  run: async (args, terminal) => {
    const given = readArguments(args, { strict: { type: 'boolean' }, production: { type: 'boolean' }, on: { type: 'string' }, shared: { type: 'string' } }, [0, Infinity], help, terminal)
    if (given === null) return 2
    const { strict = false, production = false, on, shared } = given.values
    if (on !== undefined && !isDay(on)) {
      terminal.complain(`--on takes a day such as 2026-11-21, not "${on}".`)
      return 2
    }
    const groups = await groupsOf(given.positionals, shared, terminal)
    return groups === null ? 2 : judge(groups, { strict, production, on, shared }, terminal)
  },
}

function judge(groups: readonly Group[], { strict, production, on }: Options, terminal: Terminal): Status {
  const judged = groups.map((group) => ({ group, findings: findingsOf(group, { production, ...(on === undefined ? {} : { on }) }) }))
  const findings = judged.flatMap((one) => one.findings)
  const sources = new Map(groups.flatMap(({ files, shared, site }) => [...files, shared.lists, shared.gateways, shared.texts, ...(site === null ? [] : [site])].map((file) => [file.path, file.text] as const)))
  if (findings.length > 0) terminal.print(formatFindings(findings, sources))
  const files = groups.reduce((count, { files }) => count + files.length, 0)
  terminal.print(countFindings(findings, files))
  return findings.some(({ severity }) => severity === 'error' || (strict && severity === 'warning')) ? 1 : 0
}

function findingsOf({ files, shared, site }: Group, options: { readonly production: boolean; readonly on?: string }): readonly Finding[] {
  const compiled = compileEvents(files, shared, options)
  const ofSite = site === null ? [] : compileSite(site.text, site).findings
  return [...compiled.shared, ...ofSite, ...compiled.files.flatMap((file) => file.findings)]
}

/** The files asked for, by the shared files that belong to them. Null after saying what cannot be read. */
async function groupsOf(names: readonly string[], shared: string | undefined, terminal: Terminal): Promise<readonly Group[] | null> {
  const folders = names.length === 0 ? ['events'] : names.filter(isFolder)
  const paths = (await Promise.all(folders.map(eventFilesIn))).flat()
  if (names.length === 0 && paths.length === 0) {
    terminal.complain('There is no event file in events/. Name the files to check, or go to the folder that holds events/.')
    return null
  }
  const read = await Promise.all([...paths, ...names.filter((name) => !isFolder(name))].map((name) => readEventFile(name, terminal)))
  const files = read.filter((file) => file !== null)
  if (files.length < read.length) return null
  const groups = new Map<string, { files: SourceFile[]; shared: SharedFiles; site: SourceFile | null }>()
  for (const file of files) {
    const common = await sharedFor(file.path, shared)
    const group = groups.get(common.texts.path) ?? { files: [], shared: common, site: folders.length > 0 ? await siteBeside(common.texts.path) : null }
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
  return names.filter((name) => /\.ya?ml$/.test(name) && !name.startsWith('.')).sort().map((name) => path.join(folder, name))
}

async function siteBeside(texts: string): Promise<SourceFile | null> {
  const file = path.join(path.dirname(texts), 'site.yaml')
  return existsSync(file) ? { path: file, text: await readFile(file, 'utf8') } : null
}
