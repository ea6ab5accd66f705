/** Tells whether a rescued database is known to lack rows. */
import { formatCount } from '../../../engine/index.ts'
import { rescuedIn } from '../../storage/recovery/copy-database.ts'
import { isOlder, lastServed } from './detect-older-database.ts'

/** The reason of the recovery that a rescue begins in a file that lacks rows. */
export const WHY_INCOMPLETE =
  'The database was lost while the server used it, and some rows could not be read.'

/** Returns what completes a sentence about a rescued database of a data folder; empty: nothing is known to be missing. */
export async function completenessIn(dataDir: string): Promise<(file: string) => string> {
  const note = await lastServed(dataDir)
  return (file) => {
    const rescued = rescuedIn(file)
    if (rescued === null) return ''
    const { registrations, progress, recoveryWhy, at } = rescued
    // What is noted later is of a database that was served since.
    const isBehind =
      note !== null &&
      note.at <= at &&
      progress.name === note.name &&
      isOlder(progress.counted, note)
    if (recoveryWhy !== WHY_INCOMPLETE && !isBehind) return ''
    const had = note?.counted['registrations'] ?? 0
    const count =
      had > registrations
        ? `the server had stored about ${formatCount(had)} registrations, and it has ${formatCount(registrations)}`
        : `some rows could not be read; it has ${formatCount(registrations)} registrations`
    return ` It is not complete: ${count}. Compare it with rollcall.db and the last backup before you use it.`
  }
}
