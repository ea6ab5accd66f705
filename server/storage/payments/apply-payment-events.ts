/** Applies payment events and the gateway's answers to stored payments. */
import { filterInOrder } from '../database/in-order.ts'
import {
  applyPaymentEvent as judge,
  assert,
  POLL_MS_MIN,
  paise,
  findReviewReason,
  WATCHED_MS,
} from '../../../engine/index.ts'
import type {
  Instant,
  LastResponse,
  OrderId,
  Paise,
  Payment,
  PaymentEvent,
  PaymentRefusal,
  ReportedRefund,
  RegistrationState,
} from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { askDifference, endOpenPayments } from './payment-attempts.ts'
import { captureNamed, isDecidedElsewise, keepCapture } from './received-payments.ts'
import { book } from '../reports/registration-and-revenue-counters.ts'
import { balance, payDifference } from './stored-balance.ts'
import { addDue, dueOf } from './balance-adjustments.ts'
import { known, writeFact } from './payment-events.ts'
import { confirmByMail } from '../mail/email-queue.ts'
import { placeGone } from '../seats/available-seats.ts'
import { orderOfRefund, placeRefund } from '../refunds/record-refunds.ts'
import { claimRefund as claim, refundTold as endAsked } from '../refunds/send-refunds.ts'
import { paymentOfOrder, toPayment, toStoredPayment } from '../registrations/row-mapping.ts'
import type { OwnedPaymentRow } from '../registrations/row-mapping.ts'
import { bookAndCover, joined, moneyOf, stand, wentBack, without } from './payment-state.ts'
import { settleRegistration } from './settle-registration.ts'
import type {
  NewMail,
  NewGatewayMessage,
  RawAnswer,
  RefundResponse,
  StoredGatewayMessage,
  StoredPayment,
} from '../index.ts'

/** Returns the message's id. */
export function recordNotice(sql: Sql, notice: NewGatewayMessage): Promise<number> {
  return keep(sql, notice.orderId, notice)
}

async function keep(
  sql: Sql,
  orderId: string | null,
  message: Omit<StoredGatewayMessage, 'id'>,
): Promise<number> {
  const written = sql(
    'INSERT INTO gateway_notices (gateway, kind, order_id, body, content_type, at) VALUES (?, ?, ?, ?, ?, ?)',
  ).run(message.gateway, message.kind, orderId, message.body, message.contentType, message.at)
  return written.lastInsertRowid
}

/** What becomes of the payment; when the fact does not fit, the code of the refusal and what a person has to decide. */
type Judged = {
  readonly next: Payment
  readonly refusal: string | null
  readonly why: string | null
}

/** The engine judges one payment by itself; the store also sees the registration's other attempts and the gateway's other orders. */
async function judged(sql: Sql, row: OwnedPaymentRow, fact: PaymentEvent): Promise<Judged> {
  const before = toPayment(row)
  const refused = (refusal: string, why: string | null): Judged => ({ next: before, refusal, why })
  const answer = judge(before, fact)
  if (!answer.ok) return refused(answer.error.code, findReviewReason(answer.error))
  const next = answer.value
  if (next.status.is === 'success' && row.status !== 'success') {
    const { reference: second } = next.status
    const { state } = (await sql<{ state: RegistrationState }>(
      'SELECT state FROM registrations WHERE id = ?',
    ).get(row.registration_id)) ?? { state: 'to_pay' }
    if (state === 'cancelled' || state === 'refused') {
      const ended = { code: 'ended', state } as const
      return refused(ended.code, findReviewReason(ended))
    }
    const paid =
      row.asks_for === 'difference'
        ? undefined
        : await sql<{ reference: string | null }>(
            "SELECT reference FROM payments WHERE registration_id = ? AND id <> ? AND asks_for = 'whole' AND status IN ('success', 'refunded')",
          ).get(row.registration_id, row.id)
    if (paid !== undefined) {
      const twice = { code: 'paid_twice', first: paid.reference ?? '', second } as const
      return refused('paid_twice', findReviewReason(twice))
    }
    const taken = await sql<{ order_id: string }>(
      'SELECT order_id FROM payments WHERE gateway IS ? AND reference = ? AND id <> ?',
    ).get(row.gateway, second, row.id)
    if (taken !== undefined)
      return refused(
        'reference_taken',
        `The gateway's reference ${second} has already paid ${taken.order_id}.`,
      )
    const place =
      row.asks_for === 'difference' ? null : await placeGone(sql, row.registration_id, fact.at)
    if (place !== null) {
      const gone = { code: 'place_gone', place: place.name } as const
      return refused(gone.code, findReviewReason(gone))
    }
  }
  return { next, refusal: null, why: null }
}

