/**
 * Sends refunds to the gateway, each at most once.
 * A refund is claimed on disk before the gateway gets the request, and an ambiguous answer is never followed by a
 * second request.
 */
import { assert } from '../../engine/index.ts'
import type { RefundAnswer } from '../dependencies.ts'
import type { RefundResponse, RefundToSend } from '../storage/index.ts'
import { askedThrough, notAskable } from './verify-payment.ts'
import type { PaymentsDeps, Versions } from './verify-payment.ts'

/** A gateway moves money before it answers; a client that disconnects earlier knows nothing. */
const REFUND_TIMEOUT_MS = 30_000
/** Refunds read from the store at a time. */
const BATCH_ROWS = 16

/** Sends requested refunds, and gives up on those that were never answered; returns how many were sent. */
export async function sendRefunds(deps: PaymentsDeps, versions: Versions): Promise<number> {
  const { store, clock, log } = deps
  const silent = await store.silentRefunds(clock())
  if (silent > 0)
    log.warn({ refunds: silent }, 'of some refunds it is not known whether they move money')
  let sent = 0
  for (const refund of await store.refundsToSend(clock(), BATCH_ROWS)) {
    // A command or a second server may run at the same time: the one that claims the refund sends it.
    if (!(await store.claimRefund(refund.id, clock()))) continue
    sent += 1
    const told = await answered(deps, versions, refund)
    log.info({ refund: refund.id, is: told.is }, 'a refund was asked for')
    await store.refundTold(refund.id, told, clock())
  }
  return sent
}

/** Never throws: unless the refund is known to be refused, it may have moved money. */
async function answered(
  deps: PaymentsDeps,
  versions: Versions,
  { orderId, reference, amount }: RefundToSend,
): Promise<RefundResponse> {
  const { store, gateway, clock } = deps
  const registration = await store.registrationOf(orderId)
  const payment = registration?.payments.find((each) => each.orderId === orderId)
  assert(registration != null && payment !== undefined, 'a refund of an order that is not there')
  const event = await askedThrough(deps, versions, registration, payment)
  const problem =
    event === null ? 'its event is not known any more' : notAskable(deps, event, payment)
  if (event === null || problem !== null)
    return { is: 'not-sent', said: problem ?? '', raw: '', gateway: '' }
  const name = event.payment?.gateway.name ?? ''
  const answer = await gateway
    .refund(event, reference, amount, clock(), REFUND_TIMEOUT_MS)
    .catch((error: unknown): RefundAnswer => ({ is: 'unsure', error: String(error), raw: '' }))
  return toldOf(answer, name)
}

function toldOf(answer: RefundAnswer, gateway: string): RefundResponse {
  switch (answer.is) {
    case 'begun':
      return { is: 'begun', reference: answer.reference, said: '', raw: answer.raw, gateway }
    case 'refused':
      return { is: 'refused', said: answer.message, raw: answer.raw, gateway }
    case 'not-sent':
      return { is: 'not-sent', said: answer.error, raw: '', gateway }
    case 'unsure':
      return { is: 'unsure', said: answer.error, raw: answer.raw, gateway }
  }
}
