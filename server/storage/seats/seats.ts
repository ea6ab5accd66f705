/**
 * Manages seats under quotas: reserved on registration, held during payment, kept once paid.
 * Time alone frees none: an expired hold is removed when somebody else needs the seat, so that a clock that is
 * set back cannot sell it twice.
 */
import { allSeatPools, own, placesOf } from '../../../engine/index.ts'
import type {
  Answers,
  Instant,
  Quota,
  PaymentStatus,
  RegistrationState,
} from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { once, readAgain } from '../database/batch-cache.ts'
import type { OutsideRefusal } from '../registrations/pricing-context-types.ts'
import { limitsFrom, textOfLimits } from './stored-quotas.ts'

type FullRefusal = OutsideRefusal & { readonly code: 'full' }

/** The quota of a seat type, and how many of it are held or kept. */
export type StoredSeats = { readonly place: string; readonly max: number; readonly taken: number }
/** A seat that others have taken; `name` is its label. */
export type UnavailableSeat = { readonly place: string; readonly name: string }

/** So many registrations are read at a time when the limits of an event are others. */
const CHUNK_ROWS = 500

/** While the bank has a payment in process its places stay, however long that takes. */
const LAPSED = `state = 'held' AND until <= ? AND NOT EXISTS (SELECT 1 FROM payments p
  WHERE p.registration_id = places_taken.registration_id AND p.status = 'pending' AND p.last_answer = 'in-process')`

type Limits = { readonly limits: readonly Quota[]; readonly holdMs: number }
const NONE = '[]'
const readLimits = new Map<string, readonly Quota[]>()

/** Null: the event has none. */
function limitsOf(sql: Sql, eventId: string): Limits | null {
  return once(sql, `limits of ${eventId}`, () => storedLimits(sql, eventId))
}

function storedLimits(sql: Sql, eventId: string): Limits | null {
  const row = sql<{ limits: string; hold_ms: number }>(
    'SELECT limits, hold_ms FROM event_limits WHERE event_id = ?',
  ).get(eventId)
  if (row === undefined) return null
  let limits = readLimits.get(row.limits)
  if (limits === undefined) {
    limits = limitsFrom(row.limits)
    readLimits.set(row.limits, limits)
  }
  return { limits, holdMs: row.hold_ms }
}

type PlaceRow = { id: number; place: string; max: number; taken: number; name: string | null }

/** What a registration reserves, if all of it is free. */
export type Room = { readonly ids: readonly number[]; readonly holdMs: number }

/** Checks whether there are seats for these answers; reserves nothing yet. */
export function roomFor(
  sql: Sql,
  eventId: string,
  answers: Answers,
  category: string | null,
  at: Instant,
): Room | FullRefusal {
  const known = limitsOf(sql, eventId)
  if (known === null) return { ids: [], holdMs: 0 }
  const ids: number[] = []
  for (const { id } of placesOf(known.limits, answers, category)) {
    const place = sql<PlaceRow>('SELECT * FROM places WHERE event_id = ? AND place = ?').get(
      eventId,
      id,
    )
    if (place === undefined) continue
    if (!hasRoom(sql, place, at)) return { code: 'full', place: id }
    ids.push(place.id)
  }
  return { ids, holdMs: known.holdMs }
}

/** Where none is left, those whose hold is over make room. */
function hasRoom(sql: Sql, { id, max, taken }: PlaceRow, at: Instant): boolean {
  if (taken < max) return true
  const { changes } = sql(
    `UPDATE places_taken SET state = 'free', until = NULL WHERE place_id = ? AND ${LAPSED}`,
  ).run(id, at)
  return taken - changes < max
}

/** `isDue`: a payment is due, so they are held; else they are kept at once. */
export function takePlaces(
  sql: Sql,
  registrationId: number,
  { ids, holdMs }: Room,
  isDue: boolean,
  at: Instant,
): void {
  if (ids.length === 0) return
  const [state, until] = isDue ? ['held', at + holdMs] : ['kept', null]
  sql(
    `INSERT INTO places_taken (registration_id, place_id, state, until) VALUES ${ids.map(() => '(?, ?, ?, ?)').join(', ')}`,
  ).run(...ids.flatMap((id) => [registrationId, id, state, until]))
}

/**
 * Returns the first seat of a registration that others have taken meanwhile; null: it has them all, or could have
 * them again.
 */
export function placeGone(sql: Sql, registrationId: number, at: Instant): UnavailableSeat | null {
  const lost = sql<PlaceRow>(
    "SELECT * FROM places WHERE id IN (SELECT place_id FROM places_taken WHERE registration_id = ? AND state = 'free') ORDER BY id",
  ).all(registrationId)
  const gone = lost.find((place) => !hasRoom(sql, place, at))
  return gone === undefined ? null : named(gone)
}

