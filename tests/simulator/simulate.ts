/** Runs a range of a profile's histories, one after the other in this thread. */
import { openSqliteDisk } from './disk.ts'
import type { OpenDisk } from './disk.ts'
import { runHistory } from './history.ts'
import { drawPlan } from './plan.ts'
import type { Plan } from './plan.ts'
import type { Profile } from './profiles.ts'
import type { Violation } from './check-payments.ts'
import type { Row } from './table.ts'
import { add, createCounts } from './tally.ts'

export type FoundViolation = {
  readonly profile: string
  /** The shrunk plan. It contains only the parts of its profile that it uses. */
  readonly plan: Omit<Plan, 'profile'>
  readonly violation: Violation
}
/** Only the first few violations are shrunk, because shrinking one takes a hundred histories. */
const MAX_SHRINKS = 2

/** Runs the histories from `fromHistory` up to, but not including, `toHistory`. */
export async function simulate(
  profile: Profile,
  seed: number,
  fromHistory: number,
  toHistory: number,
  shrink: (
    plan: Plan,
    violation: Violation,
    openDisk: OpenDisk,
  ) => Promise<{ plan: Plan; violation: Violation }>,
  openDisk: OpenDisk = openSqliteDisk,
): Promise<{ readonly row: Row; readonly found: readonly FoundViolation[] }> {
  const counts = createCounts()
  const found: FoundViolation[] = []
  let violationCount = 0
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  for (let history = fromHistory; history < toHistory; history++) {
    const plan = drawPlan(profile, seed, history)
    const { violation, tally } = await runHistory(plan, { openDisk })
    add(counts, tally)
    if (violation === null) continue
    violationCount += 1
    if (found.length >= MAX_SHRINKS) continue
    const { plan: shrunkPlan, violation: remainingViolation } = await shrink(
      plan,
      violation,
      openDisk,
    )
    const { profile: _, ...rest } = shrunkPlan
    found.push({ profile: profile.name, plan: rest, violation: remainingViolation })
  }
  const { user, system } = process.cpuUsage(cpuBefore)
  const row = {
    profile: profile.name,
    seconds: (performance.now() - startedAt) / 1000,
    cpuSeconds: (user + system) / 1e6,
    violations: violationCount,
    counts,
  }
  return { row, found }
}
