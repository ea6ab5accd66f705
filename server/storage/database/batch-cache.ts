/** What hardly ever changes and every registration asks for: read once in a batch, because nobody else writes meanwhile. */
import type { Sql } from './sqlite-connection.ts'

const kept = new Map<Sql, Map<string, unknown>>()

/** While `work` runs, in one transaction of which no part is undone, what is read by `once` is read once. */
export function readingOnce<T>(sql: Sql, work: () => T): T {
  kept.set(sql, new Map())
  try {
    return work()
  } finally {
    kept.delete(sql)
  }
}

/** What `read` answers, or answered before under this name; outside `readingOnce` it is asked each time. */
export function once<V>(sql: Sql, name: string, read: () => V): V {
  const known = kept.get(sql)
  if (known === undefined) return read()
  if (!known.has(name)) known.set(name, read())
  return known.get(name) as V
}

/** To be called by whoever writes what is read by `once`. */
export function readAgain(sql: Sql): void {
  kept.get(sql)?.clear()
}
