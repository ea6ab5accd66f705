/** What people decide about money that goes back: a refund of what counts, and one that the gateway left in doubt. */
import { assert, assertNever, formatMoney, groundsOf, ok, partOf } from '../../engine/index.ts'
import type {
  Decision,
  DecisionRefusal,
  Grounds,
  Instant,
  Paise,
  Result,
  Review,
} from '../../engine/index.ts'
import { sourceOf } from './captures.ts'
import type { Sql } from './database.ts'
import { done, refused } from './decisions.ts'
import type { DecisionAnswer } from './decisions.ts'
import type { WantedRefund } from './money.ts'
import { endRefund, isUnderWay, LEFT, leftOf, orderOfRefund, want } from './refunds.ts'
import type { CaptureRow } from './refunds.ts'
import { rearm } from './settling.ts'
import { paymentById, settleRegistration, wentBack } from './standing.ts'

export function captureRow(sql: Sql, id: number): CaptureRow {
  const row = sql<CaptureRow>('SELECT * FROM captures WHERE id = ?').get(id)
  assert(row !== undefined, 'a capture that is not there')
  return row
}

export function wantOf(
  sql: Sql,
  capture: CaptureRow,
  amount: Paise,
  grounds: Grounds,
  at: Instant,
): Result<number, DecisionRefusal> {
  const row = capture.payment_id === null ? null : paymentById(sql, capture.payment_id)
  if (row === null || row.gateway === null || capture.source !== sourceOf(row.gateway))
    return refused(
      'not_by_gateway',
      'This money did not come through the gateway, so it cannot be sent back through it.',
    )
  if (isUnderWay(sql, capture.id, amount))
    return refused(
      'under_way',
      `A refund of ${formatMoney(amount)} of this payment is on its way. Wait until it is done, because the gateway names refunds by their amounts.`,
    )
  return ok(want(sql, capture.id, amount, grounds, at))
}

/** Money in review, all or part, has gone back without a gateway: what nothing is left of waits no more. */
export function gaveByHand(
  sql: Sql,
  capture: CaptureRow,
  {
    amount,
    isAll,
    byHand,
  }: { readonly amount: Paise; readonly isAll: boolean; readonly byHand: string },
  grounds: Grounds,
  at: Instant,
): void {
  endRefund(sql, want(sql, capture.id, amount, grounds, at), 'done', byHand, at)
  if (!isAll) return
  if (capture.counts_for !== null) {
    wentBack(sql, { capture, amount }, { reference: byHand, at })
    return
  }
  sql("UPDATE captures SET state = 'refused' WHERE id = ?").run(capture.id)
  if (capture.registration_id !== null) settleRegistration(sql, capture.registration_id)
}

export function decideRefund(
  sql: Sql,
  review: Review,
  id: number,
  decision: Decision,
  grounds: Grounds,
  follows:
    | { readonly does: 'refund-done'; readonly reference: string | null }
    | { readonly does: 'refund-again'; readonly amount: Paise }
    | { readonly does: 'refund-left' },
  at: Instant,
): DecisionAnswer {
  const row = sql<{ capture_id: number; amount: Paise; reference: string | null; state: string }>(
    'SELECT capture_id, amount, reference, state FROM refunds WHERE id = ?',
  ).get(id)
  assert(row !== undefined, 'a refund that is not there')
  const capture = captureRow(sql, row.capture_id)
  const { amount } = row
  // What the panel gave back found no room beside a refund in doubt: the gateway is asked once more.
  const orderId = orderOfRefund(sql, id)
  if (orderId !== null) rearm(sql, orderId, at)
  switch (follows.does) {
    case 'refund-done': {
      endRefund(sql, id, 'done', follows.reference, at)
      const reference = follows.reference ?? row.reference ?? ''
      wentBack(sql, { capture, amount }, { reference, at })
      return done(sql, review, capture.id, decision, grounds, amount, at, {
        message: `${formatMoney(amount)} has gone back.`,
      })
    }
    case 'refund-left':
      if (row.state !== 'refused') endRefund(sql, id, 'refused', null, at)
      return done(sql, review, capture.id, decision, grounds, null, at, {
        message: 'The refund is left as it is: the money stays.',
      })
    case 'refund-again': {
      if (row.state !== 'refused') endRefund(sql, id, 'refused', null, at)
      const part = partOf(leftOf(sql, capture.id), follows.amount)
      if (!part.ok) return part
      const wanted = wantOf(sql, capture, part.value, grounds, at)
      if (!wanted.ok) return wanted
      return done(sql, review, capture.id, decision, grounds, part.value, at, {
        message: `${formatMoney(part.value)} is asked for again.`,
        refundId: wanted.value,
      })
    }
    default:
      return assertNever(follows)
  }
}

/** Money of a payment that counts, all or part, goes back because a person wants it. */
export function wantRefund(sql: Sql, wanted: WantedRefund): DecisionAnswer {
  const { of, amount, at, byHand } = wanted
  const grounds = groundsOf(wanted)
  if (!grounds.ok) return grounds
  const capture = sql<CaptureRow & { reg_no: string }>(
    `SELECT c.*, g.reg_no FROM captures c JOIN payments p ON p.id = c.counts_for JOIN registrations g ON g.id = p.registration_id
     WHERE c.state IN ('fits', 'accepted') AND (g.reg_no = ? OR p.order_id = ?)
     ORDER BY ${LEFT} >= ? DESC, ${LEFT} > 0 DESC, c.id LIMIT 1`,
  ).get(of, of, amount ?? 1)
  if (capture === undefined) {
    const isThere = sql(
      'SELECT 1 FROM registrations WHERE reg_no = ? UNION ALL SELECT 1 FROM payments WHERE order_id = ?',
    ).get(of, of)
    return isThere === undefined
      ? refused('not_there', `There is no registration or order ${of}.`)
      : refused('not_paid', `Nothing counts as paid for ${of}, so nothing can be given back.`)
  }
  const part = partOf(leftOf(sql, capture.id), amount)
  if (!part.ok) return part
  assert(capture.counts_for !== null, 'what counts counts for a payment')
  const { reg_no: regNo, event_id: eventId } = paymentById(sql, capture.counts_for)
  if (byHand !== undefined) {
    const amountBack = part.value
    endRefund(sql, want(sql, capture.id, amountBack, grounds.value, at), 'done', byHand, at)
    wentBack(sql, { capture, amount: amountBack }, { reference: byHand, at })
    return done(
      sql,
      { id: `C${capture.id}`, regNo, eventId },
      capture.id,
      { what: 'refund by hand' },
      grounds.value,
      amountBack,
      at,
      { message: `${formatMoney(amountBack)} has gone back.` },
    )
  }
  const refund = wantOf(sql, capture, part.value, grounds.value, at)
  if (!refund.ok) return refund
  return done(
    sql,
    { id: `C${capture.id}`, regNo, eventId },
    capture.id,
    { what: 'refund' },
    grounds.value,
    part.value,
    at,
    { message: `${formatMoney(part.value)} goes back.`, refundId: refund.value },
  )
}
