/** `rollcall event diff`: shows what a change of an event file means for delegates. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { diffEvents, formatFindings, isEmptyDiff, formatDiff } from '../../../engine/authoring.ts'
import type { EventConfig } from '../../../engine/index.ts'
import type { EventDiff, SharedFiles, SourceText } from '../../../engine/authoring.ts'
import type { Command, Status, Terminal } from '../command.ts'
import { findBrokenPromises } from '../../events/versions/version-approval.ts'
import { openExistingStore } from '../open-existing-store.ts'
import { readArguments } from '../options.ts'
import { compiled, openEvent } from './open-event-file.ts'

const help = `Usage: rollcall event diff <old file> <new file>
       rollcall event diff --git <revision> [<file>…]

Shows what a new version changes for people, not in its text: prices by day and category, who gets which
category, fields, messages, addresses, wording, office.

  --git <revision>    compare the files with that revision (all of events/ if no file is named)
  --database          also count the stored and pending registrations, and what the new version would break
                      in them (in the database of DATA_DIR)
  --json              print JSON, amounts in paise
  --shared <folder>   folder of lists.yaml, gateways.yaml and texts.yaml

Exit status: 0 no change; 1 changes, or a file has errors; 2 invalid usage; 3 internal error.`

const options = {
  git: { type: 'string' },
  database: { type: 'boolean' },
  json: { type: 'boolean' },
  shared: { type: 'string' },
} as const
type Compared = {
  readonly file: string
  readonly old: EventConfig
  readonly next: EventConfig
  readonly source: SourceText
  readonly diff: EventDiff
}

export const diffing: Command = {
  help,
  run: async (args, terminal) => {
    const given = readArguments(args, options, [0, 1000], help, terminal)
    if (given === null) return 2
    const { values, positionals } = given
    const pairs =
      values.git === undefined
        ? await twoFiles(positionals, values.shared, terminal)
        : await sinceRevision(values.git, positionals, terminal)
    if (typeof pairs === 'number') return pairs
    if (values.json === true)
      terminal.print(
        JSON.stringify(
          pairs.map(({ file, next, diff }) => ({ file, event: next.id, ...diff })),
          null,
          2,
        ),
      )
    else
      for (const { file, diff } of pairs)
        terminal.print(
          isEmptyDiff(diff) ? `${file}: nothing changes.` : `${file}\n\n${formatDiff(diff)}`,
        )
    if (values.database === true && values.json !== true && !(await sayStored(pairs, terminal)))
      return 2
    return pairs.some(({ diff }) => !isEmptyDiff(diff)) ? 1 : 0
  },
}

async function twoFiles(
  [first, second, ...rest]: readonly string[],
  shared: string | undefined,
  terminal: Terminal,
): Promise<readonly Compared[] | Status> {
  if (first === undefined || second === undefined || rest.length > 0) {
    terminal.complain(help.split('\n\n')[0] ?? help)
    return 2
  }
  const old = await openEvent(first, terminal, shared)
  const next = await openEvent(second, terminal, shared)
  if (!old.ok) return old.status
  if (!next.ok) return next.status
  return [
    {
      file: `${first} → ${second}`,
      old: old.value.event,
      source: next.value.file,
      next: next.value.event,
      diff: diffEvents(old.value.event, next.value.event),
    },
  ]
}

/** Old versions are compiled with the shared files of that time: a change in them changes every event. */
async function sinceRevision(
  revision: string,
  named: readonly string[],
  terminal: Terminal,
): Promise<readonly Compared[] | Status> {
  const files =
    named.length > 0
      ? named
      : existsSync('events')
        ? (await readdir('events'))
            .filter((name) => /\.ya?ml$/.test(name))
            .sort()
            .map((name) => path.join('events', name))
        : []
  const compared: Compared[] = []
  for (const file of files) {
    const next = await openEvent(file, terminal)
    if (!next.ok) return next.status
    const before = await atRevision(revision, next.value.file.path)
    if (before.is === 'no-revision') {
      terminal.complain(`git does not know "${revision}" here: ${before.says}`)
      return 2
    }
    if (before.is === 'no-file') {
      terminal.print(`${file}: new since ${revision}.`)
      continue
    }
    const { shared } = next.value
    const sharedThen = async (now: { readonly path: string; readonly text: string }) => {
      const then = await atRevision(revision, now.path)
      return then.is === 'text' ? { path: now.path, text: then.text } : now
    }
    const then: SharedFiles = {
      lists: await sharedThen(shared.lists),
      gateways: await sharedThen(shared.gateways),
      texts: await sharedThen(shared.texts),
    }
    const old = compiled(
      { path: `${revision}:${next.value.file.path}`, text: before.text },
      then,
      terminal,
    )
    if (!old.ok) return old.status
    compared.push({
      file,
      old: old.value.event,
      source: next.value.file,
      next: next.value.event,
      diff: diffEvents(old.value.event, next.value.event),
    })
  }
  return compared
}

type AtRevision =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'no-file' }
  | { readonly is: 'no-revision'; readonly says: string }

async function atRevision(revision: string, file: string): Promise<AtRevision> {
  const folder = path.dirname(path.resolve(file))
  const git = async (...args: string[]): Promise<{ readonly ok: boolean; readonly text: string }> =>
    promisify(execFile)('git', args, { cwd: folder, maxBuffer: 16 * 1024 * 1024 }).then(
      ({ stdout }) => ({ ok: true, text: stdout }),
      (error: Error & { stderr?: string }) => ({
        ok: false,
        text: (error.stderr ?? error.message).trim(),
      }),
    )
  const known = await git('rev-parse', '--verify', '--end-of-options', `${revision}^{commit}`)
  if (!known.ok) return { is: 'no-revision', says: known.text }
  const shown = await git('show', `${known.text.trim()}:./${path.basename(file)}`)
  return shown.ok ? { is: 'text', text: shown.text } : { is: 'no-file' }
}

async function sayStored(pairs: readonly Compared[], terminal: Terminal): Promise<boolean> {
  const environment = terminal.environment()
  if (environment === null) return false
  const store = await openExistingStore(environment)
  try {
    for (const { old, next, source, diff } of pairs) {
      const { registrations, pending } = await store.inUse(next.id)
      const touched =
        diff.prices.length + diff.sold.length > 0
          ? `${pending} of them pending, which keep the price they were quoted`
          : `${pending} of them pending`
      terminal.print(
        `${next.id}: ${registrations} registration${registrations === 1 ? ' is' : 's are'} stored, ${touched}.`,
      )
      const findings = await findBrokenPromises(store, next, source, old)
      if (findings.length > 0)
        terminal.print(formatFindings(findings, new Map([[source.path, source.text]])))
    }
    return true
  } finally {
    await store.close()
  }
}
