/**
 * Looks up the pricing context of a registration: discount code, member list rows and seats left.
 * Everything is checked again in the transaction that registers.
 */
import {
  allSeatPools,
  CODE,
  dayOf,
  foldCode,
  foldText,
  EMPTY_CONTEXT,
  normalise,
  getOwn,
  memoize,
  uniqueRules,
} from '../../engine/index.ts'
import type { EventConfig, PricingContext, Instant, RawAnswers } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import type { Outside } from '../storage/index.ts'
import { codeStatus } from './discount-code-status.ts'

/** Member list column with the last day on which a row is valid. */
const VALID_TO = 'valid_to'

/** How long a check of the seats may be reused if seats of each kind were left. */
const LOOK_KEPT_MS = 1_000

/** Body field that says that the delegate accepted the offer. A code has the name that conditions use for it. */
const CONFIRMED_NAME = 'confirmed'

/** Checks of seat availability; `lately` null: there is none recent enough. */
export type ContextLookups = {
  readonly lately: (event: EventConfig, at: Instant) => PricingContext['left'] | null
  readonly now: (event: EventConfig, at: Instant) => Promise<PricingContext['left']>
}

/**
 * Availability is decided in the transaction that registers, so a check a moment ago is good enough to prepare
 * it. Where something is full, each request checks again, because the price may depend on it.
 */
export function looksAtPlaces(deps: Pick<Deps, 'store' | 'events'>): ContextLookups {
  const kept = new Map<string, { readonly left: PricingContext['left']; readonly at: Instant }>()
  // A changed event file may have other quotas.
  deps.events.onChange(() => kept.clear())
  return {
    lately: (event, at) => {
      if (event.quotas.length === 0) return {}
      const look = kept.get(event.id)
      return look !== undefined && look.at <= at && at < look.at + LOOK_KEPT_MS ? look.left : null
    },
    now: async (event, at) => {
      const left = await leftOf(deps, event, at)
      if (isAllThere(left)) kept.set(event.id, { left, at })
      else kept.delete(event.id)
      return left
    },
  }
}

export function isAllThere(left: PricingContext['left']): boolean {
  return Object.values(left).every((places) => places > 0)
}

export type FoundOut = { readonly facts: PricingContext; readonly outside: Outside }

/**
 * `raw`: the answers as sent. A name that the event does not use is an ordinary answer or is ignored. Does no
 * query for an event without office lists.
 */
export function factsOf(
  deps: Pick<Deps, 'store'>,
  event: EventConfig,
  raw: RawAnswers,
  left: PricingContext['left'],
  at: Instant,
): FoundOut | Promise<FoundOut> {
  if (event.codeKinds.length > 0 || event.memberLists.length > 0)
    return factsFromLists(deps, event, raw, left, at)
  const facts = event.quotas.length === 0 ? EMPTY_CONTEXT : { ...EMPTY_CONTEXT, left }
  return { facts, outside: outsideOf(event, raw, null, []) }
}

async function factsFromLists(
  deps: Pick<Deps, 'store'>,
  event: EventConfig,
  raw: RawAnswers,
  left: PricingContext['left'],
  at: Instant,
): Promise<FoundOut> {
  const typed = event.codeKinds.length === 0 ? '' : textOf(getOwn(raw, CODE))
  const code = typed === '' ? null : await codeStatus(deps, event, typed, at)
  const given: PricingContext = { code, left, rolls: {} }
  const rolled = await rollsOf(deps, event, raw, given, at)
  const used = code?.is === 'valid' ? { folded: foldCode(typed), kind: code.kind } : null
  return {
    facts: { ...given, rolls: rolled.facts },
    outside: outsideOf(event, raw, used, rolled.rows),
  }
}

function outsideOf(
  event: EventConfig,
  raw: RawAnswers,
  code: Outside['code'],
  rolls: Outside['rolls'],
): Outside {
  return {
    unique: uniqueRules(event),
    isConfirmed: event.unique.length > 0 && textOf(getOwn(raw, CONFIRMED_NAME)) === 'true',
    code,
    rolls,
    holdMs: event.holdSeatsMs,
  }
}

/** Returns how many seats of each kind are left; a kind that is absent is unlimited. */
export async function leftOf(
  { store }: Pick<Deps, 'store'>,
  event: EventConfig,
  at: Instant,
): Promise<PricingContext['left']> {
  return event.quotas.length === 0 ? {} : store.placesLeft(event.id, fewOf(event), at)
}

const fewOf = memoize(({ quotas }: EventConfig): Readonly<Record<string, number>> =>
  Object.fromEntries(
    allSeatPools(quotas).flatMap(({ id, limit: { few } }) =>
      few === undefined ? [] : [[id, few]],
    ),
  ),
)

/** Returns true if the request needs a look-up in the office's lists. */
export function asksOutside(event: EventConfig, raw: RawAnswers): boolean {
  return (
    (event.codeKinds.length > 0 && textOf(getOwn(raw, CODE)) !== '') ||
    (event.memberLists.length > 0 &&
      event.fields.some(({ id, roll }) => roll !== undefined && textOf(getOwn(raw, id)) !== ''))
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string'
    ? value.trim()
    : typeof value === 'boolean' || typeof value === 'number'
      ? String(value)
      : ''
}

/** Returns the member list row that matches the typed value today; null: none. */
export async function rowOf(
  { store }: Pick<Deps, 'store'>,
  event: EventConfig,
  roll: string,
  typed: string,
  at: Instant,
): Promise<Readonly<Record<string, string>> | null> {
  const key = foldText(typed)
  const row = key === '' ? null : await store.rollRow(event.id, roll, key)
  const last = row === null ? undefined : getOwn(row, VALID_TO)
  return last !== undefined && last !== '' && last < dayOf(at) ? null : row
}

/** Returns the cells that conditions can use: those of columns with choices. */
export function cellsThatCount(
  event: EventConfig,
  roll: string,
  row: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const columns = event.memberLists.find(({ id }) => id === roll)?.columns ?? []
  return Object.fromEntries(
    columns.flatMap(({ id, type }) => {
      const cell = getOwn(row, id)
      return type === 'choice' && cell !== undefined && cell !== '' ? [[id, cell]] : []
    }),
  )
}

/** Which fields are visible may depend on member list results, so this repeats until no further answer appears. */
async function rollsOf(
  deps: Pick<Deps, 'store'>,
  event: EventConfig,
  raw: RawAnswers,
  given: PricingContext,
  at: Instant,
): Promise<{ readonly facts: PricingContext['rolls']; readonly rows: Outside['rolls'] }> {
  let facts: PricingContext['rolls'] = {}
  let rows: Outside['rolls'] = []
  const fields = event.fields.filter(({ roll }) => roll !== undefined)
  for (let round = 0; round <= fields.length && fields.length > 0; round++) {
    const { answers } = normalise(event, raw, { ...given, rolls: facts })
    const answered = fields.filter(({ id }) => getOwn(answers, id) !== undefined)
    const before = Object.keys(facts)
    if (round > 0 && answered.map(({ id }) => id).join() === before.join()) break
    const found: [string, Readonly<Record<string, string>> | null][] = []
    const stood: Outside['rolls'][number][] = []
    for (const { id, roll = '' } of answered) {
      const typed = String(getOwn(answers, id))
      const row = await rowOf(deps, event, roll, typed, at)
      const cells = row === null ? null : cellsThatCount(event, roll, row)
      found.push([id, cells])
      if (cells !== null) stood.push({ roll, key: foldText(typed), cells })
    }
    facts = Object.fromEntries(found)
    rows = stood
  }
  return { facts, rows }
}
