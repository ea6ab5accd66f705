/** Selects rows of registrations by their ids. */
import { expressionBuilder } from 'kysely'
import type { Expression, SelectQueryBuilder, SqlBool } from 'kysely'
import type { Dialect } from './statements/dialect.ts'
import type { Tables } from './statements/tables.ts'

/** The condition for the column that has the id of the registration. */
export type RowSelection<Given> = (
  id: Expression<number>,
  params: Given,
  dialect: Dialect,
) => Expression<SqlBool>

const expression = expressionBuilder<Tables>()

export const isIdInList = (
  id: Expression<number>,
  ids: SelectQueryBuilder<Tables & { r: Tables['registrations'] }, 'r', { id: number }>,
): Expression<SqlBool> => expression(id, 'in', ids)
/** A single id, as in nearly every call, needs no list to unpack. */
export const isId: RowSelection<{ id: number }> = (column, { id }, dialect) =>
  expression(column, '=', dialect.id(id))
/** `ids`: a JSON array. */
export const isAnyOfIds: RowSelection<{ ids: string }> = (column, { ids }, dialect) =>
  dialect.isIdIn(column, ids)
