/** Known mistakes, kept as replacements of text: checks that each still fits the tree, and makes it in a copy. */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'

export const TOP = join(import.meta.dirname, '..')

/** The guard's text in a file, and the text that the mistake has there. White space may differ. */
type Change = { readonly file: string; readonly find: string; readonly replace: string }
export type Mistake = {
  readonly name: string
  /** What a user saw, in a sentence. */
  readonly about: string
  readonly changes: readonly Change[]
  /** Further keys of the entry; a key that is not there: "". */
  readonly said: (key: string) => string
}
type Ended = { readonly status: number | null; readonly said: string }

/** The mistakes of a table (`guards/money.yaml`), in its order. */
export function mistakesIn(table: string): readonly Mistake[] {
  const entries = parse(readFileSync(table, 'utf8')) as readonly (Omit<Mistake, 'said'> &
    Readonly<Record<string, unknown>>)[]
  return entries.map((entry) => ({
    name: entry.name,
    about: entry.about,
    changes: entry.changes,
    said: (key) => String(entry[key] ?? ''),
  }))
}

/** Runs a command to its end; what it printed, both ways. */
export function end(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')))
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')))
    child.on('error', (error) => (said += error.message))
    child.on('close', (status) => resolve({ status, said: said.trim() }))
  })
}

const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')

/** The text with the guard replaced, or what is wrong: the guard has to be there exactly once. */
function changed(text: string, { file, find, replace }: Change): { text: string } | string {
  const pattern = find
    .trim()
    .split(/\s+/)
    .map(escaped)
    .join(String.raw`\s+`)
  const found = [...text.matchAll(new RegExp(pattern, 'g'))]
  const [only] = found
  if (only === undefined || found.length > 1)
    return `${file} has ${found.length} times instead of once: ${find}`
  const end = only.index + only[0].length
  return { text: text.slice(0, only.index) + replace.trim() + text.slice(end) }
}

/** The files of the tree with the mistake made in them, or what does not fit. */
function filesOf(mistake: Mistake, tree: string): ReadonlyMap<string, string> | string {
  const files = new Map<string, string>()
  for (const change of mistake.changes) {
    const path = join(tree, change.file)
    const made = changed(files.get(path) ?? readFileSync(path, 'utf8'), change)
    if (typeof made === 'string') return made
    files.set(path, made.text)
  }
  return files
}

/** Makes the mistake in a tree; answers how to undo it, or what does not fit. */
export function make(mistake: Mistake, tree: string): (() => void) | string {
  const files = filesOf(mistake, tree)
  if (typeof files === 'string') return files
  const before = [...files.keys()].map((path) => [path, readFileSync(path, 'utf8')] as const)
  for (const [path, text] of files) writeFileSync(path, text)
  return () => before.forEach(([path, text]) => writeFileSync(path, text))
}

/** What does not fit this tree; null: the mistake can be made in it. */
export function misfit(mistake: Mistake): string | null {
  const files = filesOf(mistake, TOP)
  return typeof files === 'string' ? files : null
}

/** A folder with these paths of the tree and its packages, to be removed by whoever asked for it. */
export function copyOf(paths: readonly string[]): string {
  const tree = mkdtempSync(join(tmpdir(), 'rollcall-mistake-'))
  for (const path of paths)
    cpSync(join(TOP, path), join(tree, path), { recursive: true, preserveTimestamps: true })
  symlinkSync(join(TOP, 'node_modules'), join(tree, 'node_modules'))
  return tree
}
