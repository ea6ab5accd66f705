/** `rollcall validate`: reports every finding in the event files, in human-readable form or as JSON. */
import { existsSync, statSync, watch } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isDay } from '../../../engine/index.ts'
import {
  applyFixes,
  catalogue,
  countFindings,
  formatAsGithub,
  formatAsJson,
  formatAsSarif,
  formatFindings,
  hasErrors,
} from '../../../engine/authoring.ts'
import type { Finding } from '../../../engine/authoring.ts'
import type { Command, Status, Terminal } from '../command.ts'
import { readFolder, readSharedFolder, getSources } from '../../events/files/event-folder.ts'
import { checkFolder } from '../../events/files/check-files.ts'
import type { Folder } from '../../events/files/event-folder.ts'
import { parseArguments } from '../options.ts'
import {
  findEventPath,
  findEventsFolder,
  readEventFile,
  findSharedFolder,
  explainIgnoredFile,
} from './open-event-file.ts'

const help = `Usage: rollcall validate [files] [--strict] [--production] [--on DAY] [--shared FOLDER]
                         [--format human|json|sarif|github] [--only CODES] [--fix] [--watch]

Checks event files and prints every finding with its line. Without files: all of EVENTS_DIR (events/)
and the texts of the landing page. "-" reads a file from standard input.

  --strict          warnings count as errors
  --production      placeholder values (demo:) are errors
  --on DAY          include checks that need a date, such as for events that have ended (2026-11-21)
  --shared FOLDER   folder of lists.yaml, gateways.yaml and texts.yaml (default: _shared next to the file)
  --format FORMAT   json or sarif for programs; github: annotations, ten per kind, then the report
  --only CODES      only these findings: EV301,rule-unreachable
  --fix             apply the safe fixes, then check again
  --watch           check again whenever a file changes, until stopped

Without --on, the result never depends on the date.

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
export const validateCommand: Command = {
  help,
  run: async (args, terminal) => {
    const booleanOption = { type: 'boolean' } as const
    const stringOption = { type: 'string' } as const
    const parsed = parseArguments(
      args,
      {
        strict: booleanOption,
        production: booleanOption,
        on: stringOption,
        shared: stringOption,
        format: stringOption,
        only: stringOption,
        fix: booleanOption,
        watch: booleanOption,
      },
      [0, Infinity],
      help,
      terminal,
    )
    if (parsed === null) return 2
    const {
      strict = false,
      production = false,
      on,
      shared: sharedFolderOption,
      fix = false,
      watch: isWatching = false,
    } = parsed.values
    const names = parsed.positionals
    const format = formats.find((candidate) => candidate === (parsed.values.format ?? 'human'))
    const selectedCodes = parsed.values.only === undefined ? null : parseCodes(parsed.values.only)
    const usageError =
      on !== undefined && !isDay(on)
        ? `--on must be a date such as 2026-11-21, not "${on}".`
        : format === undefined
          ? `--format takes ${formats.join(', ')}, not "${parsed.values.format}".`
          : typeof selectedCodes === 'string'
            ? selectedCodes
            : (fix || isWatching) && names.includes('-')
              ? 'Standard input cannot be fixed or watched: specify a file.'
              : null
    if (usageError !== null || format === undefined || typeof selectedCodes === 'string') {
      terminal.printError(usageError ?? '')
      return 2
    }
    const options = {
      strict,
      production,
      on,
      shared: sharedFolderOption,
      format,
      only: selectedCodes,
    }
    const checkOnce = async (): Promise<Status> => {
      if (fix && !(await fixFiles(names, options, terminal))) return 2
      const folders = await readFolders(names, sharedFolderOption, terminal)
      if (folders === null) return 2
      const status = await printFindings(folders, options, terminal)
      // Even a valid file fails if servers ignore it because of its name.
      return status === 0 && (await listIgnoredFiles(names, terminal)).length > 0 ? 1 : status
    }
    const status = await checkOnce()
    if (!isWatching || status === 2) return status
    return watchFiles(names, sharedFolderOption, checkOnce, terminal)
  },
}

/** Returns the codes for a list of codes or names, or a message about the first unknown one. */
function parseCodes(list: string): ReadonlySet<string> | string {
  const requestedNames = list.split(',').map((entry) => entry.trim())
  const findCode = (name: string): string | undefined =>
    Object.entries(catalogue).find(
      ([code, { slug }]) => code === name.toUpperCase() || slug === name,
    )?.[0]
  const unknownName = requestedNames.find((name) => findCode(name) === undefined)
  return unknownName === undefined
    ? new Set(requestedNames.map((name) => findCode(name) ?? ''))
    : `Unknown finding "${unknownName}". rollcall event finding lists them.`
}

/** Prints the findings of every folder in the requested format, and returns the exit status. */
async function printFindings(
  folders: readonly Folder[],
  options: Options,
  terminal: Terminal,
): Promise<Status> {
  const findings = (
    await Promise.all(folders.map((folder) => findSelectedFindings(folder, options)))
  ).flat()
  const sources = new Map(folders.flatMap((folder) => [...getSources(folder)]))
  const files = folders.reduce((count, folder) => count + folder.files.length, 0)
  const report = [
    ...(findings.length > 0 ? [formatFindings(findings, sources)] : []),
    countFindings(findings, files),
  ].join('\n')
  switch (options.format) {
    case 'json':
      terminal.print(formatAsJson(findings, files))
      break
    case 'sarif':
      terminal.print(formatAsSarif(findings))
      break
    case 'github':
      terminal.print(findings.length === 0 ? report : `${formatAsGithub(findings)}\n\n${report}`)
      break
    case 'human':
      terminal.print(report)
  }
  const isFailure = options.strict
    ? findings.some(({ severity }) => severity !== 'note')
    : hasErrors(findings)
  return isFailure ? 1 : 0
}

async function findSelectedFindings(
  folder: Folder,
  { production, on, only: selectedCodes }: Options,
): Promise<readonly Finding[]> {
  const { findings } = await checkFolder(folder, {
    production,
    ...(on === undefined ? {} : { on }),
  })
  return findings.filter(({ code }) => selectedCodes === null || selectedCodes.has(code))
}

/** Writes the safe fixes into the files. If a file cannot be read, prints its name and returns false. */
async function fixFiles(
  names: readonly string[],
  options: Options,
  terminal: Terminal,
): Promise<boolean> {
  const folders = await readFolders(names, options.shared, terminal)
  if (folders === null) return false
  for (const folder of folders) {
    const findings = await findSelectedFindings(folder, options)
    const { lists, gateways, texts } = folder.shared
    for (const file of [...folder.files, lists, gateways, texts]) {
      const { text, appliedCount } = applyFixes(
        file.text,
        findings.filter(({ at }) => at.path === file.path),
      )
      if (appliedCount === 0) continue
      // Text that could not be decoded would be written back as replacement characters.
      if (text.includes('\ufffd')) {
        terminal.printError(`${file.path} is not saved as UTF-8, so it was not changed.`)
        continue
      }
      await writeFile(file.path, text)
      terminal.printError(
        `${file.path}: ${appliedCount} edit${appliedCount === 1 ? '' : 's'} written.`,
      )
    }
  }
  return true
}

/** The delay before a changed file is read, because editors write a file in several steps. */
const SETTLE_DELAY_MS = 150

/** Checks the files again whenever one of them changes, until the process is stopped. */
async function watchFiles(
  names: readonly string[],
  sharedFolderOption: string | undefined,
  checkOnce: () => Promise<Status>,
  terminal: Terminal,
): Promise<Status> {
  const requestedNames = names.length === 0 ? [findEventsFolder(terminal)] : names
  const parentFolders = requestedNames.map((name) =>
    isFolder(name) ? name : path.dirname(findEventPath(name, terminal) ?? name),
  )
  const folders = new Set([
    ...parentFolders,
    ...parentFolders.map((folder) => path.join(folder, '_shared')),
    ...(sharedFolderOption === undefined ? [] : [sharedFolderOption]),
  ])
  let timer: NodeJS.Timeout | null = null
  const scheduleCheck = (): void => {
    if (timer !== null) clearTimeout(timer)
    timer = setTimeout(
      () => void checkOnce().catch((error: unknown) => terminal.printError(String(error))),
      SETTLE_DELAY_MS,
    )
  }
  for (const folder of folders) if (isFolder(folder)) watch(folder, scheduleCheck)
  terminal.printError('Watching; stop with Ctrl+C.')
  return new Promise(() => {})
}

/** Groups the requested files by their shared files. If a file cannot be read, prints its name and returns null. */
async function readFolders(
  names: readonly string[],
  sharedFolderOption: string | undefined,
  terminal: Terminal,
): Promise<readonly Folder[] | null> {
  const requestedNames = names.length === 0 ? [findEventsFolder(terminal)] : names
  const folders: Folder[] = []
  for (const name of requestedNames.filter(isFolder))
    folders.push(await readFolder(name, sharedFolderOption))
  if (names.length === 0 && !isFolder(findEventsFolder(terminal))) {
    terminal.printError(
      terminal.eventsDir === undefined
        ? 'There is no event file in events/. Specify the files to check, or go to the folder that contains events/.'
        : `EVENTS_DIR is ${terminal.eventsDir}, which does not exist. Specify the files to check, or correct EVENTS_DIR.`,
    )
    return null
  }
  const ignoredMessages = await listIgnoredFiles(names, terminal)
  const problems = folders.flatMap((folder) => [
    ...folder.problems,
    ...folder.unreadableFiles.values(),
  ])
  const messages = new Set([
    ...folders.flatMap((folder) => folder.ignoredMessages),
    ...ignoredMessages,
    ...problems,
  ])
  for (const problem of messages) terminal.printError(problem)
  const readFiles = await Promise.all(
    names.filter((name) => !isFolder(name)).map((name) => readEventFile(name, terminal)),
  )
  if (problems.length > 0 || readFiles.includes(null)) return null
  for (const file of readFiles) {
    if (
      file === null ||
      folders.some(({ files }) => files.some(({ path: candidate }) => candidate === file.path))
    )
      continue
    const sharedFolder = findSharedFolder(file.path, terminal, sharedFolderOption)
    const groupIndex = folders.findIndex(
      (folder) => path.dirname(folder.shared.texts.path) === sharedFolder,
    )
    const group = folders[groupIndex] ?? {
      ...(await readSharedFolder(sharedFolder)),
      site: null,
      files: [],
    }
    folders.splice(groupIndex === -1 ? folders.length : groupIndex, 1, {
      ...group,
      files: [...group.files, file],
    })
  }
  return folders
}

/** Reports requested files that servers ignore because of their names. */
async function listIgnoredFiles(
  names: readonly string[],
  terminal: Terminal,
): Promise<readonly string[]> {
  const files = names.filter((name) => !isFolder(name))
  return (await Promise.all(files.map((name) => explainIgnoredFile(name, terminal)))).flat()
}

function isFolder(name: string): boolean {
  return existsSync(name) && statSync(name).isDirectory()
}
