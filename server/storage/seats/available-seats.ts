/**
 * Checks whether seats are left under the quotas of an event, and reserves them for a new registration. An expired hold
 * is removed only when another registration needs the seat, so that setting the clock back cannot cause the seat to be
 * sold twice.
 */
import { expressionBuilder } from 'kysely'
import type { Selectable } from 'kysely'
import { findInOrder, mapInOrder } from '../database/in-order.ts'
import { getOwn, instant, listRequiredSeats } from '../../../engine/index.ts'
import type { Answers, Instant, SeatPool } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import type { ContextRefusal } from '../registrations/pricing-context-types.ts'
import { lockLostSeats, lockSeats } from '../database/row-locks.ts'
import type { StoredSeats, UnavailableSeat } from './seat-types.ts'
import {
  readEarlierRegistration,
  reserveSeatsOfEarlierRegistration,
} from './seats-of-earlier-registrations.ts'
import { readQuotas, listSeatTypes } from './stored-quotas.ts'
import { decideWhileCounting, computeSeatBounds, throwUndecided } from './undecided-seats.ts'

type FullRefusal = ContextRefusal & { readonly code: 'full' }

/** `counting`: the event's seat types that do not yet count all earlier registrations; see `stored-quotas.ts`. */
type SeatTypeRow = Selectable<Tables['places']> & { readonly counting: string | null }

/** A seat type, and the number of its seats that a registration needs. */
type RequestedSeats = SeatTypeRow & { readonly quantity: number }

type EventParams = { eventId: string }
const SEAT_COLUMNS = ['id', 'event_id', 'place', 'max', 'taken', 'name'] as const
const quotasQuery = expressionBuilder<Tables, 'places'>()
const selectUncountedSeatTypes = () =>
  quotasQuery
    .selectFrom('event_limits')
    .select('counting')
    .whereRef('event_limits.event_id', '=', 'places.event_id')
    .as('counting')
export const seatTypeOfEvent = statement(
  (builder, { eventId, place }: EventParams & { place: string }) =>
    builder
      .selectFrom('places')
      .select(SEAT_COLUMNS)
      .select(selectUncountedSeatTypes)
      .where('event_id', '=', eventId)
      .where('place', '=', place),
)
const seatTypesOfEvent = statement((builder, { eventId }: EventParams) =>
  builder
    .selectFrom('places')
    .select(SEAT_COLUMNS)
    .select(selectUncountedSeatTypes)
    .where('event_id', '=', eventId),
)
const lostSeatsOfRegistration = statement(
  (builder, { registrationId }: { registrationId: number }) =>
    builder
      .selectFrom('places')
      .innerJoin('places_taken as lost', 'lost.place_id', 'places.id')
      .select(['id', 'event_id', 'place', 'max', 'taken', 'name', 'lost.quantity'])
      .select(selectUncountedSeatTypes)
      .where('lost.registration_id', '=', registrationId)
      .where('lost.state', '=', 'free')
      .orderBy('id'),
)
/** `except`: the registration that needs the seat, whose own hold is not released. 0 for a new registration. */
type Expiry = { placeId: number; at: Instant; except: number }
const fromSeat = expressionBuilder<Tables, 'places_taken'>()
/**
 * Returns the SQL condition that the seat's hold has expired. A hold does not expire while the bank is processing a
 * payment.
 */
const hasExpiredHold = ({ placeId, at, except }: Expiry) =>
  fromSeat.and([
    fromSeat('places_taken.place_id', '=', placeId),
    fromSeat('places_taken.registration_id', '<>', except),
    fromSeat('places_taken.state', '=', 'held'),
    fromSeat('places_taken.until', '<=', at),
    fromSeat.not(
      fromSeat.exists(
        fromSeat
          .selectFrom('payments as p')
          .select('p.id')
          .whereRef('p.registration_id', '=', 'places_taken.registration_id')
          .where('p.status', '=', 'pending')
          .where('p.last_answer', '=', 'in-process'),
      ),
    ),
  ])
