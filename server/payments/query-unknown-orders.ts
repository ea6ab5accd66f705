/**
 * Orders that the database does not know and that the gateway may hold money for: after a restore, or where a registration was
 * never stored. The gateway's own answer decides; what a message claims only starts the question.
 */
import { assertNever, paise } from '../../engine/index.ts'
import type { EventConfig, OrderId, Paise, PaymentFact } from '../../engine/index.ts'
import type { StatusAnswer } from '../dependencies.ts'
import { payerIn } from './gateways/airpay/payer-name.ts'
import type { PaymentsDeps } from './verify-payment.ts'

/** Read from the store at a time. */
const BATCH_ROWS = 16
/** Nobody waits for the reconciler. */
const TIMEOUT_MS = 20_000
/** Questions on their way at the same time. */
const ASKED_AT_ONCE_MAX = 4

/**
 * `kept`: the gateway holds money for it, which is before staff. `none`: it holds none. `unsure`: it gave no answer that decides,
 * and is asked again.
 */
export type Looked = 'kept' | 'none' | 'unsure'

type Confirmed = Extract<PaymentFact, { type: 'confirmed' }>

/** Asks the gateway with the account of the event that is served now, and keeps what it confirms. */
export async function lookUp(
  deps: PaymentsDeps,
  event: EventConfig,
  orderId: OrderId,
  timeoutMs: number,
): Promise<Looked> {
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
  // Whoever was declined was sent there to pay: a further attempt may have been made.
  await store.unknownDecided(orderId, answer.is === 'fact', clock())
  if (looked === 'kept')
    log.warn(
      { event: event.id },
      'the gateway confirms a payment for an order that is not in the database: it waits for staff under "Money to decide"',
    )
  return looked
}

async function follow(
  { store, clock }: PaymentsDeps,
  event: EventConfig,
  orderId: OrderId,
  answer: StatusAnswer,
): Promise<Looked> {
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

/** Asks about all that are due by now, some at a time; answers how many are before staff by it. */
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
