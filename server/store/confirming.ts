/**
 * Money that came on a way of its own, by transfer or at the desk, confirmed by a person. It is a capture like
 * any other: what fits pays, what does not waits for a decision.
 */
import { err, formatMoney, ok, reviewOf, wayInSentence } from '../../engine/index.ts'
import type { Instant, Paise, Way } from '../../engine/index.ts'
import type { ActAnswer, NewAct } from './acting.ts'
import { doAct } from './acts.ts'
import type { Sql } from './database.ts'
import { count } from './deciding.ts'
import { captureRow } from './giving-back.ts'
import { placeGone } from './places.ts'
import { toPayment } from './rows.ts'
import { joined, paymentById, stand } from './standing.ts'
import type { NewMail } from './store.ts'

export type Came = {
  readonly way: Way
  readonly reference: string
  readonly amount: Paise
  readonly paidAt: Instant
}

/** `mail` is queued only when it makes the registration a success. */
export function confirm(
  sql: Sql,
  wanted: NewAct,
  { way, reference, amount, paidAt }: Came,
  mail: NewMail | null,
): ActAnswer {
  const { regNo, at } = wanted
  return doAct(sql, wanted, ({ id }) => {
    const newest = sql<{ id: number }>(
      "SELECT id FROM payments WHERE registration_id = ? AND status IN ('pending', 'failed') ORDER BY attempt DESC LIMIT 1",
    ).get(id)
    if (newest === undefined)
      return err({ code: 'bad_data', message: 'Nothing is to be paid for this registration.' })
    // One transfer pays once, whichever conference it was meant for.
    const taken = sql<{ reg_no: string | null }>(
      `SELECT g.reg_no FROM captures c LEFT JOIN registrations g ON g.id = c.registration_id
       WHERE c.source = ? AND c.account = '' AND c.reference = ? COLLATE NOCASE`,
    ).get(way, reference)
    if (taken !== undefined)
      return err({
        code: 'taken',
        message: `${reference} is known already: it is ${taken.reg_no === null ? 'of no registration yet' : `the payment of ${taken.reg_no}`}.`,
      })
    const row = paymentById(sql, newest.id)
    const place = row.asks_for === 'difference' ? null : placeGone(sql, id, at)
    const why =
      amount !== row.amount
        ? reviewOf({ code: 'amount_differs', expected: row.amount, got: amount })
        : place === null
          ? null
          : reviewOf({ code: 'place_gone', place })
    const { lastInsertRowid } = sql(
      `INSERT INTO captures (payment_id, counts_for, registration_id, source, account, reference, amount, currency, kind, paid_at, seen_at, state, why)
       VALUES (?, ?, ?, ?, '', ?, ?, 'INR', 'sale', ?, ?, ?, ?)`,
    ).run(
      row.id,
      row.id,
      id,
      way,
      reference,
      amount,
      paidAt,
      at,
      why === null ? 'fits' : 'review',
      why,
    )
    const came = `${formatMoney(amount)} by ${wayInSentence(way)}`
    const data = { came: `${came}, ${reference}`, paid_at: paidAt }
    if (why !== null) {
      stand(sql, row, { ...toPayment(row), review: joined(row.review, why) }, at)
      return ok({ message: `${came} is before the treasurer: ${why}`, data })
    }
    const counted = count(sql, captureRow(sql, Number(lastInsertRowid)), row, row.review, at, mail)
    if (!counted.ok) return counted
    return ok({ message: `${came} is confirmed: ${regNo} is paid.`, data })
  })
}
