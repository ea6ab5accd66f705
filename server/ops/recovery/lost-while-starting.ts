/** Writes out a database that was lost while the server started, and explains why the server does not start. */
import { setTimeout as sleep } from 'node:timers/promises'
import { commandsFor } from '../../storage/recovery/rescued-databases.ts'
import { createCompletenessNote } from './rescued-completeness.ts'
import { watchForLoss } from './rescue-lost-database.ts'
import type { LossDeps } from './rescue-lost-database.ts'

/** How often it looks whether a rescue that failed is due again. */
const RETRY_MS = 1_000

/** Null if the database is the one that was opened. It resolves once the data is in a file, however long that takes. */
export async function rescueIfLost(
  deps: LossDeps,
): Promise<{ readonly text: string; readonly status: 2 } | null> {
  const loss = await deps.store.lost()
  if (loss === null) return null
  const lossWatch = watchForLoss(deps)
  await lossWatch.check()
  while (lossWatch.isUnsaved()) {
    await sleep(RETRY_MS)
    await lossWatch.check()
  }
  const rescued = lossWatch.rescued()
  if (rescued === null) return null
  const { dataDir } = deps.environment
  const { file, isWhole } = rescued
  const location = isWhole
    ? `Everything that was in it is in ${file}, which was checked.`
    : `What could be read of it is in ${file}, and some rows may be missing: keep all files of DATA_DIR.${(await createCompletenessNote(dataDir))(file)}`
  return {
    text: `The database file ${loss} while the server started. ${location} To use it, run: ${commandsFor(dataDir, file)}. Then start the server.`,
    status: 2,
  }
}
