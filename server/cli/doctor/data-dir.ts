/** Checks that the server can use DATA_DIR, and that no other user can read it. */
import { accessSync, constants, existsSync, lstatSync, readdirSync } from 'node:fs'
import { explainDataDir, explainMissingParent } from '../../ops/file-permissions.ts'
import { reportCheck, reportGood, reportWrong } from './finding.ts'
import type { Finding } from './finding.ts'

/** Explains why nothing in DATA_DIR can be checked; null if DATA_DIR can be checked or does not exist yet. */
export function explainUnreadableDataDir(dataDir: string): string | null {
  try {
    if (existsSync(dataDir)) readdirSync(dataDir)
    return null
  } catch (error) {
    return explainDataDir(dataDir, error)
  }
}

export function checkPermissions(dataDir: string): Finding {
  const stats = lstatSync(dataDir, { throwIfNoEntry: false })
  if (stats === undefined) {
    const missingParent = explainMissingParent(dataDir)
    return missingParent === null
      ? reportCheck(
          `There is no DATA_DIR at ${dataDir} yet. The server creates it when it first starts.`,
        )
      : reportWrong(missingParent)
  }
  try {
    accessSync(dataDir, constants.W_OK)
  } catch (error) {
    return reportWrong(explainDataDir(dataDir, error))
  }
  return (stats.mode & 0o077) === 0
    ? reportGood(`DATA_DIR is ${dataDir}. Other users of this machine cannot read it.`)
    : reportWrong(
        `Other users of this machine can read DATA_DIR (${dataDir}). The server removes this permission when it next starts.`,
      )
}
