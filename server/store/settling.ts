/** The writes that settle payments. */
import {
  applyFact as judge,
  assert,
  ASK_AGAIN_MS_MIN,
  reviewOf,
  WATCHED_MS,
  watchFrom,
} from '../../engine/index.ts'
import type {
  Instant,
  LastAnswer,
  OrderId,
  Paise,
  Payment,
  PaymentFact,
  PaymentStatus,
} from '../../engine/index.ts'
import type { Sql } from './database.ts'
import { keepCapture, keepRefund } from './captures.ts'
import { addRevenue } from './counters.ts'
import { enqueue } from './mails.ts'
import { ownedPayment, quoteOf, toPayment, toStoredPayment } from './rows.ts'
import type { OwnedPaymentRow } from './rows.ts'
import type { NewMail, NewNotice, RawAnswer, StoredNotice, StoredPayment } from './store.ts'

/** No mail waits longer for its next try. */
const MAIL_WAIT_MS_MAX = 24 * 60 * 60 * 1000

/** Answers the notice's id. */
export function recordNotice(sql: Sql, notice: NewNotice): number {
  return keep(sql, notice.orderId, notice)
}

function keep(sql: Sql, orderId: string | null, message: Omit<StoredNotice, 'id'>): number {
  const written = sql(
    'INSERT INTO gateway_notices (gateway, kind, order_id, body, content_type, at) VALUES (?, ?, ?, ?, ?, ?)',
  ).run(message.gateway, message.kind, orderId, message.body, message.contentType, message.at)
  return Number(written.lastInsertRowid)
}

/** What becomes of the payment; when the fact does not fit, the code of the refusal and what a person has to decide. */
type Judged = {
  readonly next: Payment
  readonly refusal: string | null
  readonly why: string | null
}

/** The engine judges one payment by itself; the store also sees the registration's other attempts and the gateway's other orders. */
function judged(sql: Sql, row: OwnedPaymentRow, fact: PaymentFact): Judged {
  const before = toPayment(row)
  const refused = (refusal: string, why: string | null): Judged => ({ next: before, refusal, why })
  const answer = judge(before, fact)
  if (!answer.ok) return refused(answer.error.code, reviewOf(answer.error))
  const next = answer.value
  if (next.status.is === 'success' && row.status !== 'success') {
    const { reference: second } = next.status
    const paid = sql<{ reference: string | null }>(
      "SELECT reference FROM payments WHERE registration_id = ? AND id <> ? AND status IN ('success', 'refunded')",
    ).get(row.registration_id, row.id)
    if (paid !== undefined) {
      const twice = { code: 'paid_twice', first: paid.reference ?? '', second } as const
      return refused('paid_twice', reviewOf(twice))
    }
    const taken = sql<{ order_id: string }>(
      'SELECT order_id FROM payments WHERE gateway IS ? AND reference = ? AND id <> ?',
    ).get(row.gateway, second, row.id)
    if (taken !== undefined)
      return refused(
        'reference_taken',
        `The gateway's reference ${second} has already paid ${taken.order_id}.`,
      )
  }
  return { next, refusal: null, why: null }
}

/** The reasons that stay when one is no reason any more. */
function without(review: string | null, gone: string | null): string | null {
  if (review === null || gone === null) return review
  const rest = review.replace(gone, '').replaceAll(/ {2,}/g, ' ').trim()
  return rest === '' ? null : rest
}

/** A second reason for review stands beside the first; the same one again does not. */
function joined(first: string | null, second: string | null): string | null {
  if (first === null || second === null) return first ?? second
  return first.includes(second) ? first : `${first} ${second}`
}

