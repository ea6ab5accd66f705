/** Caches slowly changing data within a write batch, during which nothing else writes. */
import type { Sql } from './sqlite-connection.ts'

const caches = new Map<Sql, Map<string, unknown>>()

/**
 * Runs `task`, in which `readOncePerBatch` reads the same data only once. `task` runs in one transaction, no part of
 * which is undone.
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
 * Returns the result of `read`, or the earlier result under this name. Outside `cacheReads`, `read` is called each
 * time.
 */
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
