/** Finds which of the hosts in DATABASE_URL takes writes. */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { clientOptions, connectionOn, errorOf } from './connection.ts'
import type { PostgresConnection } from './connection.ts'
import { parseDatabaseUrl } from './database-url.ts'
import { codeOf, READ_ONLY } from './error-explanations.ts'
import { PostgresRefused, UnusableDatabase } from './errors.ts'
import type { ConnectionLost } from './errors.ts'

/** A host that does not answer is not waited for longer. */
const ANSWER_MS_MAX = 5_000
/** After a search that has found none, calls fail for so long without another one. */
const AGAIN_MS = 250
/** How often the host in use is asked whether it still answers: a machine without power closes no connection. */
const WATCHED_EVERY_MS = 3_000
/** It has no free connection. Those that it has go on. */
const NO_CONNECTION = '53300'
const TAKES_WRITES =
  "SELECT NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off' AS is"

export type Hosts = {
  readonly isPrepared: boolean
  /** Returns the address of the host that takes writes. Where one host is named, this asks nobody. */
  find(): Promise<string>
  /** The host (by default the one in use) has lost a connection or refused a write: the next call searches again. */
  doubt(url?: string): void
  /** Calls back when another host than before takes writes. */
  onMoved(listener: () => void): void
  /** Asks the host in use from time to time. Returns a function that ends this. */
  watch(): () => void
}

export function openHosts(text: string): Hosts {
  const parsed = parseDatabaseUrl(text)
  if (!parsed.ok) throw new UnusableDatabase(parsed.error)
  const { urls, isPrepared } = parsed.value
  const [only] = urls
  if (urls.length === 1 && only !== undefined)
    return {
      isPrepared,
      find: async () => only,
      doubt: () => {},
      onMoved: () => {},
      watch: () => () => {},
    }

  const listeners: (() => void)[] = []
  let last: string | null = null
  /** The host in use; null: unknown. */
  let current: string | null = null
  let searching: Promise<string> | null = null
  const search = async (): Promise<string> => {
    try {
      const found = await firstThatTakesWrites(urls, last)
      current = found
      searching = null
      const isMoved = last !== null && last !== found
      last = found
      if (isMoved) for (const listener of listeners) listener()
      return found
    } catch (error) {
      void pause(AGAIN_MS, null, { ref: false }).then(() => {
        searching = null
      })
      throw error
    }
  }
  const find = async (): Promise<string> => {
    if (current !== null) return current
    searching ??= search()
    return searching
  }
  const doubt = (url?: string): void => {
    if (url === undefined || url === current) current = null
  }
  return {
    isPrepared,
    find,
    doubt,
    onMoved: (listener) => void listeners.push(listener),
    watch() {
      let isAsking = false
      const ask = async (): Promise<void> => {
        if (isAsking) return
        isAsking = true
        const url = current
        if (url !== null) await askWhetherItTakesWrites(url).catch(() => doubt(url))
        await find().catch(() => {})
        isAsking = false
      }
      const timer = setInterval(() => void ask(), WATCHED_EVERY_MS).unref()
      return () => clearInterval(timer)
    },
  }
}

/**
 * Asks all at once: one that does not answer delays none. `last` remains in use if it only has no further connection.
 * Throws the most telling of their errors.
 */
async function firstThatTakesWrites(urls: readonly string[], last: string | null): Promise<string> {
  const errors = new Map<string, PostgresRefused | ConnectionLost>()
  const asked = urls.map(async (url) =>
    askWhetherItTakesWrites(url).catch((error: unknown) => {
      const known = errorOf(error, '')
      errors.set(url, known)
      throw known
    }),
  )
  try {
    return await Promise.any(asked)
  } catch {
    if (last !== null && errors.get(last)?.code === NO_CONNECTION) return last
    const known = [...errors.values()]
    // That one is a standby says more than that another is not reached.
    throw (
      known.find((one) => codeOf(one) === READ_ONLY) ??
      known.find(({ code }) => code !== '') ??
      known[0]
    )
  }
}

async function askWhetherItTakesWrites(url: string): Promise<string> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: ANSWER_MS_MAX,
    query_timeout: ANSWER_MS_MAX,
    application_name: 'rollcall',
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ is: boolean }>(TAKES_WRITES)
    if (rows[0]?.is === true) return url
  } finally {
    void client.end().catch(() => {})
  }
  throw new PostgresRefused(READ_ONLY, 'no host takes writes')
}

/** A connection of its own, for preparing and moving a database; `end` closes it. */
export async function connect(
  text: string,
): Promise<PostgresConnection & { end(): Promise<void> }> {
  const hosts = openHosts(text)
  const client = new pg.Client(clientOptions(await hosts.find()))
  // Without a listener, a connection that is cut off would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    throw errorOf(error, '')
  }
  return { ...connectionOn(client, hosts.isPrepared), end: () => client.end().catch(() => {}) }
}
