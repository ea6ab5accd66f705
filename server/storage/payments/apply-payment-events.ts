/** Applies payment events and the gateway's answers to stored payments. */
import type { Kysely } from 'kysely'
import { filterInOrder } from '../database/in-order.ts'
import {
  applyPaymentEvent as judge,
  assert,
  paise,
  findReviewReason,
} from '../../../engine/index.ts'
import type {
  Instant,
  OrderId,
  Payment,
  PaymentEvent,
  PaymentRefusal,
  ReportedRefund,
} from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { askDifference, endOpenPayments } from './payment-attempts.ts'
import { captureNamed, isDecidedElsewise, keepCapture } from './received-payments.ts'
import { book } from '../reports/registration-and-revenue-counters.ts'
import { balance, payDifference, priceAndCorrection } from './stored-balance.ts'
import { addDue, dueOf } from './balance-adjustments.ts'
import { storeMessage } from './stored-gateway-messages.ts'
import { firstPaidBySamePerson } from './find-duplicate-payments.ts'
import { known, writeFact } from './payment-events.ts'
import { confirmByMail } from '../mail/email-queue.ts'
import { lostSeats, placeGone } from '../seats/available-seats.ts'
import { placeRefund } from '../refunds/record-refunds.ts'
import { paymentOfOrder, toPayment, toStoredPayment } from '../registrations/row-mapping.ts'
import type { OwnedPaymentRow } from '../registrations/row-mapping.ts'
import { bookAndCover, joined, moneyOf, stand, wentBack, without } from './payment-state.ts'
import { settleRegistration } from './settle-registration.ts'
import type { NewMail, RawAnswer, StoredPayment } from '../index.ts'

type OfOrder = { orderId: OrderId }
type OfRegistration = { registrationId: number }
const registrationState = statement((builder, { registrationId }: OfRegistration) =>
  builder.selectFrom('registrations').select('state').where('id', '=', registrationId),
)
const otherPaidPayment = statement(
  (builder, { registrationId, id }: OfRegistration & { id: number }) =>
    builder
      .selectFrom('payments')
      .select('reference')
      .where('registration_id', '=', registrationId)
      .where('id', '<>', id)
      .where('asks_for', '=', 'whole')
      .where('status', 'in', ['success', 'refunded']),
)
type Reference = { reference: string; id: number }
const otherWithReference = (builder: Kysely<Tables>, { reference, id }: Reference) =>
  builder
    .selectFrom('payments')
    .select('order_id')
    .where('reference', '=', reference)
    .where('id', '<>', id)
const paymentWithReference = statement((builder, given: Reference & { gateway: string }) =>
  otherWithReference(builder, given).where('gateway', '=', given.gateway),
)
const importedPaymentWithReference = statement((builder, given: Reference) =>
  otherWithReference(builder, given).where('gateway', 'is', null),
)
const endClaim = statement((builder, { orderId }: OfOrder) =>
  builder
    .updateTable('payments')
    .set({ claimed_at: null })
    .where('order_id', '=', orderId)
    .where('claimed_at', 'is not', null),
)
const setNotFree = statement((builder, { registrationId }: OfRegistration) =>
  builder
    .updateTable('registrations')
    .set({ freed_at_attempt: null })
    .where('id', '=', registrationId),
)
const laterDifference = statement(
  (builder, { registrationId, attempt }: OfRegistration & { attempt: number }) =>
    builder
      .selectFrom('payments')
      .select('id')
      .where('registration_id', '=', registrationId)
      .where('asks_for', '=', 'difference')
      .where('status', 'in', ['pending', 'failed'])
      .where('attempt', '>', attempt),
)
const setRefundReference = statement(
  (builder, { id, reference }: { id: number; reference: string }) =>
    builder.updateTable('payments').set({ refund_reference: reference }).where('id', '=', id),
)
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
    const { id, registration_id: registrationId, gateway } = row
    const { state } = (await registrationState.get(sql, { registrationId })) ?? { state: 'to_pay' }
    if (state === 'cancelled' || state === 'refused') {
      const ended = { code: 'ended', state } as const
      return refused(ended.code, findReviewReason(ended))
    }
    const paid =
      row.asks_for === 'difference'
        ? undefined
        : await otherPaidPayment.get(sql, { registrationId, id })
    if (paid !== undefined) {
      const twice = { code: 'paid_twice', first: paid.reference ?? '', second } as const
      return refused('paid_twice', findReviewReason(twice))
    }
    const taken =
      gateway === null
        ? await importedPaymentWithReference.get(sql, { reference: second, id })
        : await paymentWithReference.get(sql, { gateway, reference: second, id })
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

export async function applyPaymentEvent(
  sql: Sql,
  orderId: OrderId,
  fact: PaymentEvent,
  mail: NewMail | null,
  answer: RawAnswer | null = null,
): Promise<Applied> {
  let changed = false
  let unkept = answer
  // The gateway's own word ends what a message claimed; our patience does not.
  if (fact.type !== 'expired' && fact.type !== 'undecided') endClaim.run(sql, { orderId })
  let isPaidNow = false
  let registrationId: number | null = null
  // What went back stands beside what came, and is a fact of its own.
  for (const one of partsOf(fact)) {
    const row = await paymentRow(sql, orderId)
    registrationId = row.registration_id
    const isNews =
      one.type === 'refunded' ? await applyRefund(sql, row, one) : await applyOne(sql, row, one)
    changed ||= isNews.changed
    isPaidNow ||= isNews.isPaidNow
    // What is watched is asked about for days: the same answer again is no news.
    if (isNews.isNew && unkept !== null) {
      storeMessage(sql, orderId, { ...unkept, kind: 'status' })
      unkept = null
    }
  }
  sql.batch?.readAhead(() => [
    paymentOfOrder.get(sql, { orderId }),
    ...(registrationId === null || mail === null
      ? []
      : [firstPaidBySamePerson(sql, registrationId)]),
  ])
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

/** What every confirmation reads before anything is written. */
function readAheadOf(sql: Sql, row: OwnedPaymentRow, fact: PaymentEvent): void {
  const { id, registration_id: registrationId, gateway } = row
  if (fact.type !== 'confirmed' || row.status === 'success') return
  const { reference } = fact
  sql.batch?.readAhead(() => [
    known(sql, id, fact),
    captureNamed(sql, row, reference),
    registrationState.get(sql, { registrationId }),
    otherPaidPayment.get(sql, { registrationId, id }),
    ...(gateway === null ? [] : [paymentWithReference.get(sql, { gateway, reference, id })]),
    ...(row.asks_for === 'difference' ? [] : [lostSeats(sql, registrationId)]),
  ])
}

async function applyOne(sql: Sql, row: OwnedPaymentRow, fact: PaymentEvent): Promise<News> {
  readAheadOf(sql, row, fact)
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
  const stored = await priceAndCorrection.get(sql, { registrationId: id })
  if (stored !== undefined && stored.freed_at_attempt !== null)
    setNotFree.run(sql, { registrationId: id })
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
  const later = await laterDifference.get(sql, { registrationId: id, attempt: row.attempt })
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
    setRefundReference.run(sql, { id: row.id, reference: fact.reference })
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
  const row = await paymentOfOrder.get(sql, { orderId })
  assert(row !== undefined, 'a fact about an order that is not there')
  return row
}
