/** Shrinks a history with a violation to the shortest one that still has it. */
import { openSqliteDisk } from './disk.ts'
import type { OpenDisk } from './disk.ts'
import { runHistory } from './history.ts'
import type { Delegate, Plan } from './plan.ts'
import type { Violation } from './check-payments.ts'

/** Each attempt is a history. */
const TRIES_MAX = 150

export async function shrinkPlan(
  plan: Plan,
  violation: Violation,
  disks: OpenDisk = openSqliteDisk,
): Promise<{ plan: Plan; violation: Violation }> {
  let best = { plan, violation }
  let tries = 0
  for (let isShorter = true; isShorter;) {
    isShorter = false
    for (const shorter of listShorterPlans(best.plan)) {
      if (tries >= TRIES_MAX) return best
      tries += 1
      const { violation: left } = await runHistory(shorter, { disks })
      if (left?.invariant !== violation.invariant) continue
      best = { plan: shorter, violation: left }
      isShorter = true
      break
    }
  }
  return best
}

const without = <T>(list: readonly T[], at: number): readonly T[] => list.toSpliced(at, 1)

/** Plans with one part removed: the largest parts first. */
function* listShorterPlans(plan: Plan): Generator<Plan> {
  for (const at of plan.delegates.keys()) yield { ...plan, delegates: without(plan.delegates, at) }
  for (const at of plan.mishaps.keys()) yield { ...plan, mishaps: without(plan.mishaps, at) }
  for (const at of plan.office.keys()) yield { ...plan, office: without(plan.office, at) }
  for (const [at, one] of plan.desk.entries()) {
    const withVisit = (more: Partial<typeof one>): Plan => ({
      ...plan,
      desk: plan.desk.with(at, { ...one, ...more }),
    })
    yield { ...plan, desk: without(plan.desk, at) }
    if (one.beside !== null) yield withVisit({ beside: null })
    if (one.isTwice) yield withVisit({ isTwice: false })
  }
  for (const [at, delegate] of plan.delegates.entries())
    for (const simpler of listSimplerDelegates(delegate))
      yield { ...plan, delegates: plan.delegates.with(at, simpler) }
  const { profile } = plan
  if (profile.badAnswers > 0) yield { ...plan, profile: { ...profile, badAnswers: 0 } }
  if (profile.slow > 0) yield { ...plan, profile: { ...profile, slow: 0 } }
}

function* listSimplerDelegates(delegate: Delegate): Generator<Delegate> {
  const { steps } = delegate
  for (const at of steps.keys()) yield { ...delegate, steps: without(steps, at) }
  if (delegate.isHasty) yield { ...delegate, isHasty: false }
  for (const [at, step] of steps.entries()) {
    if (step.is !== 'visit' && step.is !== 'other tab') continue
    const { visit } = step
    const withVisit = (more: Partial<typeof visit>): Delegate => ({
      ...delegate,
      steps: steps.with(at, { ...step, visit: { ...visit, ...more } }),
    })
    for (const messageIndex of visit.tells.keys())
      yield withVisit({ tells: without(visit.tells, messageIndex) })
    if (visit.returnsMs !== null) yield withVisit({ returnsMs: null })
    if (visit.heldMs > 0) yield withVisit({ heldMs: 0 })
    if (visit.wrong !== null) yield withVisit({ wrong: null })
  }
}
