/** Closes the reviews of refused refunds whose amount is refunded by other means. */
import type { Kysely } from 'kysely'
import { formatMoney, toAmount } from '../../../engine/index.ts'
import type { Amount, DecisionGrounds, Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { recordDecision } from '../reviews/decision-history.ts'
import { isRefusedRefundOpen } from './refund-states-and-channels.ts'

/** A refused refund under review. `amount`: in minor units of the registration's currency. */
type RefusedRefund = { readonly id: number; readonly amount: Amount }

/** Selects only counted payments. The refund of a payment that was never counted is a separate debt. */
const selectCountedCaptures = (builder: Kysely<Tables>) =>
  builder
    .selectFrom('captures as c')
    .innerJoin('payments as p', 'p.id', 'c.counts_for')
    .where('c.state', 'in', ['fits', 'accepted'])
const registrationOfCapture = statement((builder, { captureId }: { captureId: number }) =>
  selectCountedCaptures(builder)
    .innerJoin('registrations as g', 'g.id', 'p.registration_id')
    .select(['g.id', 'g.reg_no as regNo', 'g.event_id as eventId', 'g.currency'])
    .where('c.id', '=', captureId),
)
const openRefusedRefunds = statement((builder, { registrationId }: { registrationId: number }) =>
  selectCountedCaptures(builder)
    .innerJoin('refunds as f', 'f.capture_id', 'c.id')
    .select(['f.id', 'f.amount'])
    .where('p.registration_id', '=', registrationId)
    .where(isRefusedRefundOpen)
    .orderBy('f.id'),
)

/**
 * Closes the reviews of the refused refunds that a new refund replaces, so that no amount is refunded twice. Call this
 * before the new refund is stored.
 *
 * @param captureId One of the payments that are refunded.
 * @param parts The amounts of the new refund, one for each payment.
 * @returns A sentence for the user, with a leading space. Empty if no refund is replaced.
 */
export async function replaceRefusedRefunds(
  sql: Sql,
  captureId: number,
  parts: readonly Amount[],
  decisionGrounds: DecisionGrounds,
  at: Instant,
): Promise<string> {
  const registration = await registrationOfCapture.get(sql, { captureId })
  if (registration === undefined) return ''
  const refused = await openRefusedRefunds.all(sql, { registrationId: registration.id })
  const replaced = selectReplacedRefunds(refused, parts)
  for (const { id, amount } of replaced)
    await recordDecision(
      sql,
      { ...registration, id: `R${id}` },
      null,
      { what: 'refused refund replaced' },
      decisionGrounds,
      amount,
      at,
      { message: '' },
    )
  const amounts = replaced.map(({ amount }) => formatMoney(amount, registration.currency))
  return replaced.length === 0
    ? ''
    : ` This replaces the ${replaced.length === 1 ? 'refund' : 'refunds'} of ${amounts.join(' and ')} that the gateway rejected.`
}

/**
 * Selects the refused refunds that a new refund replaces: all of them if it has their total amount; otherwise one with
 * the new refund's total amount; otherwise, for each part, one with the same amount. A refund of another amount
 * replaces none, because it may have another reason.
 */
export function selectReplacedRefunds(
  refused: readonly RefusedRefund[],
  parts: readonly Amount[],
): readonly RefusedRefund[] {
  const total = sumAmounts(parts)
  if (sumAmounts(refused.map(({ amount }) => amount)) === total) return refused
  const amounts = refused.some(({ amount }) => amount === total) ? [total] : [...parts]
  return refused.filter(({ amount }) => {
    const index = amounts.indexOf(amount)
    if (index !== -1) amounts.splice(index, 1)
    return index !== -1
  })
}

const sumAmounts = (amounts: readonly Amount[]): Amount =>
  toAmount(amounts.reduce((sum, amount) => sum + amount, 0))
