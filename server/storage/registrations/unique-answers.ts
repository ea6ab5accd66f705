/**
 * Enforces unique answers, with an index of normalised answers per rule.
 * The registering transaction checks and writes it, so that of two simultaneous registrations one succeeds.
 */
import { sql as raw } from 'kysely'
import { comparisonKey, instant } from '../../../engine/index.ts'
import type { Answers, Instant, RegNo, UniqueRule } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { queryOf, statement } from '../database/statements/statement.ts'
import { lockAnswers, lockRules } from '../database/row-locks.ts'
import { readOncePerBatch, readAgain } from '../database/batch-cache.ts'

/** Registrations read per batch when an event's answers are indexed. */
const CHUNK_ROWS = 500

type EventParams = { eventId: string }
type UniqueAnswer = EventParams & { rule: string; folded: string }
const uniqueAnswer = statement((builder, { eventId, rule, folded }: UniqueAnswer) =>
  builder
    .selectFrom('unique_answers')
    .select(({ lit }) => lit(1).as('exists'))
    .where('event_id', '=', eventId)
    .where('rule', '=', rule)
    .where('folded', '=', folded),
)
const newestWithAnswer = statement(
  (
    builder,
    { eventId, rule, folded, except: exceptId }: UniqueAnswer & { except: number | null },
  ) =>
    builder
      .selectFrom('registrations as r')
      .select('r.reg_no as regNo')
      .where('r.id', 'in', ({ selectFrom }) =>
        selectFrom('unique_answers')
          .select('registration_id')
          .where('event_id', '=', eventId)
          .where('rule', '=', rule)
          .where('folded', '=', folded),
      )
      .where('r.state', 'not in', ['cancelled', 'refused'])
      .where(({ eb, or }) =>
        or([eb('r.payment_status', 'in', ['success', 'pending']), eb('r.in_review', '=', 1)]),
      )
      .where(({ ref }) => raw<boolean>`${ref('r.id')} is distinct from ${exceptId}`)
      .orderBy('r.id', 'desc')
      .limit(1),
)
const deleteAnswersOf = statement((builder, { registrationId }: { registrationId: number }) =>
  builder.deleteFrom('unique_answers').where('registration_id', '=', registrationId),
)
/** `names`: a JSON array of the rules that remain. */
const deleteOtherRules = statement(
  (builder, { eventId, names }: EventParams & { names: string }, dialect) =>
    builder
      .deleteFrom('unique_rules')
      .where('event_id', '=', eventId)
      .where(({ not, ref }) => not(dialect.isIn(ref('rule'), names))),
)
const rulesOfEvent = statement((builder, { eventId }: EventParams) =>
  builder.selectFrom('unique_rules').select('rule').where('event_id', '=', eventId),
)
const addRule = statement((builder, { eventId, rule }: EventParams & { rule: string }) =>
  builder.insertInto('unique_rules').values({ event_id: eventId, rule }),
)
/** In the order of an index: by their ids, SQLite would sort all registrations of the event for each chunk. */
const nextAnswers = statement(
  (builder, { eventId, createdAt, id }: EventParams & { createdAt: Instant; id: number }) =>
    builder
      .selectFrom('registrations')
      .select(['id', 'created_at', 'answers'])
      .where('event_id', '=', eventId)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('created_at', 'id'), '>', tuple(createdAt, id)),
      )
      .orderBy('created_at')
      .orderBy('id')
      .limit(CHUNK_ROWS),
)
const addAnswer = statement(
  (builder, { eventId, rule, folded, id }: UniqueAnswer & { id: number }) =>
    builder
      .insertInto('unique_answers')
      .values({ event_id: eventId, rule, folded, registration_id: id })
      .onConflict((conflict) => conflict.doNothing()),
)

/**
 * Returns the newest registration that conflicts with these answers, and the position of the rule. Null if none. Failed
 * or refunded payments do not conflict, nor do cancelled or refused registrations.
 */
