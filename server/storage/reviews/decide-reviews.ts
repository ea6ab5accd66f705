/**
 * Applies staff decisions on payment reviews.
 * Each is one transaction on the current review, with a line that is never edited, and is applied once, however
 * many users decide at the same time.
 */
import {
  acceptPayment,
  assert,
  assertNever,
  decideReview as judge,
  closePayment,
  formatMoney,
  ok,
  paise,
} from '../../../engine/index.ts'
import type {
  Decision,
  DecisionRefusal,
  Grounds,
  Instant,
  Paise,
  RegNo,
  Result,
  Review,
} from '../../../engine/index.ts'
import { byHandInstead } from '../payments/payment-attempts.ts'
import { sourceOf } from '../payments/received-payments.ts'
import { book } from '../reports/registration-and-revenue-counters.ts'
import { issueReceipt } from '../documents/issue-documents.ts'
import { balance, payDifference } from '../payments/stored-balance.ts'
import { addDue } from '../payments/balance-adjustments.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { done, gone, refused } from './decision-history.ts'
import type { DecisionAnswer } from './decision-history.ts'
import { captureRow, decideRefund, gaveByHand, wantOf } from '../refunds/decide-refunds.ts'
import { confirmByMail } from '../mail/email-queue.ts'
import { priceAnew } from '../payments/reprice-on-credit-date.ts'
import { Refused } from '../database/rollback-error.ts'
import type { CaptureRow } from '../refunds/record-refunds.ts'
import { moveTarget, numberOf, restOf, reviewOf } from './open-reviews.ts'
import { toPayment } from '../registrations/row-mapping.ts'
import type { OwnedPaymentRow } from '../registrations/row-mapping.ts'
import { owedSince } from '../payments/apply-payment-events.ts'
import {
  bookAndCover,
  endWithout,
  joined,
  paymentById,
  settleRegistration,
  stand,
  without,
} from '../payments/payment-state.ts'
import type { NewMail } from '../index.ts'

/** `mail` is queued only when this decision makes a registration a success. A refusal leaves nothing behind. */
export async function decide(
  sql: Sql,
  id: string,
  decision: Decision,
  at: Instant,
  mail: NewMail | null,
): Promise<DecisionAnswer> {
  const decided = await decideOne(sql, id, decision, at, mail)
  if (!decided.ok) throw new Refused(decided)
  // Who paid was kept for whoever decides.
  if (id.startsWith('C'))
    sql(
      "UPDATE captures SET payer = NULL WHERE id = ? AND payer IS NOT NULL AND state NOT IN ('review', 'unmatched')",
    ).run(numberOf(id))
  return decided
}

async function decideOne(
  sql: Sql,
  id: string,
  decision: Decision,
  at: Instant,
  mail: NewMail | null,
): Promise<DecisionAnswer> {
  const review = await reviewOf(sql, id)
  if (review === null) return gone(sql, id)
  if (decision.what === 'move') await priceTarget(sql, decision, at)
  const target = decision.what === 'move' ? await moveTarget(sql, decision.to.trim()) : null
  const judged = judge(review, decision, target)
  if (!judged.ok) return judged
  const follows = judged.value
  const grounds: Grounds = { why: decision.why.trim(), who: decision.who.trim() }
  const number = numberOf(id)
  assert(number !== null, 'a review without a number')
  switch (follows.does) {
    case 'accept': {
      const accepted = id.startsWith('C')
        ? await acceptCapture(sql, await captureRow(sql, number), at, mail)
        : await acceptUndecided(sql, await paymentById(sql, number), follows, at, mail)
      if (!accepted.ok) return accepted
      return done(sql, review, accepted.value, decision, grounds, follows.amount, at, {
        message: await sayAccepted(sql, review, follows.amount),
      })
    }
    case 'give-back': {
      const capture = await captureRow(sql, number)
      if (follows.byHand !== null) {
        const gave = await gaveByHand(
          sql,
          capture,
          { ...follows, byHand: follows.byHand },
          grounds,
          at,
        )
        if (!gave.ok) return gave
        return done(
          sql,
          review,
          capture.id,
          { what: 'refund by hand' },
          grounds,
          follows.amount,
          at,
          {
            message: `${formatMoney(follows.amount)} was refunded outside Rollcall.`,
          },
        )
      }
      const wanted = await wantOf(sql, capture, follows.amount, grounds, at)
      if (!wanted.ok) return wanted
      if (follows.isAll) {
        assert(capture.counts_for !== null, 'money of no payment was to go back')
        await endWithout(sql, capture, await paymentById(sql, capture.counts_for), 'given back', at)
      }
      return done(sql, review, capture.id, decision, grounds, follows.amount, at, {
        message: `Refund of ${formatMoney(follows.amount)} requested.`,
        refundId: wanted.value,
      })
    }
    case 'dismiss': {
      const captureId = id.startsWith('C') ? number : null
      if (captureId === null) await endPayment(sql, await paymentById(sql, number), at)
      else await dismissCapture(sql, await captureRow(sql, captureId), at)
      return done(sql, review, captureId, decision, grounds, null, at, {
        message:
          review.is === 'returned'
            ? 'Warning closed. The payment still counts.'
            : 'Payment ignored. It does not count and is not refunded.',
      })
    }
    case 'move': {
      const moved = await moveCapture(sql, await captureRow(sql, number), follows, at, mail)
      if (!moved.ok) return moved
      return done(sql, review, number, decision, grounds, review.left, at, {
        message: follows.fits
          ? `${formatMoney(review.left)} moved to ${follows.to}, which is now paid.`
          : `${formatMoney(review.left)} moved to ${follows.to}, where it needs review.`,
      })
    }
    case 'refund-done':
    case 'refund-again':
    case 'refund-left':
      return decideRefund(sql, review, number, decision, grounds, follows, at)
    default:
      return assertNever(follows)
  }
}

