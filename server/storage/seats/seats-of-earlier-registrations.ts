/**
 * Reserves the seats of registrations that were stored before a quota was added.
 * A large number of registrations is processed in batches in the background. Until this is complete, `counting` of
 * `event_limits` lists the seat types that do not count all registrations (`undecided-seats.ts`).
 */
import { sql as raw } from 'kysely'
import type { Kysely } from 'kysely'
import { instant, listRequiredSeats } from '../../../engine/index.ts'
import type { Answers, Instant } from '../../../engine/index.ts'
import { clearCachedReads } from '../database/batch-cache.ts'
import { lockRegistrationIds } from '../database/row-locks.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { buildQuery, statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { determineSeatUse } from './seats-for-state.ts'
import { readQuotas } from './stored-quotas.ts'
import type { Limits } from './stored-quotas.ts'

/**
 * Registrations per batch. On PostgreSQL, other registrations wait for the count of a seat type until the batch is
 * committed.
 */
const BATCH_ROWS = 200
/** The maximum number of registrations of an event that are counted immediately. */
const MAX_COUNTED_IMMEDIATELY = 1_000

type EventParams = { eventId: string }
type Progress = { readonly createdAt: Instant; readonly id: number }
export const NOT_STARTED: Progress = { createdAt: instant(0), id: 0 }

const selectRegistrations = (builder: Kysely<Tables>) =>
  builder
    .selectFrom('registrations as r')
    .select([
      'r.id',
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
    .select(({ selectFrom }) =>
      selectFrom('payments as p')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .whereRef('p.registration_id', '=', 'r.id')
        .where('p.status', '=', 'pending')
        .where('p.last_answer', '=', 'in-process')
        .as('processing'),
    )
export const registrationForSeats = statement((builder, { id }: { id: number }) =>
  selectRegistrations(builder).where('r.id', '=', id),
)
const registrationsForSeats = statement((builder, { ids }: { ids: string }, dialect) =>
  selectRegistrations(builder).where(({ ref }) => dialect.isIdIn(ref('r.id'), ids)),
)
/** Sorts in the order of an index. If sorted by id, SQLite would sort all the event's registrations for each batch. */
export const nextRegistrations = statement(
  (builder, { eventId, createdAt, id }: EventParams & Progress) =>
    builder
      .selectFrom('registrations')
      .select(['id', 'created_at as createdAt'])
      .where('event_id', '=', eventId)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('created_at', 'id'), '>', tuple(createdAt, id)),
      )
      .orderBy('created_at')
      .orderBy('id')
      .limit(BATCH_ROWS),
)
const registrationBeyondImmediateLimit = statement((builder, { eventId }: EventParams) =>
  builder
    .selectFrom('registrations')
    .select('id')
    .where('event_id', '=', eventId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .offset(MAX_COUNTED_IMMEDIATELY),
)
const seatTypesOfEvent = statement((builder, { eventId }: EventParams) =>
  builder.selectFrom('places').select(['id', 'place']).where('event_id', '=', eventId),
)
const seatsOfRegistrations = statement((builder, { ids }: { ids: string }, dialect) =>
  builder
    .selectFrom('places_taken')
    .select(['registration_id', 'place_id'])
    .where(({ ref }) => dialect.isIdIn(ref('registration_id'), ids)),
)
const releaseSeats = statement(
  (builder, { ids, placeId }: { ids: string; placeId: number }, dialect) =>
    builder
      .deleteFrom('places_taken')
      .where(({ ref }) => dialect.isIdIn(ref('registration_id'), ids))
      .where('place_id', '=', placeId),
)
const takeSeat = statement(
  (
    builder,
    seat: {
      registrationId: number
      placeId: number
      state: string
      until: Instant | null
      quantity: number
    },
  ) =>
    builder
      .insertInto('places_taken')
      .values({
        registration_id: seat.registrationId,
        place_id: seat.placeId,
        state: seat.state,
        until: seat.until,
        quantity: seat.quantity,
      })
      .onConflict((conflict) => conflict.doNothing()),
)
/**
 * Returns the owner of retired seat types. These types have no event, and are deleted when no registration has
 * such a seat.
 */
const getRetiredOwner = (eventId: string): string => `-${eventId}`
const retireSeatTypes = statement(
  (builder, params: EventParams & { owner: string; names: string; max: number }, dialect) =>
    builder
      .updateTable('places')
      .set(({ ref }) => ({
        event_id: params.owner,
        place: raw<string>`'retired ' || ${ref('id')}`,
        max: params.max,
      }))
      .where('event_id', '=', params.eventId)
      .where(({ not, ref }) => not(dialect.isIn(ref('place'), params.names))),
)
const deleteUnusedSeatTypes = statement((builder, { owner }: { owner: string }) =>
  builder
    .deleteFrom('places')
    .where('event_id', '=', owner)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('places_taken')
            .select('registration_id')
            .whereRef('places_taken.place_id', '=', 'places.id'),
        ),
      ),
    ),
)
const startCounting = statement((builder, { eventId, types }: EventParams & { types: string }) =>
  builder
    .updateTable('event_limits')
    .set({ counting: types, counted_at: NOT_STARTED.createdAt, counted_id: NOT_STARTED.id })
    .where('event_id', '=', eventId),
)
const saveProgress = statement((builder, { eventId, createdAt, id }: EventParams & Progress) =>
  builder
    .updateTable('event_limits')
    .set({ counted_at: createdAt, counted_id: id })
    .where('event_id', '=', eventId),
)
const endCounting = statement((builder, { eventId }: EventParams) =>
  builder
    .updateTable('event_limits')
    .set({ counting: null, counted_at: null, counted_id: null })
    .where('event_id', '=', eventId),
)
const nextEventToCount = statement((builder) =>
  builder
    .selectFrom('event_limits')
    .select(({ ref }) => [
      'event_id as eventId',
      ref('counted_at').$notNull().as('createdAt'),
      ref('counted_id').$notNull().as('id'),
    ])
    .where('counting', 'is not', null)
    .orderBy('event_id')
    .limit(1),
)
const registrationWithoutSeats = statement(
  (builder, { registrationId }: { registrationId: number }) =>
    builder
      .selectFrom('registrations as r')
      .innerJoin('event_limits as l', 'l.event_id', 'r.event_id')
      .select('r.event_id as eventId')
      .where('r.id', '=', registrationId)
      .where('l.counting', 'is not', null)
      .where(({ and, eb, or, ref }) =>
        or([
          eb('r.created_at', '>', ref('l.counted_at')),
          and([eb('r.created_at', '=', ref('l.counted_at')), eb('r.id', '>', ref('l.counted_id'))]),
        ]),
      ),
)

