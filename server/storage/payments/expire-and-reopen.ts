/** Expires registrations not paid in time, and reopens expired ones. */
import { err, ok } from '../../../engine/index.ts'
import type { Instant, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { enqueue } from '../mail/email-queue.ts'
import { reopenPayment } from '../recovery/clock-moved-back.ts'
import { NOT_IN_RECOVERY } from '../recovery/held-during-recovery.ts'
import type { ActionOutcome, NewAction } from '../registrations/action-types.ts'
import { doAct } from '../registrations/apply-action.ts'
import type { NewMail } from '../registrations/registration-types.ts'
import { keepAgain } from '../seats/keep-and-release-seats.ts'
import { endOpenPayments, MAY_COME_AFTER, payByHand } from './payment-attempts.ts'
import { settleRegistration } from './payment-state.ts'

/** True if an open payment of `registrations` may still succeed. */
const MAY_COME = `EXISTS (SELECT 1 FROM payments p WHERE p.registration_id = registrations.id
  AND p.status = 'pending' AND p.last_answer IN (${MAY_COME_AFTER.map((said) => `'${said}'`).join(', ')}))`

/** Expires a registration not paid in time: releases its seats. */
export function lapse(sql: Sql, wanted: NewAction, mail: NewMail | null): Promise<ActionOutcome> {
  return doAct(sql, wanted, async ({ id, payment_status: status, in_review: inReview }) => {
    const mayCome = await sql(`SELECT 1 FROM registrations WHERE id = ? AND ${MAY_COME}`).get(id)
    if (status === 'success' || inReview === 1 || mayCome !== undefined)
      return err({ code: 'moved_on', message: 'A payment has arrived in the meantime.' })
    await endOpenPayments(sql, id, 'expired', wanted.at)
    await settleRegistration(sql, id)
    if (mail !== null) await enqueue(sql, id, 'again', mail, wanted.at, wanted.actor)
    return ok({ message: 'The registration has expired.' })
  })
}

/**
 * Undoes an expiry caused by a clock that was ahead: the original deadline applies again, if its seats are still
 * free.
 */
export function reopen(sql: Sql, wanted: NewAction, mail: NewMail | null): Promise<ActionOutcome> {
  const { at } = wanted
  return doAct(sql, wanted, async ({ id }) => {
    const newest = await sql<{ id: number; reason: string | null }>(
      "SELECT id, iif(status = 'failed', reason, NULL) AS reason FROM payments WHERE registration_id = ? AND asks_for = 'whole' ORDER BY attempt DESC LIMIT 1",
    ).get(id)
    if (newest?.reason === 'expired') await reopenPayment(sql, newest.id, at)
    await settleRegistration(sql, id)
    const gone = await keepAgain(sql, id, at)
    if (gone !== null) return err({ code: 'taken', message: `No seats are left for ${gone.name}.` })
    if (mail !== null) await enqueue(sql, id, 'again', mail, at, wanted.actor)
    return ok({ message: 'Registration reopened.' })
  })
}

/** Reopens an expired registration at its original price, if its seats are still free. */
export function takeUp(
  sql: Sql,
  wanted: NewAction,
  {
    way,
    payUntil,
    mail,
  }: {
    readonly way: string | null
    readonly payUntil: Instant
    readonly mail: NewMail | null
  },
): Promise<ActionOutcome> {
  const { at, regNo } = wanted
  return doAct(sql, wanted, async ({ id }) => {
    sql('UPDATE registrations SET pay_until = ? WHERE id = ?').run(payUntil, id)
    if (way !== null) await payByHand(sql, { id, regNo }, way, at)
    await settleRegistration(sql, id)
    const gone = await keepAgain(sql, id, at)
    if (gone !== null) return err({ code: 'taken', message: `No seats are left for ${gone.name}.` })
    if (mail !== null) await enqueue(sql, id, 'again', mail, at, wanted.actor)
    return ok({ message: 'Registration reopened.' })
  })
}

/**
 * Returns unpaid registrations whose deadline has passed, the longest overdue first. Registrations that are paid,
 * may have been paid or need review do not expire.
 */
export async function overdue(sql: Sql, at: Instant, limit: number): Promise<readonly RegNo[]> {
  return (
    await sql<{ reg_no: RegNo }>(
      `SELECT reg_no FROM registrations WHERE state = 'to_pay' AND pay_until IS NOT NULL AND pay_until <= ?
       AND payment_status <> 'success' AND in_review = 0 AND NOT ${MAY_COME} AND ${NOT_IN_RECOVERY} ORDER BY pay_until LIMIT abs(?)`,
    ).all(at, limit)
  ).map(({ reg_no }) => reg_no)
}
