/** Keeps, holds and releases the seats of a registration as its state changes. */
import type { Instant, PaymentStatus, RegistrationState } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { placeGone } from './available-seats.ts'
import type { UnavailableSeat } from './available-seats.ts'
import { limitsOf } from './stored-quotas.ts'

/** The state of a registration that determines its seats. `hasTerm`: it has a last day to pay. */
type SeatStanding = {
  readonly state: RegistrationState
  readonly status: PaymentStatus
  readonly inReview: boolean
  readonly hasTerm: boolean
}

/**
 * Determines the seats of a registration. It keeps them if it is paid, under review or has days left to pay, holds
 * them during payment, and frees them otherwise. A cancelled or rejected registration has none, whatever its payments.
 * `HELD_USE` of registrations/discount-codes.ts is the same rule for discount codes, in SQL.
 */
export function seatsFor({
  state,
  status,
  inReview,
  hasTerm,
}: SeatStanding): 'kept' | 'held' | 'free' {
  if (state === 'cancelled' || state === 'refused') return 'free'
  if (status === 'success' || inReview) return 'kept'
  if (state === 'to_approve' || state === 'told' || (state === 'to_pay' && hasTerm)) return 'kept'
  return status === 'pending' ? 'held' : 'free'
}

/** Updates the seats of a registration after a change of its state. */
export function settlePlaces(sql: Sql, registrationId: number, standing: SeatStanding): void {
  const seats = seatsFor(standing)
  if (seats === 'free')
    sql(
      "UPDATE places_taken SET state = 'free', until = NULL WHERE registration_id = ? AND state <> 'free'",
    ).run(registrationId)
  else if (seats === 'held')
    // No decision is pending and no payment arrived: another registration can take the seat.
    sql(
      "UPDATE places_taken SET state = 'held', until = 0 WHERE registration_id = ? AND state = 'kept'",
    ).run(registrationId)
  // What was lost before comes back with the payment only.
  else
    sql(
      `UPDATE places_taken SET state = 'kept', until = NULL WHERE registration_id = ? AND ${standing.status === 'success' ? "state <> 'kept'" : "state = 'held'"}`,
    ).run(registrationId)
}

/**
 * Holds the seats of a reopened registration again, where they are free. Returns the first one taken; null: it
 * has them all.
 */
export async function keepAgain(
  sql: Sql,
  registrationId: number,
  at: Instant,
): Promise<UnavailableSeat | null> {
  const gone = await placeGone(sql, registrationId, at)
  if (gone === null)
    sql("UPDATE places_taken SET state = 'kept', until = NULL WHERE registration_id = ?").run(
      registrationId,
    )
  return gone
}

/** The delegate is sent to pay again: holds all seats anew. Availability was checked before. */
export async function holdAgain(
  sql: Sql,
  eventId: string,
  registrationId: number,
  at: Instant,
): Promise<void> {
  const known = await limitsOf(sql, eventId)
  if (known !== null)
    // Kept seats stay kept: an unpaid balance releases no seat.
    sql(
      "UPDATE places_taken SET state = 'held', until = ? WHERE registration_id = ? AND state <> 'kept'",
    ).run(at + known.holdMs, registrationId)
}

/** After a clock that was ahead: limits all holds to the full period from now on. */
export async function limitPlaceHolds(sql: Sql, at: Instant): Promise<void> {
  for (const { event_id, hold_ms } of await sql<{ event_id: string; hold_ms: number }>(
    'SELECT event_id, hold_ms FROM event_limits',
  ).all())
    sql(
      `UPDATE places_taken SET until = ? WHERE state = 'held' AND until > ?
         AND place_id IN (SELECT id FROM places WHERE event_id = ?)`,
    ).run(at + hold_ms, at + hold_ms, event_id)
}
