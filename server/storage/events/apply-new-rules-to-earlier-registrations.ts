/** Applies the event file's new uniqueness rules and quotas to registrations stored before it changed, in batches. */
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { fillUniqueAnswers } from '../registrations/fill-unique-answers.ts'
import { countEarlierRegistrations } from '../seats/seats-of-earlier-registrations.ts'

/**
 * Processes one batch. Returns false if no registrations are left. A batch that was not committed is processed again.
 */
export async function applyNewRulesToEarlierRegistrations(sql: Sql, at: Instant): Promise<boolean> {
  return (await fillUniqueAnswers(sql)) || countEarlierRegistrations(sql, at)
}
