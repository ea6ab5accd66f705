/** Defines the differences between the databases, for code that builds statements. */
import type { AliasedExpression, Expression, Kysely, RawBuilder, SqlBool } from 'kysely'
import type { StoredBytes } from './money-tables.ts'
import type { Tables } from './tables.ts'

export type Dialect = {
  readonly name: 'sqlite' | 'postgres'
  /** True if counters and revenue have a row for each change, added up later. */
  readonly countersAreAppended: boolean
  /** Builds and compiles statements. It is not connected to a database. */
  readonly builder: Kysely<Tables>
  /** Text at a path of a JSON column, such as `$.buyer.name`. Null if there is none. */
  jsonText(column: Expression<string | null>, path: string): RawBuilder<string | null>
  /** True if the column has one of the values, which are passed as one JSON array. */
  isIn(column: Expression<string | number | null>, jsonArray: string): Expression<boolean>
  /** True if the id is one of a JSON array. Uses the index of the column. */
  isIdIn(column: Expression<number | null>, jsonArray: string): Expression<boolean>
  /** The ids of a JSON array as a table, in the order of the array. */
  idTable(jsonArray: string): RawBuilder<{ value: number }>
  /** An id passed by each call. With a bare bound id, SQLite would plan a join or a list again at every run. */
  id(id: number): Expression<number>
  /** True if the flag is 1, in the form in which partial indexes are defined. */
  isSet(flag: Expression<0 | 1>): Expression<boolean>
  /** True if the texts differ only in the case of letters. */
  isSameIgnoringCase(column: Expression<string | null>, text: string): Expression<boolean>
  /** The text for sorting and comparing without regard to case. */
  ignoreCase(column: Expression<string | null>): Expression<string | null>
  /** The distinct pairs of a group, each as two words, joined with commas. Null if there is none. */
  joinPairs(
    first: Expression<string | null>,
    second: Expression<string | null>,
  ): RawBuilder<string | null>
  /** The position of the part in the text, from 1; 0 if it does not occur. */
  position(text: Expression<string>, part: string): Expression<number>
  /**
   * The statement that sets whether deleted data is overwritten in the file. Null if the database has no such setting.
   */
  overwriteDeleted(isEnabled: boolean): string | null
  /** The words of a registration as `search_index` holds them. */
  indexedWords(words: string): Expression<string>
  /** True if the words of a row of `search_index` contain all terms. */
  hasWords(terms: readonly string[]): Expression<SqlBool>
  /**
   * True for every row with a word of the name that begins with this text, so that the database can estimate their
   * number. Null if the database does not choose indexes by such estimates.
   */
  hasWordFrom(start: string): Expression<SqlBool> | null
  /** How to search registrations that are not indexed yet. Null if all are indexed immediately. */
  readonly unindexed: {
    /** Reads in the order of the ids, regardless of other conditions. */
    readonly registrations: AliasedExpression<Tables['registrations'], 'r'>
    haveWords(terms: readonly string[]): Expression<SqlBool>
  } | null
  /** The stored form of a gateway's text. */
  storedBytes(text: string): StoredBytes
  /** A limit passed by each call. With a bare `limit ?`, SQLite would plan the statement again at every run. */
  limit(rows: number): Expression<number>
}
