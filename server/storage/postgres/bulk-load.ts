/** Speeds up loading many rows into empty tables by creating indexes and foreign keys afterwards. */
import { reportProgress } from '../../ops/progress.ts'
import type { PostgresConnection } from './connection.ts'

/** Selects indexes that enforce no constraint. The indexes for primary keys and unique columns stay in place. */
const INDEXES = `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'i'
    AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)
  ORDER BY 1`
const FOREIGN_KEYS = `SELECT conrelid::regclass::text AS "table", quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition
  FROM pg_constraint WHERE connamespace = current_schema()::regnamespace AND contype = 'f'
  ORDER BY 1, 2`

/**
 * Runs `load` without indexes and foreign keys, and then creates them again. Call this in a transaction: a rollback
 * restores the indexes. `load` may read rows only by primary keys and unique columns. Also collects statistics on the
 * tables, because PostgreSQL would otherwise scan them.
 */
export async function loadInBulk<Result>(
  { sql, queue, plain }: Pick<PostgresConnection, 'sql' | 'queue' | 'plain'>,
  load: () => Promise<Result>,
): Promise<Result> {
  const indexes = await sql<{ name: string; definition: string }>(INDEXES).all()
  const keys = await sql<{ table: string; name: string; definition: string }>(FOREIGN_KEYS).all()
  for (const { table, name } of keys) queue(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`)
  for (const { name } of indexes) queue(`DROP INDEX ${name}`)
  const result = await load()
  const definitions = [
    ...indexes.map(({ definition }) => definition),
    ...keys.map(
      ({ table, name, definition }) => `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`,
    ),
  ]
  for (const [done, definition] of definitions.entries()) {
    reportProgress({ step: 'Building indexes', done, total: definitions.length })
    await plain(definition)
  }
  queue('ANALYZE')
  return result
}
