#!/usr/bin/env node
/**
 * `npm run release [FOLDER]` creates one file with everything that a server needs: the Node version in the lockfile,
 * the packages that run on a server, the built web app, checksums, and upgrade notes. The same sources produce the
 * same file, byte for byte.
 *
 * Exit status: 0 created, 1 failed.
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
import { findServerPackages, createFileFilter } from './release-packages.ts'

const ROOT_DIR = join(import.meta.dirname, '..')
/**
 * Folders with the code that a server runs and the documents that its operator reads. The web app's sources are
 * included because the server compares them with the built web app.
 */
const FOLDERS = [
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
/** Files in `bin` that only developers need. */
const EXCLUDED_FILES = /^bin\/(?!rollcall)/
export const CHECKSUMS_FILE = 'SHA256SUMS'
const NOTES_FILE = 'UPGRADING.md'
/** A fixed timestamp, so that the same sources produce the same bytes. */
const FIXED_TIME = '2000-01-01 00:00:00Z'

const manifest = JSON.parse(readFileSync(join(ROOT_DIR, 'package.json'), 'utf8')) as {
  readonly version: string
}
const platform = `${process.platform}-${process.arch}`
const NODE_PACKAGE = `node-${platform}`
/** The folder inside the archive, such as `rollcall-0.1.0`. */
export const FOLDER_NAME = `rollcall-${manifest.version}`
export const FILE_NAME = `${FOLDER_NAME}-${platform}.tar.gz`

/** Copies or hard-links a file. A hard link is allowed only if the copy is used immediately and never changed. */
type CopyFile = (from: string, to: string) => void

/** Writes all files of the release into `targetDir`, which must not exist yet. The web app must be built. */
export function stageRelease(targetDir: string, copyFile: CopyFile = copyFileSync): void {
  const copyFolder = (folder: string, isIncluded: (file: string) => boolean): void => {
    for (const entry of readdirSync(join(ROOT_DIR, folder), {
      recursive: true,
      withFileTypes: true,
    })) {
      const sourceFile = join(entry.parentPath, entry.name)
      if (!entry.isFile() || !isIncluded(sourceFile)) continue
      const targetFile = join(targetDir, relative(ROOT_DIR, sourceFile))
      mkdirSync(dirname(targetFile), { recursive: true })
      copyFile(sourceFile, targetFile)
    }
  }
  mkdirSync(targetDir, { recursive: true })
  for (const file of FILES) copyFile(join(ROOT_DIR, file), join(targetDir, file))
  for (const folder of FOLDERS)
    copyFolder(folder, (from) => !EXCLUDED_FILES.test(relative(ROOT_DIR, from)))
  for (const folder of [...findServerPackages(ROOT_DIR), `node_modules/${NODE_PACKAGE}`])
    copyFolder(folder, createFileFilter(ROOT_DIR, folder))
  mkdirSync(join(targetDir, 'node_modules', '.bin'))
  symlinkSync(`../${NODE_PACKAGE}/bin/node`, join(targetDir, 'node_modules', '.bin', 'node'))
  writeFileSync(join(targetDir, NOTES_FILE), formatUpgradeNotes())
  writeFileSync(join(targetDir, CHECKSUMS_FILE), formatChecksums(targetDir))
}

/** Returns the checksum of every file in the folder, in the format of `sha256sum --check`. */
function formatChecksums(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
    .map((name) => `${computeSha256(join(folder, name))}  ${name}\n`)
    .join('')
}

const computeSha256 = (file: string): string =>
  createHash('sha256').update(readFileSync(file)).digest('hex')

/** Returns the upgrade notes for operators of an older version. */
function formatUpgradeNotes(): string {
  const { version: nodeVersion } = JSON.parse(
    readFileSync(join(ROOT_DIR, 'node_modules', NODE_PACKAGE, 'package.json'), 'utf8'),
  ) as { readonly version: string }
  const changes = /^## .*\n([^]*?)(?=^## |(?![^]))/m.exec(
    readFileSync(join(ROOT_DIR, 'CHANGELOG.md'), 'utf8'),
  )?.[1]
  return `# Rollcall ${manifest.version}: upgrading from an older version

This release includes Node ${nodeVersion} and uses version ${migrations.length} of the database. It copies and then migrates a database of any earlier version
(\`rollcall.before-v${migrations.length}.db\` in DATA_DIR). See docs/operation/monitoring.md for details.

1. Run \`sha256sum --check --quiet ${CHECKSUMS_FILE}\` in this folder.
2. Run \`bin/rollcall db migrate --check\` with the server's environment variables. Exit status: 0 the database does not change, 1 the next start migrates it.
3. Run \`rollcall db backup\` with the version that is running.
4. Point /opt/rollcall to this folder (\`ln -sfn ${FOLDER_NAME} /opt/rollcall\`), and restart. Requests wait during the restart.
5. Run \`bin/rollcall doctor\`.

To return to the older version: stop the server and point /opt/rollcall to its folder. If step 2 returned 1, replace \`rollcall.db\` with
\`rollcall.before-v${migrations.length}.db\` and remove \`rollcall.db-wal\` and \`rollcall.db-shm\`. Then start the server. All data stored since the upgrade is lost.

## What has changed
${changes ?? ''}`
}

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { cwd: ROOT_DIR, stdio: 'inherit' })
  if (status !== 0)
    throw new Error(`${command} failed: ${error?.message ?? `exit status ${status}`}`)
}

/** Creates the file and its checksum in a folder, and returns the file's path. */
export function createRelease(folder: string): string {
  run(process.execPath, [join(ROOT_DIR, 'bin', 'rollcall.js'), 'build'])
  const workFolder = mkdtempSync(join(tmpdir(), 'rollcall-release-'))
  try {
    stageRelease(join(workFolder, FOLDER_NAME))
    mkdirSync(folder, { recursive: true })
    const file = join(folder, FILE_NAME)
    run('sh', [
      '-c',
      // Entries are sorted and have no owner or time, so that the file depends only on its contents.
      `tar -C "$1" --sort=name --mtime='${FIXED_TIME}' --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX -cf - "$2" | gzip -9n > "$3"`,
      'sh',
      workFolder,
      FOLDER_NAME,
      file,
    ])
    writeFileSync(`${file}.sha256`, `${computeSha256(file)}  ${FILE_NAME}\n`)
    return file
  } finally {
    rmSync(workFolder, { recursive: true, force: true })
  }
}

if (process.argv[1] === import.meta.filename) {
  if (process.platform !== 'linux') {
    console.error('Releases can only be created on Linux.')
    process.exit(1)
  }
  const file = createRelease(resolve(process.argv[2] ?? join(ROOT_DIR, 'dist')))
  console.log(`${file}: ${(statSync(file).size / 1024 / 1024).toFixed(1)} MB`)
}
