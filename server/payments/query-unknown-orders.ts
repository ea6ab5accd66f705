/** Queries the gateway about orders that are not in the database. */
import { assertNever, listEventsByAccount, getGatewayKind, toAmount } from '../../engine/index.ts'
import type { EventConfig, OrderId, Amount, PaymentEvent } from '../../engine/index.ts'
import type { StatusResponse } from '../dependencies.ts'
import { getGatewayDefinition } from './gateways/registry.ts'
import { BACKGROUND_QUERY_TIMEOUT_MS } from './gateways/request-timeouts.ts'
import type { PaymentsDeps } from './verify-payment.ts'

// The gateway may have money for such orders after a restore, or if a registration was never stored. Only its own
// response is authoritative; a claim in a message only starts the query.

/** Rows read from the store at a time. */
const BATCH_ROWS = 16
/** The maximum number of concurrent queries. */
const MAX_CONCURRENT_QUERIES = 4

/**
 * `kept`: the gateway has received money for the order, which staff now see. `none`: the gateway has received none.
 * `unsure`: the response was not conclusive, so the order is queried again.
 */
export type LookupResult = 'kept' | 'none' | 'unsure'

type Confirmation = Extract<PaymentEvent, { type: 'confirmed' }>

/** Queries with the accounts of the currently served event, and stores payments that a gateway confirms. */
export async function lookUpOrder(
  deps: PaymentsDeps,
  event: EventConfig,
  orderId: OrderId,
  timeoutMs: number,
): Promise<LookupResult> {
  const { store, gateway, clock, log } = deps
  let result: LookupResult | null = null
  let hasPaymentEvent = false
  // It is not known for which of several accounts the order was created, so all are queried.
  for (const accountEvent of listEventsByAccount(event)) {
    const response: StatusResponse =
      gateway.getMerchantId(accountEvent) === null
        ? { is: 'unreachable', error: 'there are no credentials' }
        : await gateway
            .status(accountEvent, orderId, clock(), timeoutMs)
            .catch((error: unknown) => ({ is: 'unreachable', error: String(error) }))
    const lookupResult = await applyResponse(deps, accountEvent, orderId, response)
    hasPaymentEvent ||= response.is === 'payment-event'
    if (
      result === null ||
      lookupResult === 'kept' ||
      (lookupResult === 'unsure' && result === 'none')
    )
      result = lookupResult
    if (result === 'kept') break
  }
  if (result === null || result === 'unsure') {
    await store.postponeUnknownOrder(orderId, clock())
    return 'unsure'
  }
  // A payer whose payment was declined may have tried again on the payment page.
  await store.closeUnknownOrder(orderId, hasPaymentEvent, clock())
  if (result === 'kept')
    log.warn(
      { event: event.id },
      'the gateway confirms a payment for an order that is not in the database; staff find it under "Needs review"',
    )
  return result
}

async function applyResponse(
  { store, clock }: PaymentsDeps,
  event: EventConfig,
  orderId: OrderId,
  response: StatusResponse,
): Promise<LookupResult> {
  switch (response.is) {
    case 'unreachable':
    case 'pending':
      return 'unsure'
    case 'no-record':
      return 'none'
    case 'payment-event': {
      const { paymentEvent, raw } = response
      if (paymentEvent.type !== 'confirmed') return 'none'
      const messages = await store.gatewayMessages(orderId)
      const storedCount = await store.reviewUnknownPayment({
        orderId,
        eventId: event.id,
        source: event.payment?.gateway.name ?? '',
        account: event.payment?.account ?? '',
        payer: getGatewayDefinition(getGatewayKind(event.payment?.gateway ?? {})).findPayer(
          raw,
          messages.toReversed(),
        ),
        refunded: sumRefunded(paymentEvent),
        at: clock(),
        money: [paymentEvent, ...(paymentEvent.further ?? [])].map((payment) => ({
          reference: payment.reference,
          amount: payment.amount,
          currency: payment.currency ?? paymentEvent.currency,
          kind: payment.kind,
          paidAt: payment.paidAt ?? null,
        })),
      })
      return storedCount > 0 || sumRefunded(paymentEvent) < sumReceived(paymentEvent)
        ? 'kept'
        : 'none'
    }
    default:
      return assertNever(response)
  }
}

const sumReceived = ({ amount, further = [] }: Confirmation): Amount =>
  toAmount(further.reduce((sum, item) => sum + item.amount, amount as number))
const sumRefunded = ({ refunds = [] }: Confirmation): Amount =>
  toAmount(refunds.reduce((sum, item) => sum + item.amount, 0))

/** Queries all orders that are due, in batches. Returns the number of payments sent to review. */
export async function lookUpDueOrders(deps: PaymentsDeps): Promise<number> {
  const { store, events, clock } = deps
  const seenOrders = new Set<string>()
  let storedCount = 0
  for (;;) {
    const dueOrders = (await store.unknownOrders(clock(), seenOrders.size + BATCH_ROWS)).filter(
      ({ orderId }) => !seenOrders.has(orderId),
    )
    if (dueOrders.length === 0) return storedCount
    for (const { orderId } of dueOrders) seenOrders.add(orderId)
    const queue = [...dueOrders]
    const runWorker = async (): Promise<void> => {
      for (let order = queue.shift(); order !== undefined; order = queue.shift()) {
        const event = events.findById(order.eventId)?.config
        if (event === undefined) await store.postponeUnknownOrder(order.orderId, clock())
        else if (
          (await lookUpOrder(deps, event, order.orderId, BACKGROUND_QUERY_TIMEOUT_MS)) === 'kept'
        )
          storedCount += 1
      }
    }
    await Promise.all(Array.from({ length: MAX_CONCURRENT_QUERIES }, runWorker))
  }
}
