/** Applies the delegate's own actions. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isActionName } from '../../engine/index.ts'
import { SERVER_MESSAGES } from '../../engine/messages.ts'
import type { ActionName } from '../../engine/index.ts'
import type { ActionResponse } from '../../engine/api.ts'
import type { Deps } from '../dependencies.ts'
import { sendError } from '../http/error-response.ts'
import { getActionParameters, sendDenial } from '../office/registrations/action-routes.ts'
import type { ResolvedLink } from '../registration/access-link.ts'
import { acceptOffer } from '../registration/actions/approve-registration.ts'
import { parseActionKey, readText } from '../registration/actions/action-input.ts'
import type { ActionHandler } from '../registration/actions/action-input.ts'
import { edit } from '../registration/actions/correct-answers.ts'
import { claimPayment } from '../registration/actions/payment-claims.ts'
import type { LinkSender } from '../storage/index.ts'

/** The name of the delegate in the history; staff appear under their own names. */
const DELEGATE = 'delegate'

/** Actions that a delegate may request. */
const DELEGATE_ACTION_HANDLERS: Readonly<Partial<Record<ActionName, ActionHandler>>> = {
  edit,
  ask_cancel: ({ deps, newAction }) => deps.store.requestCancellation(newAction),
  ask_refund: ({ deps, newAction }) => deps.store.requestSecondPaymentRefund(newAction),
  withdraw_refund: ({ deps, newAction }) => deps.store.withdrawRefundRequest(newAction),
  accept_offer: acceptOffer,
  tell: claimPayment,
}

/** Returns true if the action is about the refund of a second payment. */
export const isAboutRefund = (act: unknown): boolean =>
  act === 'ask_refund' || act === 'withdraw_refund'

export const refuseRefundRequest = (reply: FastifyReply): FastifyReply =>
  sendError(reply, 409, 'not_now', SERVER_MESSAGES.selfService.noRefundRequest)

export const refuseUnknownAction = (reply: FastifyReply): FastifyReply =>
  sendError(reply, 422, 'act_unknown', SERVER_MESSAGES.request.noAction)

/**
 * Applies the action of a request whose sender has proved that they are the delegate. `sender`: the link, or null if the
 * browser's cookie is the proof.
 */
export async function applyDelegateAction(
  deps: Deps,
  {
    served,
    registration,
    sender,
  }: Pick<ResolvedLink, 'served' | 'registration'> & { readonly sender: LinkSender | null },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { act: actionName, why: reason, ...params } = getActionParameters(request)
  const actionHandler =
    typeof actionName === 'string' && isActionName(actionName)
      ? DELEGATE_ACTION_HANDLERS[actionName]
      : undefined
  if (typeof actionName !== 'string' || !isActionName(actionName) || actionHandler === undefined)
    return refuseUnknownAction(reply)
  const { regNo } = registration
  const idempotencyKey = parseActionKey(
    { ...params, why: reason },
    { who: DELEGATE, regNo, act: actionName },
  )
  if (!idempotencyKey.ok) return sendDenial(reply, idempotencyKey.error)
  const action = {
    regNo,
    act: actionName,
    actor: 'delegate',
    who: DELEGATE,
    why: readText({ why: reason }, 'why'),
    at: deps.clock(),
    idempotencyKey: idempotencyKey.value,
    previousAnswers: registration.answers,
    sender,
  } as const
  const result = await actionHandler({ deps, served, registration, newAction: action, params })
  if (!result.ok) return sendDenial(reply, result.error)
  const { message, state, refund: refundState = null, repeated } = result.value
  const response: ActionResponse = {
    status: 'success',
    message,
    reg_no: regNo,
    state,
    refund: refundState,
    repeated,
  }
  return reply.send(response)
}
