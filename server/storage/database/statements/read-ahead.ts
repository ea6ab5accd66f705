/** Keeps the results of reads that were sent before the operation needs them, until something they read may change. */
import type { RowLock } from '../sqlite-connection.ts'

type Kept<Result> = { readonly tables: readonly string[]; readonly result: Promise<Result> }
export type ReadAhead<Result> = {
  /** The result of this read; null: it was not read ahead, or may have changed since. */
  take(text: string, params: readonly unknown[]): Promise<Result> | null
  keep(text: string, params: readonly unknown[], result: Promise<Result>): void
  /** A statement that may write. */
  afterWrite(text: string): void
  /** What a lock guards may have changed until it was taken. */
  afterLock(kind: RowLock): void
  clear(): void
}

/** Triggers write to these tables after a write to the other one. */
const WRITTEN_BY_TRIGGERS: Readonly<Record<string, readonly string[]>> = {
  dues: ['registrations'],
  places_taken: ['places'],
}
/** Tables whose rows a lock guards; of all other locks, every table. */
const GUARDED: { readonly [K in RowLock]?: readonly string[] } = {
  seat: ['event_limits', 'places', 'places_taken'],
  person: ['paid_persons'],
}

export function openReadAhead<Result>(): ReadAhead<Result> {
  const reads = new Map<string, Kept<Result>>()
  const forget = (tables: readonly string[]): void => {
    for (const [key, { tables: read }] of reads)
      if (read.some((table) => tables.includes(table))) reads.delete(key)
  }
  return {
    take: (text, params) => reads.get(keyOf(text, params))?.result ?? null,
    keep(text, params, result) {
      reads.set(keyOf(text, params), { tables: tablesOf(text), result })
    },
    afterWrite(text) {
      if (reads.size === 0) return
      const table = writtenTable(text)
      if (table === null) reads.clear()
      else forget([table, ...(WRITTEN_BY_TRIGGERS[table] ?? [])])
    },
    afterLock(kind) {
      const guarded = GUARDED[kind]
      if (guarded === undefined) reads.clear()
      else forget(guarded)
    },
    clear: () => reads.clear(),
  }
}

const keyOf = (text: string, params: readonly unknown[]): string => JSON.stringify([text, params])
const tables = new Map<string, readonly string[]>()
/** The tables that a statement of Kysely reads. */
function tablesOf(text: string): readonly string[] {
  const known = tables.get(text)
  if (known !== undefined) return known
  const found = [...text.matchAll(/\b(?:from|join) "(\w+)"/g)].map(([, table = '']) => table)
  tables.set(text, found)
  return found
}
/** Null: it is not a statement of Kysely. */
const writtenTable = (text: string): string | null =>
  /^(?:insert into|update|delete from) "(\w+)"/.exec(text)?.[1] ?? null
