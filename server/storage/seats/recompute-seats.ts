/** Recomputes seats of stored registrations after new quotas, an import, or changed answers. */
import type { Kysely } from 'kysely'
import { listSeatPools, listRequiredSeats } from '../../../engine/index.ts'
import type { Answers, Instant, Quota, SeatPool } from '../../../engine/index.ts'
import { clearCachedReads } from '../database/batch-cache.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { Dialect } from '../database/statements/dialect.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { hasRoom, toUnavailableSeat, seatOfEvent } from './available-seats.ts'
import type { UnavailableSeat } from './seat-types.ts'
import { lockLimits, lockQuotas, lockSeats } from '../database/row-locks.ts'
import { keepAllSeats } from './keep-and-release-seats.ts'
import {
  beginCounting,
  countNextBatch,
  getHold,
  hasManyRegistrations,
  NOT_STARTED,
  registrationForSeats,
  retireSeats,
} from './seats-of-earlier-registrations.ts'
import type { RegistrationForSeats } from './seats-of-earlier-registrations.ts'
import {
  parseLimits,
  getLimits,
  limitsOfEvent,
  listSeatTypes,
  formatLimits,
} from './stored-quotas.ts'
import type { Limits } from './stored-quotas.ts'
import { throwUndecided } from './undecided-seats.ts'

const NO_SEAT_TYPES = '[]'

type EventParams = { eventId: string }
type Names = { /** A JSON array of seat types. */ names: string }
const saveQuotas = statement(
  (builder, { eventId, limits, holdMs }: EventParams & { limits: string; holdMs: number }) =>
    builder
      .insertInto('event_limits')
      .values({ event_id: eventId, limits, hold_ms: holdMs })
      .onConflict((conflict) =>
        conflict.column('event_id').doUpdateSet((eb) => ({
          limits: eb.ref('excluded.limits'),
          hold_ms: eb.ref('excluded.hold_ms'),
        })),
      ),
)
const saveSeatType = statement(
  (builder, { eventId, place, max }: EventParams & { place: string; max: number }) =>
    builder
      .insertInto('places')
      .values({ event_id: eventId, place, max })
      .onConflict((conflict) =>
        conflict
          .columns(['event_id', 'place'])
          .doUpdateSet((eb) => ({ max: eb.ref('excluded.max') })),
      ),
)
const renameSeatType = statement(
  (builder, { eventId, place, name }: EventParams & { place: string; name: string }) =>
    builder
      .updateTable('places')
      .set({ name })
      .where('event_id', '=', eventId)
      .where('place', '=', place)
      .where('name', 'is distinct from', name),
)
type RegistrationParams = { registrationId: number }
const seatsTakenBy = statement((builder, { registrationId }: RegistrationParams) =>
  builder
    .selectFrom('places_taken')
    .select(['place_id', 'quantity'])
    .where('registration_id', '=', registrationId)
    .where('state', '<>', 'free'),
)
const selectNamedSeats = (
  builder: Kysely<Tables>,
  { eventId, names }: EventParams & Names,
  dialect: Dialect,
) =>
  builder
    .selectFrom('places')
    .where('event_id', '=', eventId)
    .where(({ ref }) => dialect.isIn(ref('place'), names))
const releaseOtherSeats = statement(
  (builder, params: RegistrationParams & EventParams & Names, dialect) =>
    builder
      .deleteFrom('places_taken')
      .where('registration_id', '=', params.registrationId)
      .where('place_id', 'not in', selectNamedSeats(builder, params, dialect).select('id')),
)
const takeSeats = statement(
  (
    builder,
    params: RegistrationParams &
      EventParams &
      Names & { quantity: number; state: string; until: Instant | null },
    dialect,
  ) =>
    builder
      .insertInto('places_taken')
      .columns(['registration_id', 'place_id', 'state', 'until', 'quantity'])
      .expression(
        selectNamedSeats(builder, params, dialect).select(({ val }) => [
          val(params.registrationId).as('registration_id'),
          'id as place_id',
          val(params.state).as('state'),
          val(params.until).as('until'),
          val(params.quantity).as('quantity'),
        ]),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['registration_id', 'place_id'])
          .doUpdateSet((eb) => ({ quantity: eb.ref('excluded.quantity') }))
          .whereRef('places_taken.quantity', '<>', 'excluded.quantity'),
      ),
)

/**
 * Sets the quotas of the served event file. A new quota also counts earlier registrations, which are counted in the
 * background if there are many. A changed maximum changes no seat.
 */
