/** What delegates do themselves, on their own page: the same table of acts, by whoever has the link. */
import type { ActName } from '../../engine/index.ts'
import { acceptOffer } from '../registration/actions/approve-registration.ts'
import type { Doer } from '../registration/actions/action-input.ts'
import { edit } from '../registration/actions/correct-answers.ts'
import { tell } from '../registration/actions/payment-claims.ts'

/** What may be asked for by POST /api/my/{token}/acts/. */
export const DELEGATE_DOERS: Readonly<Partial<Record<ActName, Doer>>> = {
  edit,
  ask_cancel: ({ deps, wanted }) => deps.store.askCancel(wanted),
  ask_refund: ({ deps, wanted }) => deps.store.askRefund(wanted),
  accept_offer: acceptOffer,
  tell,
}
