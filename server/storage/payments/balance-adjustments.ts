/** Records balance adjustments for corrections and cancellations as signed lines, and stores their sum. */
import { expressionBuilder, sql as raw } from 'kysely'
import { formatMoney, toAmount } from '../../../engine/index.ts'
import type { Amount, Currency, Instant } from '../../../engine/index.ts'
import { splitIntoBatches } from '../database/statements/in-batches.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { refundableAmount, isRefundPending } from '../refunds/refund-states-and-channels.ts'

type AdjustmentReason = 'corrected' | 'cancelled' | 'paid' | 'paid back' | 'given up'

type NewAdjustment = {
  registrationId: number
  at: Instant
  what: AdjustmentReason
  amount: Amount
  paymentId: number | null
}
const addAdjustment = statement((builder, adjustment: NewAdjustment) =>
  builder.insertInto('dues').values({
    registration_id: adjustment.registrationId,
    at: adjustment.at,
    what: adjustment.what,
    amount: adjustment.amount,
    payment_id: adjustment.paymentId,
  }),
)
const storedBalance = statement((builder, { registrationId }: { registrationId: number }) =>
  builder.selectFrom('registrations').select('due').where('id', '=', registrationId),
)
const forCancellation = expressionBuilder<
  Tables & { r: Tables['registrations']; d: Tables['dues'] },
  'r' | 'd'
>()
/** The refunds of the counted payments of a registration `r`. */
const refundedAmount = forCancellation
  .selectFrom('refunds as f')
  .innerJoin('captures as c', 'c.id', 'f.capture_id')
  .innerJoin('payments as p', 'p.id', 'c.counts_for')
  .select(({ fn, lit }) => fn.coalesce(fn.sum<number>('f.amount'), lit(0)).as('amount'))
  .whereRef('p.registration_id', '=', 'r.id')
  .where('c.state', 'in', ['fits', 'accepted'])
const olderCancellations = statement((builder, _: object, dialect) =>
  builder
    .selectFrom('registrations as r')
    .innerJoin('dues as d', (join) =>
      join.onRef('d.registration_id', '=', 'r.id').on('d.what', '=', 'cancelled'),
    )
    .select(['r.id', 'r.due', 'd.at'])
    .select(({ eb, ref }) => eb.neg(ref('d.amount')).as('statedAmount'))
    .select([
      refundedAmount
        .whereRef('f.at', '<=', 'd.at')
        .where(({ and, eb, or, ref }) =>
          or([
            isRefundPending,
            and([eb('f.state', '=', 'done'), eb('f.done_at', '>', ref('d.at'))]),
          ]),
        )
        .as('inProgress'),
      refundedAmount
        .where('f.state', '=', 'done')
        .whereRef('f.done_at', '>', 'd.at')
        .as('refundedSince'),
    ])
    .where('r.state', '=', 'cancelled')
    .where(
      ({ selectFrom }) =>
        selectFrom('dues as e')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .whereRef('e.registration_id', '=', 'r.id')
          .where('e.what', '=', 'cancelled'),
      '=',
      1,
    )
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('acts as a')
          .select('a.id')
          .whereRef('a.registration_id', '=', 'r.id')
          .where('a.act', '=', 'cancel')
          .whereRef('a.at', '=', 'd.at')
          .where(({ eb, ref }) =>
            eb(
              raw<number>`cast(${dialect.jsonText(ref('a.data'), '$.pay_back')} as bigint)`,
              '=',
              eb.neg(ref('d.amount')),
            ),
          ),
      ),
    )
    .orderBy('r.id'),
)
const refundInProgress = statement((builder, { registrationId }: { registrationId: number }) =>
  builder
    .selectFrom('refunds as f')
    .innerJoin('captures as c', 'c.id', 'f.capture_id')
    .innerJoin('payments as p', 'p.id', 'c.counts_for')
    .select(({ fn }) => fn.sum<number | null>('f.amount').as('amount'))
    .where('p.registration_id', '=', registrationId)
    .where('c.state', 'in', ['fits', 'accepted'])
    .where(isRefundPending),
)
const retainedAmounts = statement((builder, { registrationId }: { registrationId: number }) =>
  builder
    .selectFrom('captures as c')
    .innerJoin('payments as p', 'p.id', 'c.counts_for')
    .select(({ fn }) => fn.sum<number | null>(refundableAmount).as('amount'))
    .where('p.registration_id', '=', registrationId)
    .where('c.state', 'in', ['fits', 'accepted']),
)

