/**
 * Checks whether seats are left under the quotas of an event, and reserves them for a new registration.
 * An expired hold is removed only when another registration needs the seat, so that a clock that is set back
 * cannot sell the seat twice.
 */
import { expressionBuilder } from 'kysely'
import type { Selectable } from 'kysely'
import { findInOrder, mapInOrder } from '../database/in-order.ts'
import { getOwn, instant, requiredSeats } from '../../../engine/index.ts'
import type { Answers, Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import type { ContextRefusal } from '../registrations/pricing-context-types.ts'
import { lockLostSeats, lockSeats } from '../database/row-locks.ts'
import type { StoredSeats, UnavailableSeat } from './seat-types.ts'
import { readEarlier, reserveEarlierSeats } from './seats-of-earlier-registrations.ts'
import { limitsOf, seatTypesIn } from './stored-quotas.ts'
import { decideWhileCounting, seatBounds, throwUndecided } from './undecided-seats.ts'

type FullRefusal = ContextRefusal & { readonly code: 'full' }

/** `counting`: the seat types of its event that do not yet count all earlier registrations; see `stored-quotas.ts`. */
type PlaceRow = Selectable<Tables['places']> & { readonly counting: string | null }

type EventParams = { eventId: string }
const SEAT = ['id', 'event_id', 'place', 'max', 'taken', 'name'] as const
const quotasQuery = expressionBuilder<Tables, 'places'>()
const countingOfEvent = () =>
  quotasQuery
    .selectFrom('event_limits')
    .select('counting')
    .whereRef('event_limits.event_id', '=', 'places.event_id')
    .as('counting')
export const seatOfEvent = statement(
  (builder, { eventId, place }: EventParams & { place: string }) =>
    builder
      .selectFrom('places')
      .select(SEAT)
      .select(countingOfEvent)
      .where('event_id', '=', eventId)
      .where('place', '=', place),
)
const seatsOfEvent = statement((builder, { eventId }: EventParams) =>
  builder.selectFrom('places').select(SEAT).select(countingOfEvent).where('event_id', '=', eventId),
)
const seatsLostBy = statement((builder, { registrationId }: { registrationId: number }) =>
  builder
    .selectFrom('places')
    .select(SEAT)
    .select(countingOfEvent)
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('places_taken')
        .select('place_id')
        .where('registration_id', '=', registrationId)
        .where('state', '=', 'free'),
    )
    .orderBy('id'),
)
type Expiry = { placeId: number; at: Instant }
const fromSeat = expressionBuilder<Tables, 'places_taken'>()
/** The seat's hold has expired. It does not expire while the bank is processing a payment. */
const holdHasExpired = ({ placeId, at }: Expiry) =>
  fromSeat.and([
    fromSeat('places_taken.place_id', '=', placeId),
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
const freeExpired = statement((builder, expiry: Expiry) =>
  builder
    .updateTable('places_taken')
    .set({ state: 'free', until: null })
    .where(holdHasExpired(expiry)),
)
const countExpired = statement((builder, expiry: Expiry) =>
  builder
    .selectFrom('places_taken')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where(holdHasExpired(expiry)),
)
type NewSeatHold = { registrationId: number; state: string; until: Instant | null }
const takeSeat = statement(
  (builder, { registrationId, placeId, state, until }: NewSeatHold & { placeId: number }) =>
    builder
      .insertInto('places_taken')
      .values({ registration_id: registrationId, place_id: placeId, state, until }),
)
type TrustedParams = EventParams & { names: readonly string[] }
/** PostgreSQL only, like the check that no seat was taken twice: it divides by zero otherwise. */
const takeTrustedSeats = statement(
  (builder, { registrationId, state, until, eventId, names }: NewSeatHold & TrustedParams) =>
    builder
      .insertInto('places_taken')
      .columns(['registration_id', 'place_id', 'state', 'until'])
      .expression(
        builder
          .selectFrom('places')
          .select(({ val }) => [
            val(registrationId).as('registration_id'),
            'id as place_id',
            val(state).as('state'),
            val(until).as('until'),
          ])
          .where('event_id', '=', eventId)
          .where(({ eb, fn, val }) => eb('place', '=', fn.any(val(names))))
          .orderBy('id'),
      ),
)
const trustedSeatsAreLeft = statement((builder, { eventId, names }: TrustedParams) =>
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

/** The reservations of a registration, if everything is available. */
export type SeatReservation = {
  readonly ids: readonly number[]
  readonly holdMs: number
  /** Seats that are taken without a check, by name; see `Batch`. */
  readonly trusted?: readonly string[]
}

/** Checks whether there are seats for these answers; reserves nothing yet. */
export async function roomFor(
  sql: Sql,
  eventId: string,
  answers: Answers,
  category: string | null,
  at: Instant,
): Promise<SeatReservation | FullRefusal> {
  const known = await limitsOf(sql, eventId)
  if (known === null) return { ids: [], holdMs: 0 }
  const ids: number[] = []
  const seats = requiredSeats(known.limits, answers, category)
  if (known.counting.length === 0 && sql.batch?.trustsSeats === true)
    return { ids, holdMs: known.holdMs, trusted: seats.map(({ id }) => id) }
  lockSeats(
    sql,
    eventId,
    seats.map(({ id }) => id),
  )
  for (const { id } of seats) {
    const pool = await seatOfEvent.get(sql, { eventId, place: id })
    if (pool === undefined) continue
    const isAvailable = await hasRoom(sql, pool, at)
    if (isAvailable === null) throwUndecided()
    if (!isAvailable) return { code: 'full', place: id }
    ids.push(pool.id)
  }
  return { ids, holdMs: known.holdMs }
}

/**
 * If no seat is left, expired holds are released. Null if it cannot be decided until more earlier registrations are
 * counted.
 */
export async function hasRoom(sql: Sql, pool: PlaceRow, at: Instant): Promise<boolean | null> {
  const { id, max, taken } = pool
  const isCounting = isStillCounting(pool)
  if (isCounting) {
    const decided = await decideWhileCounting(sql, pool)
    if (decided !== null) return decided
  }
  if (taken < max) return isCounting ? null : true
  const changes = await freeExpired.run(sql, { placeId: id, at }).changes
  return taken - changes < max ? (isCounting ? null : true) : false
}

/** `isDue`: a payment is due, so they are held; else they are kept immediately. */
export function reserveQuotas(
  sql: Sql,
  registrationId: number,
  { ids, holdMs, trusted = [] }: SeatReservation,
  {
    eventId,
    isDue,
    at,
  }: { readonly eventId: string; readonly isDue: boolean; readonly at: Instant },
): void {
  const newHold: NewSeatHold = isDue
    ? { registrationId, state: 'held', until: instant(at + holdMs) }
    : { registrationId, state: 'kept', until: null }
  if (trusted.length > 0) {
    takeTrustedSeats.run(sql, { ...newHold, eventId, names: trusted })
    trustedSeatsAreLeft.check(sql, { eventId, names: trusted })
  }
  for (const placeId of ids) takeSeat.run(sql, { ...newHold, placeId })
}

/**
 * Returns the first seat of a registration that others have taken meanwhile. Null if it has all its seats, or could get
 * them again.
 */
export async function findSoldSeat(
  sql: Sql,
  registrationId: number,
  at: Instant,
): Promise<UnavailableSeat | null> {
  const lostSeatRows = await lostSeats(sql, registrationId)
  const unavailable = await findInOrder(
    lostSeatRows,
    // What cannot be decided yet refuses no payment.
    async (pool) => (await hasRoom(sql, pool, at)) === false,
  )
  return unavailable === undefined ? null : toUnavailableSeat(unavailable)
}

/** The seats that a registration has lost and that another one may have taken. */
async function lostSeats(sql: Sql, registrationId: number): Promise<readonly PlaceRow[]> {
  const [lost, earlier] = await Promise.all(readLostSeats(sql, registrationId))
  if (earlier === undefined) return lost
  await reserveEarlierSeats(sql, registrationId)
  return seatsLostBy.all(sql, { registrationId })
}

/** The reads of `placeGone`, to send them in advance. */
export function readLostSeats(
  sql: Sql,
  registrationId: number,
): readonly [Promise<readonly PlaceRow[]>, ReturnType<typeof readEarlier>] {
  lockLostSeats(sql, registrationId)
  return [seatsLostBy.all(sql, { registrationId }), readEarlier(sql, registrationId)]
}

export const toUnavailableSeat = ({ place, name }: PlaceRow): UnavailableSeat => ({
  place,
  name: name ?? place,
})

/**
 * Returns how many seats of each type are left, by name; negative if staff exceeded the quota. Expired holds count as
 * available where it matters: if no seat is left otherwise, or so few that the form shows the number (`seatCounts`, by
 * seat type). Uses one statement if there are plenty; a check per type reads the file each time.
 */
export async function countAvailableSeats(
  sql: Sql,
  eventId: string,
  seatCounts: Readonly<Record<string, number>>,
  at: Instant,
): Promise<Record<string, number>> {
  return Object.fromEntries(
    await mapInOrder(await seatsOfEvent.all(sql, { eventId }), async (pool) => {
      const { id, place, max } = pool
      const left = max - (await countTaken(sql, pool))
      return [
        place,
        left > (getOwn(seatCounts, place) ?? 0)
          ? left
          : left + (await countExpiredHolds(sql, id, at)),
      ]
    }),
  )
}

async function countExpiredHolds(sql: Sql, placeId: number, at: Instant): Promise<number> {
  return (await countExpired.get(sql, { placeId, at }))?.n ?? 0
}

/** For every seat type of the event, unordered; held seats count as taken. */
export async function listTakenSeats(sql: Sql, eventId: string): Promise<readonly StoredSeats[]> {
  return mapInOrder(await seatsOfEvent.all(sql, { eventId }), async (pool) => ({
    place: pool.place,
    max: pool.max,
    taken: await countTaken(sql, pool),
  }))
}

/** While earlier registrations are counted: at least so many. */
async function countTaken(sql: Sql, pool: PlaceRow): Promise<number> {
  return isStillCounting(pool)
    ? Math.max(pool.taken, (await seatBounds(sql, pool)).atLeast)
    : pool.taken
}

const isStillCounting = ({ counting, place }: PlaceRow): boolean =>
  seatTypesIn(counting).includes(place)
