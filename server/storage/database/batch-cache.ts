/** Caches slowly changing data within a write batch: nothing else writes meanwhile. */
import type { Sql } from './sqlite-connection.ts'

const kept = new Map<Sql, Map<string, unknown>>()

/**
 * Runs `work`; data read through `once` is read only once meanwhile. `work` runs in one transaction, no part of
 * which is undone.
 */
export async function readingOnce<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  kept.set(sql, new Map())
  try {
    return await work()
  } finally {
    kept.delete(sql)
  }
}

/**
 * Returns the result of `read`, or the earlier result under this name; outside `readingOnce` it is read each
 * time.
 */
export async function once<V>(sql: Sql, name: string, read: () => Promise<V>): Promise<V> {
  const known = kept.get(sql)
  if (known === undefined) return read()
  if (!known.has(name)) known.set(name, await read())
  return known.get(name) as V
}

/** Call it after writing data that is read through `once`. */
export function readAgain(sql: Sql): void {
  kept.get(sql)?.clear()
}