const named = ({ place, name }: PlaceRow): UnavailableSeat => ({ place, name: name ?? place })

/**
 * Holds the seats of a reopened registration again, where they are free. Returns the first one taken; null: it
 * has them all.
 */
export function keepAgain(sql: Sql, registrationId: number, at: Instant): UnavailableSeat | null {
  const gone = placeGone(sql, registrationId, at)
  if (gone === null)
    sql("UPDATE places_taken SET state = 'kept', until = NULL WHERE registration_id = ?").run(
      registrationId,
    )
  return gone
}

/** The delegate is sent to pay again: holds all seats anew. Availability was checked before. */
export function holdAgain(sql: Sql, eventId: string, registrationId: number, at: Instant): void {
  const known = limitsOf(sql, eventId)
  if (known !== null)
    // What is paid, or kept until a day, stays so: a difference that nobody pays takes no place away.
    sql(
      "UPDATE places_taken SET state = 'held', until = ? WHERE registration_id = ? AND state <> 'kept'",
    ).run(at + known.holdMs, registrationId)
}

/** After a clock that was ahead: limits all holds to the full period from now on. */
export function limitPlaceHolds(sql: Sql, at: Instant): void {
  for (const { event_id, hold_ms } of sql<{ event_id: string; hold_ms: number }>(
    'SELECT event_id, hold_ms FROM event_limits',
  ).all())
    sql(
      `UPDATE places_taken SET until = ? WHERE state = 'held' AND until > ?
         AND place_id IN (SELECT id FROM places WHERE event_id = ?)`,
    ).run(at + hold_ms, at + hold_ms, event_id)
}

/** How a registration stands, as far as its places follow it. `hasTerm`: there is a day until which it can be paid. */
type PlacesStand = {
  readonly state: RegistrationState
  readonly status: PaymentStatus
  readonly inReview: boolean
  readonly hasTerm: boolean
}

/** Somebody has to see it, the bank has to be asked, or there are days left to pay: nobody else gets its places. */
function isWaitedFor(state: RegistrationState, hasTerm: boolean): boolean {
  return state === 'to_approve' || state === 'told' || (state === 'to_pay' && hasTerm)
}

/** Updates the seats of a registration after a change of state: paid, awaited or in review, they are kept. */
export function settlePlaces(
  sql: Sql,
  registrationId: number,
  { state, status, inReview, hasTerm }: PlacesStand,
): void {
  // What people have ended holds nothing, whatever its money does.
  if (state === 'cancelled' || state === 'refused')
    sql(
      "UPDATE places_taken SET state = 'free', until = NULL WHERE registration_id = ? AND state <> 'free'",
    ).run(registrationId)
  else if (status === 'success')
    sql(
      "UPDATE places_taken SET state = 'kept', until = NULL WHERE registration_id = ? AND state <> 'kept'",
    ).run(registrationId)
  else if (inReview || isWaitedFor(state, hasTerm))
    sql(
      "UPDATE places_taken SET state = 'kept', until = NULL WHERE registration_id = ? AND state = 'held'",
    ).run(registrationId)
  else if (status === 'pending')
    // Nobody decides any more and nothing came: whoever needs it may have it.
    sql(
      "UPDATE places_taken SET state = 'held', until = 0 WHERE registration_id = ? AND state = 'kept'",
    ).run(registrationId)
  else
    sql(
      "UPDATE places_taken SET state = 'free', until = NULL WHERE registration_id = ? AND state <> 'free'",
    ).run(registrationId)
}

/**
 * Returns how many seats of each type are left, by name; negative if staff exceeded the quota. Expired holds
 * count as left where it matters: where none is left otherwise, or so few that the form shows it (`few`, by seat
 * type). One statement if there are plenty; a check per type reads the file each time.
 */
export function placesLeft(
  sql: Sql,
  eventId: string,
  few: Readonly<Record<string, number>>,
  at: Instant,
): Record<string, number> {
  const rows = sql<Omit<PlaceRow, 'name'>>(
    'SELECT id, place, max, taken FROM places WHERE event_id = ?',
  )
  return Object.fromEntries(
    rows.all(eventId).map(({ id, place, max, taken }) => {
      const left = max - taken
      return [place, left > (own(few, place) ?? 0) ? left : left + lapsed(sql, id, at)]
    }),
  )
}

function lapsed(sql: Sql, placeId: number, at: Instant): number {
  return (
    sql<{ n: number }>(
      `SELECT count(*) AS n FROM places_taken WHERE place_id = ? AND ${LAPSED}`,
    ).get(placeId, at)?.n ?? 0
  )
}

