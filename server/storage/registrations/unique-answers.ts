/**
 * Enforces unique answers, with an index of normalised answers per rule.
 * It is checked and written in the transaction that registers, so that of two simultaneous registrations one
 * succeeds.
 */
import { comparisonKey } from '../../../engine/index.ts'
import type { Answers, RegNo, UniqueRule } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { lockAnswers } from '../database/row-locks.ts'
import { once, readAgain } from '../database/batch-cache.ts'

/**
 * Returns the newest registration that conflicts with these answers, and the position of the rule; null: none.
 * Failed or refunded payments do not conflict, nor do cancelled or refused registrations.
 */
export async function standsAgainst(
  sql: Sql,
  eventId: string,
  rules: readonly UniqueRule[],
  answers: Answers,
  except: number | null = null,
): Promise<{ readonly rule: number; readonly regNo: RegNo } | null> {
  if (rules.length === 0) return null
  const keys = rules.map((one) => comparisonKey(one, answers))
  // Nearly every delegate is new, and to see that takes a third of what it takes to find the other registration.
  const isThere = async (rule: number): Promise<boolean> =>
    keys[rule] != null &&
    (await sql('SELECT 1 FROM unique_answers WHERE event_id = ? AND rule = ? AND folded = ?').get(
      eventId,
      rules[rule]?.name,
      keys[rule],
    )) !== undefined
  const [whole, there] = await Promise.all([
    wholeRules(sql, eventId),
    Promise.all(rules.map((_, rule) => isThere(rule))),
  ])
  for (const [rule, one] of rules.entries()) {
    const { name } = one
    const folded = keys[rule]
    if (folded == null) continue
    const isWhole = whole.includes(name)
    if (!isWhole) await fill(sql, eventId, one)
    if (!(isWhole ? there[rule] : await isThere(rule))) continue
    const found = await sql<{ regNo: RegNo }>(
      `SELECT r.reg_no AS regNo FROM registrations r
       WHERE r.id IN (SELECT registration_id FROM unique_answers WHERE event_id = ? AND rule = ? AND folded = ?)
         AND r.state NOT IN ('cancelled', 'refused') AND (r.payment_status IN ('success', 'pending') OR r.in_review = 1) AND r.id IS NOT ? ORDER BY r.id DESC LIMIT 1`,
    ).get(eventId, name, folded, except)
    if (found !== undefined) return { rule, regNo: found.regNo }
  }
  return null
}

/** Until the transaction ends, no other one can check or store these answers under these rules. */
export function lockUniqueAnswers(
  sql: Sql,
  eventId: string,
  rules: readonly UniqueRule[],
  answers: Answers,
): void {
  lockAnswers(
    sql,
    rules.flatMap((rule) => {
      const folded = comparisonKey(rule, answers)
      return folded === null ? [] : [[eventId, rule.name, folded] as const]
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
    const folded = comparisonKey(rule, answers)
    if (folded !== null) note(sql, eventId, rule.name, folded, registrationId)
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
  sql('DELETE FROM unique_answers WHERE registration_id = ?').run(registrationId)
  await noteAnswers(sql, eventId, registrationId, rules, answers)
}

/** After rows were added without indexing: the indexes are incomplete, and are filled when next needed. */
export function forgetRules(
  sql: Sql,
  eventId: string,
  but: readonly Pick<UniqueRule, 'name'>[] = [],
): void {
  readAgain(sql)
  sql(
    'DELETE FROM unique_rules WHERE event_id = ? AND rule NOT IN (SELECT value FROM json_each(?))',
  ).run(eventId, JSON.stringify(but.map(({ name }) => name)))
}

/** The rules whose index holds every registration of the event. */
export function wholeRules(sql: Sql, eventId: string): Promise<readonly string[]> {
  return once(sql, `rules of ${eventId}`, async () =>
    (
      await sql<{ rule: string }>('SELECT rule FROM unique_rules WHERE event_id = ?').all(eventId)
    ).map(({ rule }) => rule),
  )
}

async function fill(sql: Sql, eventId: string, rule: UniqueRule): Promise<void> {
  readAgain(sql)
  sql('INSERT INTO unique_rules (event_id, rule) VALUES (?, ?)').run(eventId, rule.name)
  const rows = await sql<{ id: number; answers: string }>(
    'SELECT id, answers FROM registrations WHERE event_id = ?',
  ).all(eventId)
  for (const { id, answers } of rows) {
    const folded = comparisonKey(rule, JSON.parse(answers) as Answers)
    if (folded !== null) note(sql, eventId, rule.name, folded, id)
  }
}

function note(sql: Sql, eventId: string, rule: string, folded: string, id: number): void {
  sql(
    'INSERT INTO unique_answers (event_id, rule, folded, registration_id) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  ).run(eventId, rule, folded, id)
}
