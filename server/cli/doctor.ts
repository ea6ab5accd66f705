/** `rollcall doctor`: checks everything that a server needs, and reports each result in a sentence. */
import { accessSync, constants, existsSync, lstatSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { devNull } from 'node:os'
import path from 'node:path'
import type { EventConfig } from '../../engine/index.ts'
import type { Environment, ServedEvent } from '../dependencies.ts'
import { compileFolder, readFolder } from '../events/files/event-folder.ts'
import { getEventId } from '../events/versions/last-valid-version.ts'
import { createTransport } from '../mail/email-transport.ts'
import { backedUpAt } from '../ops/backup/last-backup.ts'
import { missingIn } from '../ops/backup/backup-contents.ts'
import { makeClock } from '../ops/clock.ts'
import { freeBytes } from '../ops/free-disk-space.ts'
import { missingAccounts } from '../ops/environment.ts'
import { checkProduction } from '../production-checks.ts'
import { damageIn, lookInto } from '../storage/recovery/copy-database.ts'
import { DATABASE_FILE } from '../storage/database/sqlite-connection.ts'
import { lackOf, lostDatabase } from '../storage/recovery/missing-database.ts'
import { versionsIn } from '../storage/database/run-migrations.ts'
import { damagedLogIn, wrongLogIn } from '../storage/recovery/inspect-log.ts'
import { lostLogIn } from '../storage/recovery/rescue-deleted-database.ts'
import { servingPid } from '../storage/database/single-server-lock.ts'
import { lookAtPostgres } from '../storage/postgres/inspect-database.ts'
import { databaseTrouble } from '../storage/database/error-explanations.ts'
import { readArguments } from './options.ts'
import type { Command } from './command.ts'
import { askHealth } from './health.ts'
import { nextStartFindings } from './doctor/next-start.ts'
import { serversOf } from './doctor/servers.ts'
import { recoveryFindings } from './doctor/recovery.ts'
import { leftIn } from './leftover-files.ts'
import { isWebBuilt } from './web-app-build.ts'

/** Uploads are refused below it (`server/registration/uploads/store-uploaded-files.ts`). */
const ROOM_BYTES_MIN = 512 * 1024 * 1024
/** A nightly backup, with some hours of tolerance. */
const BACKUP_HOURS_MAX = 36
/** The gateway's checksums contain the day: with a larger difference, the day is wrong around midnight. */
const CLOCK_SECONDS_MAX = 60
const GATEWAY_MS_MAX = 10_000
const HOUR_MS = 60 * 60_000
const MANIFEST = path.join(import.meta.dirname, '..', '..', 'package.json')

const help = `Usage: rollcall doctor

Checks everything that a server needs: Node, the web app, permissions and free space of DATA_DIR, running servers,
the database and the files it refers to, event files and their merchant accounts, PUBLIC_URL, the mail server, the
gateway and its clock, the proxy, and the age of the last backup. It changes nothing and can run beside a server.

  good   no action needed
  look   may be intended; check it
  wrong  must be fixed

Exit status: 0 nothing is wrong; 1 something is wrong; 2 a variable is invalid.`

type Finding = { readonly is: 'good' | 'look' | 'wrong'; readonly text: string }
type Check = (place: Place) => Promise<readonly Finding[]>
type Place = {
  readonly environment: Environment
  readonly hasDatabase: boolean
  readonly served: readonly ServedEvent[]
  readonly events: readonly EventConfig[]
  readonly refused: readonly string[]
  /** The events that have a file; null: there is no event file. */
  readonly here: ReadonlySet<string> | null
}
const good = (text: string): Finding => ({ is: 'good', text })
const look = (text: string): Finding => ({ is: 'look', text })
const wrong = (text: string): Finding => ({ is: 'wrong', text })

/** In the order in which an operator would correct the findings. */
const CHECKS: readonly Check[] = [
  async () => [await nodeOf()],
  async ({ environment }) =>
    (await isWebBuilt())
      ? [good('The web app is built from these sources.')]
      : environment.production
        ? [wrong('The web app is not built: run "npm run build".')]
        : [look('The web app is not built; the next start builds it.')],
  async ({ environment }) => rightsOf(environment),
  async ({ environment }) => {
    const free = await freeBytes(thereOf(environment.dataDir)).catch(() => 0)
    const text = `${Math.floor(free / 1024 / 1024)} MB are free for DATA_DIR`
    return [
      free < ROOM_BYTES_MIN
        ? wrong(`${text}: files of delegates are refused, and soon everybody. Free some space.`)
        : good(`${text}.`),
    ]
  },
  async ({ environment }) => [await serversOf(environment)],
  async ({ environment, hasDatabase, served, here }) =>
    hasDatabase ? databaseOf(environment, served, here) : missingDatabase(environment),
  async ({ environment, hasDatabase, events }) =>
    hasDatabase
      ? (await recoveryFindings(environment, events)).map(({ isGood, text }) =>
          isGood ? good(text) : look(text),
        )
      : [],
  async ({ events, refused }) => [
    good(`${events.length} event files are clean.`),
    ...refused.map(wrong),
  ],
  async ({ environment, events }) => {
    const missing = missingAccounts(environment, events)
    return missing.length === 0
      ? [good('Every event is paid into an account with credentials.')]
      : missing.map(wrong)
  },
  async ({ environment }) => {
    const fit = checkProduction(environment)
    if (!fit.ok) return fit.error.map(wrong)
    return fit.value.length === 0
      ? [good(`Delegates reach the server at ${environment.publicUrl}.`)]
      : fit.value.map(look)
  },
  async ({ environment }) => {
    const carrier = createTransport(environment)
    const problem = await carrier.verify()
    carrier.close()
    if (environment.smtpUrl === null)
      return [look('Mails are written to DATA_DIR/mail and not sent.')]
    if (problem !== null) return [wrong(`The mail server does not take mails: ${problem.text}`)]
    // It may answer, and come to no end with an email.
    const waiting = (await ownHealth(environment))?.mail?.waiting ?? 0
    return [
      waiting === 0
        ? good('The mail server answers. Whether it takes an email is known when one is sent.')
        : look(
            `The mail server answers, and emails wait (${waiting}). Emails in the office shows why.`,
          ),
    ]
  },
  async ({ environment, events }) => gatewayOf(environment, events),
  async ({ environment }) => {
    if (environment.databaseUrl !== null)
      return [
        look('Copies of a database in PostgreSQL are made with pg_dump. Make one every night.'),
      ]
    const last = await backedUpAt(environment.dataDir)
    if (last === null)
      return [look('No backup was made with rollcall db backup yet. Run it every night.')]
    const hours = Math.floor((makeClock(environment.clockStart)() - last) / HOUR_MS)
    return [
      hours > BACKUP_HOURS_MAX
        ? wrong(
            `The last backup is ${hours} hours old. Run rollcall db backup, and see why the last ones were not made.`,
          )
        : good(`The last backup is ${hours} hours old.`),
    ]
  },
]

export const doctoring: Command = {
  help,
  run: async (args, terminal) => {
    if (readArguments(args, {}, [0, 0], help, terminal) === null) return 2
    const environment = terminal.environment()
    if (environment === null) return 2
    const hasDatabase =
      environment.databaseUrl !== null ||
      // Opening an empty file would delete its log.
      (lstatSync(path.join(environment.dataDir, DATABASE_FILE), { throwIfNoEntry: false })?.size ??
        0) > 0
    const place = { environment, hasDatabase, ...(await eventsOf(environment)) }
    const found: Finding[] = []
    const say = (finding: Finding): void => {
      terminal.print(`${finding.is.padEnd(6)} ${finding.text}`)
      found.push(finding)
    }
    for (const check of CHECKS) for (const finding of await check(place)) say(finding)
    for (const reported of await reportedBy(environment))
      if (!found.some(({ text }) => text.includes(reported) || isSame(text, reported)))
        say(look(`The server reports: ${reported}`))
    return found.some(({ is }) => is === 'wrong') ? 1 : 0
  },
}

async function eventsOf({
  eventsDir,
  production,
}: Environment): Promise<Pick<Place, 'served' | 'events' | 'refused' | 'here'>> {
  try {
    const { served, refused, folderErrors, hasFiles } = await compileFolder(
      await readFolder(eventsDir),
      {
        // Not stored: this command changes nothing.
        cacheFolder: path.join(devNull, 'cache'),
        production,
      },
    )
    return {
      served,
      events: served.map(({ config }) => config),
      refused: [...folderErrors, ...refused.values()],
      here: hasFiles
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
      refused: [
        `EVENTS_DIR is ${eventsDir}, and it cannot be read. Set it to the folder of the event files.`,
      ],
      here: null,
    }
  }
}

/** Returns the folder, or the one in which the first start creates it. */
function thereOf(folder: string): string {
  return existsSync(folder) ? folder : thereOf(path.dirname(folder))
}

/** Older versions do not get this far: the launcher refuses them. */
async function nodeOf(): Promise<Finding> {
  const { node } = process.versions
  const { optionalDependencies: packages } = JSON.parse(await readFile(MANIFEST, 'utf8')) as {
    readonly optionalDependencies: Readonly<Record<string, string>>
  }
  const tried = packages[`node-${process.platform}-${process.arch}`] ?? node
  return node.split('.')[0] === tried.split('.')[0]
    ? good(`Node is ${node}.`)
    : look(`Node is ${node}, and Rollcall was tried with ${tried}.`)
}

/** The doctor says more of a rescued database, after the same first sentence. */
const isSame = (one: string, other: string): boolean => one.split('. ')[0] === other.split('. ')[0]

/** What the server of this DATA_DIR reports itself: only it knows how its clock jumped, for example. */
const reportedBy = async (environment: Environment): Promise<readonly string[]> =>
  (await ownHealth(environment))?.troubles ?? []

/** Null: no server of this DATA_DIR answers. */
async function ownHealth(environment: Environment): ReturnType<typeof askHealth> {
  const answering = await askHealth(environment)
  const isOurs = answering?.process === servingPid(environment.dataDir)
  return isOurs ? answering : null
}

function rightsOf({ dataDir }: Environment): readonly Finding[] {
  const there = lstatSync(dataDir, { throwIfNoEntry: false })
  if (there === undefined)
    return [look(`There is no DATA_DIR at ${dataDir} yet; the first start makes it.`)]
  try {
    accessSync(dataDir, constants.W_OK)
  } catch {
    return [
      wrong(
        `DATA_DIR is ${dataDir}, and nothing can be written there. Give the user who runs Rollcall the right to.`,
      ),
    ]
  }
  return (there.mode & 0o077) === 0
    ? [good(`DATA_DIR is ${dataDir}, and no other user reads it.`)]
    : [
        wrong(
          `Other users of this machine can read DATA_DIR (${dataDir}); the next start closes it.`,
        ),
      ]
}

/** Reports a missing database, or one without tables; a server that still holds it is reported already. */
async function missingDatabase(environment: Environment): Promise<readonly Finding[]> {
  if (servingPid(environment.dataDir) !== null) return (await leftIn(environment.dataDir)).map(look)
  const lost = lostDatabase(environment.dataDir)
  return [
    lost === null ? look('There is no database yet; the first start makes one.') : wrong(lost),
  ]
}

async function databaseOf(
  environment: Environment,
  served: readonly ServedEvent[],
  here: Place['here'],
): Promise<readonly Finding[]> {
  const { dataDir, databaseUrl } = environment
  if (databaseUrl !== null) {
    const { trouble, said, missing, active } = await lookAtPostgres(databaseUrl)
    if (trouble !== null) return [wrong(trouble)]
    const older = served.filter(({ config: { id }, hash }) => (active.get(id) ?? hash) !== hash)
    return [
      good(said),
      ...(missing === null ? [] : [filesOf(missing)]),
      ...older.map(({ config: { id } }) =>
        look(
          `${id}.yaml here is another version than the one that all servers serve: a server that reads it first activates it, or rollcall event reload does.`,
        ),
      ),
    ]
  }
  const pid = servingPid(dataDir)
  /** As a start says it, which does not open a database with a log that belongs to another one. */
  const refused = pid === null ? (lostLogIn(dataDir) ?? wrongLogIn(dataDir)) : null
  if (refused !== null) return [wrong(refused.message), ...(await leftIn(dataDir)).map(look)]
  try {
    if (lackOf(dataDir) !== null) return await missingDatabase(environment)
    const { found, known } = versionsIn(dataDir)
    if (found !== null && found > known)
      return [
        wrong(
          `The database is of a newer version of Rollcall (${found}; this one knows ${known}). Start the newer one.`,
        ),
      ]
    const version =
      found === known
        ? good(`The database is of version ${known}.`)
        : look(`The database is of version ${found}; the next start brings it to ${known}.`)
    const damage = damageIn(path.join(dataDir, DATABASE_FILE))
    if (damage !== null)
      return [
        version,
        wrong(
          pid === null
            ? (damagedLogIn(dataDir)?.message ??
                `The database is damaged: ${damage}. Keep a copy of rollcall.db and of rollcall.db-wal and rollcall.db-shm beside it, and put back the last backup (rollcall db restore DIR --move-aside).`)
            : DAMAGED_UNDER(pid),
        ),
      ]
    const { rows } = lookInto(path.join(dataDir, DATABASE_FILE))
    const missing = await missingIn(dataDir)
    return [
      version,
      good('The database is whole.'),
      ...(rows['registrations'] === 0
        ? [look('The database has no registrations: a copy of it does not count as a backup.')]
        : []),
      filesOf(missing),
      ...(await leftIn(dataDir)).map(look),
      ...(found === known && pid === null
        ? (await nextStartFindings(environment, here)).map(wrong)
        : []),
    ]
  } catch (error) {
    const text =
      pid !== null && isDamage(error)
        ? DAMAGED_UNDER(pid)
        : (databaseTrouble(error) ?? String(error))
    return [wrong(text), ...(await leftIn(dataDir)).map(look)]
  }
}

const isDamage = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB)/.test(String((error as { readonly code?: unknown } | null)?.code))
const DAMAGED_UNDER = (pid: number): string =>
  `The file rollcall.db is not a whole database. A server is at work here (process ${pid}), which may hold the rest: do not stop it. Its log says where it writes the data that it holds, and what to do then.`