type Applied = { changed: boolean; payment: StoredPayment; review: string | null }

export async function applyFact(
  sql: Sql,
  orderId: OrderId,
  fact: PaymentEvent,
  mail: NewMail | null,
  answer: RawAnswer | null = null,
): Promise<Applied> {
  let changed = false
  let unkept = answer
  // The gateway's own word ends what a message claimed; our patience does not.
  if (fact.type !== 'expired' && fact.type !== 'undecided')
    sql('UPDATE payments SET claimed_at = NULL WHERE order_id = ? AND claimed_at IS NOT NULL').run(
      orderId,
    )
  let isPaidNow = false
  // What went back stands beside what came, and is a fact of its own.
  for (const one of partsOf(fact)) {
    const row = await paymentRow(sql, orderId)
    const isNews =
      one.type === 'refunded' ? await applyRefund(sql, row, one) : await applyOne(sql, row, one)
    changed ||= isNews.changed
    isPaidNow ||= isNews.isPaidNow
    // What is watched is asked about for days: the same answer again is no news.
    if (isNews.isNew && unkept !== null) {
      await keep(sql, orderId, { ...unkept, kind: 'status' })
      unkept = null
    }
  }
  const after = await paymentRow(sql, orderId)
  // Whoever has all of it back by the same answer is not told that it is paid.
  if (isPaidNow && after.asks_for === 'whole' && after.status === 'success' && mail !== null)
    await confirmByMail(sql, after.registration_id, mail, fact.at)
  return { changed, payment: toStoredPayment(after), review: after.review }
}

/** `isNew`: the fact was not heard before; `changed`: the payment is another one by it; `isPaidNow`: a success. */
type News = { readonly isNew: boolean; readonly changed: boolean; readonly isPaidNow: boolean }

function partsOf(fact: PaymentEvent): readonly PaymentEvent[] {
  const alone = (refunds: readonly ReportedRefund[]): readonly PaymentEvent[] =>
    refunds.map((refund) => ({ type: 'refunded', ...refund, at: fact.at }))
  if (fact.type === 'refunded') {
    const { reference, amount, further = [] } = fact
    return alone([{ reference, amount }, ...further])
  }
  if (fact.type !== 'confirmed') return [fact]
  const { refunds = [], ...confirmed } = fact
  return [confirmed, ...alone(refunds)]
}

async function applyOne(sql: Sql, row: OwnedPaymentRow, fact: PaymentEvent): Promise<News> {
  const isNew = !(await known(sql, row.id, fact))
  const confirmed = fact.type === 'confirmed' ? await undecidedOf(sql, row, fact) : fact
  if (confirmed === null) {
    if (isNew) writeFact(sql, row.id, fact, DECIDED)
    return { isNew, changed: false, isPaidNow: false }
  }
  const { next: judgedTo, refusal, why } = await judged(sql, row, confirmed)
  const cleared =
    confirmed.type === 'confirmed' ? await keepCapture(sql, row, confirmed, refusal, why) : null
  if (confirmed.type === 'confirmed')
    for (const one of confirmed.further ?? []) {
      const twice = {
        code: 'paid_twice',
        first: confirmed.reference,
        second: one.reference,
      } as const
      await keepCapture(sql, row, besides(confirmed, one), twice.code, findReviewReason(twice))
    }
  // What was said before is no new reason: a person may have decided since.
  const isSame = !isNew && judgedTo.status.is === row.status
  const review = joined(without(isSame ? row.review : judgedTo.review, cleared), isNew ? why : null)
  if (isNew) writeFact(sql, row.id, fact, refusal)
  const next = { ...judgedTo, review }
  const isPaidNow = next.status.is === 'success' && row.status !== 'success'
  if (isPaidNow) await payDifference(sql, row, row.amount, fact.at)
  const changed = await stand(sql, row, next, fact.at)
  // It may have waited before a person until now, and part of it have gone back meanwhile.
  const counts =
    isPaidNow && next.status.is === 'success'
      ? await captureNamed(sql, row, next.status.reference)
      : undefined
  if (isPaidNow) await owedSince(sql, row, fact.at)
  if (isPaidNow) await bookAndCover(sql, row, counts, fact.at)
  if (next.status.is === 'success' && isPaidNow) book(sql, row, next.status.paidAt, row.amount)
  return { isNew, changed, isPaidNow }
}