/** A refusal undoes it with everything else. */
async function priceTarget(
  sql: Sql,
  { to, price }: Decision & { readonly what: 'move' },
  at: Instant,
): Promise<void> {
  const row = await sql<{ id: number; reg_no: RegNo }>(
    "SELECT id, reg_no FROM registrations WHERE reg_no = ? AND state IN ('to_pay', 'told', 'lapsed')",
  ).get(to.trim())
  if (row !== undefined && price !== undefined)
    await priceAnew(sql, { id: row.id, regNo: row.reg_no }, price, at)
}

async function sayAccepted(sql: Sql, { is, due, regNo }: Review, amount: Paise): Promise<string> {
  const as =
    amount === due
      ? 'counts'
      : `counts as the payment of ${due === null ? 'what was due' : formatMoney(due)}`
  // What a correction changed since that was asked for stays to be paid, or goes back.
  const { due: open } = (await sql<{ due: Paise }>(
    'SELECT due FROM registrations WHERE reg_no = ?',
  ).get(regNo)) ?? { due: paise(0) }
  const counts = is === 'rest' ? `${formatMoney(amount)} is added` : `${formatMoney(amount)} ${as}`
  if (open > 0) return `${counts}: ${formatMoney(open)} is still due.`
  if (open < 0)
    return `${counts}: the registration is paid. To refund: ${formatMoney(paise(-open))}.`
  return `${counts}: the registration is paid.`
}

type CaptureId = Result<number, DecisionRefusal>

/** An accepted payment becomes the payment of an attempt. */
export async function count(
  sql: Sql,
  capture: CaptureRow,
  row: OwnedPaymentRow,
  review: string | null,
  at: Instant,
  mail: NewMail | null,
): Promise<CaptureId> {
  const { reference, amount, paid_at: paidAt } = capture
  const counted = await beginToCount(sql, capture.id)
  // A reference is a gateway's own; of what came outside it counts once among its own kind already.
  const taken =
    row.gateway === null
      ? undefined
      : await sql<{ order_id: string }>(
          'SELECT order_id FROM payments WHERE gateway = ? AND reference = ? AND id <> ?',
        ).get(row.gateway, reference, row.id)
  if (taken !== undefined) {
    // Slips are numbered by each desk, and no bank knows the gateway's numbers: such money pays an order of its own.
    const own =
      capture.source === row.gateway
        ? null
        : await byHandInstead(sql, row, { way: capture.source, review }, at)
    if (own === null)
      return refused(
        'reference_taken',
        `The reference ${reference} was already used to pay ${taken.order_id}.`,
      )
    sql('UPDATE captures SET counts_for = ? WHERE id = ?').run(own.id, capture.id)
    return count(sql, { ...capture, counts_for: own.id }, own, null, at, mail)
  }
  await payDifference(sql, row, counted, at)
  await stand(
    sql,
    row,
    acceptPayment({ ...toPayment(row), review }, { reference, amount, paidAt }, at),
    at,
  )
  await owedSince(sql, row, at)
  book(sql, row, paidAt, amount)
  await bookAndCover(sql, row, { id: capture.id, reference }, at)
  // What a correction left is beside a registration that was confirmed when it was paid.
  if (mail !== null && row.asks_for === 'whole')
    await confirmByMail(sql, row.registration_id, mail, at)
  return ok(capture.id)
}

/** What staff refunded before is no money for this payment. Answers what counts. */
async function beginToCount(sql: Sql, captureId: number): Promise<Paise> {
  const row = await sql<{ counted: Paise }>(
    `UPDATE captures SET counted = amount - (SELECT coalesce(sum(f.amount), 0) FROM refunds f WHERE f.capture_id = captures.id AND f.state <> 'refused')
     WHERE id = ? RETURNING counted`,
  ).get(captureId)
  assert(row !== undefined, 'money that is not there began to count')
  return row.counted
}

