/** Mutations that are stored as text replacements. Checks that they can be applied, and applies them to a copy. */
import { spawn } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'

export const ROOT = join(import.meta.dirname, '..')

/** Text in a file, and its replacement. White space in the file may differ. */
type Change = { readonly file: string; readonly find: string; readonly replace: string }
export type Mutation = {
  readonly name: string
  /** A sentence that states what a user would notice. */
  readonly symptom: string
  readonly changes: readonly Change[]
  /** Returns the value of another key of the entry, or "" if it is missing. */
  readonly readExtraValue: (key: string) => string
}
type ProcessResult = { readonly status: number | null; readonly output: string }

/** Reads the mutations in a table (such as `guards/money.yaml`), in the order of its entries. */
export function readMutations(table: string): readonly Mutation[] {
  const entries = parse(readFileSync(table, 'utf8')) as readonly (Pick<
    Mutation,
    'name' | 'changes'
  > & {
    readonly about: string
  } & Readonly<Record<string, unknown>>)[]
  return entries.map((entry) => ({
    name: entry.name,
    symptom: entry.about,
    changes: entry.changes,
    readExtraValue: (key: string) => String(entry[key] ?? ''),
  }))
}

/** Clears the progress line, then prints a result. The caller redraws the line. */
export function printResult(text: string): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001B[K')
  console.log(text)
}

/** Runs a command to completion and returns its stdout and stderr. */
export function runToEnd(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ProcessResult> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')))
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')))
    child.on('error', (error) => (output += error.message))
    child.on('close', (status) => resolve({ status, output: output.trim() }))
  })
}

const escapePattern = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')

/** Returns the text with the replacement, or a problem if the original text is not found exactly once. */
function replaceOnce(text: string, { file, find, replace }: Change): { text: string } | string {
  const pattern = find
    .trim()
    .split(/\s+/)
    .map(escapePattern)
    .join(String.raw`\s+`)
  const matches = [...text.matchAll(new RegExp(pattern, 'g'))]
  const [match] = matches
  if (match === undefined || matches.length > 1)
    return `${file} contains this ${matches.length} times instead of once: ${find}`
  const end = match.index + match[0].length
  return { text: text.slice(0, match.index) + replace.trim() + text.slice(end) }
}

/** Returns the files that the mutation changes, or the reason why it cannot be applied. */
function applyChanges(mutation: Mutation, tree: string): ReadonlyMap<string, string> | string {
  const files = new Map<string, string>()
  for (const change of mutation.changes) {
    const path = join(tree, change.file)
    const result = replaceOnce(files.get(path) ?? readFileSync(path, 'utf8'), change)
    if (typeof result === 'string') return result
    files.set(path, result.text)
  }
  return files
}

/** Applies the mutation to a tree. Returns a function that reverts it, or the reason why it cannot be applied. */
export function applyMutation(mutation: Mutation, tree: string): (() => void) | string {
  const files = applyChanges(mutation, tree)
  if (typeof files === 'string') return files
  const originals = [...files.keys()].map((path) => [path, readFileSync(path, 'utf8')] as const)
  for (const [path, text] of files) writeFileSync(path, text)
  return () => originals.forEach(([path, text]) => writeFileSync(path, text))
}

/** Returns the reason why the mutation cannot be applied to this tree. Null if it can. */
export function explainMismatch(mutation: Mutation): string | null {
  const files = applyChanges(mutation, ROOT)
  return typeof files === 'string' ? files : null
}

/** Copies these paths of the tree, and its packages, to a temporary folder. The caller removes the copy. */
export function copyTree(paths: readonly string[]): string {
  const tree = mkdtempSync(join(tmpdir(), 'rollcall-mistake-'))
  for (const path of paths)
    cpSync(join(ROOT, path), join(tree, path), { recursive: true, preserveTimestamps: true })
  // The copy has its own node_modules folder, because the web app's build writes to it.
  mkdirSync(join(tree, 'node_modules'))
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    symlinkSync(join(ROOT, 'node_modules', name), join(tree, 'node_modules', name))
  return tree
}