/**
 * Handles a payment of an order from before a correction, or of another amount that a user accepted: the
 * difference between the present price and the payment becomes a balance or a refund. From now on this order's
 * payment counts, even if the registration had been free.
 */
export async function owedSince(sql: Sql, row: OwnedPaymentRow, at: Instant): Promise<void> {
  if (row.asks_for === 'difference') return askRemainder(sql, row, at)
  const { registration_id: id, reg_no, gateway, account, merchant_id: merchantId } = row
  sql('UPDATE registrations SET freed_at_attempt = NULL WHERE id = ?').run(id)
  const stored = await sql<{ total: Paise | null; is_corrected: 0 | 1 }>(
    'SELECT total, is_corrected FROM registrations WHERE id = ?',
  ).get(id)
  if (stored?.total == null) return
  const owed = (await balance(sql, id)) - (await dueOf(sql, id))
  if (owed === 0) return
  addDue(sql, id, { what: 'corrected', amount: owed }, at)
  if (stored.is_corrected === 0) return
  // The order at the corrected price would ask for all of it.
  await endOpenPayments(sql, id, 'corrected', at)
  const askedOf = { account: account ?? '', merchantId }
  await askDifference(
    sql,
    { id, reg_no, due: await dueOf(sql, id) },
    { gateway: gateway ?? '', askedOf },
    at,
  )
  await settleRegistration(sql, id)
}

/** An earlier difference was paid late: the order after it, open or expired by now, asks for what is still due, not for more. */
async function askRemainder(sql: Sql, row: OwnedPaymentRow, at: Instant): Promise<void> {
  const { registration_id: id, reg_no, gateway, account, merchant_id: merchantId, way } = row
  const later = await sql(
    "SELECT 1 FROM payments WHERE registration_id = ? AND asks_for = 'difference' AND status IN ('pending', 'failed') AND attempt > ?",
  ).get(id, row.attempt)
  if (later === undefined) return
  const askedOf = { account: account ?? '', merchantId }
  const through = way === null ? { gateway: gateway ?? '', askedOf } : { way }
  await askDifference(sql, { id, reg_no, due: await dueOf(sql, id) }, through, at)
  await settleRegistration(sql, id)
}

type Confirmed = PaymentEvent & { readonly type: 'confirmed' }

/** The refusal of a fact about money of which a person has decided already. */
const DECIDED = 'decided'

/** A confirmation without the money that a person has decided about; null: that is all it names. */
async function undecidedOf(
  sql: Sql,
  row: OwnedPaymentRow,
  fact: Confirmed,
): Promise<Confirmed | null> {
  const isDecided = async (reference: string): Promise<boolean> =>
    isDecidedElsewise(await captureNamed(sql, row, reference), row.id)
  const { further = [], ...first } = fact
  const open = await filterInOrder(further, async ({ reference }) => !(await isDecided(reference)))
  if (!(await isDecided(first.reference)))
    return open.length === 0 ? first : { ...first, further: open }
  const [next, ...rest] = open.map((one) => ({ currency: first.currency, ...one }))
  if (next === undefined) return null
  const alone = besides(first, next)
  return rest.length === 0 ? alone : { ...alone, further: rest }
}

/** Another money of the same answer, as if it had come by itself: when it came is its own. */
function besides(first: Confirmed, one: NonNullable<Confirmed['further']>[number]): Confirmed {
  const { type, at, currency, refunds } = first
  return { type, at, currency, ...(refunds === undefined ? {} : { refunds }), ...one }
}

