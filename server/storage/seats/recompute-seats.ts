/** Recomputes the seats of stored registrations after quotas are added, registrations imported, or answers changed. */
import type { Kysely } from 'kysely'
import { listSeatPools, listRequiredSeats } from '../../../engine/index.ts'
import type { Answers, Instant, Quota, SeatPool } from '../../../engine/index.ts'
import { clearCachedReads } from '../database/batch-cache.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { Dialect } from '../database/statements/dialect.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { hasSeatsLeft, toUnavailableSeat, seatTypeOfEvent } from './available-seats.ts'
import type { UnavailableSeat } from './seat-types.ts'
import { preventQuotaChanges, lockQuotas, lockSeats } from '../database/row-locks.ts'
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
  readQuotas,
  limitsOfEvent,
  listSeatTypes,
  formatLimits,
} from './stored-quotas.ts'
import type { Limits } from './stored-quotas.ts'
import { throwUndecided } from './undecided-seats.ts'

const NO_QUOTAS = '[]'

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
const seatsOfRegistration = statement((builder, { registrationId }: RegistrationParams) =>
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
 * Sets the quotas of the served event file. A new quota also counts earlier registrations, in the background if there
 * are many. Changing a quota's maximum does not change any seats.
 */
export async function setQuotas(
  sql: Sql,
  eventId: string,
  limits: readonly Quota[],
  holdMs: number,
): Promise<void> {
  const limitsJson = formatLimits(limits)
  lockQuotas(sql, eventId)
  const previousLimits = await limitsOfEvent.get(sql, { eventId })
  if (
    (previousLimits?.limits ?? NO_QUOTAS) === limitsJson &&
    (previousLimits?.hold_ms ?? holdMs) === holdMs
  )
    return
  clearCachedReads(sql)
  saveQuotas.run(sql, { eventId, limits: limitsJson, holdMs })
  if ((previousLimits?.limits ?? NO_QUOTAS) === limitsJson) return
  const previousPools = listSeatPools(
    previousLimits === undefined ? [] : parseLimits(previousLimits.limits),
  )
  const previousConditions = new Map(previousPools.map((pool) => [pool.id, describeUse(pool)]))
  const pools = listSeatPools(limits)
  const isUnchanged = (pool: SeatPool): boolean =>
    previousConditions.get(pool.id) === describeUse(pool)
  const unchangedIds = pools.filter(isUnchanged).map(({ id }) => id)
  const addedIds = pools.filter((pool) => !isUnchanged(pool)).map(({ id }) => id)
  const retiredCount = await retireSeats(sql, eventId, unchangedIds)
  for (const { id, max } of pools) saveSeatType.run(sql, { eventId, place: id, max })
  if (addedIds.length === 0 && retiredCount === 0) return
  const uncountedIds = listSeatTypes(previousLimits?.counting ?? null).filter((id) =>
    unchangedIds.includes(id),
  )
  beginCounting(sql, eventId, [...uncountedIds, ...addedIds])
  if (await hasManyRegistrations(sql, eventId)) return
  let progress: typeof NOT_STARTED | null = NOT_STARTED
  while (progress !== null) progress = await countNextBatch(sql, eventId, progress, null)
}

/** Describes as text which registrations need a seat type. Equal texts describe the same registrations. */
const describeUse = ({
  quota: { when, eachOptionOf, count, withDelegate },
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
  const limits = await readQuotas(sql, eventId)
  const row = await registrationForSeats.get(sql, { id: registrationId })
  if (limits !== null && row !== undefined) recomputeSeats(sql, eventId, limits, row)
}

/**
 * Updates the seats of a registration after its answers changed. Additional seats must be available. Releases seats
 * that are no longer needed. Returns the first unavailable seat. Null if all seats are available.
 */
export async function updateSeatsAfterCorrection(
  sql: Sql,
  eventId: string,
  registrationId: number,
  at: Instant,
): Promise<UnavailableSeat | null> {
  preventQuotaChanges(sql, eventId)
  const limits = await readQuotas(sql, eventId)
  const row = await registrationForSeats.get(sql, { id: registrationId })
  if (limits === null || row === undefined) return null
  const answers = JSON.parse(row.answers) as Answers
  const seats = listRequiredSeats(limits.limits, answers, row.category)
  lockSeats(
    sql,
    eventId,
    seats.map(({ id }) => id),
  )
  // Reads the held seats only after locking, because until then another registration may take a seat whose hold has
  // expired.
  const heldSeats = await seatsOfRegistration.all(sql, { registrationId })
  for (const { id, quantity } of seats) {
    const pool = await seatTypeOfEvent.get(sql, { eventId, place: id })
    if (pool === undefined) continue
    const heldSeat = heldSeats.find(({ place_id }) => place_id === pool.id)
    const addedQuantity = quantity - (heldSeat?.quantity ?? 0)
    if (addedQuantity <= 0) continue
    const isAvailable = await hasSeatsLeft(
      sql,
      { ...pool, quantity: addedQuantity },
      at,
      registrationId,
    )
    if (isAvailable === null) throwUndecided()
    if (!isAvailable) return toUnavailableSeat(pool)
  }
  recomputeSeats(sql, eventId, limits, row)
  return null
}

/**
 * Keeps the seats that a registration needs, and takes back seats that it lost in the meantime. Returns the first
 * unavailable seat. Null if all seats are available.
 */
export async function retakeLostSeats(
  sql: Sql,
  eventId: string,
  registrationId: number,
  at: Instant,
): Promise<UnavailableSeat | null> {
  const unavailableSeat = await updateSeatsAfterCorrection(sql, eventId, registrationId, at)
  if (unavailableSeat === null) keepAllSeats.run(sql, { registrationId })
  return unavailableSeat
}

function recomputeSeats(
  sql: Sql,
  eventId: string,
  limits: Limits,
  row: RegistrationForSeats,
): void {
  const answers = JSON.parse(row.answers) as Answers
  const seats = listRequiredSeats(limits.limits, answers, row.category)
  const listNames = (pools: readonly SeatPool[]): string =>
    JSON.stringify(pools.map(({ id }) => id))
  const registration = { registrationId: row.id, eventId }
  releaseOtherSeats.run(sql, { ...registration, names: listNames(seats) })
  const hold = getHold(limits, row)
  for (const [quantity, pools] of Map.groupBy(seats, (seat) => seat.quantity))
    takeSeats.run(sql, { ...registration, ...hold, quantity, names: listNames(pools) })
}
