/** A history that breaks a promise, made as short as it can be and still break it. */
import { freshDisk } from './disk.ts'
import type { Disks } from './disk.ts'
import { happen } from './history.ts'
import type { Delegate, Plan } from './plan.ts'
import type { Violation } from './check-payments.ts'

/** Each try is a history. */
const TRIES_MAX = 150

export async function shrunk(
  plan: Plan,
  violation: Violation,
  disks: Disks = freshDisk,
): Promise<{ plan: Plan; violation: Violation }> {
  let best = { plan, violation }
  let tries = 0
  for (let isShorter = true; isShorter;) {
    isShorter = false
    for (const shorter of shorterThan(best.plan)) {
      if (tries >= TRIES_MAX) return best
      tries += 1
      const { violation: left } = await happen(shorter, { disks })
      if (left?.promise !== violation.promise) continue
      best = { plan: shorter, violation: left }
      isShorter = true
      break
    }
  }
  return best
}

const without = <T>(list: readonly T[], at: number): readonly T[] => list.toSpliced(at, 1)

/** One piece less each: the largest pieces first. */
function* shorterThan(plan: Plan): Generator<Plan> {
  for (const at of plan.delegates.keys()) yield { ...plan, delegates: without(plan.delegates, at) }
  for (const at of plan.mishaps.keys()) yield { ...plan, mishaps: without(plan.mishaps, at) }
  for (const at of plan.office.keys()) yield { ...plan, office: without(plan.office, at) }
  for (const [at, one] of plan.desk.entries()) {
    const put = (more: Partial<typeof one>): Plan => ({
      ...plan,
      desk: plan.desk.with(at, { ...one, ...more }),
    })
    yield { ...plan, desk: without(plan.desk, at) }
    if (one.beside !== null) yield put({ beside: null })
    if (one.isTwice) yield put({ isTwice: false })
  }
  for (const [at, delegate] of plan.delegates.entries())
    for (const simpler of simplerThan(delegate))
      yield { ...plan, delegates: plan.delegates.with(at, simpler) }
  const { profile } = plan
  if (profile.badAnswers > 0) yield { ...plan, profile: { ...profile, badAnswers: 0 } }
  if (profile.slow > 0) yield { ...plan, profile: { ...profile, slow: 0 } }
}

function* simplerThan(delegate: Delegate): Generator<Delegate> {
  const { steps } = delegate
  for (const at of steps.keys()) yield { ...delegate, steps: without(steps, at) }
  if (delegate.isHasty) yield { ...delegate, isHasty: false }
  for (const [at, step] of steps.entries()) {
    if (step.is !== 'visit' && step.is !== 'other tab') continue
    const { visit } = step
    const put = (more: Partial<typeof visit>): Delegate => ({
      ...delegate,
      steps: steps.with(at, { ...step, visit: { ...visit, ...more } }),
    })
    for (const told of visit.tells.keys()) yield put({ tells: without(visit.tells, told) })
    if (visit.returnsMs !== null) yield put({ returnsMs: null })
    if (visit.heldMs > 0) yield put({ heldMs: 0 })
    if (visit.wrong !== null) yield put({ wrong: null })
  }
}
