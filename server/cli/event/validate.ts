/** `rollcall validate`: reports every finding of the event files, in readable form or as JSON. */
import { existsSync, statSync, watch } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isDay } from '../../../engine/index.ts'
import {
  applyFixes,
  catalogue,
  countFindings,
  findingsAsGithub,
  findingsAsJson,
  findingsAsSarif,
  formatFindings,
  hasErrors,
} from '../../../engine/authoring.ts'
import type { Finding } from '../../../engine/authoring.ts'
import type { Command, Status, Terminal } from '../command.ts'
import { readFolder, readShared, getSources } from '../../events/files/event-folder.ts'
import { checkFolder } from '../../events/files/check-files.ts'
import type { Folder } from '../../events/files/event-folder.ts'
import { readArguments } from '../options.ts'
import { pathOf, readEventFile, sharedFolderFor, unreadAs } from './open-event-file.ts'

const help = `Usage: rollcall validate [files] [--strict] [--production] [--on DAY] [--shared FOLDER]
                         [--format human|json|sarif|github] [--only CODES] [--fix] [--watch]

Checks event files and prints every finding with its line. Without files: all of events/ and the texts of the
landing page. "-" reads a file from standard input.

  --strict          warnings count as errors
  --production      placeholder values (demo:) are errors
  --on DAY          include checks that need a date, such as an open event that is over (2026-11-21)
  --shared FOLDER   folder of lists.yaml, gateways.yaml and texts.yaml (default: _shared beside the file)
  --format FORMAT   json or sarif for programs; github: annotations, ten per kind, then the report
  --only CODES      only these findings: EV301,rule-unreachable
  --fix             make the edits that are certain, then check again
  --watch           check again whenever a file changes, until stopped

Without --on the result never depends on the date.

Exit status: 0 clean; 1 findings (errors; with --strict warnings too); 2 invalid usage; 3 internal error.`

const formats = ['human', 'json', 'sarif', 'github'] as const
type Options = {
  readonly strict: boolean
  readonly production: boolean
  readonly on: string | undefined
  readonly shared: string | undefined
  readonly format: (typeof formats)[number]
  readonly only: ReadonlySet<string> | null
}
export const validate: Command = {
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
              ? 'Standard input can be neither corrected nor watched: name a file.'
              : null
    if (wrong !== null || format === undefined || typeof only === 'string') {
      terminal.complain(wrong ?? '')
      return 2
    }
    const options = { strict, production, on, shared, format, only }
    const once = async (): Promise<Status> => {
      if (fix && !(await mend(names, options, terminal))) return 2
      const folders = await foldersOf(names, shared, terminal)
      if (folders === null) return 2
      const status = await judge(folders, options, terminal)
      // The file may be valid, but no server would read it.
      return status === 0 && (await unreadAmong(names)).length > 0 ? 1 : status
    }
    const status = await once()
    if (!watches || status === 2) return status
    return again(names, shared, once, terminal)
  },
}

/** Returns the codes for a list of codes or names; or a message that names the unknown one. */
function codesOf(list: string): ReadonlySet<string> | string {
  const asked = list.split(',').map((one) => one.trim())
  const codeOf = (name: string): string | undefined =>
    Object.entries(catalogue).find(
      ([code, { slug }]) => code === name.toUpperCase() || slug === name,
    )?.[0]
  const unknown = asked.find((name) => codeOf(name) === undefined)
  return unknown === undefined
    ? new Set(asked.map((name) => codeOf(name) ?? ''))
    : `There is no code "${unknown}". rollcall event finding lists them.`
}

/** Prints the findings of every folder, as requested, and returns the exit status. */
async function judge(
  folders: readonly Folder[],
  options: Options,
  terminal: Terminal,
): Promise<Status> {
  const findings = (await Promise.all(folders.map((folder) => selected(folder, options)))).flat()
  const sources = new Map(folders.flatMap((folder) => [...getSources(folder)]))
  const files = folders.reduce((count, folder) => count + folder.files.length, 0)
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
  const counts = options.strict
    ? findings.some(({ severity }) => severity !== 'note')
    : hasErrors(findings)
  return counts ? 1 : 0
}

async function selected(
  folder: Folder,
  { production, on, only }: Options,
): Promise<readonly Finding[]> {
  const { findings } = await checkFolder(folder, {
    production,
    ...(on === undefined ? {} : { on }),
  })
  return findings.filter(({ code }) => only === null || only.has(code))
}

/** Writes the safe fixes into the files. False after printing which file cannot be read. */
async function mend(
  names: readonly string[],
  options: Options,
  terminal: Terminal,
): Promise<boolean> {
  const folders = await foldersOf(names, options.shared, terminal)
  if (folders === null) return false
  for (const folder of folders) {
    const findings = await selected(folder, options)
    const { lists, gateways, texts } = folder.shared
    for (const file of [...folder.files, lists, gateways, texts]) {
      const { text, applied } = applyFixes(
        file.text,
        findings.filter(({ at }) => at.path === file.path),
      )
      if (applied === 0) continue
      // Text that could not be decoded would be written back as replacement characters.
      if (text.includes('\ufffd')) {
        terminal.complain(`${file.path} is not saved as UTF-8, so nothing is written into it.`)
        continue
      }
      await writeFile(file.path, text)
      terminal.complain(`${file.path}: ${applied} edit${applied === 1 ? '' : 's'} written.`)
    }
  }
  return true
}

/** Editors write a file in several steps; it is read this long after the last one. */
const SETTLE_MS = 150

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
      SETTLE_MS,
    )
  }
  for (const folder of folders) if (isFolder(folder)) watch(folder, soon)
  terminal.complain('Watching; stop with Ctrl+C.')
  return new Promise(() => {})
}

/** Groups the requested files by their shared files. Null after printing which cannot be read. */
async function foldersOf(
  names: readonly string[],
  shared: string | undefined,
  terminal: Terminal,
): Promise<readonly Folder[] | null> {
  const asked = names.length === 0 ? ['events'] : names
  const folders: Folder[] = []
  for (const name of asked.filter(isFolder)) folders.push(await readFolder(name, shared))
  if (names.length === 0 && !isFolder('events')) {
    terminal.complain(
      'There is no event file in events/. Name the files to check, or go to the folder that holds events/.',
    )
    return null
  }
  const unread = await unreadAmong(names)
  const problems = folders.flatMap((folder) => [...folder.problems, ...folder.unreadable.values()])
  const told = new Set([...folders.flatMap((folder) => folder.unread), ...unread, ...problems])
  for (const problem of told) terminal.complain(problem)
  const read = await Promise.all(
    names.filter((name) => !isFolder(name)).map((name) => readEventFile(name, terminal)),
  )
  if (problems.length > 0 || read.includes(null)) return null
  for (const file of read) {
    if (
      file === null ||
      folders.some(({ files }) => files.some(({ path: known }) => known === file.path))
    )
      continue
    const common = sharedFolderFor(file.path, shared)
    const at = folders.findIndex((folder) => path.dirname(folder.shared.texts.path) === common)
    const beside = folders[at] ?? { ...(await readShared(common)), site: null, files: [] }
    folders.splice(at === -1 ? folders.length : at, 1, {
      ...beside,
      files: [...beside.files, file],
    })
  }
  return folders
}

/** Reports requested files whose names no server reads. */
async function unreadAmong(names: readonly string[]): Promise<readonly string[]> {
  return (await Promise.all(names.filter((name) => !isFolder(name)).map(unreadAs))).flat()
}

function isFolder(name: string): boolean {
  return existsSync(name) && statSync(name).isDirectory()
}
