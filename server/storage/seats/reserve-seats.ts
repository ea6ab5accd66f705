/**
 * Reserves what a registration needs and others might take: seats, code uses, unique answers.
 * Looked up before pricing, and checked again here, inside the transaction that stores it.
 */
import { everyInOrder } from '../database/in-order.ts'
import { getOwn } from '../../../engine/index.ts'
import type { Answers, Instant, RegNo, UniqueRule } from '../../../engine/index.ts'
import { codeAt, codeUsed, noteUse } from '../registrations/discount-codes.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { Outside, OutsideRefusal } from '../registrations/pricing-context-types.ts'
import { placeGone, roomFor } from './available-seats.ts'
import type { Room } from './available-seats.ts'
import { lockCode } from '../database/row-locks.ts'
import { memberListRow } from '../registrations/member-lists.ts'
import {
  lockUniqueAnswers,
  noteAnswers,
  standsAgainst,
  wholeRules,
} from '../registrations/unique-answers.ts'

type Taking = {
  readonly eventId: string
  readonly answers: Answers
  readonly category: string | null
  readonly outside?: Outside
  readonly at: Instant
}

/** What it reserves: the code that it uses (null: none) and its seats. */
export type Free = { readonly codeId: number | null; readonly room: Room }

/** Returns why it cannot be stored; else what it reserves. */
export async function whetherFree(
  sql: Sql,
  { eventId, answers, category, outside, at }: Taking,
): Promise<{ readonly refusal: OutsideRefusal } | ({ readonly refusal: null } & Free)> {
  // Whoever has a place already is told so, and not that there are none.
  const { unique = [], isConfirmed = false } = outside ?? {}
  const rules = unique.filter(({ onDuplicate }) => onDuplicate === 'block' || !isConfirmed)
  lockUniqueAnswers(sql, eventId, rules, answers)
  if (outside?.code != null) lockCode(sql, eventId, outside.code.folded)
  const [against, room, used] = await Promise.all([
    standsAgainst(sql, eventId, rules, answers),
    roomFor(sql, eventId, answers, category, at),
    outside?.code == null ? null : codeAt(sql, eventId, outside.code.folded, outside.holdMs, at),
    // For storing the answers, which then waits for nothing.
    wholeRules(sql, eventId),
  ])
  if (against !== null) return { refusal: already(unique, rules, against) }
  if ('code' in room) return { refusal: room }
  if (outside === undefined) return { refusal: null, codeId: null, room }
  const { rolls, code } = outside
  const stands = await everyInOrder(rolls, async ({ roll, key, cells }) => {
    const row = await memberListRow(sql, eventId, roll, key)
    return row !== null && Object.entries(cells).every(([id, cell]) => getOwn(row, id) === cell)
  })
  if (!stands) return { refusal: { code: 'facts_moved' } }
  if (code === null || used === null) return { refusal: null, codeId: null, room }
  const { id, fact } = used
  if (fact.is !== 'valid') return { refusal: { code: 'code_gone', is: fact.is } }
  if (fact.kind !== code.kind) return { refusal: { code: 'facts_moved' } }
  return { refusal: null, codeId: id, room }
}

/** Answers and code of a registration that is stored now. */
export async function take(
  sql: Sql,
  id: number,
  { eventId, answers, outside }: Taking,
  { codeId }: Free,
): Promise<void> {
  await noteAnswers(sql, eventId, id, outside?.unique ?? [], answers)
  if (codeId !== null) noteUse(sql, id, codeId)
}

/**
 * Checks whether a registration whose hold has expired can still be paid: its seats or code may be taken by now.
 * Its own holds do not count against it.
 */
export async function whetherStillFree(
  sql: Sql,
  id: number,
  {
    eventId,
    answers,
    outside,
    at,
  }: Pick<Taking, 'eventId' | 'answers' | 'at'> & {
    readonly outside: Pick<Outside, 'unique' | 'holdMs'> | null | undefined
  },
): Promise<OutsideRefusal | null> {
  const rules = (outside?.unique ?? []).filter(({ onDuplicate }) => onDuplicate === 'block')
  lockUniqueAnswers(sql, eventId, rules, answers)
  const code = outside == null ? null : await codeUsed(sql, id)
  if (code !== null) lockCode(sql, eventId, code)
  const gone = await placeGone(sql, id, at)
  if (gone !== null) return { code: 'full', place: gone.place }
  if (outside == null) return null
  const { unique, holdMs } = outside
  const against = await standsAgainst(sql, eventId, rules, answers, id)
  if (against !== null) return already(unique, rules, against)
  if (code === null) return null
  const { fact } = await codeAt(sql, eventId, code, holdMs, at, id)
  // It was used in time, though its last day is over by now.
  return fact.is === 'valid' || fact.is === 'over' ? null : { code: 'code_gone', is: fact.is }
}

/**
 * Returns the registration that blocks these answers under a uniqueness rule, whatever else is in the way; null:
 * none.
 */
export async function duplicateRegistration(
  sql: Sql,
  eventId: string,
  unique: readonly UniqueRule[],
  answers: Answers,
): Promise<OutsideRefusal | null> {
  const rules = unique.filter(({ onDuplicate }) => onDuplicate === 'block')
  const against = await standsAgainst(sql, eventId, rules, answers)
  return against === null ? null : already(unique, rules, against)
}

/** `against` counts the rules that were asked; told is the place among all of the event's. */
function already(
  all: readonly UniqueRule[],
  asked: readonly UniqueRule[],
  { rule, regNo }: { readonly rule: number; readonly regNo: RegNo },
): OutsideRefusal {
  return { code: 'registered_already', rule: all.findIndex((one) => one === asked[rule]), regNo }
}
