/**
 * `npm run simulate SEED HISTORIES [PROFILE…]` runs HISTORIES histories of each profile, all from the seed, in two
 * processes. `--hunt SEED HISTORIES PROFILE` stops at the first violation, and runs in this process. `npm run simulate
 * -- --replay SEED:HISTORY [PROFILE]` prints one history line by line. With `--postgres` before any of these, the
 * histories run on a PostgreSQL server that is started for the run.
 */
import { fork } from 'node:child_process'
import { showProgress } from '../../server/cli/progress-line.ts'
import { reportProgress } from '../../server/ops/progress.ts'
import { startPostgres } from '../server/storage/postgres-server.ts'
import { openPostgresDisks } from './disk-postgres.ts'
import type { PostgresDisks } from './disk-postgres.ts'
import { openSqliteDisk } from './disk.ts'
import type { OpenDisk } from './disk.ts'
import { runHistory } from './history.ts'
import { drawPlan } from './plan.ts'
import { PROFILES } from './profiles.ts'
import type { Profile } from './profiles.ts'
import { shrinkPlan } from './shrink.ts'
import type { FoundViolation } from './simulate.ts'
import { simulate } from './simulate.ts'
import { addRows, formatTable } from './table.ts'
import type { Row } from './table.ts'

const PROCESS_COUNT = 2
/** The number of histories of a profile that a process runs before it reports. */
const BATCH_SIZE = 500
/** The batch size on PostgreSQL, which is smaller because each history takes longer. */
const POSTGRES_BATCH_SIZE = 10

const findProfile = (name: string): Profile => {
  const profile = PROFILES.find((candidate) => candidate.name === name)
  if (profile !== undefined) return profile
  console.error(
    `There is no profile "${name}"; there are: ${PROFILES.map((known) => known.name).join(', ')}.`,
  )
  process.exit(2)
}
type Task = {
  readonly profile: string
  readonly seed: number
  readonly from: number
  readonly to: number
  /** The URL of the process's PostgreSQL database. Null for SQLite in memory. */
  readonly url: string | null
}

async function replay(openDisk: OpenDisk, historyId: string, name = 'design'): Promise<number> {
  const [seed = NaN, history = NaN] = historyId.split(':').map(Number)
  const { violation } = await runHistory(drawPlan(findProfile(name), seed, history), {
    openDisk,
    trace: (line) => console.log(line),
  })
  console.log(violation === null ? 'No invariant was violated.' : violation)
  return violation === null ? 0 : 1
}

/** Finds the first history with a violation. Used by negative controls. */
async function huntViolation(
  openDisk: OpenDisk,
  seed: number,
  histories: number,
  profile: Profile,
): Promise<number> {
  for (let history = 0; history < histories; history++) {
    const { violation } = await runHistory(drawPlan(profile, seed, history), { openDisk })
    if (violation === null) continue
    console.log(JSON.stringify({ history, ...violation }))
    return 1
  }
  return 0
}

function printViolation({ profile, plan, violation }: FoundViolation): void {
  console.error(`\n${violation.invariant}: violated by ${violation.cause}`)
  console.error(`profile ${profile}, minimised: ${JSON.stringify({ ...plan, profile })}`)
  console.error(`npm run simulate -- --replay ${plan.seed}:${plan.history} "${profile}"`)
}

let postgresDisks: PostgresDisks | null = null
async function runBatch({ profile, seed, from, to, url }: Task): Promise<void> {
  if (url !== null) postgresDisks ??= await openPostgresDisks(url)
  const openDisk = postgresDisks?.disks ?? openSqliteDisk
  process.send?.(await simulate(findProfile(profile), seed, from, to, shrinkPlan, openDisk))
}

/**
 * Runs all batches. Each process starts another batch as soon as it is free. `urls` has an element for each process:
 * the URL of its database, or null for SQLite in memory.
 */
