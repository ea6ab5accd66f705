/** Sends refunds to the gateway, each at most once. */
import { assert } from '../../engine/index.ts'
import type { RefundResult } from '../dependencies.ts'
import type { RefundResponse, RefundToSend } from '../storage/index.ts'
import { REFUND_TIMEOUT_MS } from './gateways/request-timeouts.ts'
import { findRequestEvent, findQueryProblem } from './verify-payment.ts'
import type { PaymentsDeps, Versions } from './verify-payment.ts'

// A refund is claimed on disk before the gateway gets the request. After an ambiguous response, no second request is
// sent.

/** Refunds read from the store at a time. */
const BATCH_ROWS = 16

/** Sends requested refunds and returns their number. Refunds that got no response are marked as uncertain. */
export async function sendRefunds(deps: PaymentsDeps, versions: Versions): Promise<number> {
  const { store, clock, log } = deps
  const unansweredCount = await store.markUnansweredRefunds(clock())
  if (unansweredCount > 0)
    log.warn({ refunds: unansweredCount }, 'it is unknown whether some refunds moved money')
  let sentCount = 0
  for (const refund of await store.refundsToSend(clock(), BATCH_ROWS)) {
    // A command or a second server may run at the same time: only the process that claims the refund sends it.
    if (!(await store.claimRefund(refund.id, clock()))) continue
    sentCount += 1
    const response = await requestRefund(deps, versions, refund)
    log.info({ refund: refund.id, is: response.is }, 'a refund was requested')
    await store.recordRefundResponse(refund.id, response, clock())
  }
  return sentCount
}

/** Requests one refund. Never throws, because a refund that the gateway did not reject may have moved money. */
async function requestRefund(
  deps: PaymentsDeps,
  versions: Versions,
  { id, orderId, reference, amount }: RefundToSend,
): Promise<RefundResponse> {
  const { store, gateway, clock } = deps
  const registration = await store.registrationByOrder(orderId)
  const payment = registration?.payments.find((attempt) => attempt.orderId === orderId)
  assert(registration != null && payment !== undefined, 'a refund of an order that does not exist')
  const event = await findRequestEvent(deps, versions, registration, payment)
  const problem =
    event === null ? 'its event is no longer known' : findQueryProblem(deps, event, payment)
  if (event === null || problem !== null)
    return { is: 'not-sent', message: problem ?? '', raw: '', gateway: '' }
  const name = event.payment?.gateway.name ?? ''
  const money = { amount, currency: payment.currency }
  const refundResult = await gateway
    .refund(event, reference, money, clock(), REFUND_TIMEOUT_MS, `${orderId}-refund-${id}`)
    .catch((error: unknown): RefundResult => ({
      is: 'unsure',
      error: String(error),
      raw: '',
    }))
  return toRefundResponse(refundResult, name)
}

function toRefundResponse(response: RefundResult, gateway: string): RefundResponse {
  switch (response.is) {
    case 'begun':
      return { is: 'begun', reference: response.reference, message: '', raw: response.raw, gateway }
    case 'refused':
      return { is: 'refused', message: response.message, raw: response.raw, gateway }
    case 'not-sent':
      return { is: 'not-sent', message: response.error, raw: '', gateway }
    case 'unsure':
      return { is: 'unsure', message: response.error, raw: response.raw, gateway }
  }
}
