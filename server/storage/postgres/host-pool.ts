/** A pool of connections to the host that takes writes; it follows when another host does. */
import pg from 'pg'
import { errorOf } from './connection.ts'
import { createTurns } from '../operations/turns.ts'
import { ConnectionLost } from './errors.ts'
import type { Hosts } from './hosts.ts'

/** As `pg.Pool` has them. */
export type HostPool = {
  connect(): Promise<pg.PoolClient>
  query<R extends pg.QueryResultRow>(
    text: string,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<R>>
  end(): Promise<void>
}
type Opened = { readonly url: string; readonly pool: pg.Pool; readonly clients: Set<pg.PoolClient> }
/** What `pg` has and its types leave out. */
type Cut = { readonly connection: { readonly stream: { destroy(): void } } }

/** How long an operation waits for a connection while all are in use. */
const POOL_MS_MAX = 5_000

export function openHostPool(
  hosts: Hosts,
  optionsOf: (url: string) => pg.PoolConfig & { readonly max: number },
  waitMsMax = POOL_MS_MAX,
): HostPool {
  let opened: Opened | null = null
  const { max } = optionsOf('')
  const turns = createTurns(max, waitMsMax, `all ${max} connections to the database are in use`)
  const open = (url: string): Opened => {
    const pool = new pg.Pool(optionsOf(url))
    const clients = new Set<pg.PoolClient>()
    // Without a listener, a failover would end the process, also while a connection is in use.
    pool.on('error', () => {})
    pool.on('connect', (client) => {
      clients.add(client)
      client.on('error', () => hosts.doubt(url))
    })
    pool.on('remove', (client) => void clients.delete(client))
    return { url, pool, clients }
  }
  /** Operations that wait for the former host would wait for long: their connections are cut. */
  const leave = async ({ pool, clients }: Opened): Promise<void> => {
    const ended = pool.end()
    for (const client of clients) (client as unknown as Cut).connection.stream.destroy()
    await ended
  }
  const follow = async (): Promise<Opened> => {
    const url = await hosts.find()
    if (opened?.url === url) return opened
    const former = opened
    opened = open(url)
    if (former !== null) void leave(former).catch(() => {})
    return opened
  }
  const onCurrent = async <T>(run: (pool: pg.Pool) => Promise<T>): Promise<T> => {
    const { url, pool } = await follow()
    try {
      return await run(pool)
    } catch (error) {
      if (errorOf(error, '') instanceof ConnectionLost) hosts.doubt(url)
      throw error
    }
  }
  hosts.onMoved(() => void follow().catch(() => {}))
  return {
    async connect() {
      const end = await turns.take()
      try {
        const client = await onCurrent((pool) => pool.connect())
        const release = client.release.bind(client)
        client.release = (failure) => {
          release(failure)
          end()
        }
        return client
      } catch (error) {
        end()
        throw error
      }
    },
    async query(text, values = []) {
      const end = await turns.take()
      try {
        return await onCurrent((pool) => pool.query(text, [...values]))
      } finally {
        end()
      }
    },
    end: async () => {
      await opened?.pool.end()
    },
  }
}
