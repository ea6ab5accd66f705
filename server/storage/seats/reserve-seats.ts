/**
 * Reserves the limited resources of a registration: seats, code uses, unique answers.
 * The price is based on an earlier look-up of these resources, so the transaction that stores the registration checks
 * them again here.
 */
import { everyInOrder } from '../database/in-order.ts'
import { getOwn } from '../../../engine/index.ts'
import type { Answers, Instant, RegNo, UniqueRule } from '../../../engine/index.ts'
import { findCodeAt, findUsedCode, recordCodeUse } from '../registrations/discount-codes.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { ExternalContext, ContextRefusal } from '../registrations/pricing-context-types.ts'
import { findUnavailableSeat, checkSeats } from './available-seats.ts'
import type { SeatReservation } from './available-seats.ts'
import { lockCode } from '../database/row-locks.ts'
import { readMemberListRow } from '../registrations/member-lists.ts'
import {
  lockUniqueAnswers,
  indexAnswers,
  findConflictingAnswer,
} from '../registrations/unique-answers.ts'
import { readIndexedRules } from '../registrations/fill-unique-answers.ts'

type SeatRequest = {
  readonly eventId: string
  readonly answers: Answers
  readonly category: string | null
  readonly externalContext?: ExternalContext
  readonly at: Instant
}

/** The reservations of a registration: its discount code (or null) and its seats. */
export type Availability = {
  readonly codeId: number | null
  readonly seatReservation: SeatReservation
}

/**
 * Returns the reservations of a registration, or a refusal if it cannot be stored. `person`: locked together with the
 * answers; null if not needed.
 */
export async function checkAvailability(
  sql: Sql,
  { eventId, answers, category, externalContext, at }: SeatRequest,
  person: string | null = null,
): Promise<{ readonly refusal: ContextRefusal } | ({ readonly refusal: null } & Availability)> {
  // A delegate who is already registered gets the message about that registration, not the one about seats.
  const { unique = [], isConfirmed = false } = externalContext ?? {}
  const rules = unique.filter(({ onDuplicate }) => onDuplicate === 'block' || !isConfirmed)
  lockUniqueAnswers(sql, eventId, rules, answers, person)
  if (externalContext?.code != null) lockCode(sql, eventId, externalContext.code.normalisedCode)
  const [conflicting, seatReservation, codeReservation] = await Promise.all([
    findConflictingAnswer(sql, eventId, rules, answers),
    checkSeats(sql, eventId, answers, category, at),
    externalContext?.code == null
      ? null
      : findCodeAt(sql, eventId, externalContext.code.normalisedCode, externalContext.holdMs, at),
    // Reads the rules in advance, so that storing the answers does not have to wait for them.
    readIndexedRules(sql, eventId),
  ])
  if (conflicting !== null) return { refusal: createAlreadyRegistered(unique, rules, conflicting) }
  if ('code' in seatReservation) return { refusal: seatReservation }
  if (externalContext === undefined) return { refusal: null, codeId: null, seatReservation }
  const { memberListRows, code } = externalContext
  const isListed = await everyInOrder(memberListRows, async ({ memberList, key, cells }) => {
    const row = await readMemberListRow(sql, eventId, memberList, key)
    return row !== null && Object.entries(cells).every(([id, cell]) => getOwn(row, id) === cell)
  })
  if (!isListed) return { refusal: { code: 'facts_moved' } }
  if (code === null || codeReservation === null)
    return { refusal: null, codeId: null, seatReservation }
  const { id, status: codeStatus } = codeReservation
  if (codeStatus.is !== 'valid') return { refusal: { code: 'code_gone', is: codeStatus.is } }
  if (codeStatus.kind !== code.kind) return { refusal: { code: 'facts_moved' } }
  return { refusal: null, codeId: id, seatReservation }
}

/** Stores the answers and the code of a new registration. */
export async function saveAnswersAndCode(
  sql: Sql,
  id: number,
  { eventId, answers, externalContext }: SeatRequest,
  { codeId }: Availability,
): Promise<void> {
  await indexAnswers(sql, eventId, id, externalContext?.unique ?? [], answers)
  if (codeId !== null) recordCodeUse(sql, id, codeId)
}

/**
 * Checks whether a registration whose hold has expired can still be paid: other registrations may have taken its
 * seats or used its code. Ignores the registration's own holds. Returns null if it can be paid.
 */
export async function checkStillAvailable(
  sql: Sql,
  id: number,
  {
    eventId,
    answers,
    externalContext,
    at,
  }: Pick<SeatRequest, 'eventId' | 'answers' | 'at'> & {
    readonly externalContext: Pick<ExternalContext, 'unique' | 'holdMs'> | null | undefined
  },
): Promise<ContextRefusal | null> {
  const rules = (externalContext?.unique ?? []).filter(({ onDuplicate }) => onDuplicate === 'block')
  lockUniqueAnswers(sql, eventId, rules, answers)
  const code = externalContext == null ? null : await findUsedCode(sql, id)
  if (code !== null) lockCode(sql, eventId, code)
  const unavailableSeat = await findUnavailableSeat(sql, id, at)
  if (unavailableSeat !== null) return { code: 'full', place: unavailableSeat.place }
  if (externalContext == null) return null
  const { unique, holdMs } = externalContext
  const conflicting = await findConflictingAnswer(sql, eventId, rules, answers, id)
  if (conflicting !== null) return createAlreadyRegistered(unique, rules, conflicting)
  if (code === null) return null
  const { status: codeStatus } = await findCodeAt(sql, eventId, code, holdMs, at, id)
  // Ignores the code's last valid day, because the registration used the code in time.
  return codeStatus.is === 'valid' || codeStatus.is === 'over'
    ? null
    : { code: 'code_gone', is: codeStatus.is }
}

/**
 * Returns the registration that blocks these answers under a uniqueness rule, even if other reasons for a refusal
 * exist. Null if no registration blocks them.
 */
export async function findDuplicateRegistration(
  sql: Sql,
  eventId: string,
  unique: readonly UniqueRule[],
  answers: Answers,
): Promise<ContextRefusal | null> {
  const rules = unique.filter(({ onDuplicate }) => onDuplicate === 'block')
  const conflicting = await findConflictingAnswer(sql, eventId, rules, answers)
  return conflicting === null ? null : createAlreadyRegistered(unique, rules, conflicting)
}

/**
 * Creates the refusal. Converts the position of the rule among the checked rules to its position among all rules of the
 * event.
 */
function createAlreadyRegistered(
  allRules: readonly UniqueRule[],
  checkedRules: readonly UniqueRule[],
  { rule, regNo }: { readonly rule: number; readonly regNo: RegNo },
): ContextRefusal {
  return {
    code: 'registered_already',
    rule: allRules.findIndex((uniqueRule) => uniqueRule === checkedRules[rule]),
    regNo,
  }
}