const releaseExpiredHolds = statement((builder, expiry: Expiry) =>
  builder
    .updateTable('places_taken')
    .set({ state: 'free', until: null })
    .where(hasExpiredHold(expiry)),
)
const expiredHoldCount = statement((builder, expiry: Expiry) =>
  builder
    .selectFrom('places_taken')
    .select(({ fn }) => fn.sum<number | null>('quantity').as('n'))
    .where(hasExpiredHold(expiry)),
)
type NewSeatHold = {
  registrationId: number
  state: string
  until: Instant | null
  quantity: number
}
const takeSeat = statement(
  (
    builder,
    { registrationId, placeId, state, until, quantity }: NewSeatHold & { placeId: number },
  ) =>
    builder
      .insertInto('places_taken')
      .values({ registration_id: registrationId, place_id: placeId, state, until, quantity }),
)
type TrustedParams = EventParams & { names: readonly string[] }
/** PostgreSQL only, like `trustedSeatCheck`, which divides by zero if a seat was taken twice. */
const takeTrustedSeats = statement(
  (
    builder,
    { registrationId, state, until, quantity, eventId, names }: NewSeatHold & TrustedParams,
  ) =>
    builder
      .insertInto('places_taken')
      .columns(['registration_id', 'place_id', 'state', 'until', 'quantity'])
      .expression(
        builder
          .selectFrom('places')
          .select(({ val }) => [
            val(registrationId).as('registration_id'),
            'id as place_id',
            val(state).as('state'),
            val(until).as('until'),
            val(quantity).as('quantity'),
          ])
          .where('event_id', '=', eventId)
          .where(({ eb, fn, val }) => eb('place', '=', fn.any(val(names))))
          .orderBy('id'),
      ),
)
const trustedSeatCheck = statement((builder, { eventId, names }: TrustedParams) =>
  builder
    .selectFrom('places')
    .select(({ eb, fn, lit, ref }) =>
      eb(
        lit(1 as number),
        '/',
        eb
          .case()
          .when(fn<boolean>('bool_or', [eb('taken', '>', ref('max'))]))
          .then(0)
          .else(1)
          .end(),
      ).as('left'),
    )
    .where('event_id', '=', eventId)
    .where(({ eb, fn, val }) => eb('place', '=', fn.any(val(names)))),
)

/** The seats to reserve for a registration. */
export type SeatReservation = {
  readonly seats: readonly { readonly id: number; readonly quantity: number }[]
  readonly holdMs: number
  /** Seats that are reserved without a check; see `Batch`. */
  readonly trusted?: readonly Pick<SeatPool, 'id' | 'quantity'>[]
}

/** Checks whether seats are available for these answers. Reserves no seats. */
export async function checkSeats(
  sql: Sql,
  eventId: string,
  answers: Answers,
  category: string | null,
  at: Instant,
): Promise<SeatReservation | FullRefusal> {
  const limits = await readQuotas(sql, eventId)
  if (limits === null) return { seats: [], holdMs: 0 }
  const availableSeats: { id: number; quantity: number }[] = []
  const seats = listRequiredSeats(limits.limits, answers, category)
  if (limits.counting.length === 0 && sql.batch?.trustsSeats === true)
    return { seats: [], holdMs: limits.holdMs, trusted: seats }
  lockSeats(
    sql,
    eventId,
    seats.map(({ id }) => id),
  )
  for (const { id, quantity } of seats) {
    const pool = await seatTypeOfEvent.get(sql, { eventId, place: id })
    if (pool === undefined) continue
    const isAvailable = await hasSeatsLeft(sql, { ...pool, quantity }, at)
    if (isAvailable === null) throwUndecided()
    if (!isAvailable) return { code: 'full', place: id }
    availableSeats.push({ id: pool.id, quantity })
  }
  return { seats: availableSeats, holdMs: limits.holdMs }
}

/**
 * Returns true if enough seats are left, and releases expired holds if necessary. Null if this cannot be decided until
 * more earlier registrations have been counted.
 */
export async function hasSeatsLeft(
  sql: Sql,
  pool: RequestedSeats,
  at: Instant,
  exceptId = 0,
): Promise<boolean | null> {
  const { id, event_id: eventId, place, max, taken, quantity } = pool
  const isUncounted = isCounting(pool)
  if (isUncounted) {
    const isDecidedAvailable = await decideWhileCounting(sql, pool)
    if (isDecidedAvailable !== null) return isDecidedAvailable
  }
  if (taken + quantity <= max) return isUncounted ? null : true
  const releasedHoldCount = await releaseExpiredHolds.run(sql, {
    placeId: id,
    at,
    except: exceptId,
  }).changes
  if (releasedHoldCount === 0) return false
  const { taken: takenAfterRelease = taken } =
    (await seatTypeOfEvent.get(sql, { eventId, place })) ?? {}
  return takenAfterRelease + quantity <= max ? (isUncounted ? null : true) : false
}

