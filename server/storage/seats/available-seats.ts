/**
 * Checks whether seats are left under the quotas of an event, and reserves them for a new registration.
 * An expired hold is removed only when another registration needs the seat, so that a clock that is set back
 * cannot sell the seat twice.
 */
import { findInOrder, mapInOrder } from '../database/in-order.ts'
import { getOwn, requiredSeats } from '../../../engine/index.ts'
import type { Answers, Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { OutsideRefusal } from '../registrations/pricing-context-types.ts'
import { lockLostSeats, lockSeats } from '../database/row-locks.ts'
import { limitsOf } from './stored-quotas.ts'

type FullRefusal = OutsideRefusal & { readonly code: 'full' }

/** The quota of a seat type, and how many of it are held or kept. */
export type StoredSeats = { readonly place: string; readonly max: number; readonly taken: number }
/** A seat that others have taken; `name` is its label. */
export type UnavailableSeat = { readonly place: string; readonly name: string }

/** While the bank has a payment in process its places stay, however long that takes. */
const LAPSED = `state = 'held' AND until <= ? AND NOT EXISTS (SELECT 1 FROM payments p
  WHERE p.registration_id = places_taken.registration_id AND p.status = 'pending' AND p.last_answer = 'in-process')`

export type PlaceRow = {
  id: number
  place: string
  max: number
  taken: number
  name: string | null
}

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
    const place = await sql<PlaceRow>('SELECT * FROM places WHERE event_id = ? AND place = ?').get(
      eventId,
      id,
    )
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
  const changes = await sql(
    `UPDATE places_taken SET state = 'free', until = NULL WHERE place_id = ? AND ${LAPSED}`,
  ).run(id, at).changes
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
  const [state, until] = isDue ? ['held', at + holdMs] : ['kept', null]
  if (trusted.length > 0) {
    sql
      .compiled(
        `INSERT INTO places_taken (registration_id, place_id, state, until)
         SELECT $1, id, $2, $3 FROM places WHERE event_id = $4 AND place = ANY($5) ORDER BY id`,
      )
      .run(registrationId, state, until, eventId, trusted)
    sql.batch?.check(
      'SELECT 1 / CASE WHEN bool_or(taken > max) THEN 0 ELSE 1 END FROM places WHERE event_id = $1 AND place = ANY($2)',
      eventId,
      trusted,
    )
  }
  if (ids.length === 0) return
  sql(
    `INSERT INTO places_taken (registration_id, place_id, state, until) VALUES ${ids.map(() => '(?, ?, ?, ?)').join(', ')}`,
  ).run(...ids.flatMap((id) => [registrationId, id, state, until]))
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
  lockLostSeats(sql, registrationId)
  const lost = await sql<PlaceRow>(
    "SELECT * FROM places WHERE id IN (SELECT place_id FROM places_taken WHERE registration_id = ? AND state = 'free') ORDER BY id",
  ).all(registrationId)
  const gone = await findInOrder(lost, async (place) => !(await hasRoom(sql, place, at)))
  return gone === undefined ? null : named(gone)
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
  const rows = sql<Omit<PlaceRow, 'name'>>(
    'SELECT id, place, max, taken FROM places WHERE event_id = ?',
  )
  return Object.fromEntries(
    await mapInOrder(await rows.all(eventId), async ({ id, place, max, taken }) => {
      const left = max - taken
      return [place, left > (getOwn(few, place) ?? 0) ? left : left + (await lapsed(sql, id, at))]
    }),
  )
}

async function lapsed(sql: Sql, placeId: number, at: Instant): Promise<number> {
  return (
    (
      await sql<{ n: number }>(
        `SELECT count(*) AS n FROM places_taken WHERE place_id = ? AND ${LAPSED}`,
      ).get(placeId, at)
    )?.n ?? 0
  )
}

/** For every seat type of the event, unordered; held seats count as taken. */
export function placesTaken(sql: Sql, eventId: string): Promise<readonly StoredSeats[]> {
  return sql<StoredSeats>('SELECT place, max, taken FROM places WHERE event_id = ?').all(eventId)
}
