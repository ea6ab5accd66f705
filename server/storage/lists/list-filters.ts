/** Builds the condition for a list's filters. */
import { expressionBuilder, sql as raw } from 'kysely'
import type { Expression, SqlBool } from 'kysely'
import { endOfDay, startOfDay } from '../../../engine/index.ts'
import type { RegistrationState } from '../../../engine/index.ts'
import type { Tables } from '../database/statements/tables.ts'
import type { ListQuery } from '../index.ts'
import { isEnded } from '../reports/balance-expressions.ts'

type Condition = Expression<SqlBool>

/** Builds conditions for a registration `r`. */
export const r = expressionBuilder<Tables & { r: Tables['registrations'] }, 'r'>()

/** Returns the number of persons in an answer. */
export const countPersons = (field: string): Expression<number> =>
  r.fn.coalesce(
    r.fn<number | null>('json_array_length', [r.ref('r.answers'), r.val(getJsonPath(field))]),
    r.lit(0),
  )

const getJsonPath = (field: string): string => `$.${JSON.stringify(field)}`

/** Returns true if the counters contain the number of matching registrations. */
export function isCounted({
  answers,
  chosen = {},
  people: personFields = {},
  sold,
  state,
}: ListQuery): boolean {
  return (
    sold === undefined &&
    state === undefined &&
    [answers, chosen, personFields].every((filter) => Object.keys(filter).length === 0)
  )
}

const isWaiting = r('r.state', 'in', [raw.lit('to_approve' as const), raw.lit('told' as const)])
/** Conditions of the partial indexes for rare states. A query must repeat the condition to use the index. */
const INDEXED_STATES: Partial<Record<RegistrationState, Condition>> = {
  told: isWaiting,
  to_approve: isWaiting,
  cancelled: isEnded,
  refused: isEnded,
}

export function buildFilter(query: ListQuery): Condition {
  const { eventId, paymentStatus, category, period, dateFrom, dateTo, state } = query
  // Uses an SQL function, because with a bound value SQLite would replan the most frequent queries on every
  // execution.
  const conditions: Condition[] = [r('r.event_id', '=', r.fn.coalesce(r.val(eventId), raw.lit('')))]
  if (paymentStatus !== undefined) conditions.push(r('r.payment_status', '=', paymentStatus))
  if (category !== undefined) conditions.push(r('r.category', '=', category))
  if (period !== undefined) conditions.push(r('r.period', '=', period))
  if (dateFrom !== undefined) conditions.push(r('r.created_at', '>=', startOfDay(dateFrom)))
  if (dateTo !== undefined) conditions.push(r('r.created_at', '<', endOfDay(dateTo)))
  for (const [field, value] of Object.entries(query.answers))
    conditions.push(hasAnswer(field, value))
  for (const [field, option] of Object.entries(query.chosen ?? {}))
    conditions.push(hasOption(field, option))
  for (const [field, isAny] of Object.entries(query.people ?? {}))
    conditions.push(r(countPersons(field), isAny ? '>' : '=', r.lit(0)))
  if (state !== undefined) {
    conditions.push(r('r.state', '=', state))
    const indexCondition = INDEXED_STATES[state]
    if (indexCondition !== undefined) conditions.push(indexCondition)
  }
  if (query.sold !== undefined) conditions.push(hasItem(query.sold))
  return r.and(conditions)
}

const hasAnswer = (field: string, value: string | boolean): Condition =>
  r(
    r.fn<string | number | null>('json_extract', [r.ref('r.answers'), r.val(getJsonPath(field))]),
    '=',
    typeof value === 'boolean' ? Number(value) : value,
  )

const hasOption = (field: string, option: string): Condition =>
  r.exists(
    r
      .selectFrom(
        raw<{ value: string }>`json_each(${r.ref('r.answers')}, ${getJsonPath(field)})`.as(
          'chosen',
        ),
      )
      .select('chosen.value')
      .where('chosen.value', '=', option),
  )

function hasItem({ item, option }: NonNullable<ListQuery['sold']>): Condition {
  const lines = r
    .selectFrom('bill_lines as l')
    .select('l.line')
    .whereRef('l.registration_id', '=', 'r.id')
    .whereRef('l.bill', '=', 'r.bill')
    .where('l.item', '=', item)
  return r.exists(option === null ? lines : lines.where('l.option', '=', option))
}
