/** Reopens what a clock that was ahead had ended, and reschedules what waits for a future time. */
import { NO_RECORD_MS, UNDECIDED, UNDECIDED_MS, WATCHED_MS } from '../../../engine/index.ts'
import type { Instant, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { planMailsAgain } from '../mail/email-delivery.ts'
import { limitPlaceHolds } from '../seats/keep-and-release-seats.ts'
import { reopenBegunRefunds } from '../refunds/send-refunds.ts'
import { toPayment } from '../registrations/row-mapping.ts'
import { ASKING_MS_MAX } from '../payments/apply-payment-events.ts'
import { paymentById, stand, without } from '../payments/payment-state.ts'

export async function clockWentBack(sql: Sql, at: Instant): Promise<void> {
  const tooEarly = await paymentsEndedTooEarly(sql, at)
  askAtOnce(sql, at)
  for (const id of tooEarly) await reopenPayment(sql, id, at)
  await limitPlaceHolds(sql, at)
  reopenBegunRefunds(sql, at)
  planMailsAgain(sql, at)
}

/** Payments that expired, or came before a person for want of an answer, and would not have by the right time. */
async function paymentsEndedTooEarly(sql: Sql, at: Instant): Promise<readonly number[]> {
  return (
    await sql<{ id: number }>(
      `SELECT p.id FROM payments p JOIN registrations r ON r.id = p.registration_id
     WHERE p.gateway IS NOT NULL AND r.state IN ('to_pay', 'lapsed') AND NOT (r.state = 'lapsed' AND r.pay_until IS NOT NULL)
       AND p.attempt = (SELECT max(n.attempt) FROM payments n WHERE n.registration_id = r.id)
       AND ((p.status = 'failed' AND p.reason = 'expired' AND p.review IS NULL AND p.status_at > ? AND coalesce(p.handed_off_at, p.created_at) > ?)
         OR (p.status = 'pending' AND p.review LIKE ? AND p.created_at > ?)) ORDER BY p.id`,
    ).all(at, at - NO_RECORD_MS, `%${UNDECIDED}%`, at - UNDECIDED_MS)
  ).map(({ id }) => id)
}

/** The payment waits for the gateway's answer again, and is queried in the next run. */
export async function reopenPayment(sql: Sql, id: number, at: Instant): Promise<void> {
  const row = await paymentById(sql, id)
  const review = without(row.review, UNDECIDED)
  await stand(sql, row, { ...toPayment(row), status: { is: 'pending' }, review }, at)
  sql(
    `UPDATE payments SET reason = NULL, watch_until = NULL, next_ask_at = ?
     WHERE id = ? AND gateway IS NOT NULL AND review IS NULL`,
  ).run(at, id)
}

/** Questions that were planned, or given up, by a time that has not come yet are due now. */
function askAtOnce(sql: Sql, at: Instant): void {
  sql('UPDATE payments SET asking_until = NULL WHERE asking_until > ?').run(at + ASKING_MS_MAX)
  sql(
    `UPDATE payments SET next_ask_at = ? WHERE status = 'pending' AND review IS NULL AND next_ask_at > ?
     AND max(coalesce(asked_at, 0), created_at) > ?`,
  ).run(at, at, at)
  sql('UPDATE payments SET watch_until = ? WHERE watch_until > ?').run(
    at + WATCHED_MS,
    at + WATCHED_MS,
  )
  sql(
    `UPDATE payments SET next_ask_at = ? WHERE watch_until IS NOT NULL AND watch_until > ? AND (next_ask_at IS NULL OR next_ask_at > ?)
     AND max(coalesce(asked_at, 0), status_at) > ?`,
  ).run(at, at, at, at)
}

/**
 * Returns registrations that expired at a time that is still in the future, and whose deadline is later than now.
 */
export async function lapsedTooEarly(
  sql: Sql,
  at: Instant,
  limit: number,
): Promise<readonly RegNo[]> {
  return (
    await sql<{ reg_no: RegNo }>(
      `SELECT r.reg_no FROM acts a JOIN registrations r ON r.id = a.registration_id
     WHERE a.at > ? AND a.act = 'lapse' AND r.state = 'lapsed' AND r.pay_until > ? GROUP BY r.id, r.reg_no ORDER BY r.id LIMIT abs(?)`,
    ).all(at, at, limit)
  ).map(({ reg_no }) => reg_no)
}
