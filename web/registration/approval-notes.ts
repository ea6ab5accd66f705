/** Form texts for registrations that need approval before payment. */
import { findApproval, findCategory, getLabel, isPricedOnCredit } from '../../engine/index.ts'
import { EXTENDED_FORM_MESSAGES, formatMessage, selectPluralForm } from '../../engine/messages.ts'
import type { Answers, PublicEvent } from '../../engine/index.ts'

const messages = EXTENDED_FORM_MESSAGES.approval

/** Returns the label of the submit button, or null if no approval is needed before payment. */
export function getSubmitLabel(event: PublicEvent, answers: Answers): string | null {
  return findApprovalForAnswers(event, answers) === null ? null : messages.submit
}

/** Lists the notes above the button: the subject and the duration of the review, and the next step. */
export function listApprovalNotes(event: PublicEvent, answers: Answers): readonly string[] {
  const approval = findApprovalForAnswers(event, answers)
  if (approval === null) return []
  const { documents, decideWithinDays } = approval
  const explanation = formatMessage(selectPluralForm(decideWithinDays, messages.explanation), {
    fields: documents.map((id) => getLabel(event, id)).join(', '),
    count: decideWithinDays,
  })
  const payment = isPricedOnCredit(event, answers) ? messages.payLater : messages.payToday
  return [`${explanation} ${payment}`]
}

const findApprovalForAnswers = (event: PublicEvent, answers: Answers) =>
  findApproval(event.approvals, answers, findCategory(event, answers))
