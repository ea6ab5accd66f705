/** Stores the checkouts that the server created at a gateway, and the webhook events that it has processed. */
import { instant } from '../../../engine/index.ts'
import type { Instant, OrderId } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { StoredCheckout } from './checkout-types.ts'

/** How long an event is remembered. Gateways repeat it for one day, and a later repetition does no harm. */
const EVENT_RETENTION_MS = 30 * 24 * 60 * 60_000

const addCheckout = statement((builder, checkout: StoredCheckout & { at: Instant }) =>
  builder
    .insertInto('checkouts')
    .values({
      checkout_id: checkout.checkoutId,
      order_id: checkout.orderId,
      amount: checkout.amount,
      currency: checkout.currency,
      at: checkout.at,
    })
    .onConflict((conflict) => conflict.column('checkout_id').doNothing()),
)
const CHECKOUT_COLUMNS = [
  'checkout_id as checkoutId',
  'order_id as orderId',
  'amount',
  'currency',
] as const
const checkoutsOfOrder = statement((builder, { orderId }: { orderId: OrderId }) =>
  builder
    .selectFrom('checkouts')
    .select(CHECKOUT_COLUMNS)
    .where('order_id', '=', orderId)
    .orderBy('at')
    .orderBy('checkout_id'),
)
const checkoutWithId = statement((builder, { checkoutId }: { checkoutId: string }) =>
  builder.selectFrom('checkouts').select(CHECKOUT_COLUMNS).where('checkout_id', '=', checkoutId),
)
const addEvent = statement((builder, event: { eventId: string; at: Instant }) =>
  builder
    .insertInto('webhook_events')
    .values({ event_id: event.eventId, at: event.at })
    .onConflict((conflict) => conflict.column('event_id').doNothing()),
)
const eventWithId = statement((builder, { eventId }: { eventId: string }) =>
  builder.selectFrom('webhook_events').select('at').where('event_id', '=', eventId),
)
const newestEvent = statement((builder, { pattern }: { pattern: string }) =>
  builder
    .selectFrom('webhook_events')
    .select('at')
    .where('event_id', 'like', pattern)
    .orderBy('at', 'desc')
    .limit(1),
)
const deleteOldEvents = statement((builder, { before }: { before: Instant }) =>
  builder.deleteFrom('webhook_events').where('at', '<', before),
)

export function recordCheckout(sql: Sql, checkout: StoredCheckout, at: Instant): void {
  addCheckout.run(sql, { ...checkout, at })
}

/** Returns the checkouts of an order, oldest first. */
export function listCheckouts(sql: Sql, orderId: OrderId): Promise<readonly StoredCheckout[]> {
  return checkoutsOfOrder.all(sql, { orderId })
}

/** Returns null for a checkout that another program created. */
export async function findCheckout(sql: Sql, checkoutId: string): Promise<StoredCheckout | null> {
  return (await checkoutWithId.get(sql, { checkoutId })) ?? null
}

export function recordWebhookEvent(sql: Sql, eventId: string, at: Instant): void {
  addEvent.run(sql, { eventId, at })
  deleteOldEvents.run(sql, { before: instant(at - EVENT_RETENTION_MS) })
}

export async function isWebhookProcessed(sql: Sql, eventId: string): Promise<boolean> {
  return (await eventWithId.get(sql, { eventId })) !== undefined
}

/** Returns null if no event with this prefix was processed in the last month. */
export async function findLastWebhookTime(sql: Sql, prefix: string): Promise<Instant | null> {
  return (await newestEvent.get(sql, { pattern: `${prefix}%` }))?.at ?? null
}
