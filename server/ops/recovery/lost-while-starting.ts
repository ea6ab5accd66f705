/** Rescues a database that was lost during startup, and explains why the server does not start. */
import { setTimeout as sleep } from 'node:timers/promises'
import { formatRestoreCommands } from '../../storage/recovery/rescued-databases.ts'
import { createCompletenessDescriber } from './rescued-completeness.ts'
import { watchForLoss } from './rescue-lost-database.ts'
import type { LossDeps } from './rescue-lost-database.ts'

/** The interval between retries of a failed rescue. */
const RETRY_INTERVAL_MS = 1_000

/**
 * Rescues the database if it was lost; returns null if it was not. Resolves once the data is in a file, however long
 * that takes.
 */
export async function rescueIfLost(
  deps: LossDeps,
): Promise<{ readonly text: string; readonly status: 2 } | null> {
  const loss = await deps.store.findDatabaseLoss()
  if (loss === null) return null
  const lossWatch = watchForLoss(deps)
  await lossWatch.check()
  while (lossWatch.isUnsaved()) {
    await sleep(RETRY_INTERVAL_MS)
    await lossWatch.check()
  }
  const rescuedFile = lossWatch.getRescuedLocation()
  if (rescuedFile === null) return null
  const { dataDir } = deps.environment
  const { file, isComplete } = rescuedFile
  const location = isComplete
    ? `All of its data is in ${file}, which was checked.`
    : `The data that could be read is in ${file}, but some rows may be missing: keep all files in DATA_DIR.${(await createCompletenessDescriber(dataDir))(file)}`
  return {
    text: `The database file ${loss} while the server started. ${location} To use it, run: ${formatRestoreCommands(dataDir, file)}. Then start the server.`,
    status: 2,
  }
}
