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
import type { OutsideRefusal } from '../registrations/pricing-context-types.ts'
import { lockLostSeats, lockSeats } from '../database/row-locks.ts'
import { limitsOf } from './stored-quotas.ts'

type FullRefusal = OutsideRefusal & { readonly code: 'full' }

/** The quota of a seat type, and how many of it are held or kept. */
export type StoredSeats = { readonly place: string; readonly max: number; readonly taken: number }
/** A seat that others have taken; `name` is its label. */
export type UnavailableSeat = { readonly place: string; readonly name: string }

type PlaceRow = Omit<Selectable<Tables['places']>, 'event_id'>

type OfEvent = { eventId: string }
export const seatOfEvent = statement((builder, { eventId, place }: OfEvent & { place: string }) =>
  builder
    .selectFrom('places')
    .select(['id', 'place', 'max', 'taken', 'name'])
    .where('event_id', '=', eventId)
    .where('place', '=', place),
)
const seatsOfEvent = statement((builder, { eventId }: OfEvent) =>
  builder
    .selectFrom('places')
    .select(['id', 'place', 'max', 'taken'])
    .where('event_id', '=', eventId),
)
const seatCountsOfEvent = statement((builder, { eventId }: OfEvent) =>
  builder.selectFrom('places').select(['place', 'max', 'taken']).where('event_id', '=', eventId),
)
const seatsLostBy = statement((builder, { registrationId }: { registrationId: number }) =>
  builder
    .selectFrom('places')
    .select(['id', 'place', 'max', 'taken', 'name'])
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('places_taken')
        .select('place_id')
        .where('registration_id', '=', registrationId)
        .where('state', '=', 'free'),
    )
    .orderBy('id'),
)
type Expiry = { placeId: number; at: Instant }
const ofSeatTaken = expressionBuilder<Tables, 'places_taken'>()
/** The seat's hold has expired. While the bank has a payment in process it does not, however long that takes. */
const holdHasExpired = ({ placeId, at }: Expiry) =>
  ofSeatTaken.and([
    ofSeatTaken('places_taken.place_id', '=', placeId),
    ofSeatTaken('places_taken.state', '=', 'held'),
    ofSeatTaken('places_taken.until', '<=', at),
    ofSeatTaken.not(
      ofSeatTaken.exists(
        ofSeatTaken
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
type Taking = { registrationId: number; state: string; until: Instant | null }
const takeSeat = statement(
  (builder, { registrationId, placeId, state, until }: Taking & { placeId: number }) =>
    builder
      .insertInto('places_taken')
      .values({ registration_id: registrationId, place_id: placeId, state, until }),
)
type Trusted = OfEvent & { names: readonly string[] }
/** PostgreSQL only, as is the check that no seat was taken twice: it divides by zero otherwise. */
const takeTrustedSeats = statement(
  (builder, { registrationId, state, until, eventId, names }: Taking & Trusted) =>
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
const trustedSeatsAreLeft = statement((builder, { eventId, names }: Trusted) =>
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

/** What a registration reserves, if all of it is free. */
export type Room = {
  readonly ids: readonly number[]
  readonly holdMs: number
  /** Seats that are taken without a look at them, by name; see `Batch`. */
  readonly trusted?: readonly string[]
}

/** Checks whether there are seats for these answers; reserves nothing yet. */
export async function roomFor(
  sql: Sql,
  eventId: string,
  answers: Answers,
  category: string | null,
  at: Instant,
): Promise<Room | FullRefusal> {
  const known = await limitsOf(sql, eventId)
  if (known === null) return { ids: [], holdMs: 0 }
  const ids: number[] = []
  const seats = requiredSeats(known.limits, answers, category)
  if (sql.batch?.trustsSeats === true)
    return { ids, holdMs: known.holdMs, trusted: seats.map(({ id }) => id) }
  lockSeats(
    sql,
    eventId,
    seats.map(({ id }) => id),
  )
  for (const { id } of seats) {
    const place = await seatOfEvent.get(sql, { eventId, place: id })
    if (place === undefined) continue
    if (!(await hasRoom(sql, place, at))) return { code: 'full', place: id }
    ids.push(place.id)
  }
  return { ids, holdMs: known.holdMs }
}

/** Where none is left, those whose hold is over make room. */
export async function hasRoom(
  sql: Sql,
  { id, max, taken }: PlaceRow,
  at: Instant,
): Promise<boolean> {
  if (taken < max) return true
  const changes = await freeExpired.run(sql, { placeId: id, at }).changes
  return taken - changes < max
}

/** `isDue`: a payment is due, so they are held; else they are kept at once. */
export function takePlaces(
  sql: Sql,
  registrationId: number,
  { ids, holdMs, trusted = [] }: Room,
  {
    eventId,
    isDue,
    at,
  }: { readonly eventId: string; readonly isDue: boolean; readonly at: Instant },
): void {
  const taking: Taking = isDue
    ? { registrationId, state: 'held', until: instant(at + holdMs) }
    : { registrationId, state: 'kept', until: null }
  if (trusted.length > 0) {
    takeTrustedSeats.run(sql, { ...taking, eventId, names: trusted })
    trustedSeatsAreLeft.check(sql, { eventId, names: trusted })
  }
  for (const placeId of ids) takeSeat.run(sql, { ...taking, placeId })
}

/**
 * Returns the first seat of a registration that others have taken meanwhile; null: it has them all, or could have
 * them again.
 */
export async function placeGone(
  sql: Sql,
  registrationId: number,
  at: Instant,
): Promise<UnavailableSeat | null> {
  const lost = await lostSeats(sql, registrationId)
  const gone = await findInOrder(lost, async (place) => !(await hasRoom(sql, place, at)))
  return gone === undefined ? null : named(gone)
}

/** The seats that a registration has lost and that another one may have taken. */
export function lostSeats(sql: Sql, registrationId: number): Promise<readonly PlaceRow[]> {
  lockLostSeats(sql, registrationId)
  return seatsLostBy.all(sql, { registrationId })
}

export const named = ({ place, name }: PlaceRow): UnavailableSeat => ({
  place,
  name: name ?? place,
})

/**
 * Returns how many seats of each type are left, by name; negative if staff exceeded the quota. Expired holds
 * count as left where it matters: where none is left otherwise, or so few that the form shows it (`few`, by seat
 * type). One statement if there are plenty; a check per type reads the file each time.
 */
export async function placesLeft(
  sql: Sql,
  eventId: string,
  few: Readonly<Record<string, number>>,
  at: Instant,
): Promise<Record<string, number>> {
  return Object.fromEntries(
    await mapInOrder(
      await seatsOfEvent.all(sql, { eventId }),
      async ({ id, place, max, taken }) => {
        const left = max - taken
        return [place, left > (getOwn(few, place) ?? 0) ? left : left + (await lapsed(sql, id, at))]
      },
    ),
  )
}

async function lapsed(sql: Sql, placeId: number, at: Instant): Promise<number> {
  return (await countExpired.get(sql, { placeId, at }))?.n ?? 0
}

/** For every seat type of the event, unordered; held seats count as taken. */
export function placesTaken(sql: Sql, eventId: string): Promise<readonly StoredSeats[]> {
  return seatCountsOfEvent.all(sql, { eventId })
}
