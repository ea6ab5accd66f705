/** Selects rows that belong to registrations, by registration id. */
import { expressionBuilder } from 'kysely'
import type { Expression, SelectQueryBuilder, SqlBool } from 'kysely'
import type { Dialect } from './statements/dialect.ts'
import type { Tables } from './statements/tables.ts'

/** Builds the condition on the column with the registration id. */
export type RowSelection<Params> = (
  id: Expression<number>,
  params: Params,
  dialect: Dialect,
) => Expression<SqlBool>

const expression = expressionBuilder<Tables>()

export const isIdInList = (
  id: Expression<number>,
  ids: SelectQueryBuilder<Tables & { r: Tables['registrations'] }, 'r', { id: number }>,
): Expression<SqlBool> => expression(id, 'in', ids)
/** Builds the condition for a single id: nearly every call has only one id, and needs no list. */
export const isId: RowSelection<{ id: number }> = (column, { id }, dialect) =>
  expression(column, '=', dialect.id(id))
/** Builds the condition for several ids. `ids` is a JSON array. */
export const isAnyOfIds: RowSelection<{ ids: string }> = (column, { ids }, dialect) =>
  dialect.isIdIn(column, ids)
