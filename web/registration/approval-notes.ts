/** Form texts for registrations that need approval before payment. */
import { approvalOf, categoryOf, labelOf } from '../../engine/index.ts'
import type { Answers, PublicEvent } from '../../engine/index.ts'

/** Label of the submit button, or null if no approval is needed before payment. */
export function sendOf(event: PublicEvent, answers: Answers): string | null {
  return seenBy(event, answers) === null ? null : 'Send for approval'
}

/**
 * Notes above the button: what the organisers review, how long they take, and what happens next.
 */
export function approvalNotes(event: PublicEvent, answers: Answers): readonly string[] {
  const approval = seenBy(event, answers)
  if (approval === null) return []
  const { lookAt, withinDays } = approval
  const looked = lookAt.map((id) => labelOf(event, id)).join(', ')
  const days = withinDays === 1 ? 'one day' : `${withinDays} days`
  return [
    `There is nothing to pay now. The organisers look at what you send first (${looked}) and decide within ${days}. Then you get an email with a link to pay, at today’s price.`,
  ]
}

const seenBy = (event: PublicEvent, answers: Answers) =>
  approvalOf(event.approvals, answers, categoryOf(event, answers))
