/**
 * Recognises notes that their author has undone.
 * Such notes stay in the history, but do not count as a response to a request.
 */
import { expressionBuilder, sql } from 'kysely'
import type { Tables } from '../database/statements/tables.ts'

const eb = expressionBuilder<Tables>()

/**
 * Builds the SQL condition that the action with this alias is not an undone note: the same user has not later undone a
 * note with the same text.
 */
export const isNotUndone = (alias: string) =>
  eb.or([
    eb(sql.ref<string>(`${alias}.act`), '<>', 'note'),
    eb.not(
      eb.exists(
        eb
          .selectFrom('acts as u')
          .select('u.id')
          .where('u.registration_id', '=', sql.ref<number>(`${alias}.registration_id`))
          .where('u.id', '>', sql.ref<number>(`${alias}.id`))
          .where('u.act', '=', 'undo_note')
          .where('u.who', '=', sql.ref<string>(`${alias}.who`))
          .where('u.why', '=', sql.ref<string>(`${alias}.why`)),
      ),
    ),
  ])
