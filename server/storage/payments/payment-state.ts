/**
 * Writes the state of a payment and its registration after any change.
 * A change is a gateway's payment event, a refund or a staff decision. Status, review, watch and figures change
 * together or not at all.
 */
import {
  applyPaymentEvent as judge,
  assert,
  closePayment,
  paise,
  stateAfter,
  watchFrom,
} from '../../../engine/index.ts'
import type {
  Instant,
  Paise,
  Payment,
  PaymentStatus,
  RegistrationState,
} from '../../../engine/index.ts'
import { book } from '../reports/registration-and-revenue-counters.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { coverBill, issueReceipt } from '../documents/issue-documents.ts'
import { addDue, paidBack } from './balance-adjustments.ts'
import { withoutReturned } from './returned-transfers.ts'
import { settlePlaces } from '../seats/keep-and-release-seats.ts'
import { LEFT } from '../refunds/record-refunds.ts'
import type { CaptureRow, PlacedRefund } from '../refunds/record-refunds.ts'
import { notePayer } from './find-duplicate-payments.ts'
import { ownedPayment, quoteOf, toPayment } from '../registrations/row-mapping.ts'
import type { OwnedPaymentRow, RegistrationRow } from '../registrations/row-mapping.ts'

/**
 * Writes the state of a payment and its registration; false: unchanged. An ended payment is watched from then on.
 */
export async function stand(
  sql: Sql,
  row: OwnedPaymentRow,
  next: Payment,
  at: Instant,
): Promise<boolean> {
  const { status } = next
  const moved = status.is !== row.status
  if (!moved && next.review === row.review) return false
  // What ends, or comes before a person, is watched from now on; rows brought in are of no gateway of ours.
  const begins = moved || (status.is === 'pending' && row.watch_until === null)
  const watch = begins && row.gateway !== null ? watchFrom(status.is, at) : null
  // The guard: whoever comes second finds the status gone and changes nothing.
  const written = sql(
    `UPDATE payments SET status = ?, status_at = ?, review = ?, reference = ?, reason = ?, paid_at = ?,
       watch_until = ?, next_ask_at = ?, last_answer = NULL WHERE id = ? AND status = ? AND review IS ?`,
  ).run(
    status.is,
    status.is === 'pending' ? row.status_at : status.at,
    next.review,
    status.is === 'success' ? status.reference : row.reference,
    status.is === 'failed' ? status.reason : row.reason,
    status.is === 'success' ? status.paidAt : row.paid_at,
    watch?.watchUntil ?? row.watch_until,
    watch?.askAt ?? row.next_ask_at,
    row.id,
    row.status,
    row.review,
  )
  assert((await written.changes) === 1, 'the guarded statement of a payment changed nothing')
  if (moved && status.is === 'success') {
    await issueReceipt(sql, row, status, at)
    await endOthersByHand(sql, row, at)
  }
  await settleRegistration(sql, row.registration_id)
  return true
}

/** What was to be paid by hand is paid otherwise: no gateway is asked about it, so that nothing else would end it. */
async function endOthersByHand(sql: Sql, row: OwnedPaymentRow, at: Instant): Promise<void> {
  if (row.asks_for !== 'whole') return
  // What the delegate told of is looked for no more, because nobody waits for it. Its number stays known.
  sql(
    "UPDATE tellings SET ended_as = 'again', ended_at = ? WHERE registration_id = ? AND ended_as IS NULL",
  ).run(at, row.registration_id)
  const open = await sql<{ id: number }>(
    "SELECT id FROM payments WHERE registration_id = ? AND id <> ? AND asks_for = 'whole' AND status = 'pending' AND way IS NOT NULL AND review IS NULL",
  ).all(row.registration_id, row.id)
  for (const { id } of open) {
    const payment = await paymentById(sql, id)
    await stand(sql, payment, closePayment(toPayment(payment), 'paid otherwise', at), at)
  }
}

/** Updates figures, payment and registration after a refund. */
export async function wentBack(
  sql: Sql,
  { capture, amount }: PlacedRefund,
  { reference, at }: { readonly reference: string; readonly at: Instant },
): Promise<boolean> {
  const row = capture.counts_for === null ? null : await paymentById(sql, capture.counts_for)
  if (row === null) return false
  if (capture.state === 'fits' || capture.state === 'accepted') {
    book(sql, row, at, -amount)
    await paidBack(sql, row.registration_id, amount, at)
    const { came, back } = (await moneyOf(sql, row.id)) ?? { came: capture.amount, back: amount }
    const isAllBack = await sql(`SELECT 1 FROM captures c WHERE c.id = ? AND ${LEFT} <= 0`).get(
      capture.id,
    )
    const review = await withoutReturned(sql, row.review, {
      id: capture.id,
      isAllBack: isAllBack !== undefined,
      amount,
    })
    const before = { ...toPayment(row), review, money: { came, back: paise(back - amount) } }
    const answer = judge(before, { type: 'refunded', reference, amount, at })
    assert(answer.ok, 'more went back than there was')
    const changed = await stand(sql, row, answer.value, at)
    await giveUpDue(sql, row.registration_id, at)
    await coverBill(sql, row.registration_id, at, { refund: { reference } })
    return changed
  }
  const left = await sql(`SELECT 1 FROM captures c WHERE c.id = ? AND ${LEFT} > 0`).get(capture.id)
  if (capture.state !== 'review' || left !== undefined) return false
  // All of it is back: nobody has to decide about it any more.
  return endWithout(sql, capture, row, 'refunded', at)
}

