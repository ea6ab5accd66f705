/**
 * Stores corrected answers. Checks the seats, codes and unique answers that the new answers need.
 * A changed price becomes an amount to be paid or refunded, in addition to the bill.
 */
import type { Selectable } from 'kysely'
import { err, formatMoney, ok, createOrderId, toAmount } from '../../../engine/index.ts'
import { SERVER_MESSAGES } from '../../../engine/messages.ts'
import type { Currency, ActionRefusal, Instant, Amount, Result } from '../../../engine/index.ts'
import type { ActionResult, Correction, NewAction } from './action-types.ts'
import { applyAction } from './apply-action.ts'
import {
  placeBalanceOrder,
  toChannelColumns,
  closeOpenPayments,
  insertPayment,
  findNextAttempt,
} from '../payments/payment-attempts.ts'
import { computeBalance } from '../payments/stored-balance.ts'
import { saveLines, getNextBill } from '../payments/stored-bill-lines.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { coverBill } from '../documents/cover-bill.ts'
import { explainRecipientChange } from '../documents/document-recipient.ts'
import { storeCoveredBill } from '../documents/issue-documents.ts'
import {
  recordAdjustment,
  getStoredBalance,
  getRefundInProgress,
} from '../payments/balance-adjustments.ts'
import { confirmByMail, enqueue } from '../mail/email-queue.ts'
import { updateSeatsAfterCorrection } from '../seats/recompute-seats.ts'
import type { RegistrationRow } from './row-mapping.ts'
import { replaceUploads } from '../files/replace-uploads.ts'
import { reindexRegistration } from '../lists/search-index.ts'
import { settleRegistration } from '../payments/settle-registration.ts'
import { expireKeys } from './idempotency-keys.ts'
import { deleteBrowsers } from './same-person.ts'
import { lockUniqueAnswers, reindexAnswers, findConflictingAnswer } from './unique-answers.ts'

type RegistrationParams = { id: number }
const endLinks = statement((builder, { id, at }: RegistrationParams & { at: Instant }) =>
  builder
    .updateTable('links')
    .set({ expires_at: at })
    .where('registration_id', '=', id)
    .where('expires_at', '>', at),
)
type AnsweredRegistration = Pick<
  Selectable<Tables['registrations']>,
  'id' | 'answers' | 'category' | 'full_name' | 'email' | 'phone' | 'council_no'
>
const saveAnswers = statement((builder, row: AnsweredRegistration) =>
  builder
    .updateTable('registrations')
    .set({
      answers: row.answers,
      category: row.category,
      full_name: row.full_name,
      email: row.email,
      phone: row.phone,
      council_no: row.council_no,
    })
    .where('id', '=', row.id),
)
const paidRegistration = statement((builder, { id }: RegistrationParams) =>
  builder
    .selectFrom('registrations')
    .select('id')
    .where('id', '=', id)
    .where('payment_status', '=', 'success'),
)
/**
 * Records that a registration was complete because it was free. Its unpaid and refunded attempts then have no effect on
 * its price.
 */
const markFreeUntilNow = statement((builder, { id }: RegistrationParams) =>
  builder
    .updateTable('registrations')
    .set(({ selectFrom }) => ({
      freed_at_attempt: selectFrom('payments as p')
        .select(({ fn }) => fn.max('p.attempt').as('attempt'))
        .whereRef('p.registration_id', '=', 'registrations.id'),
    }))
    .where('id', '=', id)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('payments as p')
            .select('p.id')
            .whereRef('p.registration_id', '=', 'registrations.id')
            .where('p.asks_for', '=', 'whole')
            .where('p.status', '=', 'success'),
        ),
      ),
    ),
)
type NewPrice = RegistrationParams & {
  period: string | null
  base: Amount
  gst: Amount
  total: Amount
  bill: number | null
}
const saveNewPrice = statement((builder, { id, period, base, gst, total, bill }: NewPrice) =>
  builder
    .updateTable('registrations')
    .set({ period, base, gst, total, bill, is_corrected: 1 })
    .where('id', '=', id),
)

/** Stores a correction or a transfer; `action.act` states which. */
export function correct(
  sql: Sql,
  action: NewAction,
  correction: Correction,
): Promise<ActionResult> {
  const { at } = action
  const {
    previousAnswers,
    changes,
    emails,
    revokesLinks,
    uploads,
    confirmation = null,
  } = correction
  return applyAction(sql, { ...action, previousAnswers }, async (row) => {
    const recipientText =
      action.act === 'edit' || changes.length === 0
        ? ''
        : await explainRecipientChange(
            sql,
            row,
            { ...correction.searchable, answers: correction.answers },
            { act: action.act, data: { changes } },
          )
    const saveResult = await replaceAnswers(sql, row, correction, at)
    if (!saveResult.ok) return saveResult
    const balanceChange = await reprice(sql, row, correction, action)
    if (!balanceChange.ok) return balanceChange
    replaceUploads(sql, row.id, uploads)
    await settleRegistration(sql, row.id)
    await reindexRegistration(sql, row.id)
    if (revokesLinks) endLinks.run(sql, { id: row.id, at })
    if (action.act === 'transfer' || hasNewAddress(row, correction)) expireKeys(sql, row.id)
    if (action.act === 'transfer' || hasNewAddress(row, correction)) deleteBrowsers(sql, row.id)
    for (const email of emails) await enqueue(sql, row.id, 'again', email, at, action.actor)
    if (confirmation !== null && row.payment_status !== 'success' && (await isPaid(sql, row.id)))
      confirmByMail(sql, row.id, confirmation, at)
    return ok({
      message:
        describeCorrection(action.act, changes, balanceChange.value, row.currency) + recipientText,
      data: {
        changes,
        difference: balanceChange.value,
        due: (await isPaid(sql, row.id)) ? await getStoredBalance(sql, row.id) : null,
      },
    })
  })
}

