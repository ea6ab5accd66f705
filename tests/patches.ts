/**
 * Mistakes kept as patches: what the first lines of one say, whether it still fits the tree, and a copy of the
 * tree to make it in. The simulator's controls and the guards are kept so.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

export const TOP = join(import.meta.dirname, '..')

export type Mistake = {
  readonly name: string
  readonly file: string
  /** What is wrong with it, in a sentence. */
  readonly about: string
  /** The lines `word: text` below that; a word that is not there: "". */
  readonly said: (word: string) => string
}
type Ended = { readonly status: number | null; readonly said: string }

/** The patches of a folder, by their names. */
export function mistakesIn(folder: string): readonly Mistake[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.patch'))
    .sort()
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8')
      const [about = '', ...lines] = text.slice(0, text.indexOf('diff --git')).trim().split('\n')
      return {
        name: basename(file, '.patch'),
        file: join(folder, file),
        about,
        said: (word) =>
          lines.find((line) => line.startsWith(`${word}: `))?.slice(word.length + 2) ?? '',
      }
    })
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

/** Makes the mistake in a tree, or with `--reverse` takes it back; what git says where the patch does not fit. */
export async function make(
  mistake: Mistake,
  tree: string,
  ...how: readonly ('--check' | '--reverse')[]
): Promise<string | null> {
  const { status, said } = await end('git', ['apply', '-C1', ...how, mistake.file], tree)
  return status === 0 ? null : said
}

/** Whether the patch still fits the tree; what git says where it does not. */
const misfit = (mistake: Mistake): Promise<string | null> => make(mistake, TOP, '--check')

/**
 * Those that no longer fit the tree, each with what git says. Patches of different files are tried together, because git begins
 * slower than it looks; where one of them does not fit, each by itself.
 */
export async function misfits(
  mistakes: readonly Mistake[],
): Promise<readonly (readonly [name: string, said: string])[]> {
  const together: { readonly files: Set<string>; readonly mistakes: Mistake[] }[] = []
  for (const mistake of mistakes) {
    const files = [
      ...readFileSync(mistake.file, 'utf8').matchAll(/^(?:---|\+\+\+) [ab]\/(\S+)/gm),
    ].map(([, file = '']) => file)
    const group = together.find((one) => files.every((file) => !one.files.has(file)))
    if (group === undefined) together.push({ files: new Set(files), mistakes: [mistake] })
    else {
      for (const file of files) group.files.add(file)
      group.mistakes.push(mistake)
    }
  }
  const found: (readonly [string, string])[] = []
  for (const group of together) {
    const patches = group.mistakes.map(({ file }) => file)
    if ((await end('git', ['apply', '-C1', '--check', ...patches], TOP)).status === 0) continue
    for (const mistake of group.mistakes) {
      const said = await misfit(mistake)
      if (said !== null) found.push([mistake.name, said])
    }
  }
  return found
}

/** A folder with these paths of the tree and its packages, to be removed by whoever asked for it. */
export function copyOf(paths: readonly string[]): string {
  const tree = mkdtempSync(join(tmpdir(), 'rollcall-mistake-'))
  for (const path of paths)
    cpSync(join(TOP, path), join(tree, path), { recursive: true, preserveTimestamps: true })
  symlinkSync(join(TOP, 'node_modules'), join(tree, 'node_modules'))
  return tree
}
