/**
 * Stores approvals, refusals and accepted offers.
 * An approved registration gets the price on its registration date. When a registration is refused, its seats are
 * released, and the delegate may be offered another category.
 */
import { assert, err, formatMoney, ok, createOrderId, toAmount } from '../../../engine/index.ts'
import { SERVER_MESSAGES } from '../../../engine/messages.ts'
import type {
  Currency,
  ActionRefusal,
  Instant,
  Amount,
  Quote,
  Result,
} from '../../../engine/index.ts'
import type { ActionResult, Approval, NewAction, AcceptedOffer } from './action-types.ts'
import { applyAction } from './apply-action.ts'
import { toChannelColumns, insertPayment, findNextAttempt } from '../payments/payment-attempts.ts'
import { saveLines, getNextBill } from '../payments/stored-bill-lines.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { confirmByMail, enqueue } from '../mail/email-queue.ts'
import { reindexRegistration } from '../lists/search-index.ts'
import { retakeLostSeats } from '../seats/recompute-seats.ts'
import type { RegistrationRow } from './row-mapping.ts'
import type { NewMail } from './registration-types.ts'
import { settleRegistration } from '../payments/settle-registration.ts'

type RegistrationParams = { id: number }
const saveOffer = statement(
  (builder, { id, offer }: RegistrationParams & { offer: string | null }) =>
    builder.updateTable('registrations').set({ offer }).where('id', '=', id),
)
const saveCategory = statement(
  (builder, { id, category }: RegistrationParams & { category: string }) =>
    builder.updateTable('registrations').set({ category }).where('id', '=', id),
)
const saveAnswers = statement(
  (builder, { id, answers }: RegistrationParams & { answers: string }) =>
    builder.updateTable('registrations').set({ answers }).where('id', '=', id),
)
const billOfRegistration = statement((builder, { id }: RegistrationParams) =>
  builder
    .selectFrom('registrations')
    .select(['period', 'base', 'gst', 'total', 'bill'])
    .where('id', '=', id),
)
type NewPrice = RegistrationParams & {
  period: string | null
  base: Amount
  gst: Amount
  total: Amount
  bill: number | null
}
const savePrice = statement((builder, { id, period, base, gst, total, bill }: NewPrice) =>
  builder.updateTable('registrations').set({ period, base, gst, total, bill }).where('id', '=', id),
)
const savePayUntil = statement(
  (builder, { id, payUntil }: RegistrationParams & { payUntil: Instant | null }) =>
    builder
      .updateTable('registrations')
      .set({ offer: null, pay_until: payUntil })
      .where('id', '=', id),
)
/** Allows staff to count payments for this attempt if they were received after the refusal and are under review. */
const countReviewedPaymentsFor = statement(
  (builder, { id, attempt }: RegistrationParams & { attempt: number }) =>
    builder
      .updateTable('captures')
      .set(({ selectFrom }) => ({
        counts_for: selectFrom('payments as p')
          .select('p.id')
          .whereRef('p.registration_id', '=', 'captures.registration_id')
          .where('p.attempt', '=', attempt),
      }))
      .where('registration_id', '=', id)
      .where('state', '=', 'review')
      .where('counts_for', 'is', null),
)

/**
 * Approves a registration. If it is free, it is then complete; otherwise it must be paid by the given date. The email
 * states which of these applies.
 */
export function approve(sql: Sql, action: NewAction, approval: Approval): Promise<ActionResult> {
  return applyAction(sql, action, async (row) => {
    const quote = approval.replacedMethod?.quote ?? null
    if (quote !== null) await saveQuote(sql, row, quote)
    const total = quote?.total ?? row.total ?? toAmount(0)
    const startResult = await startPayment(
      sql,
      quote === null ? row : { ...row, ...(await readBill(sql, row.id)) },
      approval,
      total,
      action,
    )
    if (!startResult.ok) return startResult
    return ok({
      message: describeNextStep('Registration approved', total, row.currency),
      data: listChanges(approval),
    })
  })
}