/** Reserves the seats. If a payment is due (`isDue`), holds them; otherwise keeps them. */
export function reserveQuotas(
  sql: Sql,
  registrationId: number,
  { seats, holdMs, trusted = [] }: SeatReservation,
  {
    eventId,
    isDue,
    at,
  }: { readonly eventId: string; readonly isDue: boolean; readonly at: Instant },
): void {
  const newHold = isDue
    ? { registrationId, state: 'held', until: instant(at + holdMs) }
    : { registrationId, state: 'kept', until: null }
  if (trusted.length > 0) {
    for (const [quantity, pools] of Map.groupBy(trusted, (pool) => pool.quantity))
      takeTrustedSeats.run(sql, {
        ...newHold,
        quantity,
        eventId,
        names: pools.map(({ id }) => id),
      })
    trustedSeatCheck.check(sql, { eventId, names: trusted.map(({ id }) => id) })
  }
  for (const { id: placeId, quantity } of seats)
    takeSeat.run(sql, { ...newHold, placeId, quantity })
}

/**
 * Returns the first seat of a registration that another registration has taken in the meantime. Null if the
 * registration has all its seats, or can take them back.
 */
export async function findUnavailableSeat(
  sql: Sql,
  registrationId: number,
  at: Instant,
): Promise<UnavailableSeat | null> {
  const lostSeatRows = await findLostSeats(sql, registrationId)
  const unavailableSeat = await findInOrder(
    lostSeatRows,
    // Until this can be decided, no payment is refused.
    async (pool) => (await hasSeatsLeft(sql, pool, at)) === false,
  )
  return unavailableSeat === undefined ? null : toUnavailableSeat(unavailableSeat)
}

/** Returns the seats that a registration has lost and that another registration may have taken. */
async function findLostSeats(sql: Sql, registrationId: number): Promise<readonly RequestedSeats[]> {
  const [lostSeats, earlierRegistration] = await Promise.all(readLostSeats(sql, registrationId))
  if (earlierRegistration === undefined) return lostSeats
  await reserveSeatsOfEarlierRegistration(sql, registrationId)
  return lostSeatsOfRegistration.all(sql, { registrationId })
}

/** Sends the queries for the seats that a registration has lost, so that the caller can await the results later. */
export function readLostSeats(
  sql: Sql,
  registrationId: number,
): readonly [Promise<readonly RequestedSeats[]>, ReturnType<typeof readEarlierRegistration>] {
  lockLostSeats(sql, registrationId)
  return [
    lostSeatsOfRegistration.all(sql, { registrationId }),
    readEarlierRegistration(sql, registrationId),
  ]
}

export const toUnavailableSeat = ({ place, name }: SeatTypeRow): UnavailableSeat => ({
  place,
  name: name ?? place,
})

/**
 * Returns the number of seats left of each type, keyed by name. Negative if staff exceeded the quota. Expired holds
 * count as available if no other seats are left, or so few that the form shows the number (`seatCounts`, keyed by seat
 * type). If more seats are left, expired holds make no difference, and one statement is enough for all seat types.
 */
export async function countAvailableSeats(
  sql: Sql,
  eventId: string,
  seatCounts: Readonly<Record<string, number>>,
  at: Instant,
): Promise<Record<string, number>> {
  return Object.fromEntries(
    await mapInOrder(await seatTypesOfEvent.all(sql, { eventId }), async (pool) => {
      const { id, place, max } = pool
      const seatsLeft = max - (await countTakenSeats(sql, pool))
      return [
        place,
        seatsLeft > (getOwn(seatCounts, place) ?? 0)
          ? seatsLeft
          : seatsLeft + (await countExpiredHolds(sql, id, at)),
      ]
    }),
  )
}

async function countExpiredHolds(sql: Sql, placeId: number, at: Instant): Promise<number> {
  return (await expiredHoldCount.get(sql, { placeId, at, except: 0 }))?.n ?? 0
}

/**
 * Returns the taken seats of every seat type of the event, unordered. Held seats count as taken. With `at`, they count
 * only until their hold expires.
 */
export async function listTakenSeats(
  sql: Sql,
  eventId: string,
  at?: Instant,
): Promise<readonly StoredSeats[]> {
  return mapInOrder(await seatTypesOfEvent.all(sql, { eventId }), async (pool) => ({
    quotaKey: pool.place,
    max: pool.max,
    taken:
      (await countTakenSeats(sql, pool)) -
      (at === undefined ? 0 : await countExpiredHolds(sql, pool.id, at)),
  }))
}

/** Counts the taken seats. While earlier registrations are still being counted, the result is a lower bound. */
async function countTakenSeats(sql: Sql, pool: SeatTypeRow): Promise<number> {
  return isCounting(pool)
    ? Math.max(pool.taken, (await computeSeatBounds(sql, pool)).minSeats)
    : pool.taken
}

const isCounting = ({ counting, place }: SeatTypeRow): boolean =>
  listSeatTypes(counting).includes(place)
