/** Reopens payments and registrations that were closed while the clock was ahead, and reschedules future work. */
import { NO_RECORD_MS, UNDECIDED_REASON, UNDECIDED_MS, WATCH_MS } from '../../../engine/index.ts'
import type { Instant, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { rescheduleEmails } from '../mail/email-delivery.ts'
import { limitSeatHolds } from '../seats/keep-and-release-seats.ts'
import { resetUnconfirmedRefunds } from '../refunds/send-refunds.ts'
import { toPayment } from '../registrations/row-mapping.ts'
import { QUERY_RESERVATION_MS } from '../payments/gateway-queries.ts'
import { readPayment, savePaymentState, removeReason } from '../payments/payment-state.ts'

const paymentsEndedAfter = statement(
  (builder, params: { endedAfter: Instant; handedOffAfter: Instant; createdAfter: Instant }) =>
    builder
      .selectFrom('payments as p')
      .innerJoin('registrations as r', 'r.id', 'p.registration_id')
      .select('p.id')
      .where('p.gateway', 'is not', null)
      .where('r.state', 'in', ['to_pay', 'lapsed'])
      .where(({ and, eb, not }) =>
        not(and([eb('r.state', '=', 'lapsed'), eb('r.pay_until', 'is not', null)])),
      )
      .where('p.attempt', '=', ({ selectFrom }) =>
        selectFrom('payments as n')
          .select(({ fn }) => fn.max('n.attempt').as('attempt'))
          .whereRef('n.registration_id', '=', 'r.id'),
      )
      .where(({ and, eb, fn, or }) =>
        or([
          and([
            eb('p.status', '=', 'failed'),
            eb('p.reason', '=', 'expired'),
            eb('p.review', 'is', null),
            eb('p.status_at', '>', params.endedAfter),
            eb(fn.coalesce('p.handed_off_at', 'p.created_at'), '>', params.handedOffAfter),
          ]),
          and([
            eb('p.status', '=', 'pending'),
            eb('p.review', 'like', `%${UNDECIDED_REASON}%`),
            eb('p.created_at', '>', params.createdAfter),
          ]),
        ]),
      )
      .orderBy('p.id'),
)
const awaitGatewayResponse = statement((builder, { id, at }: { id: number; at: Instant }) =>
  builder
    .updateTable('payments')
    .set({ reason: null, watch_until: null, next_ask_at: at })
    .where('id', '=', id)
    .where('gateway', 'is not', null)
    .where('review', 'is', null),
)
const endLongQueries = statement((builder, { latest }: { latest: Instant }) =>
  builder.updateTable('payments').set({ asking_until: null }).where('asking_until', '>', latest),
)
const queryPendingNow = statement((builder, { at }: { at: Instant }) =>
  builder
    .updateTable('payments')
    .set({ next_ask_at: at })
    .where('status', '=', 'pending')
    .where('review', 'is', null)
    .where('next_ask_at', '>', at)
    .where(({ eb, or }) => or([eb('asked_at', '>', at), eb('created_at', '>', at)])),
)
const limitWatching = statement((builder, { latest }: { latest: Instant }) =>
  builder.updateTable('payments').set({ watch_until: latest }).where('watch_until', '>', latest),
)
const queryWatchedNow = statement((builder, { at }: { at: Instant }) =>
  builder
    .updateTable('payments')
    .set({ next_ask_at: at })
    .where('watch_until', 'is not', null)
    .where('watch_until', '>', at)
    .where(({ eb, or }) => or([eb('next_ask_at', 'is', null), eb('next_ask_at', '>', at)]))
    .where(({ eb, or }) => or([eb('asked_at', '>', at), eb('status_at', '>', at)])),
)
const registrationsExpiredAfter = statement(
  (builder, { at, limit }: { at: Instant; limit: number }, dialect) =>
    builder
      .selectFrom('acts as a')
      .innerJoin('registrations as r', 'r.id', 'a.registration_id')
      .select('r.reg_no')
      .where('a.at', '>', at)
      .where('a.act', '=', 'lapse')
      .where('r.state', '=', 'lapsed')
      .where('r.pay_until', '>', at)
      .groupBy(['r.id', 'r.reg_no'])
      .orderBy('r.id')
      .limit(dialect.limit(limit)),
)

export async function rescheduleAfterClockChange(sql: Sql, at: Instant): Promise<void> {
  const closedTooEarly = await findPaymentsClosedTooEarly(sql, at)
  queryPaymentsNow(sql, at)
  for (const id of closedTooEarly) await reopenPayment(sql, id, at)
  await limitSeatHolds(sql, at)
  resetUnconfirmedRefunds(sql, at)
  rescheduleEmails(sql, at)
}

/** Returns payments that expired, or went to review without a response, too early by the corrected clock. */
async function findPaymentsClosedTooEarly(sql: Sql, at: Instant): Promise<readonly number[]> {
  const payments = await paymentsEndedAfter.all(sql, {
    endedAfter: at,
    handedOffAfter: (at - NO_RECORD_MS) as Instant,
    createdAfter: (at - UNDECIDED_MS) as Instant,
  })
  return payments.map(({ id }) => id)
}

/** Reopens a payment: it awaits the gateway's response again, and the next run queries it. */
export async function reopenPayment(sql: Sql, id: number, at: Instant): Promise<void> {
  const row = await readPayment(sql, id)
  const review = removeReason(row.review, UNDECIDED_REASON)
  await savePaymentState(sql, row, { ...toPayment(row), status: { is: 'pending' }, review }, at)
  awaitGatewayResponse.run(sql, { id, at })
}

/** Makes queries due now that were postponed or stopped while the clock was ahead. */
function queryPaymentsNow(sql: Sql, at: Instant): void {
  endLongQueries.run(sql, { latest: (at + QUERY_RESERVATION_MS) as Instant })
  queryPendingNow.run(sql, { at })
  limitWatching.run(sql, { latest: (at + WATCH_MS) as Instant })
  queryWatchedNow.run(sql, { at })
}

/** Returns expired registrations whose payment deadline, and even the recorded expiry, are still in the future. */
export async function findExpiredTooEarly(
  sql: Sql,
  at: Instant,
  limit: number,
): Promise<readonly RegNo[]> {
  const registrations = await registrationsExpiredAfter.all(sql, { at, limit })
  return registrations.map(({ reg_no }) => reg_no)
}
