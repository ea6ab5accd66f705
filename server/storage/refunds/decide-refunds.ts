/** Carries out staff decisions on refunds: of counted payments, and those in doubt at the gateway. */
import {
  assert,
  assertNever,
  formatMoney,
  checkGrounds,
  ok,
  paise,
  amountToRefund,
} from '../../../engine/index.ts'
import type {
  Decision,
  DecisionRefusal,
  Grounds,
  Instant,
  Paise,
  Result,
  Review,
} from '../../../engine/index.ts'
import { CAME_BY_GATEWAY } from '../payments/received-payments.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { done, refused } from '../reviews/decision-history.ts'
import type { DecisionAnswer } from '../reviews/decision-history.ts'
import type { WantedRefund } from '../payments/payment-types.ts'
import {
  endRefund,
  isUnderWay,
  LEFT,
  leftOf,
  orderOfRefund,
  want,
  whyRefunded,
} from './record-refunds.ts'
import type { CaptureRow } from './record-refunds.ts'
import { Refused } from '../database/rollback-error.ts'
import { rearm } from '../payments/apply-payment-events.ts'
import { paymentById, settleRegistration, wentBack } from '../payments/payment-state.ts'

export async function captureRow(sql: Sql, id: number): Promise<CaptureRow> {
  const row = await sql<CaptureRow>('SELECT * FROM captures WHERE id = ?').get(id)
  assert(row !== undefined, 'a capture that is not there')
  return row
}

export async function wantOf(
  sql: Sql,
  capture: CaptureRow,
  amount: Paise,
  grounds: Grounds,
  at: Instant,
): Promise<Result<number, DecisionRefusal>> {
  const byGateway = sql(`SELECT 1 FROM captures c WHERE c.id = ? AND ${CAME_BY_GATEWAY}`)
  if ((await byGateway.get(capture.id)) === undefined)
    return refused('not_by_gateway', sayNotByGateway(paise(0)))
  if (await isUnderWay(sql, capture.id, amount))
    return refused(
      'under_way',
      `A refund of ${formatMoney(amount)} for this payment is in progress. Wait until it is done: the gateway tells refunds apart by their amounts only.`,
    )
  return ok(await want(sql, capture.id, amount, grounds, at))
}

/**
 * Records that a payment in review was refunded outside the gateway, in full or in part; the review ends when
 * nothing is left.
 */
export async function gaveByHand(
  sql: Sql,
  capture: CaptureRow,
  {
    amount,
    isAll,
    byHand,
  }: { readonly amount: Paise; readonly isAll: boolean; readonly byHand: string },
  grounds: Grounds,
  at: Instant,
): Promise<Result<null, DecisionRefusal>> {
  const why = await whyRefunded(sql, byHand, capture)
  if (why !== null) return refused('reference_taken', why)
  endRefund(sql, await want(sql, capture.id, amount, grounds, at), 'done', byHand, at)
  if (!isAll) return ok(null)
  if (capture.counts_for !== null) {
    await wentBack(sql, { capture, amount }, { reference: byHand, at })
    return ok(null)
  }
  sql("UPDATE captures SET state = 'refused' WHERE id = ?").run(capture.id)
  if (capture.registration_id !== null) await settleRegistration(sql, capture.registration_id)
  return ok(null)
}

export async function decideRefund(
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
): Promise<DecisionAnswer> {
  const row = await sql<{
    capture_id: number
    amount: Paise
    reference: string | null
    state: string
  }>('SELECT capture_id, amount, reference, state FROM refunds WHERE id = ?').get(id)
  assert(row !== undefined, 'a refund that is not there')
  const capture = await captureRow(sql, row.capture_id)
  const { amount } = row
  // What the panel gave back found no room beside a refund in doubt: the gateway is asked once more.
  const orderId = await orderOfRefund(sql, id)
  if (orderId !== null) rearm(sql, orderId, at)
  switch (follows.does) {
    case 'refund-done': {
      // What was refused has ended, and the money may have gone back otherwise meanwhile: another refund is written.
      const isRefused = row.state === 'refused'
      const part = isRefused ? amountToRefund(await leftOf(sql, capture.id), amount) : ok(amount)
      if (!part.ok) return part
      const why =
        follows.reference === null ? null : await whyRefunded(sql, follows.reference, capture)
      if (why !== null) return refused('reference_taken', why)
      const wanted = isRefused ? await want(sql, capture.id, amount, grounds, at) : id
      endRefund(sql, wanted, 'done', follows.reference, at)
      const reference = follows.reference ?? row.reference ?? ''
      await wentBack(sql, { capture, amount }, { reference, at })
      return done(sql, review, capture.id, decision, grounds, amount, at, {
        message: `${formatMoney(amount)} was refunded.`,
      })
    }
    case 'refund-left':
      if (row.state !== 'refused') endRefund(sql, id, 'refused', null, at)
      return done(sql, review, capture.id, decision, grounds, null, at, {
        message: 'The refund is withdrawn. The payment is kept.',
      })
    case 'refund-again': {
      if (row.state !== 'refused') endRefund(sql, id, 'refused', null, at)
      const part = amountToRefund(await leftOf(sql, capture.id), follows.amount)
      if (!part.ok) return part
      const wanted = await wantOf(sql, capture, part.value, grounds, at)
      if (!wanted.ok) return wanted
      return done(sql, review, capture.id, decision, grounds, part.value, at, {
        message: `Refund of ${formatMoney(part.value)} requested again.`,
        refundId: wanted.value,
      })
    }
    default:
      return assertNever(follows)
  }
}

