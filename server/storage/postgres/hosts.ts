/** Finds the host in DATABASE_URL that accepts writes. */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { buildClientOptions, createConnection, toStoreError } from './connection.ts'
import type { PostgresConnection } from './connection.ts'
import { parseDatabaseUrl } from './database-url.ts'
import { NO_CONNECTION, normaliseErrorCode, READ_ONLY } from './error-explanations.ts'
import { PostgresRefused, UnusableDatabase } from './errors.ts'
import type { ConnectionLost } from './errors.ts'

/** How long to wait for a host that does not respond. */
const RESPONSE_TIMEOUT_MS = 5_000
/** How long after a failed search further calls fail without another search. */
const RETRY_MS = 250
/** How often the current host is checked: a machine that loses power does not close its connections. */
const CHECK_INTERVAL_MS = 3_000
const ACCEPTS_WRITES_QUERY =
  "SELECT NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off' AS is"

export type Hosts = {
  readonly usesPreparedStatements: boolean
  /** Returns the address of the host that accepts writes. Sends no query if there is only one host. */
  find(): Promise<string>
  /**
   * Call this when a host (by default the current one) lost a connection or refused a write, so that the next `find`
   * searches again.
   */
  markUnreliable(url?: string): void
  /** Registers a callback for a switch to a different host. */
  onFailover(listener: () => void): void
  /** Checks the current host periodically. Returns a function that stops the checks. */
  watch(): () => void
}

export function createHostFinder(text: string): Hosts {
  const parsed = parseDatabaseUrl(text)
  if (!parsed.ok) throw new UnusableDatabase(parsed.error)
  const { urls, usesPreparedStatements: isPrepared } = parsed.value
  const [onlyHost] = urls
  if (urls.length === 1 && onlyHost !== undefined)
    return {
      usesPreparedStatements: isPrepared,
      find: async () => onlyHost,
      markUnreliable: () => {},
      onFailover: () => {},
      watch: () => () => {},
    }

  const listeners: (() => void)[] = []
  let lastHost: string | null = null
  /** The current host. Null if unknown. */
  let currentHost: string | null = null
  let pendingSearch: Promise<string> | null = null
  const search = async (): Promise<string> => {
    try {
      const found = await findWritableHost(urls, lastHost)
      currentHost = found
      pendingSearch = null
      const hasMoved = lastHost !== null && lastHost !== found
      lastHost = found
      if (hasMoved) for (const listener of listeners) listener()
      return found
    } catch (error) {
      void pause(RETRY_MS, null, { ref: false }).then(() => {
        pendingSearch = null
      })
      throw error
    }
  }
  const find = async (): Promise<string> => {
    if (currentHost !== null) return currentHost
    pendingSearch ??= search()
    return pendingSearch
  }
  const markUnreliable = (url?: string): void => {
    if (url === undefined || url === currentHost) currentHost = null
  }
  return {
    usesPreparedStatements: isPrepared,
    find,
    markUnreliable,
    onFailover: (listener) => void listeners.push(listener),
    watch() {
      let isChecking = false
      const checkHosts = async (): Promise<void> => {
        if (isChecking) return
        isChecking = true
        const url = currentHost
        if (url !== null) await checkAcceptsWrites(url).catch(() => markUnreliable(url))
        await find().catch(() => {})
        isChecking = false
      }
      const timer = setInterval(() => void checkHosts(), CHECK_INTERVAL_MS).unref()
      return () => clearInterval(timer)
    },
  }
}

/**
 * Returns the host that accepts writes. Queries all hosts in parallel, so that an unresponsive one causes no delay.
 * Returns `last` if its only problem is that it has no free connection. Otherwise throws the most informative error.
 */
async function findWritableHost(urls: readonly string[], last: string | null): Promise<string> {
  const errors = new Map<string, PostgresRefused | ConnectionLost>()
  const checkResults = urls.map(async (url) =>
    checkAcceptsWrites(url).catch((error: unknown) => {
      const storeError = toStoreError(error, '')
      errors.set(url, storeError)
      throw storeError
    }),
  )
  try {
    return await Promise.any(checkResults)
  } catch {
    if (last !== null && errors.get(last)?.code === NO_CONNECTION) return last
    const storeErrors = [...errors.values()]
    // A standby's error is more informative than that of an unreachable host.
    throw (
      storeErrors.find((checkError) => normaliseErrorCode(checkError) === READ_ONLY) ??
      storeErrors.find(({ code }) => code !== '') ??
      storeErrors[0]
    )
  }
}

async function checkAcceptsWrites(url: string): Promise<string> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: RESPONSE_TIMEOUT_MS,
    query_timeout: RESPONSE_TIMEOUT_MS,
    application_name: 'rollcall',
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ is: boolean }>(ACCEPTS_WRITES_QUERY)
    if (rows[0]?.is === true) return url
  } finally {
    void client.end().catch(() => {})
  }
  throw new PostgresRefused(READ_ONLY, 'no host accepts writes')
}

/** Opens a separate connection, with which a database is prepared or moved. Close it with `end`. */
export async function connect(
  text: string,
): Promise<PostgresConnection & { end(): Promise<void> }> {
  const hosts = createHostFinder(text)
  const client = new pg.Client(buildClientOptions(await hosts.find()))
  // Without a listener, a lost connection would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    throw toStoreError(error, '')
  }
  return {
    ...createConnection(client, hosts.usesPreparedStatements),
    end: () => client.end().catch(() => {}),
  }
}
