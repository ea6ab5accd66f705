/** Reports which server uses DATA_DIR, whether it answers, and whether its database is still the one it opened. */
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Environment } from '../../dependencies.ts'
import { makeClock } from '../../ops/clock.ts'
import { SERVED_FILE } from '../../ops/recovery/detect-older-database.ts'
import { SERVING_PID, servingPid } from '../../storage/database/single-server-lock.ts'
import { DATABASE_FILE } from '../../storage/database/sqlite-connection.ts'
import { addressOf, askHealth } from '../health.ts'

type Finding = { readonly is: 'good' | 'look' | 'wrong'; readonly text: string }

/** A start on a slow disk, or with a database to migrate, takes some seconds. */
const STARTING_MS = 2 * 60_000
/** How the health check begins to tell of a lost database. */
const LOST = /^The database file .*? Writes are refused\./
const NOT_YET = 'Do not stop it before its log says where it wrote the data that it holds.'

/** Checks that exactly one server uses DATA_DIR, and that delegates reach this one. */
export async function serversOf(environment: Environment): Promise<Finding> {
  const { dataDir } = environment
  const pid = servingPid(dataDir)
  const url = addressOf(environment)
  const answering = await askHealth(environment)
  if (pid === null)
    return answering === null
      ? good('No server is at work here now.')
      : wrong(
          `A server of another DATA_DIR answers at ${url}: one of this DATA_DIR cannot start there. Stop that one, or set another PORT.`,
        )
  const here = `A server is at work here (process ${pid})`
  if (!hasDatabase(environment))
    return existsSync(path.join(dataDir, SERVED_FILE))
      ? wrong(`${here}, and its database is gone. ${NOT_YET}`)
      : look(`${here}. It starts for the first time, and has not made its database yet.`)
  if (answering === null)
    return isStarting(dataDir)
      ? look(
          `${here}, and does not answer at ${url} yet: it was started less than two minutes ago. Look again in two minutes.`,
        )
      : wrong(
          `${here}, and none answers at ${url}: it got stuck, or HOST and PORT are not the ones that it was started with. Compare them, look into its log, and start it again.`,
        )
  const [lost] = LOST.exec(answering.message ?? '') ?? []
  if (lost !== undefined) return wrong(`${here}. ${lost} ${NOT_YET}`)
  const other = answering.process ?? pid
  return other === pid
    ? good(`${here}.`)
    : wrong(`${here}, and another one (process ${other}) answers at ${url}. Stop one of them.`)
}

/** It may have been made since the command began. */
const hasDatabase = ({ dataDir, databaseUrl }: Environment): boolean =>
  databaseUrl !== null ||
  (statSync(path.join(dataDir, DATABASE_FILE), { throwIfNoEntry: false })?.size ?? 0) > 0

function isStarting(dataDir: string): boolean {
  const startedAt = statSync(path.join(dataDir, SERVING_PID), { throwIfNoEntry: false })?.mtimeMs
  return startedAt !== undefined && makeClock(null)() - startedAt < STARTING_MS
}

const good = (text: string): Finding => ({ is: 'good', text })
const look = (text: string): Finding => ({ is: 'look', text })
const wrong = (text: string): Finding => ({ is: 'wrong', text })
