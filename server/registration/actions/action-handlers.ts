/** Maps each action to its handler. */
import type { ActionName } from '../../../engine/index.ts'
import type { ActionHandler } from './action-input.ts'
import { approve, refuse } from './approve-registration.ts'
import { correct, transfer } from './correct-answers.ts'
import { cameAgain, confirm } from './record-payment.ts'
import { accept, cancel, dismiss, refund } from './cancel-and-refund.ts'
import { eraseOne } from './erase-personal-data.ts'
import { resend, sendPayLink } from './resend-emails.ts'
import { notFound, takeUp } from './payment-claims.ts'

/** Actions that the office may request with POST /admin/registrations/{reg_no}/acts/. */
export const DOERS: Readonly<Partial<Record<ActionName, ActionHandler>>> = {
  note: ({ deps, wanted }) => deps.store.note(wanted),
  correct,
  transfer,
  confirm,
  came_again: cameAgain,
  accept,
  dismiss,
  refund,
  handle_refund: ({ deps, wanted }) => deps.store.handleRefund(wanted),
  cancel,
  erase: ({ deps, registration, wanted }) => eraseOne(deps, registration, wanted),
  approve,
  refuse,
  not_found: notFound,
  take_up: takeUp,
  resend,
  send_pay_link: sendPayLink,
}
