/** PgBouncer in transaction mode, in front of a PostgreSQL cluster. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '../browser/serve.ts'
import { CLUSTER_USER, waitForConnection } from './postgres-cluster.ts'
import type { Cluster } from './postgres-cluster.ts'

/** A connection pooler. Each transaction on a connection may run in a different session. */
export type Pooler = {
  readonly port: number
  readonly version: string
  /** The URL options that a server needs to connect through the pooler. */
  readonly urlOptions: string
  stop(): Promise<void>
}

/** PgBouncer refuses to run as root. */
const UNPRIVILEGED_USER: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
/** Fewer sessions than two servers have connections. */
const POOL_SIZE = 8
/** The first version that supports prepared statements in transaction mode. */
const PREPARED_SINCE = [1, 21] as const

/** Returns the path in PGBOUNCER, or the path of the program in the Debian package. */
const findProgram = (): string => process.env['PGBOUNCER'] ?? '/usr/sbin/pgbouncer'
export const hasPgbouncer = (): boolean => existsSync(findProgram())

export async function startPgbouncer(cluster: Cluster): Promise<Pooler> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-pgbouncer-'))
  const { uid, gid } = UNPRIVILEGED_USER
  if (uid !== undefined) chownSync(folder, uid, gid ?? uid)
  const port = await findFreePort()
  const { stdout } = spawnSync(findProgram(), ['--version'], { encoding: 'utf8' })
  const version = /\d+\.\d+(\.\d+)?/.exec(stdout)?.[0] ?? ''
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${cluster.port} user=${CLUSTER_USER}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir = ${folder}
auth_type = any
pool_mode = transaction
default_pool_size = ${POOL_SIZE}
ignore_startup_parameters = extra_float_digits
${supportsPreparedStatements(version) ? 'max_prepared_statements = 200' : ''}
`,
  )
  const child = spawn(findProgram(), ['-q', file], {
    ...UNPRIVILEGED_USER,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await waitForConnection(cluster.url('postgres').replace(`:${cluster.port}/`, `:${port}/`))
  return {
    port,
    version,
    urlOptions: supportsPreparedStatements(version) ? '' : '?prepared_statements=off',
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const exit = once(child, 'exit')
        child.kill('SIGQUIT')
        await exit
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function supportsPreparedStatements(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > PREPARED_SINCE[0] || (major === PREPARED_SINCE[0] && minor >= PREPARED_SINCE[1])
}
