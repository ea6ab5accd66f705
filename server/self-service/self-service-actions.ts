/** Maps the delegate's own actions to their handlers. */
import type { ActionName } from '../../engine/index.ts'
import { acceptOffer } from '../registration/actions/approve-registration.ts'
import type { ActionHandler } from '../registration/actions/action-input.ts'
import { edit } from '../registration/actions/correct-answers.ts'
import { claimPayment } from '../registration/actions/payment-claims.ts'

/** Actions that a delegate may request with POST /api/my/{token}/acts/. */
export const DELEGATE_ACTION_HANDLERS: Readonly<Partial<Record<ActionName, ActionHandler>>> = {
  edit,
  ask_cancel: ({ deps, wanted }) => deps.store.requestCancellation(wanted),
  ask_refund: ({ deps, wanted }) => deps.store.requestSecondPaymentRefund(wanted),
  withdraw_refund: ({ deps, wanted }) => deps.store.withdrawRefundRequest(wanted),
  accept_offer: acceptOffer,
  tell: claimPayment,
}
