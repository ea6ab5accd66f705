/**
 * Applies staff decisions on payment reviews.
 * Each is one transaction on the current review, with a line that is never edited, and is applied once, however
 * many users decide at the same time.
 */
import {
  assert,
  assertNever,
  closePayment,
  decideReview as judge,
  formatMoney,
  ok,
  paise,
} from '../../../engine/index.ts'
import type { Decision, Grounds, Instant, Paise, RegNo, Review } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { done, gone } from './decision-history.ts'
import type { DecisionAnswer } from './decision-history.ts'
import { acceptCapture, acceptUndecided, closeReview, count } from './accept-payments.ts'
import type { CaptureId } from './accept-payments.ts'
import { captureRow, decideRefund, gaveByHand, wantOf } from '../refunds/decide-refunds.ts'
import { priceAnew } from '../payments/reprice-on-credit-date.ts'
import { Refused } from '../database/rollback-error.ts'
import type { CaptureRow } from '../refunds/record-refunds.ts'
import { moveTarget, numberOf, restOf, reviewOf } from './open-reviews.ts'
import { toPayment } from '../registrations/row-mapping.ts'
import type { OwnedPaymentRow } from '../registrations/row-mapping.ts'
import { endWithout, joined, paymentById, stand, without } from '../payments/payment-state.ts'
import { settleRegistration } from '../payments/settle-registration.ts'
import type { NewMail } from '../index.ts'

const removePayer = statement((builder, { id }: { id: number }) =>
  builder
    .updateTable('captures')
    .set({ payer: null })
    .where('id', '=', id)
    .where('payer', 'is not', null)
    .where('state', 'not in', ['review', 'unmatched']),
)
const unpaidRegistration = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder
    .selectFrom('registrations')
    .select(['id', 'reg_no as regNo'])
    .where('reg_no', '=', regNo)
    .where('state', 'in', ['to_pay', 'told', 'lapsed']),
)
const balanceOf = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder.selectFrom('registrations').select('due').where('reg_no', '=', regNo),
)
const newestPayment = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder
    .selectFrom('payments as p')
    .innerJoin('registrations as g', 'g.id', 'p.registration_id')
    .select('p.id')
    .where('g.reg_no', '=', regNo)
    .orderBy('p.attempt', 'desc')
    .limit(1),
)
const setMoved = statement(
  (builder, given: { id: number; registrationId: number; paymentId: number; why: string }) =>
    builder
      .updateTable('captures')
      .set({
        registration_id: given.registrationId,
        counts_for: given.paymentId,
        why: given.why,
        state: 'review',
      })
      .where('id', '=', given.id)
      .where('state', 'in', ['review', 'unmatched']),
)

/** `mail` is queued only when this decision makes a registration a success. A refusal leaves nothing behind. */
export async function decideReview(
  sql: Sql,
  id: string,
  decision: Decision,
  at: Instant,
  mail: NewMail | null,
): Promise<DecisionAnswer> {
  const decided = await decideOne(sql, id, decision, at, mail)
  if (!decided.ok) throw new Refused(decided)
  // Who paid was kept for whoever decides.
  const number = numberOf(id)
  if (id.startsWith('C') && number !== null) removePayer.run(sql, { id: number })
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
  const row = await unpaidRegistration.get(sql, { regNo: to.trim() as RegNo })
  if (row !== undefined && price !== undefined) await priceAnew(sql, row, price, at)
}

async function sayAccepted(sql: Sql, { is, due, regNo }: Review, amount: Paise): Promise<string> {
  const as =
    amount === due
      ? 'counts'
      : `counts as the payment of ${due === null ? 'what was due' : formatMoney(due)}`
  // What a correction changed since that was asked for stays to be paid, or goes back.
  const registration = regNo === null ? undefined : await balanceOf.get(sql, { regNo })
  const open = registration?.due ?? paise(0)
  const counts = is === 'rest' ? `${formatMoney(amount)} is added` : `${formatMoney(amount)} ${as}`
  if (open > 0) return `${counts}: ${formatMoney(open)} is still due.`
  if (open < 0)
    return `${counts}: the registration is paid. To refund: ${formatMoney(paise(-open))}.`
  return `${counts}: the registration is paid.`
}

async function dismissCapture(sql: Sql, capture: CaptureRow, at: Instant): Promise<void> {
  if (capture.counts_for !== null) {
    await endWithout(sql, capture, await paymentById(sql, capture.counts_for), 'dismissed', at)
    return
  }
  await closeReview(sql, capture, 'refused')
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
  const newest = await newestPayment.get(sql, { regNo: to as RegNo })
  assert(newest !== undefined, 'money was moved to a registration without a payment')
  const target = await paymentById(sql, newest.id)
  // Where it was it is no reason for review any more.
  if (capture.counts_for !== null) {
    const source = await paymentById(sql, capture.counts_for)
    const review = without(source.review, capture.why)
    const payment = { ...toPayment(source), review }
    await stand(sql, source, review === null ? closePayment(payment, 'moved', at) : payment, at)
  }
  setMoved.run(sql, {
    id: capture.id,
    registrationId: target.registration_id,
    paymentId: target.id,
    why,
  })
  if (capture.registration_id !== null) await settleRegistration(sql, capture.registration_id)
  const moved = await captureRow(sql, capture.id)
  if (fits) {
    await closeReview(sql, moved, 'accepted')
    return count(sql, moved, target, target.review, at, mail)
  }
  await stand(sql, target, { ...toPayment(target), review: joined(target.review, why) }, at)
  return ok(capture.id)
}