/** Adds a line: positive for an amount to be paid, negative for an amount to be refunded. Adds no line for zero. */
export function recordAdjustment(
  sql: Sql,
  registrationId: number,
  {
    what,
    amount,
    paymentId = null,
  }: { what: AdjustmentReason; amount: number; paymentId?: number | null },
  at: Instant,
): void {
  if (amount === 0) return
  addAdjustment.run(sql, { registrationId, at, what, amount: toAmount(amount), paymentId })
}

export async function getStoredBalance(sql: Sql, registrationId: number): Promise<Amount> {
  return (await storedBalance.get(sql, { registrationId }))?.due ?? toAmount(0)
}

export const predictStoredBalance = (sql: Sql, { id, due }: { id: number; due: Amount }): void =>
  storedBalance.predict(sql, { registrationId: id }, [{ due }])

/** Deducts a completed refund from the amount to be refunded. */
export async function recordCompletedRefund(
  sql: Sql,
  registrationId: number,
  amount: Amount,
  at: Instant,
): Promise<void> {
  const amountToRefund = Math.max(0, -(await getStoredBalance(sql, registrationId)))
  recordAdjustment(
    sql,
    registrationId,
    { what: 'paid back', amount: Math.min(amount, amountToRefund) },
    at,
  )
}

/**
 * Corrects cancellations by older versions, which deducted a refund in progress twice. The amount stated in the
 * cancellation is refundable in addition to that refund, less all refunds made since. This sends no refund; it lists
 * the remaining amount as refundable.
 */
export async function restoreOlderCancellations(sql: Sql): Promise<void> {
  const cancellations = (await olderCancellations.all(sql)).filter(
    ({ inProgress }) => (inProgress ?? 0) !== 0,
  )
  for (const batch of splitIntoBatches(cancellations)) {
    const refundable = await Promise.all(
      batch.map(async (entry) => {
        const [retainedAmount, amountUnderWay] = await Promise.all([
          getRetainedAmount(sql, entry.id),
          getRefundInProgress(sql, entry.id),
        ])
        return { ...entry, maxAmount: retainedAmount + amountUnderWay }
      }),
    )
    for (const { id, due, at, statedAmount, inProgress, refundedSince, maxAmount } of refundable) {
      const proposedAdjustment = -Math.max(
        0,
        Math.min(statedAmount + (inProgress ?? 0) - (refundedSince ?? 0), maxAmount),
      )
      if (proposedAdjustment < due)
        recordAdjustment(sql, id, { what: 'corrected', amount: proposedAdjustment - due }, at)
    }
  }
}

/**
 * Explains that a registration's payments have changed since the user opened it. Null if they have not changed, or if
 * the request did not state the amount shown to the user. `consequence`: what the server did not do, and what to do
 * next.
 */
export const explainChangedPayments = (
  shown: Amount | null,
  paid: Amount,
  currency: Currency,
  consequence: string,
): string | null =>
  shown === null || shown === paid
    ? null
    : `The payments or refunds have changed: ${formatMoney(paid, currency)} can still be refunded. ${consequence}`

/** Returns the amount in refunds of counted payments that may be in progress. */
export async function getRefundInProgress(sql: Sql, registrationId: number): Promise<Amount> {
  const row = await refundInProgress.get(sql, { registrationId })
  return toAmount(row?.amount ?? 0)
}

/** Returns the counted payments of a registration, less completed and requested refunds. */
export async function getRetainedAmount(sql: Sql, registrationId: number): Promise<Amount> {
  const row = await retainedAmounts.get(sql, { registrationId })
  return toAmount(row?.amount ?? 0)
}
