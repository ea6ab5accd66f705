/** Pools connections to the host that accepts writes, and follows a failover to another host. */
import pg from 'pg'
import { toStoreError } from './connection.ts'
import { createConcurrencyLimiter } from '../operations/turns.ts'
import { NO_CONNECTION } from './error-explanations.ts'
import { ConnectionLost } from './errors.ts'
import type { Hosts } from './hosts.ts'

/** The part of `pg.Pool` that the store uses. */
export type HostPool = {
  connect(): Promise<pg.PoolClient>
  query<R extends pg.QueryResultRow>(
    text: string,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<R>>
  end(): Promise<void>
}
type OpenPool = {
  readonly url: string
  readonly pool: pg.Pool
  readonly clients: Set<pg.PoolClient>
}
/** A part of `pg` that has no types. */
type DestroyableConnection = { readonly connection: { readonly stream: { destroy(): void } } }

/** How long an operation waits for a connection if all are in use. */
const MAX_POOL_WAIT_MS = 5_000
/** How long a pool waits after PostgreSQL refused a connection before it opens another one. */
const REFUSAL_PAUSE_MS = 1_000

/**
 * Opens a pool that keeps its last idle connection open, because PostgreSQL may have no free connection later. Calls
 * `onNoFurtherConnection` if PostgreSQL refuses another connection. Operations then share the open ones.
 */
export function openHostPool(
  hosts: Hosts,
  buildOptions: (url: string) => pg.PoolConfig & { readonly max: number },
  {
    maxWaitMs = MAX_POOL_WAIT_MS,
    onNoFurtherConnection,
  }: { readonly maxWaitMs?: number | undefined; readonly onNoFurtherConnection: () => void },
): HostPool {
  let currentPool: OpenPool | null = null
  const { max } = buildOptions('')
  const connectionTurns = createConcurrencyLimiter(
    max,
    maxWaitMs,
    `all ${max} database connections are in use`,
  )
  const openPool = (url: string): OpenPool => {
    const pool = new pg.Pool({ ...buildOptions(url), min: 1 })
    const clients = new Set<pg.PoolClient>()
    // Without a listener, a failover would end the process, even if no connection was in use.
    pool.on('error', () => {})
    pool.on('connect', (client) => {
      clients.add(client)
      client.on('error', () => hosts.markUnreliable(url))
    })
    pool.on('remove', (client) => void clients.delete(client))
    return { url, pool, clients }
  }
  /** Closes connections to the former host, because operations on them would wait for a long time. */
  const closePool = async ({ pool, clients }: OpenPool): Promise<void> => {
    const poolEnd = pool.end()
    for (const client of clients)
      (client as unknown as DestroyableConnection).connection.stream.destroy()
    await poolEnd
  }
  const switchHost = async (): Promise<OpenPool> => {
    const url = await hosts.find()
    if (currentPool?.url === url) return currentPool
    const formerPool = currentPool
    currentPool = openPool(url)
    if (formerPool !== null) void closePool(formerPool).catch(() => {})
    return currentPool
  }
  /** Keeps the pool from opening connections for a while. */
  const pauseGrowth = (pool: pg.Pool): void => {
    pool.options.max = pool.totalCount
    setTimeout(() => {
      pool.options.max = max
    }, REFUSAL_PAUSE_MS).unref()
  }
  const runOnCurrentPool = async <T>(run: (pool: pg.Pool) => Promise<T>): Promise<T> => {
    const { url, pool } = await switchHost()
    // Several concurrent attempts to connect may be refused, and each refusal reduces the limit by one.
    for (let refusals = 0; ; refusals += 1)
      try {
        return await run(pool)
      } catch (error) {
        const knownError = toStoreError(error, '')
        if (knownError instanceof ConnectionLost) hosts.markUnreliable(url)
        const isRefused = knownError.code === NO_CONNECTION
        if (!isRefused || pool.totalCount === 0 || refusals === max) throw error
        onNoFurtherConnection()
        pauseGrowth(pool)
      }
  }
  hosts.onFailover(() => void switchHost().catch(() => {}))
  return {
    async connect() {
      const endTurn = await connectionTurns.take()
      try {
        const client = await runOnCurrentPool((pool) => pool.connect())
        const release = client.release.bind(client)
        client.release = (failure) => {
          release(failure)
          endTurn()
        }
        return client
      } catch (error) {
        endTurn()
        throw error
      }
    },
    async query(text, values = []) {
      const endTurn = await connectionTurns.take()
      try {
        return await runOnCurrentPool((pool) => pool.query(text, [...values]))
      } finally {
        endTurn()
      }
    },
    end: async () => {
      await currentPool?.pool.end()
    },
  }
}
