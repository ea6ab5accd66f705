/** Selects the counted payments from which a refund is made. */
import { toAmount } from '../../../engine/index.ts'
import type { Amount, OrderId, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { CaptureRow } from '../database/statements/money-tables.ts'
import { statement } from '../database/statements/statement.ts'
import { readWithdrawals } from '../payments/returned-transfers.ts'
import { hasUnrecordedLoss } from '../reconciliation/disputes.ts'
import { readReturnedLine } from './returned-lines.ts'
import { isRefundableByGateway, refundableAmount } from './refund-states-and-channels.ts'

/** A registration number or an order id. Their formats differ, so a search for both finds only one. */
export type PayerNumber = { readonly regNo: RegNo; readonly orderId: OrderId }
/** A counted payment. `left`: the part of it that is neither refunded nor being refunded. */
export type CountedCapture = CaptureRow & { readonly left: Amount }

/** Selects the counted payments of a registration or an order, oldest first. */
export const countedCaptures = statement((builder, { regNo, orderId }: PayerNumber) =>
  builder
    .selectFrom('captures as c')
    .innerJoin('payments as p', 'p.id', 'c.counts_for')
    .innerJoin('registrations as g', 'g.id', 'p.registration_id')
    .selectAll('c')
    .select(refundableAmount.as('left'))
    .select(({ eb }) =>
      eb.case().when(isRefundableByGateway).then(1).else(0).end().as('is_refundable_by_gateway'),
    )
    .where('c.state', 'in', ['fits', 'accepted'])
    .where(({ eb, selectFrom }) =>
      eb(
        'p.id',
        'in',
        selectFrom('payments')
          .select('id')
          .where('order_id', '=', orderId)
          .union(
            selectFrom('payments as o')
              .innerJoin('registrations as n', 'n.id', 'o.registration_id')
              .select('o.id')
              .where('n.reg_no', '=', regNo),
          ),
      ),
    )
    .$narrowType<{ counts_for: number }>()
    .orderBy('c.id'),
)

/** Adds up the parts of the payments that can be refunded. */
export const sumCaptures = (captures: readonly CountedCapture[]): Amount =>
  toAmount(captures.reduce((sum, { left }) => sum + left, 0))

/**
 * Puts the payments first that explain a manual refund of this amount, although its reference does not name them: the
 * bank returned this amount, or charged it back in a dispute that staff have not recorded.
 */
export async function sortByLikelihood<Capture extends CountedCapture>(
  sql: Sql,
  captures: readonly Capture[],
  amount: Amount,
): Promise<readonly Capture[]> {
  if (captures.length < 2) return captures
  const [likely, others]: [Capture[], Capture[]] = [[], []]
  for (const capture of captures) {
    const isLikely =
      (await hasUnrecordedLoss(sql, capture.reference, amount)) ||
      (await readWithdrawals(sql, capture.id)).some((withdrawal) => withdrawal.amount === amount)
    ;(isLikely ? likely : others).push(capture)
  }
  return [...likely, ...others]
}

/**
 * Returns the least amount that one of the bank's withdrawals leaves to be refunded of these payments under the
 * reference. 0 if the bank stated no amount, or returned none of them.
 */
export async function findLeastReturnedAmount(
  sql: Sql,
  captures: readonly CountedCapture[],
  reference: string,
): Promise<Amount> {
  const amounts: number[] = []
  for (const { id, left } of captures) {
    const line = await readReturnedLine(sql, id, reference)
    const unrecorded = line?.withdrawn == null ? left : line.withdrawn - line.refunded
    for (const { amount } of await readWithdrawals(sql, id))
      amounts.push(Math.max(0, Math.min(amount, left, unrecorded)))
  }
  return toAmount(amounts.length === 0 ? 0 : Math.min(...amounts))
}

/** Assigns the whole amount to the first payment that covers it, or else to several payments, in their order. */
export function splitRefund<Capture extends CountedCapture>(
  captures: readonly Capture[],
  amount: Amount,
): readonly (readonly [Capture, Amount])[] {
  const singleCapture = captures.find(({ left }) => left >= amount)
  if (singleCapture !== undefined) return [[singleCapture, amount]]
  const parts: (readonly [Capture, Amount])[] = []
  let remaining: number = amount
  for (const capture of captures) {
    const part = toAmount(Math.min(remaining, capture.left))
    if (part > 0) parts.push([capture, part])
    remaining -= part
  }
  return parts
}
