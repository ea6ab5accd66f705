/**
 * Stores payment claims ("I have paid") for payments that no gateway reports.
 * A claim waits until staff find the payment at the bank or reject it; meanwhile nobody else of the event can claim
 * the same reference, and the seats stay held.
 */
import { ATTEMPTS_MAX, bankKey, err, ok, orderIdOf } from '../../../engine/index.ts'
import { REFUSAL_MESSAGES } from '../../../engine/messages.ts'
import type { Answers, BankKey, Instant, RegNo } from '../../../engine/index.ts'
import type { ActionOutcome, NewAction } from '../registrations/action-types.ts'
import { doAct } from '../registrations/apply-action.ts'
import { endOpenPayments, insertPayment, nextAttempt } from './payment-attempts.ts'
import { ownerOf, paymentsUnder, type Named } from '../reconciliation/bank-references.ts'
import { reopenPayment } from '../recovery/clock-moved-back.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { NOT_IN_RECOVERY } from '../recovery/held-during-recovery.ts'
import { forgetDraft } from '../files/stored-draft-uploads.ts'
import { enqueue } from '../mail/email-queue.ts'
import { keepAgain } from '../seats/keep-and-release-seats.ts'
import { quoteOf } from '../registrations/row-mapping.ts'
import type { PaymentRow } from '../registrations/row-mapping.ts'
import type { NewMail } from '../registrations/registration-types.ts'
import type { NewPaymentClaim, StoredPaymentClaim } from './payment-claim-types.ts'
import { settleRegistration } from './payment-state.ts'

