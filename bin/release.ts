#!/usr/bin/env node
/**
 * `npm run release [FOLDER]`: everything that a machine needs to serve, in one file: the Node of the lockfile, the packages
 * that run on a server, the built web app, checksums and what to know before putting it in the place of an older version.
 * The same sources make the same file, to the byte.
 *
 * Exit status: 0 made, 1 it could not be.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { migrations } from '../server/storage/database/schema.ts'
import { packagesOfServer, wantedOf } from './release-packages.ts'

const TOP = join(import.meta.dirname, '..')
/** What runs or is read by whoever runs it; the web app's sources, because a server knows by them that it is built. */
const PARTS = [
  'bin',
  'build',
  'deploy',
  'docs',
  'engine',
  'events',
  'schemas',
  'server',
  'web',
] as const
const FILES = ['package.json', 'package-lock.json', 'LICENSE', 'README.md', 'CHANGELOG.md'] as const
/** Of `bin`, what whoever changes the program needs. */
const LEFT_OUT = /^bin\/(?!rollcall)/
export const CHECKSUMS = 'SHA256SUMS'
const NOTES = 'UPGRADING.md'
/** Changed by nothing but a new version, so that the same sources make the same bytes. */
const MADE_AT = '2000-01-01 00:00:00Z'

const manifest = JSON.parse(readFileSync(join(TOP, 'package.json'), 'utf8')) as {
  readonly version: string
}
const platform = `${process.platform}-${process.arch}`
const NODE_PACKAGE = `node-${platform}`
/** `rollcall-0.1.0`: the folder in the file. */
export const FOLDER_NAME = `rollcall-${manifest.version}`
export const FILE_NAME = `${FOLDER_NAME}-${platform}.tar.gz`

/** How a file comes to where it belongs: copied, or linked by whoever wants it at once and changes nothing. */
type Put = (from: string, to: string) => void

/** Puts everything into `into`, which is not there yet. The web app is built. */
export function stage(into: string, put: Put = copyFileSync): void {
  const putAll = (place: string, isWanted: (file: string) => boolean): void => {
    for (const entry of readdirSync(join(TOP, place), { recursive: true, withFileTypes: true })) {
      const from = join(entry.parentPath, entry.name)
      if (!entry.isFile() || !isWanted(from)) continue
      const to = join(into, relative(TOP, from))
      mkdirSync(dirname(to), { recursive: true })
      put(from, to)
    }
  }
  mkdirSync(into, { recursive: true })
  for (const file of FILES) put(join(TOP, file), join(into, file))
  for (const part of PARTS) putAll(part, (from) => !LEFT_OUT.test(relative(TOP, from)))
  for (const place of [...packagesOfServer(TOP), `node_modules/${NODE_PACKAGE}`])
    putAll(place, wantedOf(TOP, place))
  mkdirSync(join(into, 'node_modules', '.bin'))
  symlinkSync(`../${NODE_PACKAGE}/bin/node`, join(into, 'node_modules', '.bin', 'node'))
  writeFileSync(join(into, NOTES), notes())
  writeFileSync(join(into, CHECKSUMS), checksums(into))
}

/** As `sha256sum --check` reads them, of every file in the folder. */
function checksums(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
    .map((name) => `${sha256(join(folder, name))}  ${name}\n`)
    .join('')
}

const sha256 = (file: string): string =>
  createHash('sha256').update(readFileSync(file)).digest('hex')

/** What somebody has to know who puts it in the place of an older version. */
function notes(): string {
  const { version: node } = JSON.parse(
    readFileSync(join(TOP, 'node_modules', NODE_PACKAGE, 'package.json'), 'utf8'),
  ) as { readonly version: string }
  const changes = /^## .*\n([^]*?)(?=^## |(?![^]))/m.exec(
    readFileSync(join(TOP, 'CHANGELOG.md'), 'utf8'),
  )?.[1]
  return `# Rollcall ${manifest.version}: putting it in the place of an older version

It brings Node ${node} and writes a database of version ${migrations.length}. It takes one of any earlier version, and copies it first
(\`rollcall.before-v${migrations.length}.db\` in DATA_DIR). docs/operation/monitoring.md says more.

1. \`sha256sum --check --quiet ${CHECKSUMS}\` in this folder.
2. \`bin/rollcall db migrate --check\` with the variables of the server: 0 when the database stays as it is, 1 when it will be brought up to date.
3. \`rollcall db backup\` of the version that is at work.
4. Let /opt/rollcall lead to this folder (\`ln -sfn ${FOLDER_NAME} /opt/rollcall\`), and restart. Whoever asks meanwhile waits.
5. \`bin/rollcall doctor\`.

Back to the older version: stop the server, let /opt/rollcall lead to its folder again, put \`rollcall.before-v${migrations.length}.db\` in
the place of \`rollcall.db\` where step 2 said 1, remove \`rollcall.db-wal\` and \`rollcall.db-shm\`, start. What was stored in between is lost.

## What has changed
${changes ?? ''}`
}

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { cwd: TOP, stdio: 'inherit' })
  if (status !== 0) throw new Error(`${command} ended with ${status ?? error?.message}`)
}

/** Makes the file and its checksum in a folder; answers the file's path. */
export function release(folder: string): string {
  run(process.execPath, [join(TOP, 'bin', 'rollcall.js'), 'build'])
  const beside = mkdtempSync(join(tmpdir(), 'rollcall-release-'))
  try {
    stage(join(beside, FOLDER_NAME))
    mkdirSync(folder, { recursive: true })
    const file = join(folder, FILE_NAME)
    run('sh', [
      '-c',
      // Sorted, of nobody, of no day: what is in it says what it is.
      `tar -C "$1" --sort=name --mtime='${MADE_AT}' --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX -cf - "$2" | gzip -9n > "$3"`,
      'sh',
      beside,
      FOLDER_NAME,
      file,
    ])
    writeFileSync(`${file}.sha256`, `${sha256(file)}  ${FILE_NAME}\n`)
    return file
  } finally {
    rmSync(beside, { recursive: true, force: true })
  }
}

if (process.argv[1] === import.meta.filename) {
  if (process.platform !== 'linux') {
    console.error('A release is made on Linux, for Linux.')
    process.exit(1)
  }
  const file = release(resolve(process.argv[2] ?? join(TOP, 'dist')))
  console.log(`${file}: ${(statSync(file).size / 1024 / 1024).toFixed(1)} MB`)
}