/**
 * Money begins to count: its invoice is issued in full. Earlier refunds of it leave the figures on their own
 * days, and are credited.
 */
export async function bookAndCover(
  sql: Sql,
  row: OwnedPaymentRow,
  capture: Pick<CaptureRow, 'id' | 'reference'> | undefined,
  at: Instant,
): Promise<void> {
  const gone = await sql<{ amount: Paise; done_at: Instant; reference: string | null }>(
    "SELECT amount, done_at, reference FROM refunds WHERE capture_id = ? AND state = 'done' ORDER BY id",
  ).all(capture?.id ?? null)
  const uncounted = await sql<{ amount: Paise }>(
    'SELECT amount - coalesce(counted, amount) AS amount FROM captures WHERE id = ?',
  ).get(capture?.id ?? null)
  const refundedBefore =
    gone.reduce((sum, { amount }) => sum + amount, 0) - (uncounted?.amount ?? 0)
  await coverBill(sql, row.registration_id, at, { refundedBefore })
  for (const back of gone) book(sql, row, back.done_at, -back.amount)
  const reference = gone.at(-1)?.reference ?? capture?.reference ?? ''
  if (refundedBefore > 0) await coverBill(sql, row.registration_id, at, { refund: { reference } })
}

/** All of the price has gone back: what a correction left is not to be paid for what nobody has any more. */
async function giveUpDue(sql: Sql, registrationId: number, at: Instant): Promise<void> {
  const row = await sql<{ state: RegistrationState; due: Paise }>(
    'SELECT state, due FROM registrations WHERE id = ?',
  ).get(registrationId)
  if (row?.state !== 'cancelled' || row.due <= 0) return
  addDue(sql, registrationId, { what: 'given up', amount: -row.due }, at)
  const open = await sql<{ id: number }>(
    "SELECT id FROM payments WHERE registration_id = ? AND asks_for = 'difference' AND status = 'pending'",
  ).all(registrationId)
  for (const { id } of open) {
    const payment = await paymentById(sql, id)
    await stand(sql, payment, closePayment(toPayment(payment), 'cancelled', at), at)
  }
}

/** Ends a capture as money that does not count; a review ends with its last reason. */
export async function endWithout(
  sql: Sql,
  capture: CaptureRow,
  row: OwnedPaymentRow,
  reason: string,
  at: Instant,
): Promise<boolean> {
  const ended = sql("UPDATE captures SET state = 'refused' WHERE id = ? AND state = ?").run(
    capture.id,
    capture.state,
  )
  assert((await ended.changes) === 1, 'a capture that was decided already was decided again')
  const review = without(row.review, capture.why)
  const payment = { ...toPayment(row), review }
  if (await stand(sql, row, review === null ? closePayment(payment, reason, at) : payment, at))
    return true
  // The payment may have ended with another capture: what waited for this one alone waits no more.
  await settleRegistration(sql, row.registration_id)
  return false
}

/** Returns the counted and the refunded amount of a payment; null: nothing counts. */
export async function moneyOf(
  sql: Sql,
  paymentId: number,
): Promise<{ came: Paise; back: Paise } | null> {
  const row = await sql<{ came: number | null; back: number }>(
    `SELECT sum(c.amount) AS came, coalesce(sum((SELECT sum(f.amount) FROM refunds f WHERE f.capture_id = c.id AND f.state = 'done')), 0) AS back
     FROM captures c WHERE c.counts_for = ? AND c.state IN ('fits', 'accepted')`,
  ).get(paymentId)
  return row === undefined || row.came === null
    ? null
    : { came: paise(row.came), back: paise(row.back) }
}

export async function paymentById(sql: Sql, id: number): Promise<OwnedPaymentRow> {
  const row = await sql<OwnedPaymentRow>(`${ownedPayment} WHERE p.id = (SELECT ?)`).get(id)
  assert(row !== undefined, 'a payment that is not there')
  return row
}

