/**
 * Stores payments by transfer or at the desk that staff confirm.
 * Each is a capture like any other: a matching one pays, any other waits for a decision.
 */
import {
  err,
  formatMoney,
  isDeskPayment,
  ok,
  findReviewReason,
  methodInSentence,
} from '../../../engine/index.ts'
import type { Instant, Paise, Quote, ManualMethod } from '../../../engine/index.ts'
import type { ActionOutcome, NewAction } from '../registrations/action-types.ts'
import { doAct } from '../registrations/apply-action.ts'
import { keepCame } from '../reconciliation/bank-references.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { count } from '../reviews/accept-payments.ts'
import { foundTellings } from './payment-claims.ts'
import { captureRow } from '../refunds/decide-refunds.ts'
import { placeGone } from '../seats/available-seats.ts'
import { priceAnew } from './reprice-on-credit-date.ts'
import { toPayment } from '../registrations/row-mapping.ts'
import { joined, paymentById, stand } from './payment-state.ts'
import { settleRegistration } from './settle-registration.ts'
import type { NewMail } from '../index.ts'

const newestUnpaid = statement((builder, { registrationId }: { registrationId: number }) =>
  builder
    .selectFrom('payments')
    .select('id')
    .where('registration_id', '=', registrationId)
    .where('status', 'in', ['pending', 'failed'])
    .orderBy('attempt', 'desc')
    .limit(1),
)
/** The newest that was paid; if none was, the newest. */
const decidingPayment = statement((builder, { registrationId }: { registrationId: number }) =>
  builder
    .selectFrom('payments')
    .select(['id', 'reference'])
    .where('registration_id', '=', registrationId)
    .orderBy(({ eb }) => eb('status', 'in', ['success', 'refunded']), 'desc')
    .orderBy('attempt', 'desc')
    .limit(1),
)

export type Came = {
  readonly way: ManualMethod
  readonly reference: string
  /** The bank's other references for the same payment, if a statement shows them. */
  readonly also?: readonly string[]
  readonly amount: Paise
  readonly paidAt: Instant
  /** The price on the credit date, where that date sets it; left out: that of the attempt. */
  readonly price?: Quote | null
}

/** `mail` is queued only when it makes the registration a success. */
export function recordPayment(
  sql: Sql,
  wanted: NewAction,
  { price = null, ...came }: Came,
  mail: NewMail | null,
): Promise<ActionOutcome> {
  const { regNo, at } = wanted
  const { way, reference, amount, paidAt } = came
  return doAct(sql, wanted, async ({ id, event_id: eventId }) => {
    if (price !== null) await priceAnew(sql, { id, regNo }, price, at)
    const newest = await newestUnpaid.get(sql, { registrationId: id })
    if (newest === undefined)
      return err({ code: 'bad_data', message: 'Nothing is due for this registration.' })
    const row = await paymentById(sql, newest.id)
    const place = row.asks_for === 'difference' ? null : await placeGone(sql, id, at)
    const why =
      amount !== row.amount
        ? findReviewReason({ code: 'amount_differs', expected: row.amount, got: amount })
        : place === null
          ? null
          : findReviewReason({ code: 'place_gone', place: place.name })
    const kept = await keepCame(sql, {
      ...came,
      account: accountOf(way, eventId),
      eventId,
      regNo,
      registrationId: id,
      paymentId: row.id,
      at,
      why,
      state: why === null ? 'fits' : 'review',
      foundFor: null,
    })
    if (!kept.ok) return err({ code: 'taken', message: kept.error })
    await foundTellings(sql, { id, regNo }, at)
    const said = `${formatMoney(amount)} ${methodInSentence(way)}`
    const data = { came: `${said}, ${reference}`, paid_at: paidAt }
    if (why !== null) {
      await stand(sql, row, { ...toPayment(row), review: joined(row.review, why) }, at)
      return ok({ message: `${said}, needs review: ${why}`, data })
    }
    const counted = await count(sql, await captureRow(sql, kept.value), row, row.review, at, mail)
    if (!counted.ok) return counted
    return ok({ message: `${said} recorded: ${regNo} is paid.`, data })
  })
}

/**
 * An extra payment for a registration that is paid or has ended: staff refund it, move it to the registration it
 * was intended for, or leave it.
 */
export function recordFurtherPayment(
  sql: Sql,
  wanted: NewAction,
  money: Omit<Came, 'price'>,
): Promise<ActionOutcome> {
  const { at, regNo } = wanted
  const { way, reference, amount, paidAt } = money
  return doAct(sql, wanted, async ({ id, event_id: eventId, state }) => {
    const newest = await decidingPayment.get(sql, { registrationId: id })
    const why =
      state === 'cancelled' || state === 'refused'
        ? findReviewReason({ code: 'ended', state })
        : findReviewReason({
            code: 'paid_twice',
            first: newest?.reference ?? '',
            second: reference,
          })
    const kept = await keepCame(sql, {
      ...money,
      account: accountOf(way, eventId),
      eventId,
      regNo,
      registrationId: id,
      paymentId: newest?.id ?? null,
      at,
      why,
      state: 'review',
      foundFor: null,
    })
    if (!kept.ok) return err({ code: 'taken', message: kept.error })
    await foundTellings(sql, { id, regNo }, at)
    if (newest === undefined) await settleRegistration(sql, id)
    else {
      const row = await paymentById(sql, newest.id)
      await stand(sql, row, { ...toPayment(row), review: joined(row.review, why) }, at)
    }
    const came = `${formatMoney(amount)} ${methodInSentence(way)}`
    return ok({
      message: `${came}, needs review: ${why}`,
      data: { came: `${came}, ${reference}`, paid_at: paidAt },
    })
  })
}

/** One transfer pays once, whichever conference it was meant for; slips of a desk are of their event. */
function accountOf(way: ManualMethod, eventId: string): string {
  return isDeskPayment(way) ? eventId : ''
}
