/** Shrinks a history with a violation to the shortest history found that still violates the invariant. */
import { openSqliteDisk } from './disk.ts'
import type { OpenDisk } from './disk.ts'
import { runHistory } from './history.ts'
import type { Delegate, Plan } from './plan.ts'
import type { Violation } from './check-payments.ts'

/** The maximum number of attempts. Each attempt runs one history. */
const MAX_TRIES = 150

export async function shrinkPlan(
  plan: Plan,
  violation: Violation,
  openDisk: OpenDisk = openSqliteDisk,
): Promise<{ plan: Plan; violation: Violation }> {
  let shortest = { plan, violation }
  let attempts = 0
  for (let isShorter = true; isShorter;) {
    isShorter = false
    for (const shorterPlan of listShorterPlans(shortest.plan)) {
      if (attempts >= MAX_TRIES) return shortest
      attempts += 1
      const { violation: remainingViolation } = await runHistory(shorterPlan, { openDisk })
      if (remainingViolation?.invariant !== violation.invariant) continue
      shortest = { plan: shorterPlan, violation: remainingViolation }
      isShorter = true
      break
    }
  }
  return shortest
}

const removeAt = <T>(list: readonly T[], index: number): readonly T[] => list.toSpliced(index, 1)

/** Yields the plans from which one part is removed, beginning with the largest parts. */
function* listShorterPlans(plan: Plan): Generator<Plan> {
  for (const at of plan.delegates.keys()) yield { ...plan, delegates: removeAt(plan.delegates, at) }
  for (const at of plan.incidents.keys()) yield { ...plan, incidents: removeAt(plan.incidents, at) }
  for (const at of plan.office.keys()) yield { ...plan, office: removeAt(plan.office, at) }
  for (const at of plan.disputes.keys()) yield { ...plan, disputes: removeAt(plan.disputes, at) }
  for (const [index, step] of plan.staffSteps.entries()) {
    const withStep = (changes: Partial<typeof step>): Plan => ({
      ...plan,
      staffSteps: plan.staffSteps.with(index, { ...step, ...changes }),
    })
    yield { ...plan, staffSteps: removeAt(plan.staffSteps, index) }
    if (step.colleague !== null) yield withStep({ colleague: null })
    if (step.isSentTwice) yield withStep({ isSentTwice: false })
  }
  for (const [index, delegate] of plan.delegates.entries())
    for (const simplerDelegate of listSimplerDelegates(delegate))
      yield { ...plan, delegates: plan.delegates.with(index, simplerDelegate) }
  const { profile } = plan
  if (profile.badStatusResponses > 0)
    yield { ...plan, profile: { ...profile, badStatusResponses: 0 } }
  if (profile.slowResponses > 0) yield { ...plan, profile: { ...profile, slowResponses: 0 } }
}

function* listSimplerDelegates(delegate: Delegate): Generator<Delegate> {
  const { steps } = delegate
  for (const at of steps.keys()) yield { ...delegate, steps: removeAt(steps, at) }
  if (delegate.isSubmittedTwice) yield { ...delegate, isSubmittedTwice: false }
  for (const [index, step] of steps.entries()) {
    if (step.is !== 'visit' && step.is !== 'other tab') continue
    const { visit } = step
    const withVisit = (changes: Partial<typeof visit>): Delegate => ({
      ...delegate,
      steps: steps.with(index, { ...step, visit: { ...visit, ...changes } }),
    })
    for (const messageIndex of visit.messages.keys())
      yield withVisit({ messages: removeAt(visit.messages, messageIndex) })
    if (visit.returnAfterMs !== null) yield withVisit({ returnAfterMs: null })
    if (visit.heldMs > 0) yield withVisit({ heldMs: 0 })
    if (visit.mismatch !== null) yield withVisit({ mismatch: null })
  }
}