const filesOf = (missing: readonly string[]): Finding =>
  missing.length === 0
    ? good('Every file that a registration refers to is there.')
    : wrong(
        `${missing.length} files that registrations refer to are missing, the first is ${missing[0]}. Put them back from a backup.`,
      )

/** Checks that the gateway can be reached and that its clock agrees with ours: any response shows both. */
async function gatewayOf(
  { gatewayMode, clockStart, databaseUrl }: Environment,
  events: readonly EventConfig[],
): Promise<readonly Finding[]> {
  if (gatewayMode === 'sandbox')
    return [
      good('The gateway is our own sandbox: no real money.'),
      ...(databaseUrl === null
        ? []
        : [look('Each server has a sandbox of its own: several of them are for a real gateway.')]),
    ]
  const addresses = new Set(
    events.flatMap(({ payment }) => (payment === null ? [] : [payment.gateway.live.status])),
  )
  return Promise.all(
    [...addresses].map(async (address) => {
      const { host } = new URL(address)
      try {
        const { headers } = await fetch(address, {
          method: 'HEAD',
          signal: AbortSignal.timeout(GATEWAY_MS_MAX),
        })
        const theirs = Date.parse(headers.get('date') ?? '')
        const seconds = Math.round(Math.abs(makeClock(clockStart)() - theirs) / 1000)
        return Number.isNaN(theirs) || seconds <= CLOCK_SECONDS_MAX
          ? good(`The gateway at ${host} is reached, and its clock agrees with ours.`)
          : wrong(
              `Our clock and that of the gateway at ${host} differ by ${seconds} seconds. Check the time service (NTP) of this machine.`,
            )
      } catch {
        return wrong(
          `The gateway at ${host} is not reached. Check the network and the firewall of this machine.`,
        )
      }
    }),
  )
}
