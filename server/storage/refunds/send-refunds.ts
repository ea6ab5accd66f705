/**
 * Sends refunds to the gateway, and records its answers.
 * A refund is marked as sent before the gateway gets the request, so that no crash sends it twice.
 */
import { sql as raw } from 'kysely'
import type { Kysely } from 'kysely'
import { assert } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { RefundState } from '../database/statements/money-tables.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { noRecoveryIsOpen } from '../recovery/held-during-recovery.ts'
import { watchPaymentAgain } from '../payments/gateway-queries.ts'
import { storeMessage } from '../payments/stored-gateway-messages.ts'
import { orderOfRefund } from './record-refunds.ts'
import type { RefundResponse, RefundToSend } from '../payments/payment-types.ts'

/** Between two tries of a refund that could not be sent. */
const REFUND_AGAIN_MS = 5 * 60_000
/** The gateway is waited for 30 seconds; whatever is silent for so long has died over it. */
const SILENT_MS = 5 * 60_000
/** A refund that could not be sent for so long moves no money any more: a person looks. */
const NOT_SENT_MS_MAX = 24 * 60 * 60_000
/** Gateways give back within days; what is begun and not seen done by then needs a person. */
const BEGUN_MS_MAX = 5 * 24 * 60 * 60_000
/** What `said` holds of a refund that the gateway has begun. */
const BEGUN = 'The gateway started the refund.'
/** What `said` holds of a refund that was begun and never confirmed as done. */
const BEGUN_TOO_LONG = 'The gateway started the refund but has not confirmed it for days.'
/** Of what the gateway said, as much as a line takes. */
const SAID_CHARACTERS_MAX = 300

const wantedRefunds = statement((builder, { at, limit }: { at: Instant; limit: number }, dialect) =>
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
        eb(raw<number>`abs(${at} - ${ref('r.asked_at')})`, '>=', REFUND_AGAIN_MS),
      ]),
    )
    .orderBy('r.id')
    .limit(dialect.limit(limit)),
)
const setRefundSent = statement((builder, { id, at }: { id: number; at: Instant }) =>
  builder
    .updateTable('refunds')
    .set({ state: 'asked', asked_at: at, said: null })
    .where('id', '=', id)
    .where('state', '=', 'wanted')
    .where(noRecoveryIsOpen),
)
const sentRefund = (builder: Kysely<Tables>, id: number) =>
  builder.updateTable('refunds').where('id', '=', id).where('state', 'in', ['asked', 'unsure'])
const setRefundBegun = statement((builder, { id, reference }: { id: number; reference: string }) =>
  sentRefund(builder, id).set({ state: 'asked', reference, said: BEGUN }),
)
const setRefundNotSent = statement(
  (builder, { id, at, said }: { id: number; at: Instant; said: string }) =>
    sentRefund(builder, id).set((refund) => ({
      state: refund
        .case()
        .when(raw<number>`${at} - ${refund.ref('at')}`, '>=', NOT_SENT_MS_MAX)
        .then<RefundState>('refused')
        .else<RefundState>('wanted')
        .end(),
      said,
    })),
)
const setRefundState = statement(
  (builder, { id, state, said }: { id: number; state: RefundState; said: string }) =>
    sentRefund(builder, id).set({ state, said }),
)
const markSilentRefunds = statement((builder, { at }: { at: Instant }) =>
  builder
    .updateTable('refunds')
    .set({ state: 'unsure', said: 'The gateway gave no answer.' })
    .where('state', '=', 'asked')
    .where('said', 'is', null)
    .where(({ eb, ref }) => eb(raw<number>`abs(${at} - ${ref('asked_at')})`, '>=', SILENT_MS)),
)
const markUnconfirmedRefunds = statement((builder, { at }: { at: Instant }) =>
  builder
    .updateTable('refunds')
    .set({ state: 'unsure', said: BEGUN_TOO_LONG })
    .where('state', '=', 'asked')
    .where('said', '=', BEGUN)
    .where(({ eb, ref }) => eb(raw<number>`abs(${at} - ${ref('asked_at')})`, '>=', BEGUN_MS_MAX)),
)
const unmarkUnconfirmedRefunds = statement((builder, { at }: { at: Instant }) =>
  builder
    .updateTable('refunds')
    .set({ state: 'asked', said: BEGUN })
    .where('state', '=', 'unsure')
    .where('said', '=', BEGUN_TOO_LONG)
    .where(({ eb, ref }) => eb(raw<number>`abs(${at} - ${ref('asked_at')})`, '<', BEGUN_MS_MAX)),
)
/** Returns refunds to send now, oldest first. Reads only; also runs outside the writer's transaction. */
export function refundsToSend(
  sql: Sql,
  at: Instant,
  limit: number,
): Promise<readonly RefundToSend[]> {
  return wantedRefunds.all(sql, { at, limit })
}

/**
 * False: another process is sending it, or it has ended. The payment is watched again: if this process dies now, the
 * status query reports the result.
 */
export async function claimRefund(sql: Sql, id: number, at: Instant): Promise<boolean> {
  if ((await setRefundSent.run(sql, { id, at }).changes) !== 1) return false
  const orderId = await orderOfRefund(sql, id)
  if (orderId !== null) watchPaymentAgain(sql, orderId, at)
  return true
}

/** Stores the gateway's answer to a refund verbatim; if money may move, the payment is queried soon. */
export async function recordRefundResponse(
  sql: Sql,
  id: number,
  told: RefundResponse,
  at: Instant,
): Promise<void> {
  const orderId = await orderOfRefund(sql, id)
  assert(orderId !== null, 'the refunded payment was not made through a gateway')
  storeMessage(sql, orderId, {
    gateway: told.gateway,
    kind: 'refund',
    body: told.raw,
    contentType: 'application/json',
    at,
  })
  applyAnswer(sql, id, told, at)
  if (told.is === 'begun' || told.is === 'unsure') watchPaymentAgain(sql, orderId, at)
}

/** Does nothing for a refund that has ended meanwhile. */
function applyAnswer(sql: Sql, id: number, told: RefundResponse, at: Instant): void {
  const said = told.said.slice(0, SAID_CHARACTERS_MAX)
  switch (told.is) {
    case 'begun':
      setRefundBegun.run(sql, { id, reference: told.reference })
      return
    case 'not-sent':
      setRefundNotSent.run(sql, { id, at, said })
      return
    case 'refused':
    case 'unsure':
      setRefundState.run(sql, { id, state: told.is, said })
  }
}

/** Marks refunds sent and never answered, or started and not completed for days, as unsure. */
export async function markUnansweredRefunds(sql: Sql, at: Instant): Promise<number> {
  const silent = markSilentRefunds.run(sql, { at })
  const begun = markUnconfirmedRefunds.run(sql, { at })
  return (await silent.changes) + (await begun.changes)
}

/**
 * After a clock that was ahead: a refund that it marked as unsure gets its days again, unless staff have decided
 * meanwhile.
 */
export function reopenBegunRefunds(sql: Sql, at: Instant): void {
  unmarkUnconfirmedRefunds.run(sql, { at })
}
