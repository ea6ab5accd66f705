/**
 * Enforces unique answers with an index of normalised answers for each rule.
 * The transaction that registers a delegate checks and writes the index, so that only one of two simultaneous
 * registrations succeeds.
 */
import { expressionBuilder, sql as raw } from 'kysely'
import { getComparisonKey, getOwn } from '../../../engine/index.ts'
import type { Answers, RegNo, UniqueRule } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { buildQuery, statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { lockAnswers } from '../database/row-locks.ts'
import { createUpdatingError } from '../database/store-busy-error.ts'
import { parseSearch } from '../lists/search-terms.ts'
import { completeIndex, discardOlderRules, readIndexedRules } from './fill-unique-answers.ts'

/** The maximum number of registrations that are compared before their answers are indexed. */
const MAX_CANDIDATES = 1_000

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
const r = expressionBuilder<{ r: Tables['registrations'] }, 'r'>()
const isConflicting = (exceptId: number | null) =>
  r.and([
    r('r.state', 'not in', ['cancelled', 'refused']),
    r.or([r('r.payment_status', 'in', ['success', 'pending']), r('r.in_review', '=', 1)]),
    raw<boolean>`${r.ref('r.id')} is distinct from ${exceptId}`,
  ])
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
      .where(isConflicting(exceptId))
      .orderBy('r.id', 'desc')
      .limit(1),
)
/** Selects registrations that are not in the search index yet. On PostgreSQL, there are none. */
const unsearchableRegistrations = statement(
  (builder, { eventId, except: exceptId }: EventParams & { except: number | null }) =>
    builder
      .selectFrom('registrations as r')
      .select(['r.reg_no as regNo', 'r.answers'])
      .where('r.id', '>', ({ selectFrom }) => selectFrom('search_progress').select('last_id'))
      .where(({ ref }) => raw<boolean>`${ref('r.event_id')} || '' = ${eventId}`)
      .where(isConflicting(exceptId))
      .limit(MAX_CANDIDATES),
)
const deleteAnswersOf = statement((builder, { registrationId }: { registrationId: number }) =>
  builder.deleteFrom('unique_answers').where('registration_id', '=', registrationId),
)
const addAnswer = statement(
  (builder, { eventId, rule, folded, id }: UniqueAnswer & { id: number }) =>
    builder
      .insertInto('unique_answers')
      .values({ event_id: eventId, rule, folded, registration_id: id })
      .onConflict((conflict) => conflict.doNothing()),
)

/**
 * Returns the newest registration that conflicts with these answers, and the index of the rule. Null if none does. A
 * registration does not conflict if it is cancelled or refused, or if its payment failed or was refunded.
 */
export async function findConflictingAnswer(
  sql: Sql,
  eventId: string,
  rules: readonly UniqueRule[],
  answers: Answers,
  exceptId: number | null = null,
): Promise<{ readonly rule: number; readonly regNo: RegNo } | null> {
  if (rules.length === 0) return null
  const keys = rules.map((uniqueRule) => getComparisonKey(uniqueRule, answers))
  // Nearly every delegate is new, and this check takes a third of the time of the query that finds the registration.
  const isAnswerTaken = async ({ name }: UniqueRule, normalisedAnswer: string | null | undefined) =>
    normalisedAnswer != null &&
    (await uniqueAnswer.get(sql, { eventId, rule: name, folded: normalisedAnswer })) !== undefined
  const [indexes, takenFlags] = await Promise.all([
    readIndexedRules(sql, eventId),
    Promise.all(rules.map((rule, index) => isAnswerTaken(rule, keys[index]))),
  ])
  let isUndecided = false
  for (const [rule, uniqueRule] of rules.entries()) {
    const { name } = uniqueRule
    const normalisedAnswer = keys[rule]
    if (normalisedAnswer == null) continue
    const index = indexes.find((ruleIndex) => ruleIndex.rule === name)
    const isIndexComplete = index?.createdAt === null
    const isComplete = isIndexComplete || (await completeIndex(sql, eventId, uniqueRule, index))
    const isTaken =
      isIndexComplete || !isComplete
        ? takenFlags[rule]
        : await isAnswerTaken(uniqueRule, normalisedAnswer)
    const conflictQuery = { eventId, rule: name, folded: normalisedAnswer, except: exceptId }
    const indexedConflict = isTaken ? await newestWithAnswer.get(sql, conflictQuery) : undefined
    const unindexedConflict =
      indexedConflict === undefined && !isComplete
        ? await findUnindexedConflict(sql, conflictQuery, uniqueRule, answers)
        : (indexedConflict ?? null)
    if (unindexedConflict === 'undecided') isUndecided = true
    else if (unindexedConflict !== null) return { rule, regNo: unindexedConflict.regNo }
  }
  if (isUndecided)
    throw createUpdatingError('answers of earlier registrations are still being indexed')
  return null
}

