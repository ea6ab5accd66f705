/**
 * Queries the gateway about orders that the database does not know.
 * The gateway may hold money for them after a restore, or if a registration was never stored. Only its own answer
 * decides; a claim in a message only starts the query.
 */
import { assertNever, paise } from '../../engine/index.ts'
import type { EventConfig, OrderId, Paise, PaymentEvent } from '../../engine/index.ts'
import type { StatusAnswer } from '../dependencies.ts'
import { payerIn } from './gateways/airpay/payer-name.ts'
import type { PaymentsDeps } from './verify-payment.ts'

/** Rows read from the store at a time. */
const BATCH_ROWS = 16
/** No browser waits for polling. */
const TIMEOUT_MS = 20_000
/** Concurrent queries. */
const ASKED_AT_ONCE_MAX = 4

/**
 * `kept`: the gateway holds money for the order, and staff see it. `none`: it holds none. `unsure`: no conclusive
 * answer; it is queried again.
 */
export type LookupResult = 'kept' | 'none' | 'unsure'

type Confirmed = Extract<PaymentEvent, { type: 'confirmed' }>

/** Queries with the account of the event that is served now, and stores what the gateway confirms. */
export async function lookUp(
  deps: PaymentsDeps,
  event: EventConfig,
  orderId: OrderId,
  timeoutMs: number,
): Promise<LookupResult> {
  const { store, gateway, clock, log } = deps
  if (event.payment === null || gateway.merchantOf(event) === null) return 'unsure'
  const answer = await gateway
    .status(event, orderId, clock(), timeoutMs)
    .catch((error: unknown): StatusAnswer => ({ is: 'unreachable', error: String(error) }))
  const looked = await follow(deps, event, orderId, answer)
  if (looked === 'unsure') {
    await store.unknownUndecided(orderId, clock())
    return looked
  }
  // A declined payer was on the payment page: a further attempt may have been made.
  await store.unknownDecided(orderId, answer.is === 'fact', clock())
  if (looked === 'kept')
    log.warn(
      { event: event.id },
      'the gateway confirms a payment for an order that is not in the database: it waits for staff under "Needs review"',
    )
  return looked
}

async function follow(
  { store, clock }: PaymentsDeps,
  event: EventConfig,
  orderId: OrderId,
  answer: StatusAnswer,
): Promise<LookupResult> {
  switch (answer.is) {
    case 'unreachable':
    case 'pending':
      return 'unsure'
    case 'no-record':
      return 'none'
    case 'fact': {
      const { fact, raw } = answer
      if (fact.type !== 'confirmed') return 'none'
      const messages = await store.notices(orderId)
      const kept = await store.keepUnknownPayment({
        orderId,
        eventId: event.id,
        source: event.payment?.gateway.name ?? '',
        account: event.payment?.account ?? '',
        payer: payerIn([{ body: raw, contentType: 'text/xml' }, ...messages.toReversed()]),
        refunded: refundedOf(fact),
        at: clock(),
        money: [fact, ...(fact.further ?? [])].map((money) => ({
          reference: money.reference,
          amount: money.amount,
          currency: money.currency ?? fact.currency,
          kind: money.kind,
          paidAt: money.paidAt ?? null,
        })),
      })
      return kept > 0 || refundedOf(fact) < cameOf(fact) ? 'kept' : 'none'
    }
    default:
      return assertNever(answer)
  }
}

const cameOf = ({ amount, further = [] }: Confirmed): Paise =>
  paise(further.reduce((sum, one) => sum + one.amount, amount as number))
const refundedOf = ({ refunds = [] }: Confirmed): Paise =>
  paise(refunds.reduce((sum, one) => sum + one.amount, 0))

/** Queries all orders due now, in batches; returns how many it has passed to staff. */
export async function lookUpAll(deps: PaymentsDeps): Promise<number> {
  const { store, events, clock } = deps
  const seen = new Set<string>()
  let kept = 0
  for (;;) {
    const due = (await store.unknownOrders(clock(), seen.size + BATCH_ROWS)).filter(
      ({ orderId }) => !seen.has(orderId),
    )
    if (due.length === 0) return kept
    for (const { orderId } of due) seen.add(orderId)
    const waiting = [...due]
    const worker = async (): Promise<void> => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
        const event = events.byId(one.eventId)?.config
        if (event === undefined) await store.unknownUndecided(one.orderId, clock())
        else if ((await lookUp(deps, event, one.orderId, TIMEOUT_MS)) === 'kept') kept += 1
      }
    }
    await Promise.all(Array.from({ length: ASKED_AT_ONCE_MAX }, worker))
  }
}