/**
 * Returns the registration if its seats have not been reserved yet. Uses one statement, which can be sent together with
 * other reads.
 */
export const readEarlierRegistration = (
  sql: Sql,
  registrationId: number,
): Promise<{ readonly eventId: string } | undefined> =>
  registrationWithoutSeats.get(sql, { registrationId })

/** Reserves the seats of a registration before it changes, unless its batch has already been processed. */
export async function reserveSeatsOfEarlierRegistration(
  sql: Sql,
  registrationId: number,
): Promise<void> {
  const earlierRegistration = await readEarlierRegistration(sql, registrationId)
  if (earlierRegistration === undefined) return
  const limits = await readQuotas(sql, earlierRegistration.eventId)
  const row = await registrationForSeats.get(sql, { id: registrationId })
  if (limits === null || row === undefined) return
  await reserveMissingSeats(sql, {
    eventId: earlierRegistration.eventId,
    limits,
    rows: [row],
    at: null,
  })
}

/**
 * Releases, in batches, the seats of the event's seat types that are not in `names`. Returns the number of these types.
 */
export function retireSeats(sql: Sql, eventId: string, names: readonly string[]): Promise<number> {
  return retireSeatTypes.run(sql, {
    eventId,
    owner: getRetiredOwner(eventId),
    names: JSON.stringify(names),
    max: Number.MAX_SAFE_INTEGER,
  }).changes
}

/**
 * Starts counting earlier registrations, beginning with the first. `types`: the seat types whose counts are
 * incomplete until then.
 */
export function beginCounting(sql: Sql, eventId: string, types: readonly string[]): void {
  startCounting.run(sql, { eventId, types: JSON.stringify(types) })
  clearCachedReads(sql)
}

/** Returns true if the event has so many registrations that they are counted in the background. */
export async function hasManyRegistrations(sql: Sql, eventId: string): Promise<boolean> {
  return (await registrationBeyondImmediateLimit.get(sql, { eventId })) !== undefined
}

/** Processes the next batch of an event. Returns false if no batch is left. */
export async function countEarlierRegistrations(sql: Sql, at: Instant): Promise<boolean> {
  const nextEvent = await nextEventToCount.get(sql)
  if (nextEvent === undefined) return false
  await countNextBatch(sql, nextEvent.eventId, nextEvent, at)
  return true
}

/**
 * Reserves the seats of the next registrations. `at`: releases holds that have expired by this time. If null, expired
 * holds stay until a seat is needed, and the rows are not locked.
 * Returns the last registration. Null after the last batch.
 */
