/** Builds statements for PostgreSQL. */
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql as raw,
} from 'kysely'
import type { Expression, SqlBool } from 'kysely'
import type { Dialect } from '../database/statements/dialect.ts'
import type { Tables } from '../database/statements/tables.ts'

export const postgresDialect: Dialect = {
  name: 'postgres',
  appendsCounterRows: true,
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
  isIdIn: (column, jsonArray) => raw<boolean>`${column} = any (${selectIds(jsonArray)})`,
  idTable: (jsonArray) => raw<{ value: number }>`(select unnest(${selectIds(jsonArray)}) as value)`,
  id: (id) => raw<number>`cast(${id} as bigint)`,
  isSet: (flag) => raw<boolean>`${flag} = 1`,
  isSameIgnoringCase: (column, text) => raw<boolean>`lower(${column}) = lower(${text})`,
  ignoreCase: (column) => raw<string | null>`lower(${column})`,
  joinPairs: (first, second) =>
    raw<string | null>`string_agg(distinct ${first} || ' ' || ${second}, ',')`,
  position: (text, part) => raw<number>`strpos(${text}, ${part})`,
  overwriteDeleted: () => null,
  indexedWords: (words) => raw<string>`lower(${words})`,
  hasWords: (terms) =>
    raw<SqlBool>`${raw.join(
      terms.map((term) => raw`${raw.ref('search_index.words')} like lower(${buildPattern(term)})`),
      raw` and `,
    )}`,
  // PostgreSQL has statistics on the words in this index, but none on lower-case names, and would expect half of all
  // names to match.
  hasWordFrom: (start) =>
    raw<SqlBool>`(${raw.join(
      BEFORE_WORDS.map(
        (before) => raw`${raw.ref('search_index.words')} like ${buildPattern(before + start)}`,
      ),
      raw` or `,
    )})`,
  unindexed: null,
  storedBytes: (text) => Buffer.from(text),
  limit: (rows) => raw<number>`cast(${rows} as bigint)`,
}

/** The characters that can precede a word in a name: the mark at the start of a value, or a separator. */
const BEFORE_WORDS = ['\u0002', ' ', '.', '-']

/** Converts a JSON array of ids to a PostgreSQL array. */
const selectIds = (jsonArray: string): Expression<readonly number[]> =>
  raw`cast(translate(${jsonArray}, '[]', '{}') as bigint[])`

/** Builds the `like` pattern for texts that contain the term. */
const buildPattern = (term: string): string => `%${term.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
