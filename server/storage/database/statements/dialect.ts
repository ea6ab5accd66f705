/** Defines what differs between the databases, for the code that builds statements. */
import type { Expression, Kysely } from 'kysely'
import type { Tables } from './tables.ts'

export type Dialect = {
  readonly name: 'sqlite' | 'postgres'
  /** Builds and compiles statements; it is not connected to a database. */
  readonly builder: Kysely<Tables>
  /** Text at a path of a JSON column, such as `$.buyer.name`; null if there is none. */
  jsonText(column: Expression<string | null>, path: string): Expression<string | null>
  /** True if the column has one of the values, which are passed as one JSON array. */
  isIn(column: Expression<string | number | null>, jsonArray: string): Expression<boolean>
  /** A limit that each call passes. SQLite plans a statement with a bare `limit ?` again at every run. */
  limit(rows: number): Expression<number>
}
