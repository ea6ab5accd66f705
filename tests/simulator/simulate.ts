/** A range of histories of one profile, one after the other in this thread. */
import { freshDisk } from './disk.ts'
import type { Disks } from './disk.ts'
import { happen } from './history.ts'
import { planOf } from './plan.ts'
import type { Plan } from './plan.ts'
import type { Profile } from './profiles.ts'
import type { Violation } from './check-payments.ts'
import type { Row } from './table.ts'
import { add, noCounts } from './tally.ts'

export type Found = {
  readonly profile: string
  /** Shrunk; its profile says no more than what was drawn from it. */
  readonly plan: Omit<Plan, 'profile'>
  readonly violation: Violation
}
/** Shrinking takes a hundred histories: the first few violations tell enough. */
const SHRUNK_MAX = 2

/** From and up to, without the latter. */
export async function simulate(
  profile: Profile,
  seed: number,
  from: number,
  to: number,
  shrink: (
    plan: Plan,
    violation: Violation,
    disks: Disks,
  ) => Promise<{ plan: Plan; violation: Violation }>,
  disks: Disks = freshDisk,
): Promise<{ readonly row: Row; readonly found: readonly Found[] }> {
  const counts = noCounts()
  const found: Found[] = []
  let violations = 0
  const begun = performance.now()
  const used = process.cpuUsage()
  for (let history = from; history < to; history++) {
    const plan = planOf(profile, seed, history)
    const { violation, tally } = await happen(plan, { disks })
    add(counts, tally)
    if (violation === null) continue
    violations += 1
    if (found.length >= SHRUNK_MAX) continue
    const { plan: small, violation: left } = await shrink(plan, violation, disks)
    const { profile: _, ...rest } = small
    found.push({ profile: profile.name, plan: rest, violation: left })
  }
  const { user, system } = process.cpuUsage(used)
  const row = {
    profile: profile.name,
    seconds: (performance.now() - begun) / 1000,
    cpuSeconds: (user + system) / 1e6,
    violations,
    counts,
  }
  return { row, found }
}