/**
 * Compares registrations while the answers of earlier ones are being indexed: those that have the same words in the
 * office's search, and those that are not searchable yet. Returns null if none has the same answers. Returns
 * `undecided` if there are too many candidates, or if the rule compares no email address, because the search finds only
 * email addresses with certainty.
 */
async function findUnindexedConflict(
  sql: Sql,
  conflict: UniqueAnswer & { except: number | null },
  rule: UniqueRule,
  answers: Answers,
): Promise<{ readonly regNo: RegNo } | 'undecided' | null> {
  const texts = rule.parts.map(({ id }) => String(getOwn(answers, id) ?? ''))
  const longestText = texts.reduce((a, b) => (b.length > a.length ? b : a), '')
  const email = rule.emailField === undefined ? '' : String(getOwn(answers, rule.emailField) ?? '')
  const terms = email === '' ? parseSearch(longestText).terms : [email]
  const rowsWithWords = terms.length === 0 ? [] : await findCandidates(sql, conflict, terms)
  const unsearchableRows = await unsearchableRegistrations.all(sql, conflict)
  const conflictingRow = [...rowsWithWords, ...unsearchableRows].find(
    (row) => getComparisonKey(rule, JSON.parse(row.answers) as Answers) === conflict.folded,
  )
  if (conflictingRow !== undefined) return conflictingRow
  const isExhaustive = Math.max(rowsWithWords.length, unsearchableRows.length) < MAX_CANDIDATES
  return email !== '' && isExhaustive ? null : 'undecided'
}

const findCandidates = (
  sql: Sql,
  { eventId, except: exceptId }: UniqueAnswer & { except: number | null },
  terms: readonly string[],
): Promise<readonly { readonly regNo: RegNo; readonly answers: string }[]> =>
  buildQuery(sql, (builder, dialect) =>
    builder
      .selectFrom('search_index')
      .crossJoin('registrations as r')
      .select(['r.reg_no as regNo', 'r.answers'])
      .whereRef('r.id', '=', 'search_index.rowid')
      .where(dialect.hasWords(terms))
      .where('r.event_id', '=', eventId)
      .where(isConflicting(exceptId))
      // The rows are not ordered, because SQLite takes twenty times as long to read the index backwards.
      .limit(dialect.limit(MAX_CANDIDATES)),
  ).all()

/** The name under which a person is locked together with the rules. No rule of an event file has this name. */
const PERSON_RULE = ''

/**
 * Locks the answers. Until the transaction ends, no other transaction can check or store these answers under these
 * rules, or register this person (if not null).
 */
export function lockUniqueAnswers(
  sql: Sql,
  eventId: string,
  rules: readonly UniqueRule[],
  answers: Answers,
  person: string | null = null,
): void {
  const lockedKeys = rules.flatMap((rule) => {
    const normalisedAnswer = getComparisonKey(rule, answers)
    return normalisedAnswer === null ? [] : [[eventId, rule.name, normalisedAnswer] as const]
  })
  lockAnswers(
    sql,
    person === null ? lockedKeys : [...lockedKeys, [eventId, PERSON_RULE, person] as const],
  )
}

/**
 * Indexes a registration's answers under the rules of its event version, and of the event's other versions, because
 * another version may have been activated in the meantime.
 */
export async function indexAnswers(
  sql: Sql,
  eventId: string,
  registrationId: number,
  rules: readonly UniqueRule[],
  answers: Answers,
): Promise<void> {
  const indexedRules = await readIndexedRules(sql, eventId)
  if (rules.length === 0 && indexedRules.length === 0) return
  const otherRules = indexedRules.filter(({ rule }) => !rules.some(({ name }) => name === rule))
  if (otherRules.some(({ parts }) => parts === null)) discardOlderRules(sql, eventId, rules)
  const comparableRules = otherRules.flatMap(({ rule: name, parts }) =>
    parts === null ? [] : [{ name, parts: JSON.parse(parts) as UniqueRule['parts'] }],
  )
  for (const rule of [...rules, ...comparableRules]) {
    const normalisedAnswer = getComparisonKey(rule, answers)
    if (normalisedAnswer !== null)
      saveAnswer(sql, eventId, rule.name, normalisedAnswer, registrationId)
  }
}

/** Indexes the changed answers of a registration. */
export async function reindexAnswers(
  sql: Sql,
  eventId: string,
  registrationId: number,
  rules: readonly UniqueRule[],
  answers: Answers,
): Promise<void> {
  deleteAnswersOf.run(sql, { registrationId })
  await indexAnswers(sql, eventId, registrationId, rules, answers)
}

function saveAnswer(
  sql: Sql,
  eventId: string,
  rule: string,
  normalisedAnswer: string,
  id: number,
): void {
  addAnswer.run(sql, { eventId, rule, folded: normalisedAnswer, id })
}
