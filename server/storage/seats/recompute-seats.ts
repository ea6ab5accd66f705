/** Computes seats of stored registrations again: after new quotas, an import, or changed answers. */
import type { Kysely } from 'kysely'
import { allSeatPools, instant, requiredSeats } from '../../../engine/index.ts'
import type { Answers, Instant, Quota } from '../../../engine/index.ts'
import { readAgain } from '../database/batch-cache.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { Dialect } from '../database/statements/dialect.ts'
import { queryOf, statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { hasRoom, toUnavailableSeat, seatOfEvent } from './available-seats.ts'
import type { UnavailableSeat } from './available-seats.ts'
import { lockLimits, lockQuotas, lockSeats } from '../database/row-locks.ts'
import { keepAllSeats, seatsFor } from './keep-and-release-seats.ts'
import { limitsOf, limitsOfEvent, textOfLimits } from './stored-quotas.ts'
import type { Limits } from './stored-quotas.ts'

/** Registrations read per batch when the quotas of an event change. */
const CHUNK_ROWS = 500

const NONE = '[]'

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
const removedSeats = (builder: Kysely<Tables>, params: EventParams & Names, dialect: Dialect) =>
  builder
    .selectFrom('places')
    .select('id')
    .where('event_id', '=', params.eventId)
    .where(({ not, ref }) => not(dialect.isIn(ref('place'), params.names)))
const removedSeat = statement((builder, params: EventParams & Names, dialect) =>
  removedSeats(builder, params, dialect).limit(1),
)
const releaseRemovedSeats = statement((builder, params: EventParams & Names, dialect) =>
  builder
    .deleteFrom('places_taken')
    .where('place_id', 'in', removedSeats(builder, params, dialect)),
)
const deleteRemovedSeats = statement((builder, params: EventParams & Names, dialect) =>
  builder.deleteFrom('places').where('id', 'in', removedSeats(builder, params, dialect)),
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
const registrations = (builder: Kysely<Tables>) =>
  builder
    .selectFrom('registrations as r')
    .select([
      'r.id',
      'r.created_at',
      'r.answers',
      'r.category',
      'r.payment_status',
      'r.in_review',
      'r.state',
      'r.pay_until',
    ])
    .select(({ selectFrom }) =>
      selectFrom('payments as p')
        .select(({ fn }) => fn.max('p.handed_off_at').as('handed_off_at'))
        .whereRef('p.registration_id', '=', 'r.id')
        .as('handed_off_at'),
    )
const oneRegistration = statement((builder, { id }: { id: number }) =>
  registrations(builder).where('r.id', '=', id),
)
/** In the order of an index: by their ids, SQLite would sort all registrations of the event for each chunk. */
const nextRegistrations = statement(
  (builder, { eventId, createdAt, id }: EventParams & { createdAt: Instant; id: number }) =>
    registrations(builder)
      .where('r.event_id', '=', eventId)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('r.created_at', 'r.id'), '>', tuple(createdAt, id)),
      )
      .orderBy('r.created_at')
      .orderBy('r.id')
      .limit(CHUNK_ROWS),
)
const seatTypesOfEvent = statement((builder, { eventId }: EventParams) =>
  builder.selectFrom('places').select(['id', 'place']).where('event_id', '=', eventId),
)
const seatsTakenByAll = statement((builder, { ids }: { ids: string }, dialect) =>
  builder
    .selectFrom('places_taken')
    .select(['registration_id', 'place_id'])
    .where(({ ref }) => dialect.isIdIn(ref('registration_id'), ids)),
)
type RegistrationParams = { registrationId: number }
const releaseSeat = statement(
  (builder, { registrationId, placeId }: RegistrationParams & { placeId: number }) =>
    builder
      .deleteFrom('places_taken')
      .where('registration_id', '=', registrationId)
      .where('place_id', '=', placeId),
)
const seatsTakenBy = statement((builder, { registrationId }: RegistrationParams) =>
  builder
    .selectFrom('places_taken')
    .select('place_id')
    .where('registration_id', '=', registrationId)
    .where('state', '<>', 'free'),
)
const namedSeats = (
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
      .where('place_id', 'not in', namedSeats(builder, params, dialect).select('id')),
)
const takeSeats = statement(
  (
    builder,
    params: RegistrationParams & EventParams & Names & { state: string; until: Instant | null },
    dialect,
  ) =>
    builder
      .insertInto('places_taken')
      .columns(['registration_id', 'place_id', 'state', 'until'])
      .expression(
        namedSeats(builder, params, dialect).select(({ val }) => [
          val(params.registrationId).as('registration_id'),
          'id as place_id',
          val(params.state).as('state'),
          val(params.until).as('until'),
        ]),
      )
      .onConflict((conflict) => conflict.doNothing()),
)

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
  const previousLimits = await limitsOfEvent.get(sql, { eventId })
  if ((previousLimits?.limits ?? NONE) === text && (previousLimits?.hold_ms ?? holdMs) === holdMs)
    return
  readAgain(sql)
  saveQuotas.run(sql, { eventId, limits: text, holdMs })
  if ((previousLimits?.limits ?? NONE) === text) return
  const pools = allSeatPools(limits)
  const names = JSON.stringify(pools.map(({ id }) => id))
  if ((await removedSeat.get(sql, { eventId, names })) !== undefined) {
    releaseRemovedSeats.run(sql, { eventId, names })
    deleteRemovedSeats.run(sql, { eventId, names })
  }
  for (const { id, max } of pools) saveSeatType.run(sql, { eventId, place: id, max })
  await recomputeAll(sql, eventId, { limits, holdMs })
}

