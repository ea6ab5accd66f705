/** `rollcall event diff`: shows how a change to an event file affects delegates. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { diffEvents, formatFindings, isEmptyDiff, formatDiff } from '../../../engine/authoring.ts'
import type { EventConfig } from '../../../engine/index.ts'
import type { EventDiff, SharedFiles, SourceText } from '../../../engine/authoring.ts'
import type { Command, Status, Terminal } from '../command.ts'
import { findBreakingChanges } from '../../events/versions/version-approval.ts'
import { openExistingStore } from '../open-existing-store.ts'
import { parseArguments } from '../options.ts'
import { compileFile, findEventsFolder, openEvent } from './open-event-file.ts'

const help = `Usage: rollcall event diff <old file> <new file>
       rollcall event diff --git <revision> [<file>…]

Shows what a new version changes for delegates and staff: prices by date and category, who gets which category,
fields, messages, addresses, wording, office. Does not list the changed lines.

  --git <revision>    compare the files with that revision (all of EVENTS_DIR if no file is given)
  --database          also count the stored and pending registrations, and report what the new version would
                      break in them (in the database of DATA_DIR)
  --json              print JSON, with amounts in paise
  --shared <folder>   folder of lists.yaml, gateways.yaml and texts.yaml

Exit status: 0 no change; 1 changes, or a file has errors; 2 invalid usage; 3 internal error.`

const options = {
  git: { type: 'string' },
  database: { type: 'boolean' },
  json: { type: 'boolean' },
  shared: { type: 'string' },
} as const
type ComparedEvent = {
  readonly file: string
  readonly old: EventConfig
  readonly next: EventConfig
  readonly source: SourceText
  readonly diff: EventDiff
}

export const diffCommand: Command = {
  help,
  run: async (args, terminal) => {
    const parsed = parseArguments(args, options, [0, 1000], help, terminal)
    if (parsed === null) return 2
    const { values, positionals } = parsed
    const comparisons =
      values.git === undefined
        ? await compareFiles(positionals, values.shared, terminal)
        : await compareWithRevision(values.git, positionals, terminal)
    if (typeof comparisons === 'number') return comparisons
    if (values.json === true)
      terminal.print(
        JSON.stringify(
          comparisons.map(({ file, next, diff }) => ({ file, event: next.id, ...diff })),
          null,
          2,
        ),
      )
    else
      for (const { file, diff } of comparisons)
        terminal.print(
          isEmptyDiff(diff) ? `${file}: nothing changes.` : `${file}\n\n${formatDiff(diff)}`,
        )
    if (
      values.database === true &&
      values.json !== true &&
      !(await printStoredCounts(comparisons, terminal))
    )
      return 2
    return comparisons.some(({ diff }) => !isEmptyDiff(diff)) ? 1 : 0
  },
}

async function compareFiles(
  [oldName, newName, ...extraNames]: readonly string[],
  shared: string | undefined,
  terminal: Terminal,
): Promise<readonly ComparedEvent[] | Status> {
  if (oldName === undefined || newName === undefined || extraNames.length > 0) {
    terminal.printError(help.split('\n\n')[0] ?? help)
    return 2
  }
  const oldEvent = await openEvent(oldName, terminal, shared)
  const next = await openEvent(newName, terminal, shared)
  if (!oldEvent.ok) return oldEvent.status
  if (!next.ok) return next.status
  return [
    {
      file: `${oldName} → ${newName}`,
      old: oldEvent.value.event,
      source: next.value.file,
      next: next.value.event,
      diff: diffEvents(oldEvent.value.event, next.value.event),
    },
  ]
}

/** Compiles old versions with that revision's shared files, because a change in a shared file affects every event. */
async function compareWithRevision(
  revision: string,
  fileNames: readonly string[],
  terminal: Terminal,
): Promise<readonly ComparedEvent[] | Status> {
  const eventsFolder = findEventsFolder(terminal)
  const files =
    fileNames.length > 0
      ? fileNames
      : existsSync(eventsFolder)
        ? (await readdir(eventsFolder))
            .filter((name) => /\.ya?ml$/.test(name))
            .sort()
            .map((name) => path.join(eventsFolder, name))
        : []
  const comparedEvents: ComparedEvent[] = []
  for (const file of files) {
    const next = await openEvent(file, terminal)
    if (!next.ok) return next.status
    const oldVersion = await readAtRevision(revision, next.value.file.path)
    if (oldVersion.is === 'no-revision') {
      terminal.printError(`git has no revision "${revision}" here: ${oldVersion.message}`)
      return 2
    }
    if (oldVersion.is === 'no-file') {
      terminal.print(`${file}: new since ${revision}.`)
      continue
    }
    const { shared } = next.value
    const readOldShared = async (file: { readonly path: string; readonly text: string }) => {
      const version = await readAtRevision(revision, file.path)
      return version.is === 'text' ? { path: file.path, text: version.text } : file
    }
    const oldShared: SharedFiles = {
      lists: await readOldShared(shared.lists),
      gateways: await readOldShared(shared.gateways),
      texts: await readOldShared(shared.texts),
    }
    const oldResult = compileFile(
      { path: `${revision}:${next.value.file.path}`, text: oldVersion.text },
      oldShared,
      terminal,
    )
    if (!oldResult.ok) return oldResult.status
    comparedEvents.push({
      file,
      old: oldResult.value.event,
      source: next.value.file,
      next: next.value.event,
      diff: diffEvents(oldResult.value.event, next.value.event),
    })
  }
  return comparedEvents
}

type RevisionFile =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'no-file' }
  | { readonly is: 'no-revision'; readonly message: string }

async function readAtRevision(revision: string, file: string): Promise<RevisionFile> {
  const folder = path.dirname(path.resolve(file))
  const runGit = async (
    ...args: string[]
  ): Promise<{ readonly ok: boolean; readonly text: string }> =>
    promisify(execFile)('git', args, { cwd: folder, maxBuffer: 16 * 1024 * 1024 }).then(
      ({ stdout }) => ({ ok: true, text: stdout }),
      (error: Error & { stderr?: string }) => ({
        ok: false,
        text: (error.stderr ?? error.message).trim(),
      }),
    )
  const commit = await runGit('rev-parse', '--verify', '--end-of-options', `${revision}^{commit}`)
  if (!commit.ok) return { is: 'no-revision', message: commit.text }
  const content = await runGit('show', `${commit.text.trim()}:./${path.basename(file)}`)
  return content.ok ? { is: 'text', text: content.text } : { is: 'no-file' }
}

async function printStoredCounts(
  comparisons: readonly ComparedEvent[],
  terminal: Terminal,
): Promise<boolean> {
  const environment = terminal.environment()
  if (environment === null) return false
  const store = await openExistingStore(environment)
  try {
    for (const { old, next, source, diff } of comparisons) {
      const { registrations, pending } = await store.valuesInUse(next.id)
      const pendingText =
        diff.prices.length + diff.sold.length > 0
          ? `${pending} of them pending (these keep their quoted price)`
          : `${pending} of them pending`
      terminal.print(
        `${next.id}: ${registrations} registration${registrations === 1 ? ' is' : 's are'} stored, ${pendingText}.`,
      )
      const findings = await findBreakingChanges(store, next, source, old)
      if (findings.length > 0)
        terminal.print(formatFindings(findings, new Map([[source.path, source.text]])))
    }
    return true
  } finally {
    await store.close()
  }
}
