/** Finds problems that a stopped server would report when it next starts: a wrong clock, removed event files. */
import path from 'node:path'
import { dayOf, formatInstant, isEventOver } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { Environment } from '../../dependencies.ts'
import { readLastServed } from '../../events/versions/version-approval.ts'
import { listEventFiles } from '../../events/files/event-folder.ts'
import { getEventId, formatRemovedMessage } from '../../events/versions/last-valid-version.ts'
import { formatDuration } from '../../ops/clock-jumps.ts'
import { createClock } from '../../ops/clock.ts'
import { formatErasurePause } from '../../ops/health/clock-check.ts'
import { DATABASE_FILE } from '../../storage/database/sqlite-connection.ts'
import { readLastSeenClock, readFilesInUse } from '../../storage/recovery/copy-database.ts'

/** The server logs a clock that was set back by at least this much. */
const MIN_SET_BACK_MS = 60_000

/**
 * Returns a sentence for each problem. The database must have the current version. If `presentIds` is null (the folder
 * has no event file), event files are not checked.
 */
export async function findNextStartProblems(
  { dataDir, clockStart }: Environment,
  presentIds: ReadonlySet<string> | null,
): Promise<readonly string[]> {
  const file = path.join(dataDir, DATABASE_FILE)
  const now = createClock(clockStart)()
  return [
    ...(await checkClock(file, now)),
    ...(presentIds === null ? [] : await describeRemoved(file, presentIds, now)),
  ]
}

/** Returns a sentence for each removed event file. Empty if the database or the folder cannot be read. */
export async function findRemovedFiles({
  dataDir,
  databaseUrl,
  eventsDir,
  clockStart,
}: Environment): Promise<readonly string[]> {
  if (databaseUrl !== null) return []
  try {
    const names = await listEventFiles(eventsDir)
    if (names.length === 0) return []
    const presentIds = new Set(names.map(getEventId))
    return await describeRemoved(
      path.join(dataDir, DATABASE_FILE),
      presentIds,
      createClock(clockStart)(),
    )
  } catch {
    return []
  }
}

async function checkClock(file: string, now: Instant): Promise<readonly string[]> {
  const lastClock = await readLastSeenClock(file)
  if (lastClock === null) return []
  if (lastClock.waitsSince !== null) return [formatErasurePause(lastClock, now)]
  const setBackMs = lastClock.at - now
  return setBackMs < MIN_SET_BACK_MS
    ? []
    : [
        `The clock shows ${formatInstant(now)}, but the last recorded time is ${formatInstant(lastClock.at)}: the clock was set back by ${formatDuration(setBackMs)}. Check the time service (NTP).`,
      ]
}

async function describeRemoved(
  file: string,
  presentIds: ReadonlySet<string>,
  now: Instant,
): Promise<readonly string[]> {
  const sentences: string[] = []
  for (const [id, stored] of await readFilesInUse(file)) {
    if (presentIds.has(id)) continue
    const event = await readLastServed({ lastEventFile: async () => stored }, id)
    // Organisers remove the files of past events on purpose.
    if (event !== null && !isEventOver(event.config, dayOf(now)))
      sentences.push(formatRemovedMessage(id))
  }
  return sentences
}
