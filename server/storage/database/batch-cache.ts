/** Caches slowly changing data during a write batch. No other code writes during the batch. */
import type { Sql } from './sqlite-connection.ts'

const caches = new Map<Sql, Map<string, Promise<unknown>>>()

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

/**
 * Returns the result of `read`, or the result cached under this name. Outside `cacheReads`, `read` is always called.
 */
export function readOncePerBatch<V>(sql: Sql, name: string, read: () => Promise<V>): Promise<V> {
  const cache = caches.get(sql)
  const cachedResult = cache?.get(name)
  if (cachedResult !== undefined) return cachedResult as Promise<V>
  const result = read()
  cache?.set(name, result)
  return result
}

/** Discards the cached results. Call it after writing data that is read through `readOncePerBatch`. */
export function clearCachedReads(sql: Sql): void {
  caches.get(sql)?.clear()
}
