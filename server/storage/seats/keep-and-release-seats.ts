/** Keeps, holds and releases the seats of a registration as its state changes. */
import { instant } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { findUnavailableSeat } from './available-seats.ts'
import type { UnavailableSeat } from './seat-types.ts'
import { determineSeatUse } from './seats-for-state.ts'
import type { SeatState } from './seats-for-state.ts'
import { readQuotas } from './stored-quotas.ts'

type RegistrationParams = { registrationId: number }
type UntilParams = { until: Instant }
const freeSeats = statement((builder, { registrationId }: RegistrationParams) =>
  builder
    .updateTable('places_taken')
    .set({ state: 'free', until: null })
    .where('registration_id', '=', registrationId)
    .where('state', '<>', 'free'),
)
/** Turns kept seats into expired holds, which another registration can take immediately. */
const expireKeptSeats = statement((builder, { registrationId }: RegistrationParams) =>
  builder
    .updateTable('places_taken')
    .set({ state: 'held', until: instant(0) })
    .where('registration_id', '=', registrationId)
    .where('state', '=', 'kept'),
)
const keepHeldSeats = statement((builder, { registrationId }: RegistrationParams) =>
  builder
    .updateTable('places_taken')
    .set({ state: 'kept', until: null })
    .where('registration_id', '=', registrationId)
    .where('state', '=', 'held'),
)
/** Keeps all seats, and takes back lost ones. */
export const keepAllSeats = statement((builder, { registrationId }: RegistrationParams) =>
  builder
    .updateTable('places_taken')
    .set({ state: 'kept', until: null })
    .where('registration_id', '=', registrationId)
    .where('state', '<>', 'kept'),
)
/** Holds the seats. Kept seats stay kept: an unpaid balance does not release any seats. */
const holdSeats = statement(
  (builder, { registrationId, until }: RegistrationParams & UntilParams) =>
    builder
      .updateTable('places_taken')
      .set({ state: 'held', until })
      .where('registration_id', '=', registrationId)
      .where('state', '<>', 'kept'),
)
const holdTimes = statement((builder) =>
  builder.selectFrom('event_limits').select(['event_id as eventId', 'hold_ms as holdMs']),
)
const limitHoldsOfEvent = statement(
  (builder, { eventId, until }: { eventId: string } & UntilParams) =>
    builder
      .updateTable('places_taken')
      .set({ until })
      .where('state', '=', 'held')
      .where('until', '>', until)
      .where('place_id', 'in', (eb) =>
        eb.selectFrom('places').select('id').where('event_id', '=', eventId),
      ),
)

/** Updates the seats of a registration after a change of its state. */
export function updateSeats(sql: Sql, registrationId: number, seatState: SeatState): void {
  const seats = determineSeatUse(seatState)
  if (seats === 'free') freeSeats.run(sql, { registrationId })
  // Stops keeping the seats, because no decision is pending and no payment was received.
  else if (seats === 'held') expireKeptSeats.run(sql, { registrationId })
  // Does not restore lost seats. Only a payment restores them.
  else if (seatState.status === 'success') keepAllSeats.run(sql, { registrationId })
  else keepHeldSeats.run(sql, { registrationId })
}

/**
 * Holds the seats of a reopened registration again, if they are available. Returns the first unavailable seat. Null if
 * all are available.
 */
export async function reserveSeatsAgain(
  sql: Sql,
  registrationId: number,
  at: Instant,
): Promise<UnavailableSeat | null> {
  const unavailableSeat = await findUnavailableSeat(sql, registrationId, at)
  if (unavailableSeat === null) keepAllSeats.run(sql, { registrationId })
  return unavailableSeat
}

/** Renews the hold on all seats when the delegate is sent to pay again. Availability has already been checked. */
export async function holdAgain(
  sql: Sql,
  eventId: string,
  registrationId: number,
  at: Instant,
): Promise<void> {
  const limits = await readQuotas(sql, eventId)
  if (limits !== null) holdSeats.run(sql, { registrationId, until: instant(at + limits.holdMs) })
}

/** Shortens all holds to at most the full period from now, after the clock was ahead. */
export async function limitSeatHolds(sql: Sql, at: Instant): Promise<void> {
  for (const { eventId, holdMs } of await holdTimes.all(sql))
    limitHoldsOfEvent.run(sql, { eventId, until: instant(at + holdMs) })
}
