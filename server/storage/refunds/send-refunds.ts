/** Sends refunds to the gateway, and records its responses. */
import { sql as raw } from 'kysely'
import type { Kysely } from 'kysely'
import { assert } from '../../../engine/index.ts'
import type { Instant, OrderId } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { RefundState } from '../database/statements/money-tables.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { noRecoveryIsOpen } from '../recovery/held-during-recovery.ts'
import { scheduleGatewayQueries } from '../payments/gateway-queries.ts'
import { storeMessage } from '../payments/stored-gateway-messages.ts'
import { findOrderOfRefund } from './record-refunds.ts'
import type { RefundResponse, RefundToSend } from '../payments/payment-types.ts'

// A refund is marked as sent before it is requested, so that a crash cannot cause a second request.

/** The interval between attempts to send a refund. */
const RESEND_INTERVAL_MS = 5 * 60_000
/**
 * If there is no response within this time, a crash must have interrupted the refund. The request itself times out
 * after 30 seconds.
 */
const RESPONSE_WAIT_MS = 5 * 60_000
/** How long the server tries to send a refund. After this time, staff must decide. */
const MAX_SENDING_MS = 24 * 60 * 60_000
/** If a started refund is not confirmed within this time, staff must decide. Gateways complete refunds within days. */
const MAX_CONFIRMATION_WAIT_MS = 5 * 24 * 60 * 60_000
/** Stored as `said` for a refund that the gateway has started. */
const STARTED_MESSAGE = 'The gateway started the refund.'
/** Stored as `said` for a refund that the gateway started and the bank did not accept. */
const FAILED_MESSAGE = 'The gateway started the refund, but the bank did not accept it.'
/** Stored as `said` for a refund that was started and never confirmed. */
const UNCONFIRMED_MESSAGE = 'The gateway started the refund but has not confirmed it for days.'
/** How many characters of the gateway's message are stored. */
const MAX_RESPONSE_CHARACTERS = 300

const refundsToSend = statement((builder, { at, limit }: { at: Instant; limit: number }, dialect) =>
  builder
    .selectFrom('refunds as r')
    .innerJoin('captures as c', 'c.id', 'r.capture_id')
    .innerJoin('payments as p', 'p.id', 'c.payment_id')
    .select(['r.id', 'r.amount', 'c.reference', 'p.order_id as orderId'])
    .where('r.state', '=', 'wanted')
    .where(noRecoveryIsOpen)
    .where(({ eb, or, ref }) =>
      or([
        eb('r.asked_at', 'is', null),
        eb(raw<number>`abs(${at} - ${ref('r.asked_at')})`, '>=', RESEND_INTERVAL_MS),
      ]),
    )
    .orderBy('r.id')
    .limit(dialect.limit(limit)),
)
const markRefundSent = statement((builder, { id, at }: { id: number; at: Instant }) =>
  builder
    .updateTable('refunds')
    .set({ state: 'asked', asked_at: at, said: null })
    .where('id', '=', id)
    .where('state', '=', 'wanted')
    .where(noRecoveryIsOpen),
)
const updateSentRefund = (builder: Kysely<Tables>, id: number) =>
  builder.updateTable('refunds').where('id', '=', id).where('state', 'in', ['asked', 'unsure'])
