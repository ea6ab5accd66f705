/** Caches slowly changing data during a write batch, in which nothing else writes. */
import type { Sql } from './sqlite-connection.ts'

const caches = new Map<Sql, Map<string, unknown>>()

/**
 * Runs `task` so that `readOncePerBatch` reads the same data only once. `task` must be one transaction that is never
 * partly rolled back.
 */
export async function cacheReads<T>(sql: Sql, task: () => Promise<T>): Promise<T> {
  caches.set(sql, new Map())
  try {
    return await task()
  } finally {
    caches.delete(sql)
  }
}

/** Returns the result of `read`, or the cached result of this name. Outside `cacheReads`, `read` is always called. */
export async function readOncePerBatch<V>(
  sql: Sql,
  name: string,
  read: () => Promise<V>,
): Promise<V> {
  const known = caches.get(sql)
  if (known === undefined) return read()
  if (!known.has(name)) known.set(name, await read())
  return known.get(name) as V
}

/** Call this after writing data that is read through `readOncePerBatch`. */
export function clearCachedReads(sql: Sql): void {
  caches.get(sql)?.clear()
}
