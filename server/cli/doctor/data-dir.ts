/** Checks that the server can use DATA_DIR, and that no other user can read it. */
import { accessSync, constants, existsSync, lstatSync, readdirSync } from 'node:fs'
import { explainDataDir } from '../../ops/file-permissions.ts'

type Finding = { readonly is: 'good' | 'check' | 'wrong'; readonly text: string }

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
  if (stats === undefined)
    return {
      is: 'check',
      text: `There is no DATA_DIR at ${dataDir} yet. The server creates it when it first starts.`,
    }
  try {
    accessSync(dataDir, constants.W_OK)
  } catch (error) {
    return { is: 'wrong', text: explainDataDir(dataDir, error) }
  }
  return (stats.mode & 0o077) === 0
    ? { is: 'good', text: `DATA_DIR is ${dataDir}. Other users of this machine cannot read it.` }
    : {
        is: 'wrong',
        text: `Other users of this machine can read DATA_DIR (${dataDir}). The server removes this permission when it next starts.`,
      }
}
