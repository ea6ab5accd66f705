/**
 * Money that came on a way of its own, by transfer or at the desk, confirmed by a person. It is a capture like
 * any other: what fits pays, what does not waits for a decision.
 */
import {
  ATTEMPTS_MAX,
  err,
  formatMoney,
  isOfTheDesk,
  ok,
  orderIdOf,
  reviewOf,
  wayInSentence,
} from '../../engine/index.ts'
import type { Instant, Paise, Quote, RegNo, Way } from '../../engine/index.ts'
import type { ActAnswer, NewAct } from './acting.ts'
import { doAct } from './acts.ts'
import { endOpenPayments, insertPayment, nextAttempt } from './attempts.ts'
import { keepLines } from './bills.ts'
import type { Sql } from './database.ts'
import { count } from './deciding.ts'
import { endTellings } from './telling.ts'
import { captureRow } from './giving-back.ts'
import { placeGone } from './places.ts'
import { toPayment } from './rows.ts'
import type { PaymentRow } from './rows.ts'
import { joined, paymentById, settleRegistration, stand } from './standing.ts'
import type { NewMail } from './store.ts'

export type Came = {
  readonly way: Way
  readonly reference: string
  readonly amount: Paise
  readonly paidAt: Instant
  /** The price of the day on which it came, where that decides; left out: that of the attempt. */
  readonly price?: Quote | null
}

/** `mail` is queued only when it makes the registration a success. */
export function confirm(
  sql: Sql,
  wanted: NewAct,
  { way, reference, amount, paidAt, price = null }: Came,
  mail: NewMail | null,
): ActAnswer {
  const { regNo, at } = wanted
  return doAct(sql, wanted, ({ id, event_id: eventId }) => {
    if (price !== null) priceAnew(sql, { id, regNo }, price, at)
    const newest = sql<{ id: number }>(
      "SELECT id FROM payments WHERE registration_id = ? AND status IN ('pending', 'failed') ORDER BY attempt DESC LIMIT 1",
    ).get(id)
    if (newest === undefined)
      return err({ code: 'bad_data', message: 'Nothing is to be paid for this registration.' })
    const account = accountOf(way, eventId)
    const known = knownAs(sql, way, account, reference)
    if (known !== null) return err({ code: 'taken', message: known })
    const row = paymentById(sql, newest.id)
    const place = row.asks_for === 'difference' ? null : placeGone(sql, id, at)
    const why =
      amount !== row.amount
        ? reviewOf({ code: 'amount_differs', expected: row.amount, got: amount })
        : place === null
          ? null
          : reviewOf({ code: 'place_gone', place: place.name })
    const captureId = keepCame(
      sql,
      { id, paymentId: row.id, account },
      { way, reference, amount, paidAt },
      why,
      at,
    )
    endTellings(sql, id, 'found', at)
    const came = `${formatMoney(amount)} ${wayInSentence(way)}`
    const data = { came: `${came}, ${reference}`, paid_at: paidAt }
    if (why !== null) {
      stand(sql, row, { ...toPayment(row), review: joined(row.review, why) }, at)
      return ok({ message: `${came} is before the treasurer: ${why}`, data })
    }
    const counted = count(sql, captureRow(sql, captureId), row, row.review, at, mail)
    if (!counted.ok) return counted
    return ok({ message: `${came} is confirmed: ${regNo} is paid.`, data })
  })
}

/**
 * Money for what is paid already, or has ended: it is before a person, who gives it back, moves it to whoever it was
 * meant for, or leaves it.
 */