async function runAll(
  urls: readonly (string | null)[],
  seed: number,
  histories: number,
  profiles: readonly Profile[],
): Promise<number> {
  const batchSize = urls.includes(null) ? BATCH_SIZE : POSTGRES_BATCH_SIZE
  // Takes one batch from each profile in turn, so that a run that is stopped early has tested all profiles.
  const tasks: Omit<Task, 'url'>[] = Array.from(
    { length: Math.ceil(histories / batchSize) },
    (_, index) =>
      profiles.map(({ name }) => ({
        profile: name,
        seed,
        from: index * batchSize,
        to: Math.min(histories, (index + 1) * batchSize),
      })),
  ).flat()
  const rows = new Map<string, Row>()
  const report = (): void =>
    reportProgress({
      step: 'Running histories',
      done: [...rows.values()].reduce((sum, { counts }) => sum + counts.histories, 0),
      total: histories * profiles.length,
    })
  let violationCount = 0
  const startProcess = (url: string | null): Promise<void> =>
    new Promise((resolve) => {
      const child = fork(import.meta.filename, ['--work'])
      const startNext = (): void => {
        const task = tasks.shift()
        if (task === undefined) child.disconnect()
        else child.send({ ...task, url } satisfies Task)
      }
      child.on('message', ({ row, found }: { row: Row; found: readonly FoundViolation[] }) => {
        const total = addRows(rows.get(row.profile) ?? null, row)
        rows.set(row.profile, total)
        report()
        violationCount += row.violations
        for (const foundViolation of found) printViolation(foundViolation)
        startNext()
      })
      child.on('exit', (code) => {
        if (code !== 0) violationCount += 1
        resolve()
      })
      startNext()
    })
  await showProgress({ progressStream: process.stderr }, async () => {
    report()
    await Promise.all(urls.slice(0, tasks.length).map(startProcess))
  })
  console.log(formatTable([...rows.values()]))
  return violationCount === 0 ? 0 : 1
}

async function runOnPostgres(work: (urls: readonly string[]) => Promise<number>): Promise<number> {
  const server = await startPostgres()
  try {
    const urls: string[] = []
    for (let index = 0; index < PROCESS_COUNT; index++)
      urls.push(await server.database(`histories_${index}`))
    return await work(urls)
  } finally {
    await server.stop()
  }
}
/** Runs batches in this process. */
async function runOnDisks(url: string | null, work: (openDisk: OpenDisk) => Promise<number>) {
  if (url === null) return work(openSqliteDisk)
  const { disks: openDisk, close } = await openPostgresDisks(url)
  try {
    return await work(openDisk)
  } finally {
    await close()
  }
}

async function main(
  urls: readonly (string | null)[],
  [firstArgument = '', secondArgument = '', ...profileNames]: readonly string[],
): Promise<number> {
  const [url = null] = urls
  if (firstArgument === '--replay')
    return runOnDisks(url, (openDisk) => replay(openDisk, secondArgument, profileNames[0]))
  if (firstArgument === '--hunt')
    return runOnDisks(url, (openDisk) =>
      huntViolation(
        openDisk,
        Number(secondArgument),
        Number(profileNames[0]),
        findProfile(profileNames[1] ?? 'design'),
      ),
    )
  if (/^\d+$/.test(firstArgument) && /^\d+$/.test(secondArgument)) {
    const profiles = profileNames.length === 0 ? PROFILES : profileNames.map(findProfile)
    return runAll(urls, Number(firstArgument), Number(secondArgument), profiles)
  }
  console.error(
    'npm run simulate SEED HISTORIES [PROFILE…], or npm run simulate -- --replay SEED:HISTORY [PROFILE]',
  )
  return 2
}

const args = process.argv.slice(2)
if (args[0] === '--work') {
  process.on('message', (task: Task) => void runBatch(task))
  // An open connection would keep the process running.
  process.on('disconnect', () => void postgresDisks?.close())
} else
  process.exitCode =
    args[0] === '--postgres'
      ? await runOnPostgres((urls) => main(urls, args.slice(1)))
      : await main(
          Array.from({ length: PROCESS_COUNT }, () => null),
          args,
        )