async function acceptCapture(
  sql: Sql,
  capture: CaptureRow,
  at: Instant,
  mail: NewMail | null,
): Promise<CaptureId> {
  assert(capture.counts_for !== null, 'money of no payment was to be accepted')
  const row = await paymentById(sql, capture.counts_for)
  const before = await balance(sql, row.registration_id)
  await judged(sql, capture, 'accepted')
  if (row.status === 'success') {
    await beginToCount(sql, capture.id)
    const amount = (await balance(sql, row.registration_id)) - before
    addDue(sql, row.registration_id, { what: 'paid', amount, paymentId: row.id }, at)
    await addRest(sql, capture, row, at)
    return ok(capture.id)
  }
  return count(sql, capture, row, without(row.review, capture.why), at, mail)
}

/** More money for what was accepted at less than its price: together they pay, and a receipt says so. */
async function addRest(
  sql: Sql,
  capture: CaptureRow,
  row: OwnedPaymentRow,
  at: Instant,
): Promise<void> {
  book(sql, row, capture.paid_at, capture.amount)
  const review = without(row.review, capture.why)
  await stand(sql, row, { ...toPayment(row), review }, at)
  await settleRegistration(sql, row.registration_id)
  const { reference, paid_at: paidAt } = capture
  await issueReceipt(sql, row, { reference: `${row.reference}, ${reference}`, paidAt }, at)
  await bookAndCover(sql, row, { id: capture.id, reference }, at)
}

async function judged(sql: Sql, { id }: CaptureRow, state: 'accepted' | 'refused'): Promise<void> {
  const changes = await sql(
    "UPDATE captures SET state = ? WHERE id = ? AND state IN ('review', 'unmatched')",
  ).run(state, id).changes
  assert(changes === 1, 'a capture that was decided already was decided again')
}

/** The gateway's panel knows what its status call does not say. */
async function acceptUndecided(
  sql: Sql,
  row: OwnedPaymentRow,
  { reference, amount }: { readonly reference: string | null; readonly amount: Paise },
  at: Instant,
  mail: NewMail | null,
): Promise<CaptureId> {
  assert(reference !== null, 'money without a reference was accepted')
  const [source, account] = [sourceOf(row.gateway), row.account ?? '']
  const isKnown = await sql(
    'SELECT 1 FROM captures WHERE source = ? AND account = ? AND reference = ?',
  ).get(source, account, reference)
  if (isKnown !== undefined)
    return refused(
      'reference_taken',
      `A payment with the reference ${reference} is already recorded.`,
    )
  const written = sql(
    `INSERT INTO captures (payment_id, counts_for, registration_id, source, account, reference, amount, currency, kind, paid_at, seen_at, state)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'INR', 'sale', ?, ?, 'accepted')`,
  ).run(row.id, row.id, row.registration_id, source, account, reference, amount, at, at)
  const rest = await restOf(sql, row.id, row.review)
  return count(
    sql,
    await captureRow(sql, await written.lastInsertRowid),
    row,
    without(row.review, rest),
    at,
    mail,
  )
}

async function dismissCapture(sql: Sql, capture: CaptureRow, at: Instant): Promise<void> {
  if (capture.counts_for !== null) {
    await endWithout(sql, capture, await paymentById(sql, capture.counts_for), 'dismissed', at)
    return
  }
  await judged(sql, capture, 'refused')
  // It came for what was never asked to be paid.
  if (capture.registration_id !== null) await settleRegistration(sql, capture.registration_id)
}

async function endPayment(sql: Sql, row: OwnedPaymentRow, at: Instant): Promise<void> {
  const review = without(row.review, await restOf(sql, row.id, row.review))
  const payment = { ...toPayment(row), review }
  await stand(sql, row, review === null ? closePayment(payment, 'dismissed', at) : payment, at)
}

async function moveCapture(
  sql: Sql,
  capture: CaptureRow,
  { to, fits, why }: { readonly to: string; readonly fits: boolean; readonly why: string },
  at: Instant,
  mail: NewMail | null,
): Promise<CaptureId> {
  const newest = await sql<{ id: number }>(
    `SELECT p.id FROM payments p JOIN registrations g ON g.id = p.registration_id WHERE g.reg_no = ? ORDER BY p.attempt DESC LIMIT 1`,
  ).get(to)
  assert(newest !== undefined, 'money was moved to a registration without a payment')
  const target = await paymentById(sql, newest.id)
  // Where it was it is no reason for review any more.
  if (capture.counts_for !== null) {
    const source = await paymentById(sql, capture.counts_for)
    const review = without(source.review, capture.why)
    const payment = { ...toPayment(source), review }
    await stand(sql, source, review === null ? closePayment(payment, 'moved', at) : payment, at)
  }
  sql(
    "UPDATE captures SET registration_id = ?, counts_for = ?, why = ?, state = 'review' WHERE id = ? AND state IN ('review', 'unmatched')",
  ).run(target.registration_id, target.id, why, capture.id)
  if (capture.registration_id !== null) await settleRegistration(sql, capture.registration_id)
  const moved = await captureRow(sql, capture.id)
  if (fits) {
    await judged(sql, moved, 'accepted')
    return count(sql, moved, target, target.review, at, mail)
  }
  await stand(sql, target, { ...toPayment(target), review: joined(target.review, why) }, at)
  return ok(capture.id)
}
