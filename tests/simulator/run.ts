/**
 * `npm run simulate SEED HISTORIES [PROFILE…]`: so many histories of each profile, every one from the seed, in
 * two processes. `--hunt SEED HISTORIES PROFILE`: up to the first that breaks a promise, in this one. `npm run simulate -- --replay SEED:HISTORY [PROFILE]`: one of them, told line by line.
 */
import { fork } from 'node:child_process'
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
}

async function replay(which: string, name = 'design'): Promise<number> {
  const [seed = NaN, history = NaN] = which.split(':').map(Number)
  const { violation } = await happen(planOf(profileNamed(name), seed, history), {
    trace: (line) => console.log(line),
  })
  console.log(violation === null ? 'Every promise was kept.' : violation)
  return violation === null ? 0 : 1
}

/** What a negative control asks: which history is the first to break a promise. */
async function hunt(seed: number, histories: number, profile: Profile): Promise<number> {
  for (let history = 0; history < histories; history++) {
    const { violation } = await happen(planOf(profile, seed, history))
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

async function work({ profile, seed, from, to }: Task): Promise<void> {
  const done = await simulate(profileNamed(profile), seed, from, to, shrunk)
  process.send?.(done)
}

/** Each process takes the next batch when it has done one. */
async function all(seed: number, histories: number, profiles: readonly Profile[]): Promise<number> {
  const tasks: Task[] = profiles.flatMap(({ name }) =>
    Array.from({ length: Math.ceil(histories / BATCH) }, (_, at) => ({
      profile: name,
      seed,
      from: at * BATCH,
      to: Math.min(histories, (at + 1) * BATCH),
    })),
  )
  const rows = new Map<string, Row>()
  let violations = 0
  const another = (): Promise<void> =>
    new Promise((resolve) => {
      const child = fork(import.meta.filename, ['--work'])
      const next = (): void => {
        const task = tasks.shift()
        if (task === undefined) child.disconnect()
        else child.send(task)
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
  await Promise.all(Array.from({ length: Math.min(PROCESSES, tasks.length) }, another))
  console.log(tableOf([...rows.values()]))
  return violations === 0 ? 0 : 1
}

const [first = '', second = '', ...more] = process.argv.slice(2)
if (first === '--work') process.on('message', (task: Task) => void work(task))
else if (first === '--replay') process.exitCode = await replay(second, more[0])
else if (first === '--hunt')
  process.exitCode = await hunt(Number(second), Number(more[0]), profileNamed(more[1] ?? 'design'))
else if (!/^\d+$/.test(first) || !/^\d+$/.test(second)) {
  console.error(
    'npm run simulate SEED HISTORIES [PROFILE…], or npm run simulate -- --replay SEED:HISTORY [PROFILE]',
  )
  process.exitCode = 2
} else
  process.exitCode = await all(
    Number(first),
    Number(second),
    more.length === 0 ? PROFILES : more.map(profileNamed),
  )
