/** Finds files in a data folder that need checking: rescued databases and unreferenced files. */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { createCompletenessDescriber } from '../ops/recovery/rescued-completeness.ts'
import { SET_ASIDE_FOLDER, formatSetAside } from '../registration/uploads/unreferenced-files.ts'
import { DATABASE_FILE } from '../storage/database/sqlite-connection.ts'
import { checkCopy } from '../storage/recovery/copy-database.ts'
import { listRescuedSentences } from '../storage/recovery/rescued-databases.ts'

/** Returns one sentence for each kind of file. */
export async function describeLeftovers(dataDir: string): Promise<readonly string[]> {
  const describeCompleteness = await createCompletenessDescriber(dataDir)
  const currentCount = countRegistrations(path.join(dataDir, DATABASE_FILE))
  const rescuedMessages = listRescuedSentences(dataDir, (file) => {
    const rescuedCount = countRegistrations(file)
    if (rescuedCount === null) return ''
    const completenessText = describeCompleteness(file)
    const comparison = currentCount === null ? '' : `, and ${DATABASE_FILE} has ${currentCount}`
    return `${completenessText} It has ${formatCount(rescuedCount)}${comparison}.`
  })
  const folder = path.join(dataDir, SET_ASIDE_FOLDER)
  const count = existsSync(folder) ? readdirSync(folder).length : 0
  return count === 0 ? rescuedMessages : [...rescuedMessages, formatSetAside(count, folder)]
}

const formatCount = (count: number): string =>
  `${count} ${count === 1 ? 'registration' : 'registrations'}`

/** Returns the number of registrations in a database. Null if it cannot be read. */
function countRegistrations(file: string): number | null {
  try {
    return checkCopy(file).rows['registrations'] ?? null
  } catch {
    return null
  }
}
