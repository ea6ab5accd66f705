/** Counts payments that staff accepted: for the order that they were in review for, or one of their own. */
import { acceptPayment, assert, ok } from '../../../engine/index.ts'
import type { DecisionRefusal, Instant, Paise, Result } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { issueReceipt } from '../documents/issue-documents.ts'
import { confirmByMail } from '../mail/email-queue.ts'
import { owedSince } from '../payments/apply-payment-events.ts'
import { addDue } from '../payments/balance-adjustments.ts'
import { byHandInstead } from '../payments/payment-attempts.ts'
import { bookAndCover, paymentById, stand, without } from '../payments/payment-state.ts'
import { settleRegistration } from '../payments/settle-registration.ts'
import { sourceOf } from '../payments/received-payments.ts'
import { balance, payDifference } from '../payments/stored-balance.ts'
import { captureRow } from '../refunds/decide-refunds.ts'
import type { CaptureRow } from '../refunds/record-refunds.ts'
import { refundableAmount } from '../refunds/refund-states-and-channels.ts'
import { toPayment } from '../registrations/row-mapping.ts'
import type { OwnedPaymentRow } from '../registrations/row-mapping.ts'
import { book } from '../reports/registration-and-revenue-counters.ts'
import type { NewMail } from '../index.ts'
import { refused } from './decision-history.ts'
import { restOf } from './open-reviews.ts'

const otherPaymentUnder = statement(
  (builder, given: { gateway: string; reference: string; id: number }) =>
    builder
      .selectFrom('payments')
      .select('order_id')
      .where('gateway', '=', given.gateway)
      .where('reference', '=', given.reference)
      .where('id', '<>', given.id),
)
const setCountsFor = statement((builder, { id, paymentId }: { id: number; paymentId: number }) =>
  builder.updateTable('captures').set({ counts_for: paymentId }).where('id', '=', id),
)
const setCountedAmount = statement((builder, { id }: { id: number }) =>
  builder
    .updateTable('captures as c')
    .set({ counted: refundableAmount })
    .where('c.id', '=', id)
    .returning('counted')
    .$narrowType<{ counted: Paise }>(),
)
const setDecided = statement(
  (builder, { id, state }: { id: number; state: 'accepted' | 'refused' }) =>
    builder
      .updateTable('captures')
      .set({ state })
      .where('id', '=', id)
      .where('state', 'in', ['review', 'unmatched']),
)
const captureUnder = statement(
  (builder, given: { source: string; account: string; reference: string }) =>
    builder
      .selectFrom('captures')
      .select('id')
      .where('source', '=', given.source)
      .where('account', '=', given.account)
      .where('reference', '=', given.reference),
)
const addAcceptedCapture = statement(
  (
    builder,
    given: {
      paymentId: number
      registrationId: number
      source: string
      account: string
      reference: string
      amount: Paise
      at: Instant
    },
  ) =>
    builder
      .insertInto('captures')
      .values({
        payment_id: given.paymentId,
        counts_for: given.paymentId,
        registration_id: given.registrationId,
        source: given.source,
        account: given.account,
        reference: given.reference,
        amount: given.amount,
        currency: 'INR',
        kind: 'sale',
        paid_at: given.at,
        seen_at: given.at,
        state: 'accepted',
      })
      .returning('id'),
)

export type CaptureId = Result<number, DecisionRefusal>

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
      : await otherPaymentUnder.get(sql, { gateway: row.gateway, reference, id: row.id })
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
    setCountsFor.run(sql, { id: capture.id, paymentId: own.id })
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
  const row = await setCountedAmount.get(sql, { id: captureId })
  assert(row !== undefined, 'money that is not there began to count')
  return row.counted
}

export async function acceptCapture(
  sql: Sql,
  capture: CaptureRow,
  at: Instant,
  mail: NewMail | null,
): Promise<CaptureId> {
  assert(capture.counts_for !== null, 'money of no payment was to be accepted')
  const row = await paymentById(sql, capture.counts_for)
  const before = await balance(sql, row.registration_id)
  await closeReview(sql, capture, 'accepted')
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

export async function closeReview(
  sql: Sql,
  { id }: CaptureRow,
  state: 'accepted' | 'refused',
): Promise<void> {
  const changes = await setDecided.run(sql, { id, state }).changes
  assert(changes === 1, 'a capture that was decided already was decided again')
}

/** The gateway's panel knows what its status call does not say. */
export async function acceptUndecided(
  sql: Sql,
  row: OwnedPaymentRow,
  { reference, amount }: { readonly reference: string | null; readonly amount: Paise },
  at: Instant,
  mail: NewMail | null,
): Promise<CaptureId> {
  assert(reference !== null, 'money without a reference was accepted')
  const [source, account] = [sourceOf(row.gateway), row.account ?? '']
  const known = await captureUnder.get(sql, { source, account, reference })
  if (known !== undefined)
    return refused(
      'reference_taken',
      `A payment with the reference ${reference} is already recorded.`,
    )
  const added = await addAcceptedCapture.get(sql, {
    paymentId: row.id,
    registrationId: row.registration_id,
    source,
    account,
    reference,
    amount,
    at,
  })
  assert(added !== undefined, 'a capture that was added has no id')
  const rest = await restOf(sql, row.id, row.review)
  return count(sql, await captureRow(sql, added.id), row, without(row.review, rest), at, mail)
}
