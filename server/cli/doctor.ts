/** `rollcall doctor`: checks everything that a server needs, and reports each result in a sentence. */
import { existsSync, lstatSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { devNull } from 'node:os'
import path from 'node:path'
import type { EventConfig } from '../../engine/index.ts'
import type { Environment, ServedEvent } from '../dependencies.ts'
import { compileFolder, readFolder } from '../events/files/event-folder.ts'
import { getEventId } from '../events/versions/last-valid-version.ts'
import { createTransport } from '../mail/email-transport.ts'
import { readLastBackup } from '../ops/backup/last-backup.ts'
import { findMissingUploads } from '../ops/backup/create-and-restore-backup.ts'
import { createClock } from '../ops/clock.ts'
import { getFreeBytes } from '../ops/free-disk-space.ts'
import { listMissingAccounts } from '../ops/gateway-accounts.ts'
import { checkProduction } from '../production-checks.ts'
import { findDamage, checkCopy } from '../storage/recovery/copy-database.ts'
import { DATABASE_FILE } from '../storage/database/sqlite-connection.ts'
import { describeMissing, explainLostDatabase } from '../storage/recovery/missing-database.ts'
import { readVersions } from '../storage/database/migrate-with-safety-copy.ts'
import { explainDamagedLog, explainForeignLog } from '../storage/recovery/inspect-log.ts'
import { explainLostLog } from '../storage/recovery/rescue-deleted-database.ts'
import { findServingPid } from '../storage/database/single-server-lock.ts'
import { inspectPostgres } from '../storage/postgres/inspect-database.ts'
import { explainStoreError } from '../storage/database/error-explanations.ts'
import { isUpToDate, WEB_BUILD } from './build/stamp.ts'
import { parseArguments } from './options.ts'
import type { Command } from './command.ts'
import { fetchHealth } from './health.ts'
import { findNextStartProblems } from './doctor/next-start.ts'
import { checkPermissions, explainUnreadableDataDir } from './doctor/data-dir.ts'
import { checkGateway } from './doctor/gateway-and-clock.ts'
import { checkServers } from './doctor/servers.ts'
import { checkBucket, checkFiles } from './doctor/upload-storage.ts'
import { findRecoveryFindings } from './doctor/recovery.ts'
import { describeLeftovers } from './leftover-files.ts'
import { reportCheck, reportGood, reportWrong } from './doctor/finding.ts'
import type { Finding } from './doctor/finding.ts'

const MIN_FREE_BYTES = 512 * 1024 * 1024
const MAX_BACKUP_HOURS = 36
const HOUR_MS = 60 * 60_000
const MANIFEST = path.join(import.meta.dirname, '..', '..', 'package.json')
const help = `Usage: rollcall doctor

Checks everything that a server needs: Node, the web app, permissions and free space of DATA_DIR, running servers,
the database and the files it refers to, object storage, event files and their merchant accounts, PUBLIC_URL, the
mail server, the gateway and its clock, the proxy, and the age of the last backup. It changes nothing and can run
while a server runs.

  good   no action needed
  check  may be intended; make sure that it is
  wrong  must be fixed

Exit status: 0 nothing is wrong; 1 something is wrong; 2 a variable is invalid.`

type Check = (context: CheckContext) => Promise<readonly Finding[]>
type CheckContext = {
  readonly environment: Environment
  readonly hasDatabase: boolean
  readonly served: readonly ServedEvent[]
  readonly events: readonly EventConfig[]
  readonly problems: readonly string[]
  /** The events that have a file. Null if there is no event file. */
  readonly presentIds: ReadonlySet<string> | null
}
const CHECKS: readonly Check[] = [
  async () => [await checkNode()],
  async ({ environment }) =>
    isUpToDate(WEB_BUILD)
      ? [reportGood('The web app is built from these sources.')]
      : environment.production
        ? [reportWrong('The web app is not built: run "npm run build".')]
        : [reportCheck('The web app is not built. The server builds it when it next starts.')],
  async ({ environment }) => [checkPermissions(environment.dataDir)],
  async ({ environment }) => {
    const free = await getFreeBytes(findExistingFolder(environment.dataDir)).catch(() => 0)
    const text = `${Math.floor(free / 1024 / 1024)} MB is free on the disk of DATA_DIR`
    return [
      free < MIN_FREE_BYTES
        ? reportWrong(
            `${text}: uploads are rejected, and registrations will soon fail too. Free some space.`,
          )
        : reportGood(`${text}.`),
    ]
  },
  async ({ environment }) => [await checkServers(environment)],
  async ({ environment, hasDatabase, served, presentIds: ids }) =>
    hasDatabase ? checkDatabase(environment, served, ids) : checkMissingDatabase(environment),
  async ({ environment }) => checkBucket(environment),
  async ({ environment, hasDatabase, events }) =>
    hasDatabase ? findRecoveryFindings(environment, events) : [],
  async ({ events, problems }) => [
    ...(events.length === 0 ? [] : [reportGood(describeEventFiles(events.length))]),
    ...problems.map(reportWrong),
  ],
  async ({ environment, events }) => {
    if (environment.gatewayMode === 'sandbox') return []
    const missing = listMissingAccounts(environment, events)
    return missing.length === 0
      ? [reportGood("Every event's merchant account has credentials.")]
      : missing.map(reportWrong)
  },
  async ({ environment }) => {
    const { production, publicUrl } = environment
    const checkResult = checkProduction(environment)
    if (!checkResult.ok) return checkResult.error.map(reportWrong)
    if (checkResult.value.length > 0) return checkResult.value.map(reportCheck)
    const result = production ? 'is valid' : 'is checked only in production'
    return [reportGood(`PUBLIC_URL, the address for delegates, ${result}: ${publicUrl}.`)]
  },
  async ({ environment }) => {
    const transport = createTransport(environment)
    const problem = await transport.verify()
    transport.close()
    if (environment.smtpUrl === null)
      return [
        reportCheck('Emails are written to DATA_DIR/mail and not sent. Set SMTP_URL to send them.'),
      ]
    if (problem !== null)
      return [reportWrong(`The mail server does not accept emails: ${problem.text}`)]
    // A server may accept connections without ever accepting an email.
    const waitingEmails = (await fetchServerHealth(environment))?.mail?.waiting ?? 0
    return [
      waitingEmails === 0
        ? reportGood('The mail server responds. Only a sent email shows whether it accepts emails.')
        : reportCheck(
            `The mail server responds, but emails are waiting (${waitingEmails}). The Emails page of the office shows why.`,
          ),
    ]
  },
  async ({ environment: { smtpUrl, hasDefaultSender, mailFrom } }) =>
    smtpUrl === null || hasDefaultSender !== true
      ? []
      : [
          reportCheck(
            `MAIL_FROM is not set, so emails are sent from ${mailFrom}. Set it to an address that the mail server accepts as sender.`,
          ),
        ],
  async ({ environment, events }) => checkGateway(environment, events),
  async ({ environment }) => {
    if (environment.databaseUrl !== null)
      return [
        reportCheck('Use pg_dump to back up the PostgreSQL database. Make a copy every night.'),
      ]
    const lastBackup = await readLastBackup(environment.dataDir)
    if (lastBackup === null)
      return [reportCheck('There is no backup yet. Run rollcall db backup every night.')]
    const hours = Math.floor((createClock(environment.clockStart)() - lastBackup) / HOUR_MS)
    const age = hours === 1 ? '1 hour' : `${hours} hours`
    return [
      hours > MAX_BACKUP_HOURS
        ? reportWrong(
            `The last backup is ${age} old. Run rollcall db backup, and find out why there is no newer backup.`,
          )
        : reportGood(`The last backup is ${age} old.`),
    ]
  },
]

export const doctorCommand: Command = {
  help,
  run: async (args, terminal) => {
    if (parseArguments(args, {}, [0, 0], help, terminal) === null) return 2
    const environment = terminal.environment()
    if (environment === null) return 2
    const { dataDir } = environment
    const unreadableReason = explainUnreadableDataDir(dataDir)
    if (unreadableReason !== null) {
      terminal.print(`wrong  ${unreadableReason}`)
      return 1
    }
    const hasDatabase =
      environment.databaseUrl !== null ||
      // Opening an empty database file would delete its log.
      (lstatSync(path.join(dataDir, DATABASE_FILE), { throwIfNoEntry: false })?.size ?? 0) > 0
    const context = { environment, hasDatabase, ...(await loadEvents(environment)) }
    const findings: Finding[] = []
    const report = (finding: Finding): void => {
      terminal.print(`${finding.level.padEnd(6)} ${finding.text}`)
      findings.push(finding)
    }
    for (const check of CHECKS) for (const finding of await check(context)) report(finding)
    for (const serverProblem of await fetchServerProblems(environment))
      if (
        !findings.some(
          ({ text }) => text.includes(serverProblem) || hasSameFirstSentence(text, serverProblem),
        )
      )
        report(reportCheck(`The server reports: ${serverProblem}`))
    return findings.some((finding) => finding.level === 'wrong') ? 1 : 0
  },
}

async function loadEvents({
  eventsDir,
  production,
}: Environment): Promise<Pick<CheckContext, 'served' | 'events' | 'problems' | 'presentIds'>> {
  try {
    const { served, refused, folderErrors, hasFiles } = await compileFolder(
      await readFolder(eventsDir),
      {
        cacheFolder: path.join(devNull, 'cache'),
        production,
      },
    )
    return {
      served,
      events: served.map(({ config }) => config),
      problems: [...folderErrors, ...refused.values()],
      presentIds: hasFiles
        ? new Set([
            ...served.map(({ config: { id } }) => id),
            ...[...refused.keys()].map(getEventId),
          ])
        : null,
    }
  } catch {
    return {
      served: [],
      events: [],
      problems: [
        `EVENTS_DIR (${eventsDir}) cannot be read. Set it to the folder of the event files.`,
      ],
      presentIds: null,
    }
  }
}

const describeEventFiles = (count: number): string =>
  count === 1 ? '1 event file has no errors.' : `${count} event files have no errors.`

function findExistingFolder(folder: string): string {
  return existsSync(folder) ? folder : findExistingFolder(path.dirname(folder))
}

async function checkNode(): Promise<Finding> {
  const { node } = process.versions
  const { optionalDependencies: packages } = JSON.parse(await readFile(MANIFEST, 'utf8')) as {
    readonly optionalDependencies: Readonly<Record<string, string>>
  }
  const testedVersion = packages[`node-${process.platform}-${process.arch}`] ?? node
  return node.split('.')[0] === testedVersion.split('.')[0]
    ? reportGood(`Node is ${node}.`)
    : reportCheck(`Node is ${node}. Rollcall was tested with ${testedVersion}.`)
}

const hasSameFirstSentence = (text: string, otherText: string): boolean =>
  text.split('. ')[0] === otherText.split('. ')[0]

const fetchServerProblems = async (environment: Environment): Promise<readonly string[]> =>
  (await fetchServerHealth(environment))?.troubles ?? []

async function fetchServerHealth(environment: Environment): ReturnType<typeof fetchHealth> {
  const health = await fetchHealth(environment)
  const isOwnServer = health?.process === findServingPid(environment.dataDir)
  return isOwnServer ? health : null
}

async function checkMissingDatabase(environment: Environment): Promise<readonly Finding[]> {
  if (findServingPid(environment.dataDir) !== null)
    return (await describeLeftovers(environment.dataDir)).map(reportCheck)
  const lossMessage = explainLostDatabase(environment.dataDir)
  return [
    lossMessage === null
      ? reportCheck('There is no database yet. The server creates one when it first starts.')
      : reportWrong(lossMessage),
  ]
}

async function checkDatabase(
  environment: Environment,
  served: readonly ServedEvent[],
  presentIds: CheckContext['presentIds'],
): Promise<readonly Finding[]> {
  const { dataDir, databaseUrl } = environment
  if (databaseUrl !== null) {
    const {
      problem,
      stateText: summary,
      missing,
      active,
    } = await inspectPostgres(databaseUrl, (environment.uploadsBucket ?? null) !== null)
    if (problem !== null) return [reportWrong(problem)]
    const outdatedEvents = served.filter(
      ({ config: { id }, hash }) => (active.get(id) ?? hash) !== hash,
    )
    return [
      reportGood(summary),
      ...(missing === null ? [] : [await checkFiles(environment, missing, async () => missing)]),
      ...outdatedEvents.map(({ config: { id } }) =>
        reportCheck(
          `${id}.yaml in EVENTS_DIR is not the version that the servers serve. The first server that reads the file activates it. To activate it now, run rollcall event reload.`,
        ),
      ),
    ]
  }
  const pid = findServingPid(dataDir)
  /** Startup fails with the same error: the server does not open a database with another database's log. */
  const logError = pid === null ? (explainLostLog(dataDir) ?? explainForeignLog(dataDir)) : null
  if (logError !== null)
    return [reportWrong(logError.message), ...(await describeLeftovers(dataDir)).map(reportCheck)]
  try {
    if (describeMissing(dataDir) !== null) return await checkMissingDatabase(environment)
    const { found, known } = readVersions(dataDir)
    if (found !== null && found > known)
      return [
        reportWrong(
          `The database is from a newer version of Rollcall (${found}; this one supports ${known}). Start that version.`,
        ),
      ]
    const versionFinding =
      found === known
        ? reportGood(`The database has version ${known}.`)
        : reportCheck(
            `The database has version ${found}. The server migrates it to ${known} when it next starts.`,
          )
    const damage = findDamage(path.join(dataDir, DATABASE_FILE))
    if (damage !== null)
      return [
        versionFinding,
        reportWrong(
          pid === null
            ? (explainDamagedLog(dataDir)?.message ??
                `The database is damaged: ${damage}. Keep a copy of rollcall.db, rollcall.db-wal and rollcall.db-shm, and restore the last backup (rollcall db restore DIR --move-aside).`)
            : explainDamageWhileServing(pid),
        ),
      ]
    const { rows, files } = checkCopy(path.join(dataDir, DATABASE_FILE))
    return [
      versionFinding,
      reportGood('The database is intact.'),
      ...(rows['registrations'] === 0
        ? [
            reportCheck(
              'The database has no registrations, so a copy of it does not count as a backup.',
            ),
          ]
        : []),
      await checkFiles(environment, files, () => findMissingUploads(dataDir)),
      ...(await describeLeftovers(dataDir)).map(reportCheck),
      ...(found === known && pid === null
        ? (await findNextStartProblems(environment, presentIds)).map(reportWrong)
        : []),
    ]
  } catch (error) {
    const text =
      pid !== null && isDamage(error)
        ? explainDamageWhileServing(pid)
        : (explainStoreError(error) ?? String(error))
    return [reportWrong(text), ...(await describeLeftovers(dataDir)).map(reportCheck)]
  }
}

const isDamage = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB)/.test(String((error as { readonly code?: unknown } | null)?.code))
const explainDamageWhileServing = (pid: number): string =>
  `The file rollcall.db is not a complete database. A server is running (process ${pid}) and may have the missing data: do not stop it. Its log states where it writes this data and what to do next.`