const markRefundStarted = statement(
  (builder, { id, reference }: { id: number; reference: string }) =>
    updateSentRefund(builder, id).set({ state: 'asked', reference, said: STARTED_MESSAGE }),
)
const markRefundNotSent = statement(
  (builder, { id, at, said: responseText }: { id: number; at: Instant; said: string }) =>
    updateSentRefund(builder, id).set((refund) => ({
      state: refund
        .case()
        .when(raw<number>`${at} - ${refund.ref('at')}`, '>=', MAX_SENDING_MS)
        .then<RefundState>('refused')
        .else<RefundState>('wanted')
        .end(),
      said: responseText,
    })),
)
const setRefundState = statement(
  (builder, { id, state, said: responseText }: { id: number; state: RefundState; said: string }) =>
    updateSentRefund(builder, id).set({ state, said: responseText }),
)
const markRefundsFailed = statement((builder, { references }: { references: string }, dialect) =>
  builder
    .updateTable('refunds')
    .set({ state: 'refused', said: FAILED_MESSAGE })
    .where('state', 'in', ['asked', 'unsure'])
    .where(({ ref }) => dialect.isIn(ref('reference'), references)),
)
const markRefundsWithoutResponse = statement((builder, { at }: { at: Instant }) =>
  builder
    .updateTable('refunds')
    .set({ state: 'unsure', said: 'The gateway did not respond.' })
    .where('state', '=', 'asked')
    .where('said', 'is', null)
    .where(({ eb, ref }) =>
      eb(raw<number>`abs(${at} - ${ref('asked_at')})`, '>=', RESPONSE_WAIT_MS),
    ),
)
const markUnconfirmedRefunds = statement((builder, { at }: { at: Instant }) =>
  builder
    .updateTable('refunds')
    .set({ state: 'unsure', said: UNCONFIRMED_MESSAGE })
    .where('state', '=', 'asked')
    .where('said', '=', STARTED_MESSAGE)
    .where(({ eb, ref }) =>
      eb(raw<number>`abs(${at} - ${ref('asked_at')})`, '>=', MAX_CONFIRMATION_WAIT_MS),
    ),
)
const resetUnconfirmed = statement((builder, { at }: { at: Instant }) =>
  builder
    .updateTable('refunds')
    .set({ state: 'asked', said: STARTED_MESSAGE })
    .where('state', '=', 'unsure')
    .where('said', '=', UNCONFIRMED_MESSAGE)
    .where(({ eb, ref }) =>
      eb(raw<number>`abs(${at} - ${ref('asked_at')})`, '<', MAX_CONFIRMATION_WAIT_MS),
    ),
)
/** Returns the refunds to be sent now, oldest first. May also run outside the writer's transaction. */
export function readRefundsToSend(
  sql: Sql,
  at: Instant,
  limit: number,
): Promise<readonly RefundToSend[]> {
  return refundsToSend.all(sql, { at, limit })
}

/**
 * Claims a refund in order to send it. Returns false if another process is sending it, or if it is closed. Schedules
 * queries about the payment: if this process dies, a status query returns the result.
 */
export async function claimRefund(sql: Sql, id: number, at: Instant): Promise<boolean> {
  if ((await markRefundSent.run(sql, { id, at }).changes) !== 1) return false
  const orderId = await findOrderOfRefund(sql, id)
  if (orderId !== null) scheduleGatewayQueries(sql, orderId, at)
  return true
}

/**
 * Stores the gateway's response to a refund verbatim. If the refund may still succeed, also schedules an early query.
 */
export async function recordRefundResponse(
  sql: Sql,
  id: number,
  response: RefundResponse,
  at: Instant,
): Promise<void> {
  const orderId = await findOrderOfRefund(sql, id)
  assert(orderId !== null, 'the refunded payment was not made through a gateway')
  storeMessage(sql, orderId, {
    gateway: response.gateway,
    kind: 'refund',
    body: response.raw,
    contentType: 'application/json',
    at,
  })
  applyRefundResponse(sql, id, response, at)
  if (response.is === 'begun' || response.is === 'unsure') scheduleGatewayQueries(sql, orderId, at)
}

/** Applies a response. Does nothing if the refund has been closed. */
function applyRefundResponse(sql: Sql, id: number, response: RefundResponse, at: Instant): void {
  const responseText = response.message.slice(0, MAX_RESPONSE_CHARACTERS)
  switch (response.is) {
    case 'begun':
      markRefundStarted.run(sql, { id, reference: response.reference })
      return
    case 'not-sent':
      markRefundNotSent.run(sql, { id, at, said: responseText })
      return
    case 'refused':
    case 'unsure':
      setRefundState.run(sql, { id, state: response.is, said: responseText })
  }
}

/** Marks as refused the refunds that the gateway started but could not complete. Closed refunds are not changed. */
export function recordFailedRefunds(
  sql: Sql,
  _orderId: OrderId,
  references: readonly string[],
): void {
  markRefundsFailed.run(sql, { references: JSON.stringify(references) })
}

/** Marks refunds as unsure if they got no response, or were started days ago and have not been completed. */
export async function markUnansweredRefunds(sql: Sql, at: Instant): Promise<number> {
  const unansweredResult = markRefundsWithoutResponse.run(sql, { at })
  const unconfirmedResult = markUnconfirmedRefunds.run(sql, { at })
  return (await unansweredResult.changes) + (await unconfirmedResult.changes)
}

/**
 * Resets refunds to the started state if they were marked as unsure only because the clock was ahead. Refunds that
 * staff have since decided on are not changed.
 */
export function resetUnconfirmedRefunds(sql: Sql, at: Instant): void {
  resetUnconfirmed.run(sql, { at })
}
