/** Defines the differences between the databases for code that builds statements. */
import type { AliasedExpression, Expression, Kysely, RawBuilder, SqlBool } from 'kysely'
import type { StoredBytes } from './money-tables.ts'
import type { Tables } from './tables.ts'

export type Dialect = {
  readonly name: 'sqlite' | 'postgres'
  /** True if each change to a counter or to revenue adds a row, and the rows are summed later. */
  readonly appendsCounterRows: boolean
  /** Builds and compiles statements. It is not connected to a database. */
  readonly builder: Kysely<Tables>
  /** Returns the text at a path of a JSON column, such as `$.buyer.name`. Null if the path does not exist. */
  jsonText(column: Expression<string | null>, path: string): RawBuilder<string | null>
  /** Tests whether the column has one of the values, which are passed as one JSON array. */
  isIn(column: Expression<string | number | null>, jsonArray: string): Expression<boolean>
  /** Tests whether the id is in a JSON array. Uses the column's index. */
  isIdIn(column: Expression<number | null>, jsonArray: string): Expression<boolean>
  /** Returns the ids of a JSON array as a table, in the array's order. */
  idTable(jsonArray: string): RawBuilder<{ value: number }>
  /**
   * Wraps an id that each call passes. With an unwrapped parameter, SQLite would replan joins and lists on every
   * execution.
   */
  id(id: number): Expression<number>
  /** Tests whether the flag is 1, in the form in which partial indexes are defined. */
  isSet(flag: Expression<0 | 1>): Expression<boolean>
  /** Tests whether the texts are equal regardless of case. */
  isSameIgnoringCase(column: Expression<string | null>, text: string): Expression<boolean>
  /** Returns the text for sorting and comparing regardless of case. */
  ignoreCase(column: Expression<string | null>): Expression<string | null>
  /**
   * Joins the distinct pairs of a group with commas. A space separates the two values of a pair. Null if the group has
   * no pairs.
   */
  joinPairs(
    first: Expression<string | null>,
    second: Expression<string | null>,
  ): RawBuilder<string | null>
  /** Returns the position of the part in the text, counted from 1. 0 if the text does not contain it. */
  position(text: Expression<string>, part: string): Expression<number>
  /**
   * Returns the statement that sets whether SQLite overwrites deleted data in the file. Null if the database has no
   * such setting.
   */
  overwriteDeleted(isEnabled: boolean): string | null
  /** Returns the words of a registration in the form stored in `search_index`. */
  indexedWords(words: string): Expression<string>
  /** Tests whether the words of a row of `search_index` contain all terms. */
  hasWords(terms: readonly string[]): Expression<SqlBool>
  /**
   * Returns a condition that is true for rows in which a word of the name begins with this text, and possibly for
   * others; the database uses it to estimate their number. Null if the database does not choose indexes by such
   * estimates.
   */
  hasWordFrom(start: string): Expression<SqlBool> | null
  /** Searches registrations that are not indexed yet. Null if the database indexes every registration immediately. */
  readonly unindexed: {
    /** Reads in the order of ids, regardless of other conditions. */
    readonly registrations: AliasedExpression<Tables['registrations'], 'r'>
    haveWords(terms: readonly string[]): Expression<SqlBool>
  } | null
  /** Returns a gateway's text in the form in which it is stored. */
  storedBytes(text: string): StoredBytes
  /**
   * Wraps a limit that each call passes. With a plain `limit ?`, SQLite would replan the statement on every
   * execution.
   */
  limit(rows: number): Expression<number>
}