export function applyFact(
  sql: Sql,
  orderId: OrderId,
  fact: PaymentFact,
  mail: NewMail | null,
  answer: RawAnswer | null = null,
): { changed: boolean; payment: StoredPayment; review: string | null } {
  const row = paymentRow(sql, orderId)
  const { next: judgedTo, refusal, why } = judged(sql, row, fact)
  const isKnown = known(sql, row.id, fact)
  // What is watched is asked about for days: the same answer again is no news.
  if (answer !== null && !isKnown) keep(sql, orderId, { ...answer, kind: 'status' })
  const cleared = fact.type === 'confirmed' ? keepCapture(sql, row, fact, refusal, why) : null
  if (fact.type === 'confirmed')
    for (const one of fact.further ?? []) {
      const twice = { code: 'paid_twice', first: fact.reference, second: one.reference } as const
      keepCapture(sql, row, { ...fact, ...one }, twice.code, reviewOf(twice))
    }
  // What was said before is no new reason: a person may have decided since.
  const isSame = isKnown && judgedTo.status.is === row.status
  const review = joined(
    without(isSame ? row.review : judgedTo.review, cleared),
    isKnown ? null : why,
  )
  const next = { ...judgedTo, review }
  const changed = next.status.is !== row.status || next.review !== row.review
  // The gateway's own word ends what a message claimed; our patience does not.
  if (fact.type !== 'expired' && fact.type !== 'undecided')
    sql('UPDATE payments SET claimed_at = NULL WHERE id = ? AND claimed_at IS NOT NULL').run(row.id)
  if (!isKnown)
    sql(
      'INSERT INTO payment_facts (payment_id, type, body, refusal, at) VALUES (?, ?, ?, ?, ?)',
    ).run(row.id, fact.type, JSON.stringify(fact), refusal, fact.at)
  if (!changed) return { changed, payment: toStoredPayment(row), review: row.review }

  const { status } = next
  const moved = status.is !== row.status
  // What ends, or comes before a person, is watched from now on; rows brought in are of no gateway of ours.
  const begins = moved || (status.is === 'pending' && row.watch_until === null)
  const watch = begins && row.gateway !== null ? watchFrom(status.is, fact.at) : null
  // The guard: whoever comes second finds the status gone and changes nothing.
  const written = sql(
    `UPDATE payments SET status = ?, status_at = ?, review = ?, reference = ?, refund_reference = ?, reason = ?, paid_at = ?,
       watch_until = ?, next_ask_at = ?, last_answer = NULL WHERE id = ? AND status = ? AND review IS ?`,
  ).run(
    status.is,
    status.is === 'pending' ? row.status_at : status.at,
    next.review,
    status.is === 'success' ? status.reference : row.reference,
    moved && fact.type === 'refunded' ? fact.reference : row.refund_reference,
    status.is === 'failed' ? status.reason : row.reason,
    status.is === 'success' ? status.paidAt : row.paid_at,
    watch?.watchUntil ?? row.watch_until,
    watch?.askAt ?? row.next_ask_at,
    row.id,
    row.status,
    row.review,
  )
  assert(written.changes === 1, 'the guarded statement of a payment changed nothing')
  settleRegistration(sql, row.registration_id)
  if (moved && status.is === 'success') {
    addRevenue(sql, row.event_id, status.paidAt, row.amount)
    if (mail !== null) enqueue(sql, row.registration_id, 'confirmation', mail, status.at)
  }
  if (moved && fact.type === 'refunded') {
    keepRefund(sql, row.id, fact)
    addRevenue(sql, row.event_id, fact.at, -fact.amount)
  }
  const after = paymentRow(sql, orderId)
  return { changed, payment: toStoredPayment(after), review: after.review }
}

function paymentRow(sql: Sql, orderId: OrderId): OwnedPaymentRow {
  const row = sql<OwnedPaymentRow>(`${ownedPayment} WHERE p.order_id = ?`).get(orderId)
  assert(row !== undefined, 'a fact about an order that is not there')
  return row
}