export async function findConflictingAnswer(
  sql: Sql,
  eventId: string,
  rules: readonly UniqueRule[],
  answers: Answers,
  exceptId: number | null = null,
): Promise<{ readonly rule: number; readonly regNo: RegNo } | null> {
  if (rules.length === 0) return null
  const keys = rules.map((uniqueRule) => comparisonKey(uniqueRule, answers))
  // Nearly every delegate is new, and checking that takes a third of the time of finding the other registration.
  const isAnswerTaken = async ({ name }: UniqueRule, normalizedAnswer: string | null | undefined) =>
    normalizedAnswer != null &&
    (await uniqueAnswer.get(sql, { eventId, rule: name, folded: normalizedAnswer })) !== undefined
  const [filledRules, existing] = await Promise.all([
    wholeRules(sql, eventId),
    Promise.all(rules.map((rule, index) => isAnswerTaken(rule, keys[index]))),
  ])
  for (const [rule, uniqueRule] of rules.entries()) {
    const { name } = uniqueRule
    const normalizedAnswer = keys[rule]
    if (normalizedAnswer == null) continue
    const isFilled = filledRules.includes(name)
    if (!isFilled) await fillRule(sql, eventId, uniqueRule)
    if (!(isFilled ? existing[rule] : await isAnswerTaken(uniqueRule, normalizedAnswer))) continue
    const found = await newestWithAnswer.get(sql, {
      eventId,
      rule: name,
      folded: normalizedAnswer,
      except: exceptId,
    })
    if (found !== undefined) return { rule, regNo: found.regNo }
  }
  return null
}

/** Until the transaction ends, no other can check or store these answers under these rules. */
export function lockUniqueAnswers(
  sql: Sql,
  eventId: string,
  rules: readonly UniqueRule[],
  answers: Answers,
): void {
  lockAnswers(
    sql,
    rules.flatMap((rule) => {
      const normalizedAnswer = comparisonKey(rule, answers)
      return normalizedAnswer === null ? [] : [[eventId, rule.name, normalizedAnswer] as const]
    }),
  )
}

/**
 * Indexes the answers of a registration under the rules of its event; the index of any other rule becomes
 * incomplete.
 */
export async function noteAnswers(
  sql: Sql,
  eventId: string,
  registrationId: number,
  rules: readonly UniqueRule[],
  answers: Answers,
): Promise<void> {
  const isAsked = (rule: string): boolean => rules.some(({ name }) => name === rule)
  if (!(await wholeRules(sql, eventId)).every(isAsked)) forgetRules(sql, eventId, rules)
  for (const rule of rules) {
    const normalizedAnswer = comparisonKey(rule, answers)
    if (normalizedAnswer !== null)
      saveAnswer(sql, eventId, rule.name, normalizedAnswer, registrationId)
  }
}

/** Indexes the changed answers of a registration. */
export async function renoteAnswers(
  sql: Sql,
  eventId: string,
  registrationId: number,
  rules: readonly UniqueRule[],
  answers: Answers,
): Promise<void> {
  deleteAnswersOf.run(sql, { registrationId })
  await noteAnswers(sql, eventId, registrationId, rules, answers)
}

/** After rows were added without indexing: the indexes are incomplete, and are filled when next needed. */
export function forgetRules(
  sql: Sql,
  eventId: string,
  exceptRules: readonly Pick<UniqueRule, 'name'>[] = [],
): void {
  readAgain(sql)
  deleteOtherRules.run(sql, { eventId, names: JSON.stringify(exceptRules.map(({ name }) => name)) })
}

/** The rules whose index contains every registration of the event. */
export function wholeRules(sql: Sql, eventId: string): Promise<readonly string[]> {
  return readOncePerBatch(sql, `rules of ${eventId}`, async () =>
    (await rulesOfEvent.all(sql, { eventId })).map(({ rule }) => rule),
  )
}

async function fillRule(sql: Sql, eventId: string, rule: UniqueRule): Promise<void> {
  readAgain(sql)
  // Registrations that are being imported are not indexed.
  lockRules(sql, [eventId])
  addRule.run(sql, { eventId, rule: rule.name })
  for (let lastRow = { createdAt: instant(0), id: 0 }; ;) {
    const rows = await nextAnswers.all(sql, { eventId, ...lastRow })
    const indexed = rows.flatMap(({ id, answers }) => {
      const normalizedAnswer = comparisonKey(rule, JSON.parse(answers) as Answers)
      const row = { event_id: eventId, rule: rule.name, registration_id: id }
      return normalizedAnswer === null ? [] : [{ ...row, folded: normalizedAnswer }]
    })
    if (indexed.length > 0)
      queryOf(sql, (builder) =>
        builder
          .insertInto('unique_answers')
          .values(indexed)
          .onConflict((conflict) => conflict.doNothing()),
      ).run()
    const last = rows.at(-1)
    if (last === undefined || rows.length < CHUNK_ROWS) return
    lastRow = { createdAt: last.created_at, id: last.id }
  }
}

function saveAnswer(
  sql: Sql,
  eventId: string,
  rule: string,
  normalizedAnswer: string,
  id: number,
): void {
  addAnswer.run(sql, { eventId, rule, folded: normalizedAnswer, id })
}
