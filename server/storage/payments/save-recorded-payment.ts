/** Stores payments by transfer or at the front desk, which staff confirm. */
import {
  err,
  formatMoney,
  isDeskPayment,
  ok,
  findReviewReason,
  formatMethodInSentence,
  formatOfficeMethodInSentence,
} from '../../../engine/index.ts'
import type { Currency, Instant, Amount, Quote, ManualMethod } from '../../../engine/index.ts'
import type { ActionResult, NewAction } from '../registrations/action-types.ts'
import { applyAction } from '../registrations/apply-action.ts'
import type { BankLineOfPayment } from '../reconciliation/bank-statement-types.ts'
import { saveReceivedPayment } from '../reconciliation/bank-references.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { acceptForOrder } from '../reviews/accept-payments.ts'
import { resolveClaims } from './payment-claims.ts'
import { readCaptureRow } from '../refunds/request-and-approve-refunds.ts'
import { findUnavailableSeat } from '../seats/available-seats.ts'
import { reprice } from './reprice-and-restore-orders.ts'
import { toPayment } from '../registrations/row-mapping.ts'
import type { RecordedOfficeMethod } from './payment-types.ts'
import { joinReasons, readPayment, savePaymentState } from './payment-state.ts'
import { settleRegistration } from './settle-registration.ts'
import type { NewMail } from '../index.ts'

// Such a payment is a capture like any other. If it matches, the registration is paid; otherwise, staff must decide.

const newestUnpaid = statement((builder, { registrationId }: { registrationId: number }) =>
  builder
    .selectFrom('payments')
    .select('id')
    .where('registration_id', '=', registrationId)
    .where('status', 'in', ['pending', 'failed'])
    .orderBy('attempt', 'desc')
    .limit(1),
)
/** Selects the newest paid attempt, or the newest attempt if none was paid. */
const decidingPayment = statement((builder, { registrationId }: { registrationId: number }) =>
  builder
    .selectFrom('payments')
    .select(['id', 'reference'])
    .where('registration_id', '=', registrationId)
    .orderBy(({ eb }) => eb('status', 'in', ['success', 'refunded']), 'desc')
    .orderBy('attempt', 'desc')
    .limit(1),
)

export type RecordedPayment = {
  readonly method: ManualMethod
  readonly officeMethod?: RecordedOfficeMethod | undefined
  readonly reference: string
  /** Other references that the bank's statement shows for the same payment. */
  readonly also?: readonly string[]
  readonly amount: Amount
  readonly paidAt: Instant
  /** The currency of the bank account, if a statement shows it. */
  readonly accountCurrency?: Currency
  /** The statement line from which the payment is recorded. Absent if staff entered it. */
  readonly bankLine?: BankLineOfPayment | undefined
  /** The price on the credit date, if that date determines the price. If omitted, the price of the attempt applies. */
  readonly price?: Quote | null
}

/** Returns the received amount with its method, and the data that the action stores for the timeline. */
function describeReceived(
  { method, officeMethod, reference, amount, paidAt }: RecordedPayment,
  currency: Currency,
) {
  const methodText =
    officeMethod === undefined
      ? formatMethodInSentence(method)
      : formatOfficeMethodInSentence(officeMethod.label)
  const paymentText = `${formatMoney(amount, currency)} ${methodText}`
  return {
    paymentText,
    data: { came: `${paymentText}, reference ${reference}`, paid_at: paidAt },
  }
}

/**
 * Returns the action with the further fields of the office method before its reason. An erasure deletes reasons, but
 * not the data of payments, and these fields may name a person.
 */
function withDetails(action: NewAction, officeMethod: RecordedOfficeMethod | undefined): NewAction {
  const parts = [officeMethod?.details ?? '', action.why].filter((text) => text !== '')
  return { ...action, why: parts.join('. ') }
}