export function tell(
  sql: Sql,
  wanted: NewAction,
  telling: NewPaymentClaim,
  mail: NewMail | null,
): ActionOutcome {
  const { at, regNo } = wanted
  const { way, reference, paidOn, answers, uploads, drafts } = telling
  return doAct(sql, wanted, ({ id, event_id: eventId }) => {
    const folded = bankKey(reference)
    const known = knownAs(sql, { reference, eventId, regNo })
    if (known !== null) return err({ code: 'taken', message: known })
    endTellings(sql, id, at)
    // Found as another amount, or by a wrong way, it may be told once more: this telling is the one that stands.
    sql(
      "UPDATE tellings SET ended_as = 'again', ended_at = ? WHERE registration_id = ? AND folded = ? AND ended_as = 'found'",
    ).run(at, id, folded)
    sql(
      'INSERT INTO tellings (registration_id, event_id, at, way, reference, folded, paid_on, answers) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    ).run(id, eventId, at, way, reference, folded, paidOn, JSON.stringify(answers))
    for (const { field, sha256, name, type, bytes } of uploads)
      sql(
        `INSERT INTO uploads (registration_id, field, sha256, name, type, bytes) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET sha256 = excluded.sha256, name = excluded.name, type = excluded.type, bytes = excluded.bytes, dropped_at = NULL`,
      ).run(id, field, sha256, name, type, bytes)
    for (const draft of drafts) forgetDraft(sql, eventId, draft)
    payByHand(sql, { id, regNo }, way, at)
    // An order of the gateway that ended for it has left what nobody paid in time.
    sql("UPDATE registrations SET state = 'told' WHERE id = ?").run(id)
    settleRegistration(sql, id)
    keepAgain(sql, id, at)
    if (mail !== null) enqueue(sql, id, 'again', mail, at, wanted.actor)
    return ok({
      message: REFUSAL_MESSAGES.selfService.claimed,
      data: { told: reference },
    })
  })
}

/** Why this reference is not looked for, said to whoever tells it; null: it is. */
function knownAs(sql: Sql, claim: Omit<Named, 'way'>): string | null {
  const owner = ownerOf(sql, { ...claim, way: 'transfer' })
  if (owner === null) return null
  return owner.is === 'payment' && owner.regNo === claim.regNo
    ? 'This payment has been found already, and it is with the organisers. You need not tell of it again; they will write to you.'
    : 'This number has been told for another registration already. Please check it. If it is right, write to the organisers.'
}

/** Closes the open claims of a registration. Their references stay known; the next claim releases them. */
export function endTellings(sql: Sql, registrationId: number, at: Instant): void {
  sql(
    "UPDATE tellings SET ended_as = 'again', ended_at = ? WHERE registration_id = ? AND ended_as IS NULL",
  ).run(at, registrationId)
}

type Reported = { id: number; folded: BankKey; ended_as: StoredPaymentClaim['endedAs'] }

/** What its delegate reported, and which payment of which registration is recorded under that. */
function reported(sql: Sql, registrationId: number) {
  return sql<Reported>(
    'SELECT id, folded, ended_as FROM tellings WHERE registration_id = ? ORDER BY id',
  )
    .all(registrationId)
    .map(({ folded, ...row }) => ({
      ...row,
      payment: paymentsUnder(sql, [folded])[0]?.[1] ?? null,
    }))
}

const endOne = (sql: Sql, id: number, as: 'found' | 'not_found', at: Instant): void =>
  void sql('UPDATE tellings SET ended_as = ?, ended_at = ? WHERE id = ?').run(as, at, id)

/** A payment arrived: a claim is found if the payment is recorded under its reference, else it is closed. */
export function foundTellings(
  sql: Sql,
  { id, regNo }: { readonly id: number; readonly regNo: RegNo },
  at: Instant,
): void {
  for (const one of reported(sql, id))
    if (one.ended_as === null && one.payment?.regNo === regNo) endOne(sql, one.id, 'found', at)
  endTellings(sql, id, at)
}

/** Frees every reference of it that no payment is recorded under; false: there is none. */
function reject(sql: Sql, registrationId: number, at: Instant): boolean {
  const kept = reported(sql, registrationId).filter(
    ({ ended_as: endedAs, payment }) => endedAs !== 'not_found' && payment === null,
  )
  for (const { id } of kept) endOne(sql, id, 'not_found', at)
  return kept.length > 0
}

/**
 * Makes the newest attempt one without a gateway, at the original price. A payment that the bank is processing,
 * or that the gateway cannot be queried about, stays: it ends by itself, or needs review.
 */
export function payByHand(
  sql: Sql,
  { id, regNo }: { readonly id: number; readonly regNo: RegNo },
  way: string,
  at: Instant,
): void {
  const newest = sql<PaymentRow>(
    "SELECT * FROM payments WHERE registration_id = ? AND asks_for = 'whole' ORDER BY status = 'success' DESC, attempt DESC LIMIT 1",
  ).get(id)
  // Once any attempt has paid, an order for the difference asks for what is due: the whole is asked for no more.
  if (newest === undefined || newest.status === 'success' || newest.status === 'refunded') return
  const isOpen = newest.status === 'pending'
  if (isOpen && (newest.way !== null || MAY_COME_AFTER.includes(newest.last_answer))) return
  const attempt = nextAttempt(sql, id)
  if (attempt > ATTEMPTS_MAX) return
  endOpenPayments(sql, id, 'expired', at)
  insertPayment(sql, {
    registrationId: id,
    orderId: orderIdOf(regNo, attempt),
    attempt,
    gateway: null,
    way,
    askedOf: null,
    amount: newest.amount,
    quote: quoteOf(newest),
    holdUntil: newest.hold_until,
    bill: newest.bill,
    at,
  })
}

/**
 * Rejects a claim: the delegate may claim again until `payUntil`. If the registration expects no payment any
 * more, its reported references are free for others.
 */
export function notFound(
  sql: Sql,
  wanted: NewAction,
  { payUntil, mail }: { readonly payUntil: Instant | null; readonly mail: NewMail | null },
): ActionOutcome {
  return doAct(sql, wanted, ({ id }, was) => {
    const isAny = reject(sql, id, wanted.at)
    if (was !== 'told')
      return isAny
        ? ok({ message: 'The reported reference is released for other registrations.' })
        : err({ code: 'not_now', message: 'No reported reference waits for a decision.' })
    sql('UPDATE registrations SET pay_until = ? WHERE id = ?').run(payUntil, id)
    settleRegistration(sql, id)
    if (mail !== null) enqueue(sql, id, 'again', mail, wanted.at, wanted.actor)
    return ok({ message: 'Payment claim rejected. The delegate gets an email.' })
  })
}

/**
 * The bank has it in process, or the gateway cannot be asked: nobody knows that it was not paid. Within days it is
 * known, or before a person.
 */
const MAY_COME_AFTER: readonly unknown[] = ['in-process', 'unreachable']
const MAY_COME = `EXISTS (SELECT 1 FROM payments p WHERE p.registration_id = registrations.id
  AND p.status = 'pending' AND p.last_answer IN (${MAY_COME_AFTER.map((said) => `'${said}'`).join(', ')}))`

/** Expires a registration not paid in time: releases its seats. */
export function lapse(sql: Sql, wanted: NewAction, mail: NewMail | null): ActionOutcome {
  return doAct(sql, wanted, ({ id, payment_status: status, in_review: inReview }) => {
    const mayCome = sql(`SELECT 1 FROM registrations WHERE id = ? AND ${MAY_COME}`).get(id)
    if (status === 'success' || inReview === 1 || mayCome !== undefined)
      return err({ code: 'moved_on', message: 'A payment has arrived in the meantime.' })
    endOpenPayments(sql, id, 'expired', wanted.at)
    settleRegistration(sql, id)
    if (mail !== null) enqueue(sql, id, 'again', mail, wanted.at, wanted.actor)
    return ok({ message: 'The registration has expired.' })
  })
}

/**
 * Undoes an expiry caused by a clock that was ahead: the original deadline applies again, if its seats are still
 * free.
 */
export function reopen(sql: Sql, wanted: NewAction, mail: NewMail | null): ActionOutcome {
  const { at } = wanted
  return doAct(sql, wanted, ({ id }) => {
    const newest = sql<{ id: number; reason: string | null }>(
      "SELECT id, iif(status = 'failed', reason, NULL) AS reason FROM payments WHERE registration_id = ? AND asks_for = 'whole' ORDER BY attempt DESC LIMIT 1",
    ).get(id)
    if (newest?.reason === 'expired') reopenPayment(sql, newest.id, at)
    settleRegistration(sql, id)
    const gone = keepAgain(sql, id, at)
    if (gone !== null) return err({ code: 'taken', message: `No seats are left for ${gone.name}.` })
    if (mail !== null) enqueue(sql, id, 'again', mail, at, wanted.actor)
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
): ActionOutcome {
  const { at, regNo } = wanted
  return doAct(sql, wanted, ({ id }) => {
    sql('UPDATE registrations SET pay_until = ? WHERE id = ?').run(payUntil, id)
    if (way !== null) payByHand(sql, { id, regNo }, way, at)
    settleRegistration(sql, id)
    const gone = keepAgain(sql, id, at)
    if (gone !== null) return err({ code: 'taken', message: `No seats are left for ${gone.name}.` })
    if (mail !== null) enqueue(sql, id, 'again', mail, at, wanted.actor)
    return ok({ message: 'Registration reopened.' })
  })
}

/**
 * Returns unpaid registrations whose deadline has passed, the longest overdue first. Registrations that are paid,
 * may have been paid or need review do not expire.
 */
export function overdue(sql: Sql, at: Instant, limit: number): readonly RegNo[] {
  return sql<{ reg_no: RegNo }>(
    `SELECT reg_no FROM registrations WHERE state = 'to_pay' AND pay_until IS NOT NULL AND pay_until <= ?
       AND payment_status <> 'success' AND in_review = 0 AND NOT ${MAY_COME} AND ${NOT_IN_RECOVERY} ORDER BY pay_until LIMIT abs(?)`,
  )
    .all(at, limit)
    .map(({ reg_no }) => reg_no)
}

/** Returns the claims of a registration, newest first. Reads only; also runs outside the writer's transaction. */
export function tellingsOf(sql: Sql, regNo: RegNo): readonly StoredPaymentClaim[] {
  const rows = sql<
    Omit<StoredPaymentClaim, 'answers' | 'isRecorded'> & { answers: string; folded: BankKey }
  >(
    `SELECT at, way, reference, folded, paid_on AS paidOn, answers, ended_as AS endedAs FROM tellings
     WHERE registration_id = (SELECT id FROM registrations WHERE reg_no = ?) ORDER BY id DESC`,
  ).all(regNo)
  const recorded = new Set(
    paymentsUnder(
      sql,
      rows.map(({ folded }) => folded),
    ).map(([key]) => key),
  )
  return rows.map(({ folded, ...row }) => ({
    ...row,
    answers: JSON.parse(row.answers) as Answers,
    isRecorded: recorded.has(folded),
  }))
}
