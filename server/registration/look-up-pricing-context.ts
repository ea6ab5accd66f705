/**
 * Looks up the pricing context of a registration: discount code, member list rows and seats left.
 * Everything is checked again in the transaction that registers.
 */
import {
  listSeatPools,
  CODE_NAME,
  foldCode,
  foldText,
  EMPTY_CONTEXT,
  getInvalidMessage,
  normalise,
  getOwn,
  memoize,
  listUniqueRules,
} from '../../engine/index.ts'
import type {
  EventConfig,
  FieldErrors,
  PricingContext,
  Instant,
  RawAnswers,
} from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import type { ExternalContext } from '../storage/index.ts'
import { findMemberRow, getCodeStatus, pickConditionCells } from './find-valid-code-or-member.ts'

/** An availability check may be reused for this long if it found free seats of every kind. */
const AVAILABILITY_CACHE_MS = 1_000

/** The body field that confirms a registration that may be a duplicate. */
const CONFIRMED_FIELD = 'confirmed'

/** Checks of seat availability; `getRecent` returns null if no check is recent enough. */
export type AvailabilityChecks = {
  readonly getRecent: (event: EventConfig, at: Instant) => PricingContext['left'] | null
  readonly getFresh: (event: EventConfig, at: Instant) => Promise<PricingContext['left']>
}

/**
 * The registering transaction makes the final availability check, so a recent check is enough to prepare it. If a
 * quota is full, each request checks again, because the price may depend on it.
 */
export function openAvailabilityChecks(deps: Pick<Deps, 'store' | 'events'>): AvailabilityChecks {
  const recentChecks = new Map<
    string,
    { readonly left: PricingContext['left']; readonly at: Instant }
  >()
  // A changed event file may have other quotas.
  deps.events.onChange(() => recentChecks.clear())
  return {
    getRecent: (event, at) => {
      if (event.quotas.length === 0) return {}
      const check = recentChecks.get(event.id)
      return check !== undefined && check.at <= at && at < check.at + AVAILABILITY_CACHE_MS
        ? check.left
        : null
    },
    getFresh: async (event, at) => {
      const seatsLeft = await readSeatsLeft(deps, event, at)
      if (hasSeatsForAnyRequest(event, seatsLeft))
        recentChecks.set(event.id, { left: seatsLeft, at })
      else recentChecks.delete(event.id)
      return seatsLeft
    },
  }
}

/** Returns true if enough seats are left for any registration, so that the decision can be left to the transaction. */
const hasSeatsForAnyRequest = (
  { quotas }: EventConfig,
  seatsLeft: PricingContext['left'],
): boolean =>
  hasSeatsOfEachKind(seatsLeft) &&
  quotas.every(
    ({ id, count, maxCount = Infinity }) =>
      count === undefined || (getOwn(seatsLeft, id) ?? Infinity) >= maxCount,
  )

export function hasSeatsOfEachKind(seatsLeft: PricingContext['left']): boolean {
  return Object.values(seatsLeft).every((seats) => seats > 0)
}

export type ContextResult = {
  readonly context: PricingContext
  readonly externalContext: ExternalContext
}

/**
 * Builds the context of the answers as sent (`raw`). A name that the event does not use is an ordinary answer or is
 * ignored. Runs no query for an event with neither discount codes nor member lists.
 */
export function buildPricingContext(
  deps: Pick<Deps, 'store'>,
  event: EventConfig,
  raw: RawAnswers,
  seatsLeft: PricingContext['left'],
  at: Instant,
): ContextResult | Promise<ContextResult> {
  if (event.codeKinds.length > 0 || event.memberLists.length > 0)
    return buildContextFromLists(deps, event, raw, seatsLeft, at)
  const context = event.quotas.length === 0 ? EMPTY_CONTEXT : { ...EMPTY_CONTEXT, left: seatsLeft }
  return { context, externalContext: buildExternalContext(event, raw, null, []) }
}

async function buildContextFromLists(
  deps: Pick<Deps, 'store'>,
  event: EventConfig,
  raw: RawAnswers,
  seatsLeft: PricingContext['left'],
  at: Instant,
): Promise<ContextResult> {
  const sentCode = event.codeKinds.length === 0 ? null : getOwn(raw, CODE_NAME)
  const typed = toText(sentCode)
  const isOtherType = typeof sentCode === 'object' && sentCode !== null
  const code = typed === '' && !isOtherType ? null : await getCodeStatus(deps, event, typed, at)
  const context: PricingContext = { code, left: seatsLeft, memberRecords: {} }
  const memberLookups = await lookUpMembers(deps, event, raw, context, at)
  const usedCode =
    code?.is === 'valid' ? { normalisedCode: foldCode(typed), kind: code.kind } : null
  return {
    context: { ...context, memberRecords: memberLookups.cells },
    externalContext: buildExternalContext(event, raw, usedCode, memberLookups.rows),
  }
}

