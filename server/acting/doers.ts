/** Who does which act: a row for each, so that the call knows them all and none of them. */
import type { ActName } from '../../engine/index.ts'
import type { Doer } from './asked.ts'
import { approve, refuse } from './approving.ts'
import { correct, transfer } from './correcting.ts'
import { cameAgain, confirm } from './confirming.ts'
import { accept, cancel, dismiss, refund } from './ending.ts'
import { eraseOne } from './erasing.ts'
import { resend, sendPayLink } from './mailing.ts'
import { notFound, takeUp } from './telling.ts'

/** What the office may ask for by POST /admin/registrations/{reg_no}/acts/. */
export const DOERS: Readonly<Partial<Record<ActName, Doer>>> = {
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