/** Gateways say the same thing many times, each time a moment later: the moment does not make it another fact. */
function known(sql: Sql, paymentId: number, fact: PaymentFact): boolean {
  return (
    sql(
      "SELECT 1 FROM payment_facts WHERE payment_id = ? AND type = ? AND json_remove(body, '$.at') = json_remove(?, '$.at')",
    ).get(paymentId, fact.type, JSON.stringify(fact)) !== undefined
  )
}

/** The registration follows its attempts: a success of any wins, then a refund, else the newest decides. */
export function settleRegistration(sql: Sql, registrationId: number): void {
  const attempts = sql<{
    status: PaymentStatus
    review: string | null
    reference: string | null
    paid_at: Instant | null
    amount: Paise
    period: string | null
    base: Paise | null
    gst: Paise | null
  }>(
    'SELECT status, review, reference, paid_at, amount, period, base, gst FROM payments WHERE registration_id = ? ORDER BY attempt DESC',
  ).all(registrationId)
  const deciding =
    attempts.find(({ status }) => status === 'success') ??
    attempts.find(({ status }) => status === 'refunded') ??
    attempts[0]
  assert(deciding !== undefined, 'a registration was settled without a payment')
  // Each attempt has a price of its own, and the registration shows that of the one that decides.
  if (quoteOf(deciding) !== null)
    sql(
      `UPDATE registrations SET period = ?, base = ?, gst = ?, total = ? WHERE id = ? AND (period, total) IS NOT (?, ?)`,
    ).run(
      deciding.period,
      deciding.base,
      deciding.gst,
      deciding.amount,
      registrationId,
      deciding.period,
      deciding.amount,
    )
  sql(
    'UPDATE registrations SET payment_status = ?, payment_id = ?, paid_at = ?, in_review = ? WHERE id = ?',
  ).run(
    deciding.status,
    deciding.reference,
    deciding.paid_at,
    attempts.some(({ review }) => review !== null) ? 1 : 0,
    registrationId,
  )
}

export function asked(
  sql: Sql,
  orderId: OrderId,
  at: Instant,
  nextAt: Instant | null,
  said: LastAnswer | null,
): void {
  sql(
    'UPDATE payments SET asks = asks + 1, asked_at = ?, next_ask_at = ?, last_answer = ? WHERE order_id = ?',
  ).run(at, nextAt, said, orderId)
}

/** What has ended and is not watched has no gateway to wait for. */
export function claimed(sql: Sql, orderId: OrderId, at: Instant): void {
  sql('UPDATE payments SET claimed_at = ? WHERE order_id = ? AND gateway IS NOT NULL').run(
    at,
    orderId,
  )
}

/** Due at once, but never sooner than a shortest interval after the last question: messages are repeated. */
export function rearm(sql: Sql, orderId: OrderId, at: Instant): void {
  sql(
    `UPDATE payments SET watch_until = ?, next_ask_at = max(?, min(coalesce(asked_at, 0), ?) + ?)
     WHERE order_id = ? AND gateway IS NOT NULL AND (status <> 'pending' OR review IS NOT NULL)`,
  ).run(at + WATCHED_MS, at, at, ASK_AGAIN_MS_MIN, orderId)
}

/** A clock that was ahead when the next question was planned: what waits for that time is due now. */
export function clockWentBack(sql: Sql, at: Instant): void {
  sql(
    `UPDATE payments SET next_ask_at = ? WHERE status = 'pending' AND review IS NULL AND next_ask_at > ?
     AND coalesce(asked_at, created_at) > ?`,
  ).run(at, at, at)
  sql(
    `UPDATE payments SET next_ask_at = ? WHERE watch_until IS NOT NULL AND watch_until > ? AND (next_ask_at IS NULL OR next_ask_at > ?)
     AND coalesce(asked_at, status_at) > ?`,
  ).run(at, at, at, at)
  sql("UPDATE mail_queue SET next_at = ? WHERE status = 'queued' AND next_at > ?").run(
    at,
    at + MAIL_WAIT_MS_MAX,
  )
}