/** Derives the registration's state from its attempts: a success of any, else a refund, else the newest. */
export async function settleRegistration(sql: Sql, registrationId: number): Promise<void> {
  const attempts = await sql<{
    attempt: number
    status: PaymentStatus
    review: string | null
    reference: string | null
    paid_at: Instant | null
    amount: Paise
    period: string | null
    base: Paise | null
    gst: Paise | null
    bill: number | null
    reason: string | null
    asks_for: 'whole' | 'difference'
  }>(
    'SELECT attempt, status, review, reference, paid_at, amount, period, base, gst, bill, reason, asks_for FROM payments WHERE registration_id = ? ORDER BY attempt DESC',
  ).all(registrationId)
  const row = await sql<StandingRow>(
    'SELECT state, due, is_corrected, freed_at_attempt, total, payment_id, paid_at, pay_until, payment_status, booked FROM registrations WHERE id = ?',
  ).get(registrationId)
  assert(row !== undefined, 'a registration that is not there was settled')
  // What a difference does is in the dues, and decides nothing of what the registration itself cost.
  const wholes = attempts.filter(({ asks_for }) => asks_for === 'whole')
  // It was free after them: what they came to is no word about what it costs since.
  const since = wholes.filter(({ attempt }) => attempt > (row.freed_at_attempt ?? 0))
  const deciding =
    wholes.find(({ status }) => status === 'success') ??
    since.find(({ status }) => status === 'refunded') ??
    since[0]
  const waits = await sql(
    "SELECT 1 FROM captures WHERE registration_id = ? AND state = 'review'",
  ).get(registrationId)
  // Each attempt has a price of its own, and the registration shows that of the one that decides, unless it was corrected since.
  if (deciding !== undefined && row.is_corrected === 0 && quoteOf(deciding) !== null)
    sql(
      `UPDATE registrations SET period = ?, base = ?, gst = ?, total = ?, bill = ? WHERE id = ? AND (period, total, bill) IS NOT (?, ?, ?)`,
    ).run(
      deciding.period,
      deciding.base,
      deciding.gst,
      deciding.amount,
      deciding.bill,
      registrationId,
      deciding.period,
      deciding.amount,
      deciding.bill,
    )
  const inReview = attempts.some(({ review }) => review !== null) || waits !== undefined
  // Nothing was asked for, or nothing is any more: that is as good as paid.
  const isFree = deciding === undefined || (row.is_corrected === 1 && row.total === 0)
  const status = isFree ? freeStatus(row) : keptStatus(deciding.status, row)
  const hasExpired = deciding?.status === 'failed' && deciding.reason === 'expired'
  const hasTerm = row.pay_until !== null
  const state = stateAfter(row.state, { status, hasExpired, due: row.due, hasTerm })
  settlePlaces(sql, registrationId, { state, status, inReview, hasTerm })
  sql(
    'UPDATE registrations SET payment_status = ?, payment_id = ?, paid_at = ?, in_review = ?, state = ? WHERE id = ?',
  ).run(
    status,
    deciding === undefined ? row.payment_id : deciding.reference,
    deciding === undefined ? row.paid_at : deciding.paid_at,
    inReview ? 1 : 0,
    state,
    registrationId,
  )
  if (status === 'success' || row.payment_status === 'success') await notePayer(sql, registrationId)
}

/** One payment may have gone back in full while another, of a difference, is kept: then the registration is paid. */
const keptStatus = (status: PaymentStatus, { booked }: StandingRow): PaymentStatus =>
  status === 'refunded' && booked > 0 ? 'success' : status

/** Of what nothing is asked for: as good as paid, but for what nobody has approved, or what was ended before that. */
function freeStatus({ state, payment_status: was }: StandingRow): PaymentStatus {
  if (state === 'to_approve') return 'pending'
  const isUnseen = state === 'refused' || (state === 'cancelled' && was !== 'success')
  return isUnseen ? 'failed' : 'success'
}

type StandingRow = Pick<
  RegistrationRow,
  | 'state'
  | 'due'
  | 'is_corrected'
  | 'freed_at_attempt'
  | 'total'
  | 'payment_id'
  | 'paid_at'
  | 'pay_until'
  | 'payment_status'
  | 'booked'
>

/** Returns the remaining review reasons when one no longer applies. */
export function without(review: string | null, gone: string | null): string | null {
  if (review === null || gone === null) return review
  const rest = review.replace(gone, '').replaceAll(/ {2,}/g, ' ').trim()
  return rest === '' ? null : rest
}

/** Adds a second review reason to the first; the same one is not repeated. */
export function joined(first: string | null, second: string | null): string | null {
  if (first === null || second === null) return first ?? second
  return first.includes(second) ? first : `${first} ${second}`
}
