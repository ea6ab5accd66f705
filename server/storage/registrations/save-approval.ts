/**
 * Stores approvals, refusals and accepted offers.
 * An approved registration is to be paid at the price of its registration date; a refused one holds nothing any
 * more, and may be offered another category.
 */
import { assert, err, formatMoney, ok, createOrderId, paise } from '../../../engine/index.ts'
import { REFUSAL_MESSAGES } from '../../../engine/messages.ts'
import type { ActionRefusal, Paise, Quote, Result } from '../../../engine/index.ts'
import type { ActionOutcome, Approved, NewAction, AcceptedOffer } from './action-types.ts'
import { doAct } from './apply-action.ts'
import { askedThrough, insertPayment, nextAttempt } from '../payments/payment-attempts.ts'
import { keepLines, nextBill } from '../payments/stored-bill-lines.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { confirmByMail, enqueue } from '../mail/email-queue.ts'
import { takeAgain } from '../seats/recompute-seats.ts'
import type { RegistrationRow } from './row-mapping.ts'
import type { NewMail } from './registration-types.ts'
import { settleRegistration } from '../payments/payment-state.ts'

/** To be paid until the given day, or complete if it is free; the email says which. */
export function approve(sql: Sql, wanted: NewAction, approved: Approved): Promise<ActionOutcome> {
  return doAct(sql, wanted, async (row) => {
    const total = row.total ?? paise(0)
    const begun = await begin(sql, row, approved, total, wanted)
    if (!begun.ok) return begun
    return ok({ message: saysNext('Registration approved', total) })
  })
}

/** Releases its seats. `offer`: the alternative category; null: none. */
export function refuse(
  sql: Sql,
  wanted: NewAction,
  { offer, mail }: { readonly offer: string | null; readonly mail: NewMail | null },
): Promise<ActionOutcome> {
  return doAct(sql, wanted, async ({ id }) => {
    sql('UPDATE registrations SET offer = ? WHERE id = ?').run(offer, id)
    await settleRegistration(sql, id)
    if (mail !== null) await enqueue(sql, id, 'again', mail, wanted.at, wanted.actor)
    return ok({
      message: 'Registration refused.',
      data: offer === null ? {} : { offer },
    })
  })
}

/** The delegate accepts the offer: another category at the prices of the registration date, and its seats. */
export function acceptOffer(
  sql: Sql,
  wanted: NewAction,
  taken: AcceptedOffer,
): Promise<ActionOutcome> {
  return doAct(sql, wanted, async (row) => {
    const { category, quote } = taken
    if (row.offer !== category)
      return err({
        code: 'moved_on',
        message: REFUSAL_MESSAGES.selfService.offerChanged,
      })
    sql('UPDATE registrations SET category = ? WHERE id = ?').run(category, row.id)
    if (quote !== null) await priceAs(sql, row, quote)
    const total = quote?.total ?? paise(0)
    const begun = await begin(sql, { ...row, ...(await billOf(sql, row.id)) }, taken, total, wanted)
    if (!begun.ok) return begun
    return ok({ message: saysNext('Offer accepted', total), data: { category } })
  })
}

function saysNext(done: string, total: Paise): string {
  return total === 0
    ? `${done}. It is complete.`
    : `${done}. A link to pay ${formatMoney(total)} was sent.`
}

type Bill = Pick<RegistrationRow, 'period' | 'base' | 'gst' | 'total' | 'bill'>

async function billOf(sql: Sql, id: number): Promise<Bill> {
  const bill = await sql<Bill>(
    'SELECT period, base, gst, total, bill FROM registrations WHERE id = ?',
  ).get(id)
  assert(bill !== undefined, 'a registration went while its offer was accepted')
  return bill
}

async function priceAs(sql: Sql, { id }: RegistrationRow, quote: Quote): Promise<void> {
  const bill = keepLines(sql, id, await nextBill(sql, id), quote.lines)
  sql(
    'UPDATE registrations SET period = ?, base = ?, gst = ?, total = ?, bill = ? WHERE id = ?',
  ).run(quote.period, quote.base, quote.gst, quote.total, bill, id)
}

/** What it needs is taken for it, and its price asked for; the gateway is asked about it only when somebody is sent there. */
async function begin(
  sql: Sql,
  row: RegistrationRow,
  { through, payUntil, mail, confirmation }: Approved,
  total: Paise,
  { at, actor }: Pick<NewAction, 'at' | 'actor'>,
): Promise<Result<null, ActionRefusal>> {
  const { id, event_id: eventId } = row
  const place = await takeAgain(sql, eventId, id, at)
  if (place !== null)
    return err({
      code: 'taken',
      message: `No seats are left for ${place.name}.`,
    })
  if (total > 0 && through === null)
    return err({ code: 'bad_data', message: 'This event no longer takes payments.' })
  sql('UPDATE registrations SET offer = NULL, pay_until = ? WHERE id = ?').run(
    total > 0 ? payUntil : null,
    id,
  )
  if (total > 0 && through !== null) {
    const attempt = await nextAttempt(sql, id)
    const { base, gst, period, bill } = row
    const added = await insertPayment(sql, {
      registrationId: id,
      orderId: createOrderId(row.reg_no, attempt),
      attempt,
      ...askedThrough(through),
      amount: total,
      quote: base === null || gst === null ? null : { period, base, gst },
      holdUntil: payUntil,
      bill,
      isHandedOff: false,
      at,
    })
    assert(added, `order id ${attempt} of a registration is taken`)
    // Money that came while it was refused is before a person, who may count it for this now.
    sql(
      `UPDATE captures SET counts_for = (SELECT id FROM payments WHERE registration_id = captures.registration_id AND attempt = ?)
       WHERE registration_id = ? AND state = 'review' AND counts_for IS NULL`,
    ).run(attempt, id)
  }
  await settleRegistration(sql, id)
  if (total > 0 && mail !== null) await enqueue(sql, id, 'again', mail, at, actor)
  if (total === 0 && confirmation !== null) await confirmByMail(sql, id, confirmation, at)
  return ok(null)
}