/** For every seat type of the event, unordered; held seats count as taken. */
export function placesTaken(sql: Sql, eventId: string): readonly StoredSeats[] {
  return sql<StoredSeats>('SELECT place, max, taken FROM places WHERE event_id = ?').all(eventId)
}

/**
 * Sets the quotas of the served event file. If they changed, the seats of all registrations are computed again: a
 * new quota also counts earlier registrations.
 */
export function setLimits(
  sql: Sql,
  eventId: string,
  limits: readonly Quota[],
  holdMs: number,
): void {
  const text = textOfLimits(limits)
  const before = sql<{ limits: string; hold_ms: number }>(
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
  placeAll(sql, eventId, { limits, holdMs })
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

function placeAll(sql: Sql, eventId: string, known: Limits): void {
  for (let last = 0; ;) {
    const rows = sql<Standing>(
      `${STANDING} WHERE event_id = ? AND id > ? ORDER BY id LIMIT ${CHUNK_ROWS}`,
    ).all(eventId, last)
    for (const row of rows) placeOne(sql, eventId, known, row)
    if (rows.length < CHUNK_ROWS) return
    last = rows.at(-1)?.id ?? last
  }
}

/** Records the seats of an existing or imported registration, without checking availability. */
export function placeStored(sql: Sql, eventId: string, registrationId: number): void {
  const known = limitsOf(sql, eventId)
  const row = sql<Standing>(`${STANDING} WHERE id = ?`).get(registrationId)
  if (known !== null && row !== undefined) placeOne(sql, eventId, known, row)
}

/**
 * Updates the seats of a registration after its answers changed: additional ones must be free, others are
 * released. Returns the first seat taken by others; null: it has them all.
 */
export function movePlaces(
  sql: Sql,
  eventId: string,
  registrationId: number,
  at: Instant,
): UnavailableSeat | null {
  const known = limitsOf(sql, eventId)
  const row = sql<Standing>(`${STANDING} WHERE id = ?`).get(registrationId)
  if (known === null || row === undefined) return null
  const answers = JSON.parse(row.answers) as Answers
  const has = sql<{ place_id: number }>(
    "SELECT place_id FROM places_taken WHERE registration_id = ? AND state <> 'free'",
  ).all(registrationId)
  for (const { id } of placesOf(known.limits, answers, row.category)) {
    const place = sql<PlaceRow>('SELECT * FROM places WHERE event_id = ? AND place = ?').get(
      eventId,
      id,
    )
    const isNew = place !== undefined && !has.some(({ place_id }) => place_id === place.id)
    if (isNew && !hasRoom(sql, place, at)) return named(place)
  }
  placeOne(sql, eventId, known, row)
  return null
}

/**
 * Keeps the seats that a registration needs, including those lost meanwhile. Returns the first seat taken by
 * others; null: it has them all.
 */
export function takeAgain(
  sql: Sql,
  eventId: string,
  registrationId: number,
  at: Instant,
): UnavailableSeat | null {
  const place = movePlaces(sql, eventId, registrationId, at)
  if (place === null)
    sql(
      "UPDATE places_taken SET state = 'kept', until = NULL WHERE registration_id = ? AND state <> 'kept'",
    ).run(registrationId)
  return place
}

function placeOne(sql: Sql, eventId: string, { limits, holdMs }: Limits, row: Standing): void {
  const answers = JSON.parse(row.answers) as Answers
  const names = JSON.stringify(placesOf(limits, answers, row.category).map(({ id }) => id))
  sql(
    `DELETE FROM places_taken WHERE registration_id = ? AND place_id NOT IN
       (SELECT id FROM places WHERE event_id = ? AND place IN (SELECT value FROM json_each(?)))`,
  ).run(row.id, eventId, names)
  const isOver = row.state === 'cancelled' || row.state === 'refused'
  const isKept =
    !isOver &&
    (row.payment_status === 'success' ||
      row.in_review === 1 ||
      isWaitedFor(row.state, row.pay_until !== null))
  const isHeld = !isKept && !isOver && row.payment_status === 'pending'
  sql(
    `INSERT INTO places_taken (registration_id, place_id, state, until)
     SELECT ?, id, ?, ? FROM places WHERE event_id = ? AND place IN (SELECT value FROM json_each(?)) ON CONFLICT DO NOTHING`,
  ).run(
    row.id,
    isKept ? 'kept' : isHeld ? 'held' : 'free',
    isHeld ? (row.handed_off_at ?? 0) + holdMs : null,
    eventId,
    names,
  )
}
