/**
 * Indexes the answers of registrations that were stored before a uniqueness rule existed.
 * A small number of registrations is indexed immediately, a large number in the background. Until the index is
 * complete, `filled_at` and `filled_id` in `unique_rules` identify the last indexed registration.
 */
import type { Kysely } from 'kysely'
import { getComparisonKey, instant } from '../../../engine/index.ts'
import type { Answers, Instant, UniqueRule } from '../../../engine/index.ts'
import { clearCachedReads, readOncePerBatch } from '../database/batch-cache.ts'
import { lockRegistrationIds, lockRules } from '../database/row-locks.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { buildQuery, statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'

/** The number of registrations per batch. */
const CHUNK_ROWS = 500
/** The maximum number of registrations that are indexed immediately when a rule is first needed. */
const MAX_INDEXED_AT_ONCE = 1_000

type RuleParams = { eventId: string; rule: string }
type Progress = { createdAt: Instant; id: number }
const NOT_STARTED: Progress = { createdAt: instant(0), id: 0 }

const rulesOfEvent = statement((builder, { eventId }: { eventId: string }) =>
  builder
    .selectFrom('unique_rules')
    .select(['rule', 'parts', 'filled_at as createdAt', 'filled_id as id'])
    .where('event_id', '=', eventId),
)
const saveRule = statement((builder, { eventId, rule, parts }: RuleParams & { parts: string }) =>
  builder
    .insertInto('unique_rules')
    .values({
      event_id: eventId,
      rule,
      parts,
      filled_at: NOT_STARTED.createdAt,
      filled_id: NOT_STARTED.id,
    })
    // If the rule is already stored, its progress is kept.
    .onConflict((conflict) => conflict.columns(['event_id', 'rule']).doUpdateSet({ parts })),
)
/** `names`: a JSON array of the rules to keep. */
const deleteOlderRules = statement(
  (builder, { eventId, names }: { eventId: string; names: string }, dialect) =>
    builder
      .deleteFrom('unique_rules')
      .where('event_id', '=', eventId)
      .where('parts', 'is', null)
      .where(({ not, ref }) => not(dialect.isIn(ref('rule'), names))),
)
const restartRules = statement((builder, { eventId }: { eventId: string }) =>
  builder
    .updateTable('unique_rules')
    .set({ filled_at: NOT_STARTED.createdAt, filled_id: NOT_STARTED.id })
    .where('event_id', '=', eventId),
)
const saveProgress = statement((builder, { eventId, rule, createdAt, id }: RuleParams & Progress) =>
  builder
    .updateTable('unique_rules')
    .set({ filled_at: createdAt, filled_id: id })
    .where('event_id', '=', eventId)
    .where('rule', '=', rule),
)
const markIndexComplete = statement((builder, { eventId, rule }: RuleParams) =>
  builder
    .updateTable('unique_rules')
    .set({ filled_at: null, filled_id: null })
    .where('event_id', '=', eventId)
    .where('rule', '=', rule),
)
const nextIncompleteRule = statement((builder) =>
  builder
    .selectFrom('unique_rules')
    .select(({ ref }) => [
      'event_id as eventId',
      'rule',
      ref('parts').$notNull().as('parts'),
      ref('filled_at').$notNull().as('createdAt'),
      ref('filled_id').$notNull().as('id'),
    ])
    .where('parts', 'is not', null)
    .where('filled_at', 'is not', null)
    .orderBy('event_id')
    .orderBy('rule')
    .limit(1),
)
/** Uses the order of an index. If ordered by id, SQLite would sort all registrations of the event for each batch. */
const selectRegistrationsAfter = (
  builder: Kysely<Tables>,
  { eventId, createdAt, id }: { eventId: string } & Progress,
) =>
  builder
    .selectFrom('registrations')
    .where('event_id', '=', eventId)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('created_at', 'id'), '>', tuple(createdAt, id)))
    .orderBy('created_at')
    .orderBy('id')
const nextRegistrations = statement((builder, position: { eventId: string } & Progress) =>
  selectRegistrationsAfter(builder, position)
    .select(['id', 'created_at as createdAt'])
    .limit(CHUNK_ROWS),
)
const registrationAfterMany = statement((builder, position: { eventId: string } & Progress) =>
  selectRegistrationsAfter(builder, position).select('id').limit(1).offset(MAX_INDEXED_AT_ONCE),
)
const answersOfRegistrations = statement((builder, { ids }: { ids: string }, dialect) =>
  builder
    .selectFrom('registrations')
    .select(['id', 'answers'])
    .where(({ ref }) => dialect.isIdIn(ref('id'), ids)),
)
const addAnswer = statement(
  (builder, { eventId, rule, folded, id }: RuleParams & { folded: string; id: number }) =>
    builder
      .insertInto('unique_answers')
      .values({ event_id: eventId, rule, folded, registration_id: id })
      .onConflict((conflict) => conflict.doNothing()),
)

