/** Builds statements for SQLite. */
import {
  DummyDriver,
  Kysely,
  sql as raw,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Dialect } from './dialect.ts'
import type { Tables } from './tables.ts'

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  countersAreAppended: false,
  builder: new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  }),
  jsonText: (column, path) => raw<string | null>`json_extract(${column}, ${raw.lit(path)})`,
  isIn: (column, jsonArray) =>
    raw<boolean>`${column} in (select value from json_each(${raw.val(jsonArray)}))`,
  isIdIn: (column, jsonArray) =>
    raw<boolean>`${column} in (select value from json_each(${raw.val(jsonArray)}))`,
  idTable: (jsonArray) => raw<{ value: number }>`json_each(${raw.val(jsonArray)})`,
  id: (id) => raw<number>`abs(${id})`,
  isSet: (flag) => raw<boolean>`${flag}`,
  isSameIgnoringCase: (column, text) => raw<boolean>`${column} = ${text} collate nocase`,
  ignoreCase: (column) => raw<string | null>`${column} collate nocase`,
  limit: (rows) => raw<number>`abs(${rows})`,
}
