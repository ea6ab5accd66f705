/** Processes registrations that were stored before a change of an event file, in batches. */
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { fillUniqueAnswers } from '../registrations/fill-unique-answers.ts'
import { countEarlierRegistrations } from '../seats/seats-of-earlier-registrations.ts'

/** Processes one batch. Returns false if nothing is left to do. A batch that was not committed is processed again. */
export async function processEarlierRegistrations(sql: Sql, at: Instant): Promise<boolean> {
  return (await fillUniqueAnswers(sql)) || countEarlierRegistrations(sql, at)
}