export async function countNextBatch(
  sql: Sql,
  eventId: string,
  { createdAt, id }: Progress,
  at: Instant | null,
): Promise<Progress | null> {
  const keys = await nextRegistrations.all(sql, { eventId, createdAt, id })
  const ids = JSON.stringify(keys.map((key) => key.id))
  // A concurrent payment for one of these registrations either waits or is included.
  if (at !== null)
    lockRegistrationIds(
      sql,
      keys.map((key) => key.id),
    )
  const limits = await readQuotas(sql, eventId)
  if (limits !== null) {
    const rows = await registrationsForSeats.all(sql, { ids })
    await reserveMissingSeats(sql, { eventId, limits, rows, at })
  }
  const lastRegistration = keys.at(-1)
  if (lastRegistration !== undefined && keys.length === BATCH_ROWS) {
    saveProgress.run(sql, {
      eventId,
      createdAt: lastRegistration.createdAt,
      id: lastRegistration.id,
    })
    return lastRegistration
  }
  deleteUnusedSeatTypes.run(sql, { owner: getRetiredOwner(eventId) })
  endCounting.run(sql, { eventId })
  clearCachedReads(sql)
  return null
}

export type RegistrationForSeats = NonNullable<Awaited<ReturnType<typeof registrationForSeats.get>>>

/**
 * Adds the seats that the registrations need but do not have. Releases seats of types that no longer exist. Uses a
 * small number of statements.
 */
async function reserveMissingSeats(
  sql: Sql,
  {
    eventId,
    limits,
    rows,
    at,
  }: {
    readonly eventId: string
    readonly limits: Limits
    readonly rows: readonly RegistrationForSeats[]
    readonly at: Instant | null
  },
): Promise<void> {
  const types = new Map(
    (await seatTypesOfEvent.all(sql, { eventId })).map((row) => [row.place, row.id]),
  )
  const takenRows = await seatsOfRegistrations.all(sql, {
    ids: JSON.stringify(rows.map(({ id }) => id)),
  })
  const takenByRegistration = Map.groupBy(takenRows, ({ registration_id: id }) => id)
  const existingTypes = new Set(types.values())
  const retiredSeats: { registrationId: number; placeId: number }[] = []
  const newSeats = rows.flatMap((row) => {
    const requiredSeats = listRequiredSeats(
      limits.limits,
      JSON.parse(row.answers) as Answers,
      row.category,
    )
    const neededTypes = requiredSeats.flatMap(({ id, quantity }) => {
      const placeId = types.get(id)
      return placeId === undefined ? [] : [{ placeId, quantity }]
    })
    const heldTypes = (takenByRegistration.get(row.id) ?? []).map(({ place_id: id }) => id)
    for (const placeId of heldTypes)
      if (!existingTypes.has(placeId)) retiredSeats.push({ registrationId: row.id, placeId })
    const hold = getHold(limits, row, at)
    return neededTypes
      .filter(({ placeId }) => !heldTypes.includes(placeId))
      .map((seats) => ({ registrationId: row.id, ...seats, ...hold }))
  })
  for (const [placeId, seats] of Map.groupBy(retiredSeats, (seat) => seat.placeId))
    releaseSeats.run(sql, {
      placeId,
      ids: JSON.stringify(seats.map(({ registrationId }) => registrationId)),
    })
  if (sql.batch === null) for (const seat of newSeats) takeSeat.run(sql, seat)
  else if (newSeats.length > 0)
    // Uses a single statement, because each statement takes time on PostgreSQL.
    buildQuery(sql, (builder) =>
      builder
        .insertInto('places_taken')
        .values(
          newSeats.map(({ registrationId, placeId, state, until, quantity }) => ({
            registration_id: registrationId,
            place_id: placeId,
            state,
            until,
            quantity,
          })),
        )
        .onConflict((conflict) => conflict.doNothing()),
    ).run()
}

/**
 * Returns whether the seats of a registration are kept, held until a given time, or released. A hold does not expire
 * while the bank is processing a payment.
 */
export function getHold(
  { holdMs }: Limits,
  row: RegistrationForSeats,
  at: Instant | null = null,
): { state: string; until: Instant | null } {
  const state = determineSeatUse({
    state: row.state,
    status: row.payment_status,
    inReview: row.in_review === 1,
    hasPaymentDeadline: row.pay_until !== null,
  })
  if (state !== 'held') return { state, until: null }
  const until = instant((row.handed_off_at ?? 0) + holdMs)
  return at !== null && until <= at && row.processing === 0
    ? { state: 'free', until: null }
    : { state, until }
}
