/** Finds files in a data folder that need a check: rescued databases and unreferenced files. */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { ASIDE_FOLDER, asideSentence } from '../registration/uploads/unreferenced-files.ts'
import { DATABASE_FILE } from '../storage/database/sqlite-connection.ts'
import { RESCUED } from '../storage/recovery/rescue-deleted-database.ts'

/** One sentence for each kind of file. */
export function leftIn(dataDir: string): readonly string[] {
  const rescued = readdirSync(dataDir)
    .filter((name) => RESCUED.test(name))
    .map(
      (name) =>
        `${name} in ${dataDir} is what a server wrote out when its database was deleted or replaced. Compare it with ${DATABASE_FILE}; move it away when nothing in it is missing.`,
    )
  const folder = path.join(dataDir, ASIDE_FOLDER)
  const count = existsSync(folder) ? readdirSync(folder).length : 0
  return count === 0 ? rescued : [...rescued, asideSentence(count, folder)]
}