export async function setLimits(
  sql: Sql,
  eventId: string,
  limits: readonly Quota[],
  holdMs: number,
): Promise<void> {
  const text = formatLimits(limits)
  lockQuotas(sql, eventId)
  const previousLimits = await limitsOfEvent.get(sql, { eventId })
  if (
    (previousLimits?.limits ?? NO_SEAT_TYPES) === text &&
    (previousLimits?.hold_ms ?? holdMs) === holdMs
  )
    return
  clearCachedReads(sql)
  saveQuotas.run(sql, { eventId, limits: text, holdMs })
  if ((previousLimits?.limits ?? NO_SEAT_TYPES) === text) return
  const previousPools = listSeatPools(
    previousLimits === undefined ? [] : parseLimits(previousLimits.limits),
  )
  const previousUses = new Map(previousPools.map((pool) => [pool.id, describeUse(pool)]))
  const pools = listSeatPools(limits)
  const isSame = (pool: SeatPool): boolean => previousUses.get(pool.id) === describeUse(pool)
  const same = pools.filter(isSame).map(({ id }) => id)
  const added = pools.filter((pool) => !isSame(pool)).map(({ id }) => id)
  const retiredCount = await retireSeats(sql, eventId, same)
  for (const { id, max } of pools) saveSeatType.run(sql, { eventId, place: id, max })
  if (added.length === 0 && retiredCount === 0) return
  const counting = listSeatTypes(previousLimits?.counting ?? null).filter((id) => same.includes(id))
  beginCounting(sql, eventId, [...counting, ...added])
  if (await hasManyRegistrations(sql, eventId)) return
  let progress: typeof NOT_STARTED | null = NOT_STARTED
  while (progress !== null) progress = await countNextBatch(sql, eventId, progress, null)
}

/** Seats with the same text are used by the same registrations. */
const describeUse = ({
  limit: { when, eachOptionOf, count, withDelegate },
  option,
}: SeatPool): string => JSON.stringify([when, eachOptionOf, option, count, withDelegate])

/** Sets the labels of the served event file's quotas, by id. */
export function saveSeatNames(
  sql: Sql,
  eventId: string,
  names: Readonly<Record<string, string>>,
): void {
  for (const [place, name] of Object.entries(names))
    renameSeatType.run(sql, { eventId, place, name })
}

/** Records the seats of an existing or imported registration, without checking availability. */
export async function recordSeats(
  sql: Sql,
  eventId: string,
  registrationId: number,
): Promise<void> {
  const known = await getLimits(sql, eventId)
  const row = await registrationForSeats.get(sql, { id: registrationId })
  if (known !== null && row !== undefined) recomputeSeats(sql, eventId, known, row)
}

/**
 * Updates the seats of a registration after its answers changed: additional ones must be free, others are released.
 * Returns the first seat taken by others. Null if it has them all.
 */
export async function moveSeats(
  sql: Sql,
  eventId: string,
  registrationId: number,
  at: Instant,
): Promise<UnavailableSeat | null> {
  lockLimits(sql, eventId)
  const known = await getLimits(sql, eventId)
  const row = await registrationForSeats.get(sql, { id: registrationId })
  if (known === null || row === undefined) return null
  const answers = JSON.parse(row.answers) as Answers
  const seats = listRequiredSeats(known.limits, answers, row.category)
  lockSeats(
    sql,
    eventId,
    seats.map(({ id }) => id),
  )
  // Read after locking: until then, others may take a seat with an expired hold.
  const heldSeats = await seatsTakenBy.all(sql, { registrationId })
  for (const { id, quantity } of seats) {
    const pool = await seatOfEvent.get(sql, { eventId, place: id })
    if (pool === undefined) continue
    const held = heldSeats.find(({ place_id }) => place_id === pool.id)
    const added = quantity - (held?.quantity ?? 0)
    if (added <= 0) continue
    const isAvailable = await hasRoom(sql, { ...pool, quantity: added }, at, registrationId)
    if (isAvailable === null) throwUndecided()
    if (!isAvailable) return toUnavailableSeat(pool)
  }
  recomputeSeats(sql, eventId, known, row)
  return null
}

/**
 * Keeps the seats that a registration needs, including those lost meanwhile. Returns the first seat taken by others.
 * Null if it has them all.
 */
export async function takeAgain(
  sql: Sql,
  eventId: string,
  registrationId: number,
  at: Instant,
): Promise<UnavailableSeat | null> {
  const unavailableSeat = await moveSeats(sql, eventId, registrationId, at)
  if (unavailableSeat === null) keepAllSeats.run(sql, { registrationId })
  return unavailableSeat
}

function recomputeSeats(sql: Sql, eventId: string, known: Limits, row: RegistrationForSeats): void {
  const answers = JSON.parse(row.answers) as Answers
  const seats = listRequiredSeats(known.limits, answers, row.category)
  const listNames = (pools: readonly SeatPool[]): string =>
    JSON.stringify(pools.map(({ id }) => id))
  const registration = { registrationId: row.id, eventId }
  releaseOtherSeats.run(sql, { ...registration, names: listNames(seats) })
  const hold = getHold(known, row)
  for (const [quantity, pools] of Map.groupBy(seats, (seat) => seat.quantity))
    takeSeats.run(sql, { ...registration, ...hold, quantity, names: listNames(pools) })
}