/** A refund that the gateway tells of. One that fits nothing that came is before a person. */
async function applyRefund(
  sql: Sql,
  row: OwnedPaymentRow,
  fact: PaymentEvent & { readonly type: 'refunded' },
): Promise<News> {
  const placed = await placeRefund(sql, row.id, fact, fact.at)
  if (placed === 'known') return { isNew: false, changed: false, isPaidNow: false }
  if (placed !== null) {
    writeFact(sql, row.id, fact, null)
    sql('UPDATE payments SET refund_reference = ? WHERE id = ?').run(fact.reference, row.id)
    return { isNew: true, changed: await wentBack(sql, placed, fact), isPaidNow: false }
  }
  const isNew = !(await known(sql, row.id, fact))
  if (!isNew) return { isNew, changed: false, isPaidNow: false }
  const money = await moneyOf(sql, row.id)
  const refusal: PaymentRefusal =
    money === null
      ? { code: 'not_paid' }
      : { code: 'more_back_than_came', came: money.came, got: paise(money.back + fact.amount) }
  writeFact(sql, row.id, fact, refusal.code)
  const review = joined(row.review, findReviewReason(refusal))
  return {
    isNew,
    changed: await stand(sql, row, { ...toPayment(row), review }, fact.at),
    isPaidNow: false,
  }
}

async function paymentRow(sql: Sql, orderId: OrderId): Promise<OwnedPaymentRow> {
  const row = await sql<OwnedPaymentRow>(paymentOfOrder).get(orderId)
  assert(row !== undefined, 'a fact about an order that is not there')
  return row
}

/**
 * False: another process is sending it. The payment is watched again: if this process dies now, the status call
 * reports the result.
 */
export async function claimRefund(sql: Sql, id: number, at: Instant): Promise<boolean> {
  const isOurs = await claim(sql, id, at)
  const orderId = isOurs ? await orderOfRefund(sql, id) : null
  if (orderId !== null) rearm(sql, orderId, at)
  return isOurs
}

/** Stores the gateway's answer to a refund verbatim; where money may move, the payment is queried soon. */
export async function refundTold(
  sql: Sql,
  id: number,
  told: RefundResponse,
  at: Instant,
): Promise<void> {
  const orderId = await orderOfRefund(sql, id)
  assert(orderId !== null, 'a refund of money that came through no gateway')
  await keep(sql, orderId, {
    gateway: told.gateway,
    kind: 'refund',
    body: told.raw,
    contentType: 'application/json',
    at,
  })
  endAsked(sql, id, told, at)
  if (told.is === 'begun' || told.is === 'unsure') rearm(sql, orderId, at)
}

export function asked(
  sql: Sql,
  orderId: OrderId,
  at: Instant,
  nextAt: Instant | null,
  said: LastResponse | null,
  watchUntil: Instant | null,
): void {
  sql(
    `UPDATE payments SET asks = asks + 1, asked_at = ?, next_ask_at = ?, last_answer = ?,
     watch_until = coalesce(CAST(? AS bigint), watch_until) WHERE order_id = ?`,
  ).run(at, nextAt, said, watchUntil, orderId)
}

/** A query takes twenty seconds at most, and none is due again within a minute. */
export const ASKING_MS_MAX = 30_000

export async function claimQuestion(
  sql: Sql,
  orderId: OrderId,
  dueBefore: Instant,
  at: Instant,
): Promise<boolean> {
  return (
    (await sql(
      'UPDATE payments SET asking_until = ? WHERE order_id = ? AND next_ask_at <= ? AND coalesce(asking_until, 0) <= ?',
    ).run(at + ASKING_MS_MAX, orderId, dueBefore, at).changes) === 1
  )
}

/** An ended payment that is not watched needs no query. */
export function claimed(sql: Sql, orderId: OrderId, at: Instant): void {
  sql('UPDATE payments SET claimed_at = ? WHERE order_id = ? AND gateway IS NOT NULL').run(
    at,
    orderId,
  )
}

/** Due at once, but never sooner than a shortest interval after the last query: messages are repeated. */
export function rearm(sql: Sql, orderId: OrderId, at: Instant): void {
  sql(
    `UPDATE payments SET watch_until = ?, next_ask_at = max(?, min(coalesce(asked_at, 0), ?) + ?)
     WHERE order_id = ? AND gateway IS NOT NULL AND (status <> 'pending' OR review IS NOT NULL)`,
  ).run(at + WATCHED_MS, at, at, POLL_MS_MIN, orderId)
}
