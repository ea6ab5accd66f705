/**
 * `npm run simulate SEED HISTORIES [PROFILE…]`: so many histories of each profile, every one from the seed, in
 * two processes. `--hunt SEED HISTORIES PROFILE`: up to the first that breaks a promise, in this one. `npm run simulate -- --replay SEED:HISTORY [PROFILE]`: one of them, told line by line.
 * `--postgres` before any of it: on a PostgreSQL that is started for it.
 */
import { fork } from 'node:child_process'
import { startPostgres } from '../server/storage/postgres-server.ts'
import { openPostgresDisks } from './disk-postgres.ts'
import type { PostgresDisks } from './disk-postgres.ts'
import { freshDisk } from './disk.ts'
import type { Disks } from './disk.ts'
import { happen } from './history.ts'
import { planOf } from './plan.ts'
import { PROFILES } from './profiles.ts'
import type { Profile } from './profiles.ts'
import { shrunk } from './shrink.ts'
import type { Found } from './simulate.ts'
import { simulate } from './simulate.ts'
import { sumOf, tableOf } from './table.ts'
import type { Row } from './table.ts'

const PROCESSES = 2
/** Histories that a process does of one profile before it reports. */
const BATCH = 500
/** Where each history takes a second. */
const BATCH_ON_POSTGRES = 50

const profileNamed = (name: string): Profile => {
  const profile = PROFILES.find((each) => each.name === name)
  if (profile !== undefined) return profile
  console.error(
    `There is no profile "${name}"; there are: ${PROFILES.map((each) => each.name).join(', ')}.`,
  )
  process.exit(2)
}
type Task = {
  readonly profile: string
  readonly seed: number
  readonly from: number
  readonly to: number
  /** Of a database in PostgreSQL for the process alone; null: in memory. */
  readonly url: string | null
}

async function replay(disks: Disks, which: string, name = 'design'): Promise<number> {
  const [seed = NaN, history = NaN] = which.split(':').map(Number)
  const { violation } = await happen(planOf(profileNamed(name), seed, history), {
    disks,
    trace: (line) => console.log(line),
  })
  console.log(violation === null ? 'Every promise was kept.' : violation)
  return violation === null ? 0 : 1
}

/** What a negative control asks: which history is the first to break a promise. */
async function hunt(
  disks: Disks,
  seed: number,
  histories: number,
  profile: Profile,
): Promise<number> {
  for (let history = 0; history < histories; history++) {
    const { violation } = await happen(planOf(profile, seed, history), { disks })
    if (violation === null) continue
    console.log(JSON.stringify({ history, ...violation }))
    return 1
  }
  return 0
}

function told({ profile, plan, violation }: Found): void {
  console.error(`\n${violation.promise}: NOT KEPT by ${violation.by}`)
  console.error(
    `profile ${profile}, as short as it could be made: ${JSON.stringify({ ...plan, profile })}`,
  )
  console.error(`npm run simulate -- --replay ${plan.seed}:${plan.history} "${profile}"`)
}

let opened: PostgresDisks | null = null
async function work({ profile, seed, from, to, url }: Task): Promise<void> {
  if (url !== null) opened ??= openPostgresDisks(url)
  const disks = opened?.disks ?? freshDisk
  process.send?.(await simulate(profileNamed(profile), seed, from, to, shrunk, disks))
}

/** Each process takes the next batch when it has done one. `urls`: a database for each; null: in memory. */
async function all(
  urls: readonly (string | null)[],
  seed: number,
  histories: number,
  profiles: readonly Profile[],
): Promise<number> {
  const batch = urls.includes(null) ? BATCH : BATCH_ON_POSTGRES
  const tasks: Omit<Task, 'url'>[] = profiles.flatMap(({ name }) =>
    Array.from({ length: Math.ceil(histories / batch) }, (_, at) => ({
      profile: name,
      seed,
      from: at * batch,
      to: Math.min(histories, (at + 1) * batch),
    })),
  )
  const rows = new Map<string, Row>()
  let violations = 0
  const another = (url: string | null): Promise<void> =>
    new Promise((resolve) => {
      const child = fork(import.meta.filename, ['--work'])
      const next = (): void => {
        const task = tasks.shift()
        if (task === undefined) child.disconnect()
        else child.send({ ...task, url } satisfies Task)
      }
      child.on('message', ({ row, found }: { row: Row; found: readonly Found[] }) => {
        rows.set(row.profile, sumOf(rows.get(row.profile) ?? null, row))
        violations += row.violations
        for (const one of found) told(one)
        next()
      })
      child.on('exit', (code) => {
        if (code !== 0) violations += 1
        resolve()
      })
      next()
    })
  await Promise.all(urls.slice(0, tasks.length).map(another))
  console.log(tableOf([...rows.values()]))
  return violations === 0 ? 0 : 1
}

async function onPostgres(work: (urls: readonly string[]) => Promise<number>): Promise<number> {
  const server = await startPostgres()
  try {
    const urls: string[] = []
    for (let at = 0; at < PROCESSES; at++) urls.push(await server.database(`histories_${at}`))
    return await work(urls)
  } finally {
    await server.stop()
  }
}
/** In this process. */
async function onDisks(url: string | null, work: (disks: Disks) => Promise<number>) {
  if (url === null) return work(freshDisk)
  const { disks, close } = openPostgresDisks(url)
  try {
    return await work(disks)
  } finally {
    close()
  }
}

async function main(
  urls: readonly (string | null)[],
  [first = '', second = '', ...more]: readonly string[],
): Promise<number> {
  const [url = null] = urls
  if (first === '--replay') return onDisks(url, (disks) => replay(disks, second, more[0]))
  if (first === '--hunt')
    return onDisks(url, (disks) =>
      hunt(disks, Number(second), Number(more[0]), profileNamed(more[1] ?? 'design')),
    )
  if (/^\d+$/.test(first) && /^\d+$/.test(second)) {
    const profiles = more.length === 0 ? PROFILES : more.map(profileNamed)
    return all(urls, Number(first), Number(second), profiles)
  }
  console.error(
    'npm run simulate SEED HISTORIES [PROFILE…], or npm run simulate -- --replay SEED:HISTORY [PROFILE]',
  )
  return 2
}

const words = process.argv.slice(2)
if (words[0] === '--work') process.on('message', (task: Task) => void work(task))
else
  process.exitCode =
    words[0] === '--postgres'
      ? await onPostgres((urls) => main(urls, words.slice(1)))
      : await main(
          Array.from({ length: PROCESSES }, () => null),
          words,
        )
