/** Finds files in a data folder that need a check: rescued databases and unreferenced files. */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { completenessIn } from '../ops/recovery/rescued-completeness.ts'
import { SET_ASIDE_FOLDER, formatSetAside } from '../registration/uploads/unreferenced-files.ts'
import { DATABASE_FILE } from '../storage/database/sqlite-connection.ts'
import { lookInto } from '../storage/recovery/copy-database.ts'
import { rescuedSentences } from '../storage/recovery/rescued-databases.ts'

/** One sentence for each kind of file. */
export async function leftIn(dataDir: string): Promise<readonly string[]> {
  const completeness = await completenessIn(dataDir)
  const here = registrationsIn(path.join(dataDir, DATABASE_FILE))
  const rescued = rescuedSentences(dataDir, (file) => {
    const there = registrationsIn(file)
    if (there === null) return ''
    const completes = completeness(file)
    const beside = here === null ? '' : `, and ${DATABASE_FILE} has ${here}`
    return `${completes} It has ${there} registrations${beside}.`
  })
  const folder = path.join(dataDir, SET_ASIDE_FOLDER)
  const count = existsSync(folder) ? readdirSync(folder).length : 0
  return count === 0 ? rescued : [...rescued, formatSetAside(count, folder)]
}

/** Null: there is no database that can be read. */
function registrationsIn(file: string): number | null {
  try {
    return lookInto(file).rows['registrations'] ?? null
  } catch {
    return null
  }
}
