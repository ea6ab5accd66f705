/** Caches the results of prefetched and predicted reads until their rows may have changed. */
import type { RowLock } from '../sqlite-connection.ts'

type CachedRead<Result> = {
  readonly tables: readonly string[]
  readonly result: Promise<Result>
  readonly isPredicted: boolean
}
export type ReadCache<Result> = {
  /** Returns the cached result of this read. Null if no result is cached, or it may be out of date. */
  findResult(text: string, params: readonly unknown[]): Omit<CachedRead<Result>, 'tables'> | null
  keep(
    text: string,
    params: readonly unknown[],
    result: Promise<Result>,
    isPredicted?: boolean,
  ): void
  /** Call this for each statement that may write. */
  afterWrite(text: string): void
  /** Call this for each lock, because the protected rows may have changed before the operation acquired it. */
  afterLock(kind: RowLock): void
  clear(): void
}

/** By table: the tables to which its triggers write. */
const WRITTEN_BY_TRIGGERS: Readonly<Record<string, readonly string[]>> = {
  dues: ['registrations'],
  places_taken: ['places'],
}
/** The tables whose rows a lock protects. Every other lock protects all tables. */
const TABLES_BY_LOCK: { readonly [K in RowLock]?: readonly string[] } = {
  seat: ['event_limits', 'places', 'places_taken'],
  person: ['paid_persons'],
  user: ['admins', 'sessions', 'password_links'],
}

export function createReadCache<Result>(): ReadCache<Result> {
  const reads = new Map<string, CachedRead<Result>>()
  const invalidate = (tables: readonly string[]): void => {
    for (const [key, { tables: readTables }] of reads)
      if (readTables.some((table) => tables.includes(table))) reads.delete(key)
  }
  return {
    findResult: (text, params) => reads.get(buildKey(text, params)) ?? null,
    keep(text, params, result, isPredicted = false) {
      reads.set(buildKey(text, params), { tables: findTables(text), result, isPredicted })
    },
    afterWrite(text) {
      if (reads.size === 0) return
      const table = findWrittenTable(text)
      if (table === null) reads.clear()
      else invalidate([table, ...(WRITTEN_BY_TRIGGERS[table] ?? [])])
    },
    afterLock(kind) {
      const lockedTables = TABLES_BY_LOCK[kind]
      if (lockedTables === undefined) reads.clear()
      else invalidate(lockedTables)
    },
    clear: () => reads.clear(),
  }
}

const buildKey = (text: string, params: readonly unknown[]): string =>
  JSON.stringify([text, params])
const tables = new Map<string, readonly string[]>()
/** Returns the tables that a Kysely statement reads. */
function findTables(text: string): readonly string[] {
  const cached = tables.get(text)
  if (cached !== undefined) return cached
  const tableNames = [...text.matchAll(/\b(?:from|join) "(\w+)"/g)].map(([, table = '']) => table)
  tables.set(text, tableNames)
  return tableNames
}
/** Returns the table that a Kysely statement writes to. Null for any other statement. */
const findWrittenTable = (text: string): string | null =>
  /^(?:insert into|update|delete from) "(\w+)"/.exec(text)?.[1] ?? null
