/** Builds statements for SQLite. */
import {
  DummyDriver,
  expressionBuilder,
  Kysely,
  sql as raw,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { SqlBool } from 'kysely'
import { buildFtsQuery } from '../../lists/search-terms.ts'
import type { Dialect } from './dialect.ts'
import type { Tables } from './tables.ts'

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  appendsCounterRows: false,
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
  joinPairs: (first, second) =>
    raw<string | null>`group_concat(distinct ${first} || ' ' || ${second})`,
  position: (text, part) => raw<number>`instr(${text}, ${part})`,
  overwriteDeleted: (isEnabled) => `PRAGMA secure_delete = ${isEnabled ? 'ON' : 'OFF'}`,
  indexedWords: (words) => raw<string>`${words}`,
  hasWords: (terms) => raw<SqlBool>`${raw.ref('search_index')} match ${buildFtsQuery(terms)}`,
  hasWordFrom: () => null,
  unindexed: {
    registrations: raw<Tables['registrations']>`registrations`.as<'r'>(raw`r not indexed`),
    haveWords: (terms) =>
      raw<SqlBool>`contains_folded(${JSON.stringify(terms)}, ${raw.join(WORD_COLUMNS)})`,
  },
  storedBytes: (text) => text,
  limit: (rows) => raw<number>`abs(${rows})`,
}

/** The columns that `containsFolded` reads, in the same order. */
const r = expressionBuilder<{ r: Tables['registrations'] }, 'r'>()
const WORD_COLUMNS = [
  r.ref('r.reg_no'),
  r.fn.coalesce('r.former_no', raw.lit('')),
  r.ref('r.full_name'),
  r.ref('r.email'),
  r.ref('r.phone'),
  r.ref('r.council_no'),
  r.ref('r.answers'),
]
