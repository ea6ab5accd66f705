/** Builds statements for PostgreSQL. */
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql as raw,
} from 'kysely'
import type { Dialect } from '../database/statements/dialect.ts'
import type { Tables } from '../database/statements/tables.ts'

export const postgresDialect: Dialect = {
  name: 'postgres',
  builder: new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }),
  jsonText: (column, path) => raw<string | null>`json_extract(${column}, ${raw.lit(path)})`,
  isIn: (column, jsonArray) =>
    raw<boolean>`${column}::text in (select jsonb_array_elements_text(as_jsonb(${raw.val(jsonArray)})))`,
  limit: (rows) => raw<number>`cast(${rows} as bigint)`,
}
