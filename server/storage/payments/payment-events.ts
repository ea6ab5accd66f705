/** Stores payment events from gateways. An event that is reported repeatedly is stored once. */
import type { Instant, OrderId, PaymentEvent, ReportedRefund } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { RecordedPaymentEvent } from './payment-types.ts'

const addEvent = statement(
  (
    builder,
    event: { paymentId: number; type: string; body: string; refusal: string | null; at: Instant },
  ) =>
    builder.insertInto('payment_facts').values({
      payment_id: event.paymentId,
      type: event.type,
      body: event.body,
      refusal: event.refusal,
      at: event.at,
    }),
)
const eventsOfType = statement(
  (builder, { paymentId, type }: { paymentId: number; type: string }) =>
    builder
      .selectFrom('payment_facts')
      .select(['body', 'at'])
      .where('payment_id', '=', paymentId)
      .where('type', '=', type),
)
const eventsOfOrder = statement((builder, { orderId }: { orderId: OrderId }) =>
  builder
    .selectFrom('payment_facts')
    .select(['at', 'type', 'body'])
    .where('payment_id', '=', ({ selectFrom }) =>
      selectFrom('payments').select('id').where('order_id', '=', orderId),
    )
    .orderBy('id'),
)

/** Returns the payment and each refund in a response as separate events. */
export function splitEvent(event: PaymentEvent): readonly PaymentEvent[] {
  const toEvents = (refunds: readonly ReportedRefund[]): readonly PaymentEvent[] =>
    refunds.map((refund) => ({ type: 'refunded', ...refund, at: event.at }))
  if (event.type === 'refunded') {
    const { reference, amount, further = [] } = event
    return toEvents([{ reference, amount }, ...further])
  }
  if (event.type !== 'confirmed') return [event]
  const { refunds = [], ...confirmed } = event
  return [confirmed, ...toEvents(refunds)]
}

/** Stores an event. `refusal`: the code for why the event changed nothing. Null if the event was applied. */
export function writePaymentEvent(
  sql: Sql,
  paymentId: number,
  paymentEvent: PaymentEvent,
  refusal: string | null,
): void {
  const { type, at } = paymentEvent
  addEvent.run(sql, { paymentId, type, body: JSON.stringify(paymentEvent), refusal, at })
}

/**
 * Returns true if the event is already stored. Gateways report an event repeatedly, each time a moment later. Neither
 * the time of the report nor the payment time (which is limited to the time between order and query) makes it a new
 * event. An expiry after days without a result is new if the stored expiry was written while the clock was ahead.
 */
export async function isKnownEvent(
  sql: Sql,
  paymentId: number,
  paymentEvent: PaymentEvent,
): Promise<boolean> {
  const eventText = serialiseWithoutTimes(paymentEvent)
  const events = await eventsOfType.all(sql, { paymentId, type: paymentEvent.type })
  return events
    .filter(({ at }) => paymentEvent.type !== 'undecided' || at <= paymentEvent.at)
    .some(({ body }) => serialiseWithoutTimes(JSON.parse(body)) === eventText)
}

const TIME_KEYS: ReadonlySet<string> = new Set(['at', 'paidAt', 'afterClosing', 'afterHold'])
const serialiseWithoutTimes = (paymentEvent: unknown): string =>
  JSON.stringify(paymentEvent, (name, value: unknown) => (TIME_KEYS.has(name) ? undefined : value))

export async function readPaymentEvents(
  sql: Sql,
  orderId: OrderId,
): Promise<readonly RecordedPaymentEvent[]> {
  const events = await eventsOfOrder.all(sql, { orderId })
  return events.map(({ at, type, body }) => ({ at, type, body: JSON.parse(body) as PaymentEvent }))
}
