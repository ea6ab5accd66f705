/** Describes the rows that are known to be missing from a rescued database. */
import { formatCount } from '../../../engine/index.ts'
import { readRescuedContents } from '../../storage/recovery/copy-database.ts'
import { listRescuedFiles } from '../../storage/recovery/rescued-databases.ts'
import { isOlder, readLastServed } from './detect-older-database.ts'

/** The reason recorded for a recovery if the rescued database lacks some rows. */
export const INCOMPLETE_REASON =
  'The database was lost while the server used it, and some rows could not be read.'

/**
 * Returns a function that describes the rows that are missing from a rescued database. The description is empty if no
 * rows are known to be missing.
 */
export async function createCompletenessDescriber(
  dataDir: string,
): Promise<(file: string) => string> {
  const lastServed = await readLastServed(dataDir)
  const contents = new Map(
    await Promise.all(
      listRescuedFiles(dataDir).map(
        async (file) => [file, await readRescuedContents(file)] as const,
      ),
    ),
  )
  return (file) => {
    const rescuedContents = contents.get(file)
    if (rescuedContents == null) return ''
    const { registrations, progress, recoveryReason, at } = rescuedContents
    // A later record describes a database that was served after this one.
    const isBehind =
      lastServed !== null &&
      lastServed.at <= at &&
      progress.name === lastServed.name &&
      isOlder(progress.counted, lastServed)
    if (recoveryReason !== INCOMPLETE_REASON && !isBehind) return ''
    const expectedCount = lastServed?.counted['registrations'] ?? 0
    const missingText =
      expectedCount > registrations
        ? `the server had stored about ${formatCount(expectedCount)} registrations, and this file has ${formatCount(registrations)}`
        : `some rows could not be read; it has ${formatCount(registrations)} registrations`
    return ` It is not complete: ${missingText}. Compare it with rollcall.db and the last backup before you use it.`
  }
}
