/** Reports which server uses DATA_DIR, whether it responds, and whether it still has its database. */
import { existsSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import type { Environment } from '../../dependencies.ts'
import { createClock } from '../../ops/clock.ts'
import { LAST_SERVED_FILE } from '../../ops/recovery/detect-older-database.ts'
import { PID_FILE, findServingPid } from '../../storage/database/single-server-lock.ts'
import { DATABASE_FILE } from '../../storage/database/sqlite-connection.ts'
import { buildHealthUrl, fetchHealth } from '../health.ts'
import { reportCheck, reportGood, reportWrong } from './finding.ts'
import type { Finding } from './finding.ts'

/** Startup may take this long with a slow disk or a database to migrate. */
const MAX_STARTUP_MS = 2 * 60_000
/** A program on this machine accepts a connection immediately, so this is long enough. */
const MAX_CONNECT_MS = 2_000
/** The beginning of the health message about a lost database. */
const LOST_DATABASE_PREFIX = /^The database file .*? Writes are refused\./
const KEEP_RUNNING_MESSAGE = 'Do not stop it before its log states where it wrote its data.'

/** Checks that only one server uses DATA_DIR, and that delegates reach this server. */
export async function checkServers(environment: Environment): Promise<Finding> {
  const { dataDir } = environment
  const pid = findServingPid(dataDir)
  const url = buildHealthUrl(environment)
  const health = await fetchHealth(environment)
  if (pid === null && health === null)
    return (await isListening(new URL(url).hostname, environment.port))
      ? reportCheck(
          `Another program listens on port ${environment.port}, so a server cannot start there. Stop it, or set another PORT. If it is systemd's rollcall.socket, no action is needed.`,
        )
      : reportGood('No server is running on this DATA_DIR.')
  if (pid === null)
    return reportWrong(
      `A server with another DATA_DIR responds at ${url}, so a server with this DATA_DIR cannot start there. Stop that server, or set another PORT.`,
    )
  const prefix = `A server is running on this DATA_DIR (process ${pid})`
  if (!hasDatabase(environment))
    return existsSync(path.join(dataDir, LAST_SERVED_FILE))
      ? reportWrong(`${prefix}, and its database is gone. ${KEEP_RUNNING_MESSAGE}`)
      : reportCheck(
          `${prefix}. It is starting for the first time and has not created its database yet.`,
        )
  if (health === null)
    return isStarting(dataDir)
      ? reportCheck(
          `${prefix}, but does not respond at ${url} yet: it started less than two minutes ago. Check again in two minutes.`,
        )
      : reportWrong(
          `${prefix}, but does not respond at ${url}: it hangs, or it was started with another HOST and PORT. Compare them, read its log, and restart it.`,
        )
  const [lostText] = LOST_DATABASE_PREFIX.exec(health.message ?? '') ?? []
  if (lostText !== undefined) return reportWrong(`${prefix}. ${lostText} ${KEEP_RUNNING_MESSAGE}`)
  const respondingPid = health.process ?? pid
  return respondingPid === pid
    ? reportGood(`${prefix}.`)
    : reportWrong(
        `${prefix}, but another one (process ${respondingPid}) responds at ${url}. Stop one of them.`,
      )
}

/** Returns true if any program accepts connections on the server's port. */
function isListening(hostname: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port,
      timeout: MAX_CONNECT_MS,
    })
    const finish = (result: boolean): void => {
      probe.destroy()
      resolve(result)
    }
    probe.on('connect', () => finish(true))
    probe.on('timeout', () => finish(false))
    probe.on('error', () => finish(false))
  })
}

/**
 * Returns true if there is a database. Checks again, because the server may have created it after the command began.
 */
const hasDatabase = ({ dataDir, databaseUrl }: Environment): boolean =>
  databaseUrl !== null ||
  (statSync(path.join(dataDir, DATABASE_FILE), { throwIfNoEntry: false })?.size ?? 0) > 0

function isStarting(dataDir: string): boolean {
  const startedAt = statSync(path.join(dataDir, PID_FILE), { throwIfNoEntry: false })?.mtimeMs
  return startedAt !== undefined && createClock(null)() - startedAt < MAX_STARTUP_MS
}