/** Sets the labels of the served event file's quotas, by id. */
export function saveSeatNames(
  sql: Sql,
  eventId: string,
  names: Readonly<Record<string, string>>,
): void {
  for (const [place, name] of Object.entries(names))
    renameSeatType.run(sql, { eventId, place, name })
}

type RegistrationRow = NonNullable<Awaited<ReturnType<typeof oneRegistration.get>>>

async function recomputeAll(sql: Sql, eventId: string, known: Limits): Promise<void> {
  const types = new Map(
    (await seatTypesOfEvent.all(sql, { eventId })).map((row) => [row.place, row.id]),
  )
  for (let lastRow = { createdAt: instant(0), id: 0 }; ;) {
    const rows = await nextRegistrations.all(sql, { eventId, ...lastRow })
    await placeRows(sql, { known, types, rows })
    const last = rows.at(-1)
    if (last === undefined || rows.length < CHUNK_ROWS) return
    lastRow = { createdAt: last.created_at, id: last.id }
  }
}

/**
 * Compares the seats that the registrations need with those they have, and writes the difference with few statements.
 */
async function placeRows(
  sql: Sql,
  {
    known,
    types,
    rows,
  }: {
    readonly known: Limits
    readonly types: ReadonlyMap<string, number>
    readonly rows: readonly RegistrationRow[]
  },
): Promise<void> {
  const takenRows = await seatsTakenByAll.all(sql, {
    ids: JSON.stringify(rows.map(({ id }) => id)),
  })
  const takenByRegistration = Map.groupBy(takenRows, ({ registration_id: id }) => id)
  const newSeats = rows.flatMap((row) => {
    const required = requiredSeats(known.limits, JSON.parse(row.answers) as Answers, row.category)
    const neededTypes = required.flatMap(({ id }) => types.get(id) ?? [])
    const heldTypes = (takenByRegistration.get(row.id) ?? []).map(({ place_id: id }) => id)
    for (const placeId of heldTypes)
      if (!neededTypes.includes(placeId)) releaseSeat.run(sql, { registrationId: row.id, placeId })
    const heldSeats = getHold(known, row)
    return neededTypes
      .filter((id) => !heldTypes.includes(id))
      .map((id) => ({ registration_id: row.id, place_id: id, ...heldSeats }))
  })
  if (newSeats.length > 0)
    queryOf(sql, (builder) =>
      builder
        .insertInto('places_taken')
        .values(newSeats)
        .onConflict((conflict) => conflict.doNothing()),
    ).run()
}

/** Records the seats of an existing or imported registration, without checking availability. */
export async function placeStored(
  sql: Sql,
  eventId: string,
  registrationId: number,
): Promise<void> {
  const known = await limitsOf(sql, eventId)
  const row = await oneRegistration.get(sql, { id: registrationId })
  if (known !== null && row !== undefined) recomputeOne(sql, eventId, known, row)
}

/**
 * Updates the seats of a registration after its answers changed: additional ones must be free, others are released.
 * Returns the first seat taken by others. Null if it has them all.
 */
export async function movePlaces(
  sql: Sql,
  eventId: string,
  registrationId: number,
  at: Instant,
): Promise<UnavailableSeat | null> {
  lockLimits(sql, eventId)
  const known = await limitsOf(sql, eventId)
  const row = await oneRegistration.get(sql, { id: registrationId })
  if (known === null || row === undefined) return null
  const answers = JSON.parse(row.answers) as Answers
  const seats = requiredSeats(known.limits, answers, row.category)
  lockSeats(
    sql,
    eventId,
    seats.map(({ id }) => id),
  )
  // After the lock: until then, others may take a seat with an expired hold.
  const heldSeats = await seatsTakenBy.all(sql, { registrationId })
  for (const { id } of seats) {
    const pool = await seatOfEvent.get(sql, { eventId, place: id })
    const isNew = pool !== undefined && !heldSeats.some(({ place_id }) => place_id === pool.id)
    if (isNew && !(await hasRoom(sql, pool, at))) return toUnavailableSeat(pool)
  }
  recomputeOne(sql, eventId, known, row)
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
  const unavailableSeat = await movePlaces(sql, eventId, registrationId, at)
  if (unavailableSeat === null) keepAllSeats.run(sql, { registrationId })
  return unavailableSeat
}

function recomputeOne(sql: Sql, eventId: string, known: Limits, row: RegistrationRow): void {
  const answers = JSON.parse(row.answers) as Answers
  const seatParams = {
    registrationId: row.id,
    eventId,
    names: JSON.stringify(requiredSeats(known.limits, answers, row.category).map(({ id }) => id)),
  }
  releaseOtherSeats.run(sql, seatParams)
  takeSeats.run(sql, { ...seatParams, ...getHold(known, row) })
}

/** Whether seats of a registration are kept, held until some instant, or free. */
function getHold(
  { holdMs }: Limits,
  row: RegistrationRow,
): { state: string; until: Instant | null } {
  const state = seatsFor({
    state: row.state,
    status: row.payment_status,
    inReview: row.in_review === 1,
    hasTerm: row.pay_until !== null,
  })
  return { state, until: state === 'held' ? instant((row.handed_off_at ?? 0) + holdMs) : null }
}