/** Rejects an application and releases its seats. `offer`: the category offered instead, or null. */
export function rejectApplication(
  sql: Sql,
  action: NewAction,
  { offer, mail: email }: { readonly offer: string | null; readonly mail: NewMail | null },
): Promise<ActionResult> {
  return applyAction(sql, action, async ({ id }) => {
    saveOffer.run(sql, { id, offer })
    await settleRegistration(sql, id)
    if (email !== null) await enqueue(sql, id, 'again', email, action.at, action.actor)
    return ok({
      message: 'Registration rejected.',
      data: offer === null ? {} : { offer },
    })
  })
}

/**
 * Accepts the offer for the delegate. Changes the category, and with it the seats and the price (as of the registration
 * date).
 */
export function acceptOffer(
  sql: Sql,
  action: NewAction,
  offer: AcceptedOffer,
): Promise<ActionResult> {
  return applyAction(sql, action, async (row) => {
    const { category, quote } = offer
    if (row.offer !== category)
      return err({
        code: 'moved_on',
        message: SERVER_MESSAGES.selfService.offerChanged,
      })
    saveCategory.run(sql, { id: row.id, category })
    if (quote !== null) await saveQuote(sql, row, quote)
    const total = quote?.total ?? toAmount(0)
    const paymentStart = await startPayment(
      sql,
      { ...row, ...(await readBill(sql, row.id)) },
      offer,
      total,
      action,
    )
    if (!paymentStart.ok) return paymentStart
    return ok({
      message: describeNextStep('Offer accepted', total, row.currency),
      data: { category, ...listChanges(offer) },
    })
  })
}

const listChanges = ({ replacedMethod }: Approval): { readonly changes?: readonly string[] } =>
  replacedMethod ? { changes: [replacedMethod.change] } : {}

function describeNextStep(doneText: string, total: Amount, currency: Currency): string {
  return total === 0
    ? `${doneText}. It is complete.`
    : `${doneText}. A link to pay ${formatMoney(total, currency)} was sent.`
}

type Bill = Pick<RegistrationRow, 'period' | 'base' | 'gst' | 'total' | 'bill'>

async function readBill(sql: Sql, id: number): Promise<Bill> {
  const bill = await billOfRegistration.get(sql, { id })
  assert(bill !== undefined, 'a registration was removed while its offer was accepted')
  return bill
}

async function saveQuote(sql: Sql, { id }: RegistrationRow, quote: Quote): Promise<void> {
  const bill = saveLines(sql, id, await getNextBill(sql, id), quote.lines)
  const { period, base, gst, total } = quote
  savePrice.run(sql, { id, period, base, gst, total, bill })
}

/** Reserves the seats and starts the payment. The gateway is not queried until the delegate has been sent to it. */
async function startPayment(
  sql: Sql,
  row: RegistrationRow,
  { channel, replacedMethod, payUntil, mail: email, confirmation }: Approval,
  total: Amount,
  { at, actor }: Pick<NewAction, 'at' | 'actor'>,
): Promise<Result<null, ActionRefusal>> {
  const { id, event_id: eventId } = row
  const unavailableSeat = await retakeLostSeats(sql, eventId, id, at)
  if (unavailableSeat !== null)
    return err({
      code: 'taken',
      message: `No seats are left for ${unavailableSeat.name}.`,
    })
  if (total > 0 && channel === null)
    return err({ code: 'bad_data', message: 'This event no longer takes payments.' })
  savePayUntil.run(sql, { id, payUntil: total > 0 ? payUntil : null })
  if (replacedMethod) {
    saveAnswers.run(sql, { id, answers: JSON.stringify(replacedMethod.answers) })
    await reindexRegistration(sql, id)
  }
  if (total > 0 && channel !== null) {
    const attempt = await findNextAttempt(sql, id)
    const { base, gst, period, bill } = row
    const isInserted = await insertPayment(sql, {
      registrationId: id,
      orderId: createOrderId(row.reg_no, attempt),
      attempt,
      ...toChannelColumns(channel),
      amount: total,
      quote: base === null || gst === null ? null : { period, base, gst },
      holdUntil: payUntil,
      bill,
      isHandedOff: false,
      at,
    })
    assert(isInserted, `order id ${attempt} of a registration is already used`)
    countReviewedPaymentsFor.run(sql, { id, attempt })
  }
  await settleRegistration(sql, id)
  if (total > 0 && email !== null) await enqueue(sql, id, 'again', email, at, actor)
  if (total === 0 && confirmation !== null) confirmByMail(sql, id, confirmation, at)
  return ok(null)
}