/**
 * A rule whose index has been started. `createdAt` and `id`: the last indexed registration. Null if all registrations
 * are indexed.
 */
export type RuleIndex = {
  readonly rule: string
  /** The fields that the rule compares, as JSON. Null for a rule stored by an older version of Rollcall. */
  readonly parts: string | null
  readonly createdAt: Instant | null
  readonly id: number | null
}

export function readIndexedRules(sql: Sql, eventId: string): Promise<readonly RuleIndex[]> {
  return readOncePerBatch(sql, `rules of ${eventId}`, () => rulesOfEvent.all(sql, { eventId }))
}

/** Adds the rules in the served event file. Their indexes are filled in the background. */
export async function saveRules(
  sql: Sql,
  eventId: string,
  rules: readonly UniqueRule[],
): Promise<void> {
  const storedRules = await rulesOfEvent.all(sql, { eventId })
  for (const { name, parts } of rules) {
    const partsJson = JSON.stringify(parts)
    if (storedRules.some((row) => row.rule === name && row.parts === partsJson)) continue
    saveRule.run(sql, { eventId, rule: name, parts: partsJson })
    clearCachedReads(sql)
  }
}

/** Deletes all other rules that older versions of Rollcall stored. Their indexes then count as incomplete. */
export function discardOlderRules(
  sql: Sql,
  eventId: string,
  rules: readonly Pick<UniqueRule, 'name'>[],
): void {
  clearCachedReads(sql)
  deleteOlderRules.run(sql, { eventId, names: JSON.stringify(rules.map(({ name }) => name)) })
}

/** Fills the indexes again, because rows were added that are not indexed. */
export function refillRules(sql: Sql, eventId: string): void {
  clearCachedReads(sql)
  restartRules.run(sql, { eventId })
}

/**
 * Completes the index for a rule. Returns false if too many registrations have not been indexed yet. An index that was
 * never started is always completed.
 */
export async function completeIndex(
  sql: Sql,
  eventId: string,
  rule: UniqueRule,
  index: RuleIndex | undefined,
): Promise<boolean> {
  let progress: Progress | null = NOT_STARTED
  if (index !== undefined) {
    const { createdAt, id } = index
    if (createdAt === null || id === null) return true
    progress = { createdAt, id }
    if ((await registrationAfterMany.get(sql, { eventId, ...progress })) !== undefined) return false
  }
  clearCachedReads(sql)
  // Registrations from an import in progress are not indexed.
  lockRules(sql, [eventId])
  if (index === undefined)
    saveRule.run(sql, { eventId, rule: rule.name, parts: JSON.stringify(rule.parts) })
  while (progress !== null) progress = await fillNextBatch(sql, eventId, rule, progress, false)
  return true
}

/** Indexes the next batch of any rule. Returns false if no batch is left. */
export async function fillUniqueAnswers(sql: Sql): Promise<boolean> {
  const nextRule = await nextIncompleteRule.get(sql)
  if (nextRule === undefined) return false
  const { eventId, rule: name, parts, createdAt, id } = nextRule
  const rule = { name, parts: JSON.parse(parts) as UniqueRule['parts'] }
  await fillNextBatch(sql, eventId, rule, { createdAt, id }, true)
  return true
}

/**
 * Indexes the next batch. With `locksRows`, a concurrent correction to a registration in the batch either waits or is
 * included. Returns the last indexed registration, or null after the last batch.
 */
async function fillNextBatch(
  sql: Sql,
  eventId: string,
  rule: Pick<UniqueRule, 'name' | 'parts'>,
  progress: Progress,
  locksRows: boolean,
): Promise<Progress | null> {
  const keys = await nextRegistrations.all(sql, { eventId, ...progress })
  const ids = keys.map((key) => key.id)
  if (locksRows) lockRegistrationIds(sql, ids)
  const rows = await answersOfRegistrations.all(sql, { ids: JSON.stringify(ids) })
  const answers = rows.flatMap(({ id, answers: text }) => {
    const folded = getComparisonKey(rule, JSON.parse(text) as Answers)
    return folded === null ? [] : [{ eventId, rule: rule.name, folded, id }]
  })
  if (sql.batch === null) for (const answer of answers) addAnswer.run(sql, answer)
  else if (answers.length > 0)
    // One statement for all answers, because each statement takes time on PostgreSQL.
    buildQuery(sql, (builder) =>
      builder
        .insertInto('unique_answers')
        .values(
          answers.map(({ folded, id }) => ({
            event_id: eventId,
            rule: rule.name,
            folded,
            registration_id: id,
          })),
        )
        .onConflict((conflict) => conflict.doNothing()),
    ).run()
  const lastRegistration = keys.at(-1)
  if (lastRegistration !== undefined && keys.length === CHUNK_ROWS) {
    saveProgress.run(sql, { eventId, rule: rule.name, ...lastRegistration })
    return lastRegistration
  }
  markIndexComplete.run(sql, { eventId, rule: rule.name })
  clearCachedReads(sql)
  return null
}