export function cameAgain(
  sql: Sql,
  wanted: NewAct,
  { way, reference, amount, paidAt }: Omit<Came, 'price'>,
): ActAnswer {
  const { at } = wanted
  return doAct(sql, wanted, ({ id, event_id: eventId, state }) => {
    const account = accountOf(way, eventId)
    const known = knownAs(sql, way, account, reference)
    if (known !== null) return err({ code: 'taken', message: known })
    const newest = sql<{ id: number; reference: string | null }>(
      `SELECT id, reference FROM payments WHERE registration_id = ?
       ORDER BY status IN ('success', 'refunded') DESC, attempt DESC LIMIT 1`,
    ).get(id)
    const why =
      state === 'cancelled' || state === 'refused'
        ? reviewOf({ code: 'ended', state })
        : reviewOf({ code: 'paid_twice', first: newest?.reference ?? '', second: reference })
    const of = { id, paymentId: newest?.id ?? null, account }
    keepCame(sql, of, { way, reference, amount, paidAt }, why, at)
    if (newest === undefined) settleRegistration(sql, id)
    else {
      const row = paymentById(sql, newest.id)
      stand(sql, row, { ...toPayment(row), review: joined(row.review, why) }, at)
    }
    const came = `${formatMoney(amount)} ${wayInSentence(way)}`
    return ok({
      message: `${came} is before the treasurer: ${why}`,
      data: { came: `${came}, ${reference}`, paid_at: paidAt },
    })
  })
}

/** One transfer pays once, whichever conference it was meant for; slips of a desk are of their event. */
function accountOf(way: Way, eventId: string): string {
  return isOfTheDesk(way) ? eventId : ''
}

/** The bank has one line for what people call a transfer or UPI. */
function sameLine(way: Way): readonly Way[] {
  return way === 'upi' || way === 'transfer' ? ['transfer', 'upi'] : [way]
}

/** Whose money has this reference; null: nobody's. */
function knownAs(sql: Sql, way: Way, account: string, reference: string): string | null {
  const taken = sql<{ reg_no: string | null }>(
    `SELECT g.reg_no FROM captures c LEFT JOIN registrations g ON g.id = c.registration_id
     WHERE c.source IN (SELECT value FROM json_each(?)) AND c.account = ? AND c.reference = ? COLLATE NOCASE`,
  ).get(JSON.stringify(sameLine(way)), account, reference)
  return taken === undefined
    ? null
    : `${reference} is known already: it is ${taken.reg_no === null ? 'of no registration yet' : `the payment of ${taken.reg_no}`}.`
}

/** Answers the id of its row. `why` null: it fits. */
function keepCame(
  sql: Sql,
  { id, paymentId, account }: { id: number; paymentId: number | null; account: string },
  { way, reference, amount, paidAt }: Omit<Came, 'price'>,
  why: string | null,
  at: Instant,
): number {
  const { lastInsertRowid } = sql(
    `INSERT INTO captures (payment_id, counts_for, registration_id, source, account, reference, amount, currency, kind, paid_at, seen_at, state, why)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'INR', 'sale', ?, ?, ?, ?)`,
  ).run(
    paymentId,
    paymentId,
    id,
    way,
    account,
    reference,
    amount,
    paidAt,
    at,
    why === null ? 'fits' : 'review',
    why,
  )
  return Number(lastInsertRowid)
}

/** What is to be paid costs what the day costs on which it was paid: another attempt, at another price. */
function priceAnew(
  sql: Sql,
  { id, regNo }: { readonly id: number; readonly regNo: RegNo },
  quote: Quote,
  at: Instant,
): void {
  const newest = sql<PaymentRow>(
    "SELECT * FROM payments WHERE registration_id = ? AND asks_for = 'whole' ORDER BY attempt DESC LIMIT 1",
  ).get(id)
  const attempt = nextAttempt(sql, id)
  const isOpen = newest?.status === 'pending' || newest?.status === 'failed'
  if (newest === undefined || !isOpen || newest.amount === quote.total || attempt > ATTEMPTS_MAX)
    return
  endOpenPayments(sql, id, 'corrected', at)
  sql('UPDATE registrations SET is_corrected = 0 WHERE id = ?').run(id)
  insertPayment(sql, {
    registrationId: id,
    orderId: orderIdOf(regNo, attempt),
    attempt,
    gateway: null,
    way: newest.way,
    askedOf: null,
    amount: quote.total,
    quote,
    holdUntil: newest.hold_until,
    bill: keepLines(sql, id, attempt, quote.lines),
    at,
  })
  settleRegistration(sql, id)
}