/** Records a payment that staff confirm. Queues the email only if this payment confirms the registration. */
export function recordPayment(
  sql: Sql,
  action: NewAction,
  { price = null, officeMethod, ...payment }: RecordedPayment,
  email: NewMail | null,
): Promise<ActionResult> {
  const { regNo, at } = action
  const { method, amount } = payment
  return applyAction(sql, withDetails(action, officeMethod), async ({ id, event_id: eventId }) => {
    if (price !== null) await reprice(sql, { id, regNo }, price, at, officeMethod?.id ?? method)
    const newestRow = await newestUnpaid.get(sql, { registrationId: id })
    if (newestRow === undefined)
      return err({ code: 'bad_data', message: 'Nothing is due for this registration.' })
    const row = await readPayment(sql, newestRow.id)
    const unavailableSeat =
      row.asks_for === 'difference' ? null : await findUnavailableSeat(sql, id, at)
    const reason =
      amount !== row.amount
        ? findReviewReason({
            code: 'amount_differs',
            expected: row.amount,
            got: amount,
            currency: row.currency,
          })
        : unavailableSeat === null
          ? null
          : findReviewReason({ code: 'place_gone', place: unavailableSeat.name })
    const captureId = await saveReceivedPayment(sql, {
      ...payment,
      currency: row.currency,
      account: getAccount(method, eventId),
      eventId,
      regNo,
      registrationId: id,
      paymentId: row.id,
      at,
      why: reason,
      state: reason === null ? 'fits' : 'review',
      foundFor: null,
    })
    if (!captureId.ok) return err({ code: 'taken', message: captureId.error })
    await resolveClaims(sql, { id, regNo }, at)
    const { paymentText, data } = describeReceived({ ...payment, officeMethod }, row.currency)
    if (reason !== null) {
      await savePaymentState(
        sql,
        row,
        { ...toPayment(row), review: joinReasons(row.review, reason) },
        at,
      )
      return ok({ message: `${paymentText}, needs review: ${reason}`, data, needsReview: true })
    }
    const acceptResult = await acceptForOrder(
      sql,
      await readCaptureRow(sql, captureId.value),
      row,
      row.review,
      at,
      email,
    )
    if (!acceptResult.ok) return acceptResult
    return ok({ message: `${paymentText} recorded: ${regNo} is paid.`, data })
  })
}

/**
 * Stores an extra payment for a registration that is paid or has ended. Staff then refund it, move it to the intended
 * registration, or dismiss it.
 */
export function recordExtraPayment(
  sql: Sql,
  action: NewAction,
  { officeMethod, ...extraPayment }: Omit<RecordedPayment, 'price'>,
): Promise<ActionResult> {
  const { at, regNo } = action
  const { method, reference } = extraPayment
  return applyAction(
    sql,
    withDetails(action, officeMethod),
    async ({ id, event_id: eventId, state, currency }) => {
      const newestRow = await decidingPayment.get(sql, { registrationId: id })
      const reason =
        state === 'cancelled' || state === 'refused'
          ? findReviewReason({ code: 'ended', state })
          : findReviewReason({
              code: 'paid_twice',
              first: newestRow?.reference ?? '',
              second: reference,
            })
      const captureId = await saveReceivedPayment(sql, {
        ...extraPayment,
        currency,
        account: getAccount(method, eventId),
        eventId,
        regNo,
        registrationId: id,
        paymentId: newestRow?.id ?? null,
        at,
        why: reason,
        state: 'review',
        foundFor: null,
      })
      if (!captureId.ok) return err({ code: 'taken', message: captureId.error })
      await resolveClaims(sql, { id, regNo }, at)
      if (newestRow === undefined) await settleRegistration(sql, id)
      else {
        const row = await readPayment(sql, newestRow.id)
        await savePaymentState(
          sql,
          row,
          { ...toPayment(row), review: joinReasons(row.review, reason) },
          at,
        )
      }
      const { paymentText, data } = describeReceived({ ...extraPayment, officeMethod }, currency)
      return ok({ message: `${paymentText}, needs review: ${reason}`, needsReview: true, data })
    },
  )
}

/**
 * Returns the account within which a reference can be used for one payment only. A transfer's reference is unique
 * across all events, a front-desk slip number within its event.
 */
function getAccount(method: ManualMethod, eventId: string): string {
  return isDeskPayment(method) ? eventId : ''
}
