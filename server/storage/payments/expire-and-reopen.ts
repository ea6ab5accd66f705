/** Expires registrations that were not paid in time, and reopens expired ones. */
import { expressionBuilder } from 'kysely'
import { err, ok } from '../../../engine/index.ts'
import type { Instant, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { enqueue } from '../mail/email-queue.ts'
import { reopenPayment } from '../recovery/clock-moved-back.ts'
import { noRecoveryIsOpen } from '../recovery/held-during-recovery.ts'
import type { ActionResult, NewAction } from '../registrations/action-types.ts'
import { applyAction } from '../registrations/apply-action.ts'
import type { NewMail } from '../registrations/registration-types.ts'
import { reserveSeatsAgain } from '../seats/keep-and-release-seats.ts'
import {
  closeOpenPayments,
  RESPONSES_WITH_PENDING_PAYMENT,
  requestManualPayment,
} from './payment-attempts.ts'
import { settleRegistration } from './settle-registration.ts'

const byRegistration = expressionBuilder<Tables, 'registrations'>()
/** True if an open payment of `registrations` may still succeed. */
const mayStillBePaid = byRegistration.exists(
  byRegistration
    .selectFrom('payments as p')
    .select('p.id')
    .whereRef('p.registration_id', '=', 'registrations.id')
    .where('p.status', '=', 'pending')
    .where('p.last_answer', 'in', RESPONSES_WITH_PENDING_PAYMENT),
)
const registrationWithPaymentUnderWay = statement((builder, { id }: { id: number }) =>
  builder.selectFrom('registrations').select('id').where('id', '=', id).where(mayStillBePaid),
)
const newestPayment = statement((builder, { registrationId }: { registrationId: number }) =>
  builder
    .selectFrom('payments')
    .select(['id', 'status', 'reason'])
    .where('registration_id', '=', registrationId)
    .where('asks_for', '=', 'whole')
    .orderBy('attempt', 'desc')
    .limit(1),
)
const setDeadline = statement((builder, { id, payUntil }: { id: number; payUntil: Instant }) =>
  builder.updateTable('registrations').set({ pay_until: payUntil }).where('id', '=', id),
)
const overdueRegistrations = statement(
  (builder, { at, limit }: { at: Instant; limit: number }, dialect) =>
    builder
      .selectFrom('registrations')
      .select('reg_no')
      .where('state', '=', 'to_pay')
      .where('pay_until', 'is not', null)
      .where('pay_until', '<=', at)
      .where('payment_status', '<>', 'success')
      .where('in_review', '=', 0)
      .where(({ not }) => not(mayStillBePaid))
      .where(noRecoveryIsOpen)
      .orderBy('pay_until')
      .limit(dialect.limit(limit)),
)

/** Expires a registration that was not paid in time, and releases its seats. */
export function expireRegistration(
  sql: Sql,
  action: NewAction,
  email: NewMail | null,
): Promise<ActionResult> {
  return applyAction(sql, action, async ({ id, payment_status: status, in_review: inReview }) => {
    const pendingAtGateway = await registrationWithPaymentUnderWay.get(sql, { id })
    if (status === 'success' || inReview === 1 || pendingAtGateway !== undefined)
      return err({ code: 'moved_on', message: 'A payment has arrived in the meantime.' })
    await closeOpenPayments(sql, id, 'expired', action.at)
    await settleRegistration(sql, id)
    if (email !== null) await enqueue(sql, id, 'again', email, action.at, action.actor)
    return ok({ message: 'The registration has expired.' })
  })
}

/**
 * Undoes an expiry that happened because the clock was ahead. Restores the original deadline if seats for the
 * registration are still available.
 */
export function undoExpiry(
  sql: Sql,
  action: NewAction,
  email: NewMail | null,
): Promise<ActionResult> {
  const { at } = action
  return applyAction(sql, action, async ({ id }) => {
    const newest = await newestPayment.get(sql, { registrationId: id })
    if (newest?.status === 'failed' && newest.reason === 'expired')
      await reopenPayment(sql, newest.id, at)
    await settleRegistration(sql, id)
    const unavailableSeat = await reserveSeatsAgain(sql, id, at)
    if (unavailableSeat !== null)
      return err({ code: 'taken', message: `No seats are left for ${unavailableSeat.name}.` })
    if (email !== null) await enqueue(sql, id, 'again', email, at, action.actor)
    return ok({ message: 'Registration reopened.' })
  })
}

/** Reopens an expired registration at its original price, if seats for it are still available. */
export function reopenExpired(
  sql: Sql,
  action: NewAction,
  {
    method,
    payUntil,
    mail: email,
  }: {
    readonly method: string | null
    readonly payUntil: Instant
    readonly mail: NewMail | null
  },
): Promise<ActionResult> {
  const { at, regNo } = action
  return applyAction(sql, action, async ({ id }) => {
    setDeadline.run(sql, { id, payUntil })
    if (method !== null) await requestManualPayment(sql, { id, regNo }, method, at)
    await settleRegistration(sql, id)
    const unavailableSeat = await reserveSeatsAgain(sql, id, at)
    if (unavailableSeat !== null)
      return err({ code: 'taken', message: `No seats are left for ${unavailableSeat.name}.` })
    if (email !== null) await enqueue(sql, id, 'again', email, at, action.actor)
    return ok({ message: 'Registration reopened.' })
  })
}

/**
 * Returns unpaid registrations whose deadline has passed, the longest overdue first. Registrations that are under
 * review, or may have been paid, do not expire.
 */
export async function findOverdueRegistrations(
  sql: Sql,
  at: Instant,
  limit: number,
): Promise<readonly RegNo[]> {
  const registrations = await overdueRegistrations.all(sql, { at, limit })
  return registrations.map(({ reg_no }) => reg_no)
}
