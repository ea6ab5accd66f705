/** Tells what a stopped server would report after its next start: a wrong clock, removed event files. */
import path from 'node:path'
import { dayOf, formatInstant, isEventOver } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { Environment } from '../../dependencies.ts'
import { readLastServed } from '../../events/versions/version-approval.ts'
import { listEventFiles } from '../../events/files/event-folder.ts'
import { getEventId, formatRemoved } from '../../events/versions/last-valid-version.ts'
import { lengthOf } from '../../ops/clock-jumps.ts'
import { makeClock } from '../../ops/clock.ts'
import { waitsSentence } from '../../ops/health/clock-check.ts'
import { DATABASE_FILE } from '../../storage/database/sqlite-connection.ts'
import { clockSeenIn, filesInUse } from '../../storage/recovery/copy-database.ts'

/** The difference of which the server's log speaks too. */
const SET_BACK_MS_MIN = 60_000

/** For a database of this version. `here`: the events that have a file; null: the folder has none, which is reported elsewhere. */
export async function nextStartFindings(
  { dataDir, clockStart }: Environment,
  here: ReadonlySet<string> | null,
): Promise<readonly string[]> {
  const file = path.join(dataDir, DATABASE_FILE)
  const now = makeClock(clockStart)()
  return [...clockOf(file, now), ...(here === null ? [] : await removed(file, here, now))]
}

/** Returns a sentence for each event file that was removed. Nothing where the database or the folder cannot be read. */
export async function removedFiles({
  dataDir,
  databaseUrl,
  eventsDir,
  clockStart,
}: Environment): Promise<readonly string[]> {
  if (databaseUrl !== null) return []
  try {
    const names = await listEventFiles(eventsDir)
    if (names.length === 0) return []
    const here = new Set(names.map(getEventId))
    return await removed(path.join(dataDir, DATABASE_FILE), here, makeClock(clockStart)())
  } catch {
    return []
  }
}

function clockOf(file: string, now: Instant): readonly string[] {
  const seen = clockSeenIn(file)
  if (seen === null) return []
  if (seen.waitsSince !== null) return [waitsSentence(seen, now)]
  const byMs = seen.at - now
  return byMs < SET_BACK_MS_MIN
    ? []
    : [
        `The clock shows ${formatInstant(now)}, and ${formatInstant(seen.at)} was recorded before: it was set back by ${lengthOf(byMs)}. Check its time service (NTP).`,
      ]
}

async function removed(
  file: string,
  here: ReadonlySet<string>,
  now: Instant,
): Promise<readonly string[]> {
  const sentences: string[] = []
  for (const [id, stored] of filesInUse(file)) {
    if (here.has(id)) continue
    const event = await readLastServed({ lastEventFile: async () => stored }, id)
    // The file of a past event is removed on purpose.
    if (event !== null && !isEventOver(event.config, dayOf(now))) sentences.push(formatRemoved(id))
  }
  return sentences
}
