/** Computes seats of stored registrations again: after new quotas, an import, or changed answers. */
import { allSeatPools, requiredSeats } from '../../../engine/index.ts'
import type {
  Answers,
  Instant,
  PaymentStatus,
  Quota,
  RegistrationState,
} from '../../../engine/index.ts'
import { readAgain } from '../database/batch-cache.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { hasRoom, named } from './available-seats.ts'
import type { PlaceRow, UnavailableSeat } from './available-seats.ts'
import { lockLimits, lockQuotas, lockSeats } from '../database/row-locks.ts'
import { seatsFor } from './keep-and-release-seats.ts'
import { limitsOf, textOfLimits } from './stored-quotas.ts'
import type { Limits } from './stored-quotas.ts'

/** So many registrations are read at a time when the limits of an event are others. */
const CHUNK_ROWS = 500

const NONE = '[]'

/**
 * Sets the quotas of the served event file. If they changed, the seats of all registrations are computed again: a
 * new quota also counts earlier registrations.
 */
export async function setLimits(
  sql: Sql,
  eventId: string,
  limits: readonly Quota[],
  holdMs: number,
): Promise<void> {
  const text = textOfLimits(limits)
  lockQuotas(sql, eventId)
  const before = await sql<{ limits: string; hold_ms: number }>(
    'SELECT limits, hold_ms FROM event_limits WHERE event_id = ?',
  ).get(eventId)
  if ((before?.limits ?? NONE) === text && (before?.hold_ms ?? holdMs) === holdMs) return
  readAgain(sql)
  sql(
    'INSERT INTO event_limits (event_id, limits, hold_ms) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET limits = excluded.limits, hold_ms = excluded.hold_ms',
  ).run(eventId, text, holdMs)
  if ((before?.limits ?? NONE) === text) return
  const places = allSeatPools(limits)
  const gone = 'event_id = ? AND place NOT IN (SELECT value FROM json_each(?))'
  const names = JSON.stringify(places.map(({ id }) => id))
  sql(`DELETE FROM places_taken WHERE place_id IN (SELECT id FROM places WHERE ${gone})`).run(
    eventId,
    names,
  )
  sql(`DELETE FROM places WHERE ${gone}`).run(eventId, names)
  for (const { id, max } of places)
    sql(
      'INSERT INTO places (event_id, place, max) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET max = excluded.max',
    ).run(eventId, id, max)
  await placeAll(sql, eventId, { limits, holdMs })
}

/** Sets the labels of the served event file's quotas, by id. */
export function namePlaces(
  sql: Sql,
  eventId: string,
  names: Readonly<Record<string, string>>,
): void {
  for (const [place, name] of Object.entries(names))
    sql('UPDATE places SET name = ? WHERE event_id = ? AND place = ? AND name IS NOT ?').run(
      name,
      eventId,
      place,
      name,
    )
}

type Standing = {
  id: number
  answers: string
  category: string | null
  payment_status: PaymentStatus
  in_review: 0 | 1
  state: RegistrationState
  pay_until: Instant | null
  handed_off_at: Instant | null
}
const STANDING = `SELECT id, answers, category, payment_status, in_review, state, pay_until,
  (SELECT max(handed_off_at) FROM payments p WHERE p.registration_id = registrations.id) AS handed_off_at FROM registrations`

async function placeAll(sql: Sql, eventId: string, known: Limits): Promise<void> {
  for (let last = 0; ;) {
    const rows = await sql<Standing>(
      `${STANDING} WHERE event_id = ? AND id > ? ORDER BY id LIMIT ${CHUNK_ROWS}`,
    ).all(eventId, last)
    for (const row of rows) placeOne(sql, eventId, known, row)
    if (rows.length < CHUNK_ROWS) return
    last = rows.at(-1)?.id ?? last
  }
}

/** Records the seats of an existing or imported registration, without checking availability. */
export async function placeStored(
  sql: Sql,
  eventId: string,
  registrationId: number,
): Promise<void> {
  const known = await limitsOf(sql, eventId)
  const row = await sql<Standing>(`${STANDING} WHERE id = ?`).get(registrationId)
  if (known !== null && row !== undefined) placeOne(sql, eventId, known, row)
}

/**
 * Updates the seats of a registration after its answers changed: additional ones must be free, others are
 * released. Returns the first seat taken by others; null: it has them all.
 */
export async function movePlaces(
  sql: Sql,
  eventId: string,
  registrationId: number,
  at: Instant,
): Promise<UnavailableSeat | null> {
  lockLimits(sql, eventId)
  const known = await limitsOf(sql, eventId)
  const row = await sql<Standing>(`${STANDING} WHERE id = ?`).get(registrationId)
  if (known === null || row === undefined) return null
  const answers = JSON.parse(row.answers) as Answers
  const seats = requiredSeats(known.limits, answers, row.category)
  lockSeats(
    sql,
    eventId,
    seats.map(({ id }) => id),
  )
  // After the lock: a seat whose hold is over may be taken by others until then.
  const has = await sql<{ place_id: number }>(
    "SELECT place_id FROM places_taken WHERE registration_id = ? AND state <> 'free'",
  ).all(registrationId)
  for (const { id } of seats) {
    const place = await sql<PlaceRow>('SELECT * FROM places WHERE event_id = ? AND place = ?').get(
      eventId,
      id,
    )
    const isNew = place !== undefined && !has.some(({ place_id }) => place_id === place.id)
    if (isNew && !(await hasRoom(sql, place, at))) return named(place)
  }
  placeOne(sql, eventId, known, row)
  return null
}

/**
 * Keeps the seats that a registration needs, including those lost meanwhile. Returns the first seat taken by
 * others; null: it has them all.
 */
export async function takeAgain(
  sql: Sql,
  eventId: string,
  registrationId: number,
  at: Instant,
): Promise<UnavailableSeat | null> {
  const place = await movePlaces(sql, eventId, registrationId, at)
  if (place === null)
    sql(
      "UPDATE places_taken SET state = 'kept', until = NULL WHERE registration_id = ? AND state <> 'kept'",
    ).run(registrationId)
  return place
}

function placeOne(sql: Sql, eventId: string, { limits, holdMs }: Limits, row: Standing): void {
  const answers = JSON.parse(row.answers) as Answers
  const names = JSON.stringify(requiredSeats(limits, answers, row.category).map(({ id }) => id))
  sql(
    `DELETE FROM places_taken WHERE registration_id = ? AND place_id NOT IN
       (SELECT id FROM places WHERE event_id = ? AND place IN (SELECT value FROM json_each(?)))`,
  ).run(row.id, eventId, names)
  const state = seatsFor({
    state: row.state,
    status: row.payment_status,
    inReview: row.in_review === 1,
    hasTerm: row.pay_until !== null,
  })
  sql(
    `INSERT INTO places_taken (registration_id, place_id, state, until)
     SELECT ?, id, ?, ? FROM places WHERE event_id = ? AND place IN (SELECT value FROM json_each(?)) ON CONFLICT DO NOTHING`,
  ).run(row.id, state, state === 'held' ? (row.handed_off_at ?? 0) + holdMs : null, eventId, names)
}