function buildExternalContext(
  event: EventConfig,
  raw: RawAnswers,
  code: ExternalContext['code'],
  memberLists: ExternalContext['memberListRows'],
): ExternalContext {
  return {
    unique: listUniqueRules(event),
    isConfirmed: event.unique.length > 0 && toText(getOwn(raw, CONFIRMED_FIELD)) === 'true',
    code,
    memberListRows: memberLists,
    holdMs: event.holdSeatsMs,
  }
}

/** Returns the number of seats left of each kind; a kind that is absent is unlimited. */
export async function readSeatsLeft(
  { store }: Pick<Deps, 'store'>,
  event: EventConfig,
  at: Instant,
): Promise<PricingContext['left']> {
  return event.quotas.length === 0
    ? {}
    : store.availableSeats(event.id, getFewSeatsThresholds(event), at)
}

const getFewSeatsThresholds = memoize(({ quotas }: EventConfig): Readonly<Record<string, number>> =>
  Object.fromEntries(
    // One registration may use all seats left in a quota that counts people or tickets.
    listSeatPools(quotas).map(({ id, max, quota: { count, few = 0 } }) => [
      id,
      count === undefined ? few : Math.max(few, max),
    ]),
  ),
)

/** Returns true if the request needs a look-up of a discount code or member number. */
export function needsListLookup(event: EventConfig, raw: RawAnswers): boolean {
  return (
    (event.codeKinds.length > 0 && toText(getOwn(raw, CODE_NAME)) !== '') ||
    (event.memberLists.length > 0 &&
      event.fields.some(
        ({ id, roll: memberList }) => memberList !== undefined && toText(getOwn(raw, id)) !== '',
      ))
  )
}

function toText(value: unknown): string {
  return typeof value === 'string'
    ? value.trim()
    : typeof value === 'boolean' || typeof value === 'number'
      ? String(value)
      : ''
}

/**
 * Looks up the member numbers in the answers. A result can make more fields visible, so this repeats until no further
 * field appears.
 */
async function lookUpMembers(
  deps: Pick<Deps, 'store'>,
  event: EventConfig,
  raw: RawAnswers,
  context: PricingContext,
  at: Instant,
): Promise<{
  readonly cells: PricingContext['memberRecords']
  readonly rows: ExternalContext['memberListRows']
}> {
  let cellsByField: PricingContext['memberRecords'] = {}
  let rows: ExternalContext['memberListRows'] = []
  const fields = event.fields.filter(({ roll: memberList }) => memberList !== undefined)
  for (let round = 0; round <= fields.length && fields.length > 0; round++) {
    const { answers } = normalise(event, raw, { ...context, memberRecords: cellsByField })
    const answeredFields = fields.filter(({ id }) => getOwn(answers, id) !== undefined)
    const knownFields = Object.keys(cellsByField)
    if (round > 0 && answeredFields.map(({ id }) => id).join() === knownFields.join()) break
    const cellEntries: [string, Readonly<Record<string, string>> | null][] = []
    const matchedRows: ExternalContext['memberListRows'][number][] = []
    for (const { id, roll: memberList = '' } of answeredFields) {
      const typed = String(getOwn(answers, id))
      const row = await findMemberRow(deps, event, memberList, typed, at)
      const cells = row === null ? null : pickConditionCells(event, memberList, row)
      cellEntries.push([id, cells])
      if (cells !== null) matchedRows.push({ memberList, key: foldText(typed), cells })
    }
    cellsByField = Object.fromEntries(cellEntries)
    rows = matchedRows
  }
  return { cells: cellsByField, rows }
}

/** Returns the event file's message for each field whose answer is not in any member list. */
export function findMemberListErrors(
  event: EventConfig,
  { memberRecords: memberLists }: PricingContext,
): FieldErrors {
  return Object.fromEntries(
    event.fields.flatMap((field) =>
      getOwn(memberLists, field.id) === null ? [[field.id, getInvalidMessage(field)] as const] : [],
    ),
  )
}