/**
 * Returns true if the email address changed. The browser in which the delegate registered may then belong to another
 * person.
 */
const hasNewAddress = ({ email }: RegistrationRow, { searchable }: Correction): boolean =>
  email.toLowerCase() !== searchable.email.toLowerCase()

const { selfService } = SERVER_MESSAGES

function describeCorrection(
  actionName: NewAction['act'],
  changes: readonly string[],
  balanceChange: Amount,
  currency: Currency,
): string {
  if (actionName === 'transfer') return 'Registration transferred.'
  if (actionName === 'edit')
    return changes.length === 0 ? selfService.nothingChanged : selfService.saved
  if (changes.length === 0) return selfService.nothingChanged
  if (balanceChange === 0) return 'Correction saved.'
  const amount = formatMoney(toAmount(Math.abs(balanceChange)), currency)
  return balanceChange > 0
    ? `Correction saved. The price is ${amount} higher.`
    : `Correction saved. The price is ${amount} lower.`
}

async function replaceAnswers(
  sql: Sql,
  { id, event_id: eventId }: RegistrationRow,
  { answers, category, searchable, unique }: Correction,
  at: Instant,
): Promise<Result<null, ActionRefusal>> {
  const rules = unique.filter(({ onDuplicate }) => onDuplicate === 'block')
  lockUniqueAnswers(sql, eventId, rules, answers)
  const conflicting = await findConflictingAnswer(sql, eventId, rules, answers, id)
  if (conflicting !== null)
    return err({
      code: 'taken',
      message: `${conflicting.regNo} is already registered with these answers.`,
    })
  saveAnswers.run(sql, {
    id,
    answers: JSON.stringify(answers),
    category,
    full_name: searchable.fullName,
    email: searchable.email,
    phone: searchable.phone,
    council_no: searchable.councilNo,
  })
  await reindexAnswers(sql, eventId, id, unique, answers)
  const unavailableSeat = await updateSeatsAfterCorrection(sql, eventId, id, at)
  return unavailableSeat === null
    ? ok(null)
    : err({
        code: 'taken',
        message: `No seats are left for ${unavailableSeat.name}, which these answers need.`,
      })
}

const isPaid = async (sql: Sql, id: number): Promise<boolean> =>
  (await paidRegistration.get(sql, { id })) !== undefined

/**
 * Applies a price change. An unpaid amount is requested again at the new price. Payments that were received still
 * count.
 */
async function reprice(
  sql: Sql,
  row: RegistrationRow,
  { quote, channel, holdUntil, changes }: Correction,
  { act, at }: NewAction,
): Promise<Result<Amount, ActionRefusal>> {
  if (quote === null) return ok(toAmount(0))
  if (row.in_review === 1)
    return err({
      code: 'moved_on',
      message:
        'A payment of this registration needs review. Decide on it before you change the price.',
    })
  const balanceChange = toAmount(quote.total - (row.total ?? 0))
  // A refund is matched with the amount due only by its amount. If the price changed meanwhile, the refund would be
  // lost.
  if (balanceChange !== 0 && (await getRefundInProgress(sql, row.id)) > 0)
    return err({
      code: 'moved_on',
      message:
        'A refund of this registration is in progress. Change the price when it is done or rejected.',
    })
  await storeCoveredBill(sql, row)
  const balanceBefore = await computeBalance(sql, row.id)
  const bill = saveLines(sql, row.id, await getNextBill(sql, row.id), quote.lines)
  const { period, base, gst, total } = quote
  saveNewPrice.run(sql, { id: row.id, period, base, gst, total, bill })
  if (row.payment_status === 'success') {
    if (row.is_corrected === 1 && row.total === 0) markFreeUntilNow.run(sql, { id: row.id })
    recordAdjustment(
      sql,
      row.id,
      { what: 'corrected', amount: (await computeBalance(sql, row.id)) - balanceBefore },
      at,
    )
    await placeBalanceOrder(sql, { ...row, due: await getStoredBalance(sql, row.id) }, channel, at)
    await coverBill(sql, row.id, at, { action: { act, data: { changes } } })
    return ok(balanceChange)
  }
  await closeOpenPayments(sql, row.id, 'corrected', at)
  const attempt = await findNextAttempt(sql, row.id)
  if (quote.total > 0 && channel !== null && row.state !== 'to_approve')
    await insertPayment(sql, {
      registrationId: row.id,
      orderId: createOrderId(row.reg_no, attempt),
      attempt,
      ...toChannelColumns(channel),
      amount: quote.total,
      quote,
      holdUntil,
      bill,
      at,
    })
  return ok(balanceChange)
}
