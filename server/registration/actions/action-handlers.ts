/** Maps each action to its handler. */
import type { ActionName } from '../../../engine/index.ts'
import type { ActionHandler } from './action-input.ts'
import { approveRegistration, refuseApproval } from './approve-registration.ts'
import { correct, transferRegistration } from './correct-answers.ts'
import { recordExtraPayment, confirmPayment } from './record-payment.ts'
import { accept, cancel, dismiss, refund } from './cancel-and-refund.ts'
import { eraseRegistration } from './erase-personal-data.ts'
import { resendConfirmation, sendPayLink } from './resend-emails.ts'
import { rejectClaim, reopenRegistration } from './payment-claims.ts'

/** Actions that staff may request with POST /admin/registrations/{reg_no}/acts/. */
export const ACTION_HANDLERS: Readonly<Partial<Record<ActionName, ActionHandler>>> = {
  note: ({ deps, newAction }) => deps.store.addNote(newAction),
  undo_note: ({ deps, newAction }) => deps.store.undoNote(newAction),
  correct,
  transfer: transferRegistration,
  confirm: confirmPayment,
  came_again: recordExtraPayment,
  accept,
  dismiss,
  refund,
  handle_refund: ({ deps, newAction }) => deps.store.markRefundHandled(newAction),
  cancel,
  erase: ({ deps, registration, newAction }) => eraseRegistration(deps, registration, newAction),
  approve: approveRegistration,
  refuse: refuseApproval,
  not_found: rejectClaim,
  take_up: reopenRegistration,
  resend: resendConfirmation,
  send_pay_link: sendPayLink,
}