type CountingCapture = CaptureRow & {
  readonly counts_for: number
  readonly left: Paise
  readonly by_gateway: 0 | 1
}

/**
 * Refunds counted payments of a registration or an order, in full or in part. Only payments through the gateway
 * are refunded there. A single payment covers the whole amount if possible; else it is split between payments,
 * oldest first, because no payment can be refunded beyond its amount.
 */
export async function wantRefund(sql: Sql, wanted: WantedRefund): Promise<DecisionAnswer> {
  const { of, amount, at, byHand } = wanted
  const grounds = checkGrounds(wanted)
  if (!grounds.ok) return grounds
  const captures = await sql<CountingCapture>(
    `SELECT c.*, ${LEFT} AS left, CASE WHEN ${CAME_BY_GATEWAY} THEN 1 ELSE 0 END AS by_gateway FROM captures c JOIN payments p ON p.id = c.counts_for JOIN registrations g ON g.id = p.registration_id
     WHERE c.state IN ('fits', 'accepted') AND (g.reg_no = ? OR p.order_id = ?) ORDER BY c.id`,
  ).all(of, of)
  const [first] = captures
  if (first === undefined) {
    const isThere = await sql(
      'SELECT 1 FROM registrations WHERE reg_no = ? UNION ALL SELECT 1 FROM payments WHERE order_id = ?',
    ).get(of, of)
    return isThere === undefined
      ? refused('not_there', `No registration or order ${of}.`)
      : refused('not_paid', `No payment counts for ${of}, so there is nothing to refund.`)
  }
  const all = amountToRefund(sumOf(captures), amount)
  if (!all.ok) return all
  const able = byHand === undefined ? captures.filter(({ by_gateway: is }) => is === 1) : captures
  if (sumOf(able) < all.value) return refused('not_by_gateway', sayNotByGateway(sumOf(able)))
  const why = byHand === undefined ? null : await whyRefunded(sql, byHand, first)
  if (why !== null) return refused('reference_taken', why)
  const { reg_no: regNo, event_id: eventId } = await paymentById(sql, first.counts_for)
  const refunds: number[] = []
  for (const [capture, part] of splitRefund(able, all.value)) {
    const refund =
      byHand === undefined
        ? await wantOf(sql, capture, part, grounds.value, at)
        : ok(await want(sql, capture.id, part, grounds.value, at))
    // What was written of the other parts is undone.
    if (!refund.ok) throw new Refused(refund)
    if (byHand !== undefined) {
      endRefund(sql, refund.value, 'done', byHand, at)
      await wentBack(sql, { capture, amount: part }, { reference: byHand, at })
    }
    const what = byHand === undefined ? 'refund' : 'refund by hand'
    await done(
      sql,
      { id: `C${capture.id}`, regNo, eventId },
      capture.id,
      { what },
      grounds.value,
      part,
      at,
      {
        message: '',
      },
    )
    refunds.push(refund.value)
  }
  const split = refunds.length === 1 ? '' : `, split between ${refunds.length} payments`
  const message =
    byHand === undefined
      ? `Refund of ${formatMoney(all.value)} requested${split}.`
      : `${formatMoney(all.value)} was refunded outside Rollcall${split}.`
  return ok({ regNo, message, refundId: byHand === undefined ? (refunds.at(-1) ?? null) : null })
}

const sumOf = (captures: readonly CountingCapture[]): Paise =>
  paise(captures.reduce((sum, { left }) => sum + left, 0))

const sayNotByGateway = (most: Paise): string =>
  most === 0
    ? 'This payment was not made through the gateway, so the gateway cannot refund it.'
    : `The gateway can refund only ${formatMoney(most)}. Refund the rest another way, and record its reference.`

/** The whole from one payment, the oldest that has it; else from several, the oldest first. */
function splitRefund(
  captures: readonly CountingCapture[],
  amount: Paise,
): readonly (readonly [CountingCapture, Paise])[] {
  const whole = captures.find(({ left }) => left >= amount)
  if (whole !== undefined) return [[whole, amount]]
  const parts: (readonly [CountingCapture, Paise])[] = []
  let rest: number = amount
  for (const capture of captures) {
    const part = paise(Math.min(rest, capture.left))
    if (part > 0) parts.push([capture, part])
    rest -= part
  }
  return parts
}
