/** Writes out a database that was lost while the server started, and explains why the server does not start. */
import { setTimeout as sleep } from 'node:timers/promises'
import { commandsFor } from '../../storage/recovery/rescued-databases.ts'
import { completenessIn } from './rescued-completeness.ts'
import { watchForLoss } from './rescue-lost-database.ts'
import type { LossDeps } from './rescue-lost-database.ts'

/** How often it looks whether a rescue that failed is due again. */
const AGAIN_MS = 1_000

/** Null if the database is the one that was opened. It resolves once the data is in a file, however long that takes. */
export async function refuseIfLost(
  deps: LossDeps,
): Promise<{ readonly text: string; readonly status: 2 } | null> {
  const what = await deps.store.lost()
  if (what === null) return null
  const watch = watchForLoss(deps)
  await watch.look()
  while (watch.isUnsaved()) {
    await sleep(AGAIN_MS)
    await watch.look()
  }
  const rescued = watch.rescued()
  if (rescued === null) return null
  const { dataDir } = deps.environment
  const { file, isWhole } = rescued
  const there = isWhole
    ? `Everything that was in it is in ${file}, which was checked.`
    : `What could be read of it is in ${file}, and some rows may be missing: keep all files of DATA_DIR.${(await completenessIn(dataDir))(file)}`
  return {
    text: `The database file ${what} while the server started. ${there} To use it, run: ${commandsFor(dataDir, file)}. Then start the server.`,
    status: 2,
  }
}
