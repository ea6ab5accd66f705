/** Form texts for registrations that need approval before payment. */
import { findApproval, findCategory, getLabel } from '../../engine/index.ts'
import { EXTENDED_FORM_MESSAGES, formatMessage, selectPluralForm } from '../../engine/messages.ts'
import type { Answers, PublicEvent } from '../../engine/index.ts'

/** Returns the label of the submit button, or null if no approval is needed before payment. */
export function getSubmitLabel(event: PublicEvent, answers: Answers): string | null {
  return findApprovalForAnswers(event, answers) === null
    ? null
    : EXTENDED_FORM_MESSAGES.approval.submit
}

/** Lists the notes above the button: the subject and the duration of the review, and the next step. */
export function listApprovalNotes(event: PublicEvent, answers: Answers): readonly string[] {
  const approval = findApprovalForAnswers(event, answers)
  if (approval === null) return []
  const { documents, decideWithinDays } = approval
  return [
    formatMessage(selectPluralForm(decideWithinDays, EXTENDED_FORM_MESSAGES.approval.explanation), {
      fields: documents.map((id) => getLabel(event, id)).join(', '),
      count: decideWithinDays,
    }),
  ]
}

const findApprovalForAnswers = (event: PublicEvent, answers: Answers) =>
  findApproval(event.approvals, answers, findCategory(event, answers))
