/** Reads a registration's counted payments, from which the engine computes the amount to be paid or refunded. */
import { calculateBalance, toAmount } from '../../../engine/index.ts'
import type { Instant, PaymentTotals, Amount } from '../../../engine/index.ts'
import { splitIntoBatches } from '../database/statements/in-batches.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { recordAdjustment, getStoredBalance } from './balance-adjustments.ts'
import type { JoinedPaymentRow, RegistrationRow } from '../registrations/row-mapping.ts'

type CountedPayment = {
  readonly attempt: number
  readonly requested: Amount
  /** The price of the registration when this payment was requested. */
  readonly bill: Amount
  readonly received: Amount
}

/**
 * An adjustment with this reason and a payment is the amount still due after that payment. The adjustment for a
 * correction has no payment.
 */
const REMAINDER_REASON = 'corrected'

type RegistrationParams = { registrationId: number }
/**
 * `requested` excludes an amount that stayed due after a smaller payment, because that amount is a separate adjustment
 * with the same payment. `received` excludes the amount that staff refunded before the payment was counted.
 */
const paymentsOfRegistration = statement((builder, { registrationId }: RegistrationParams) =>
  builder
    .selectFrom('payments as p')
    .select('p.attempt')
    .select(({ eb, fn, lit, selectFrom }) => [
      eb(
        'p.amount',
        '-',
        selectFrom('dues as d')
          .select((d) => d.fn.coalesce(d.fn.sum<Amount>('d.amount'), lit(0)).as('amount'))
          .whereRef('d.registration_id', '=', 'p.registration_id')
          .whereRef('d.payment_id', '=', 'p.id')
          .where('d.what', '=', REMAINDER_REASON),
      )
        .$castTo<Amount>()
        .as('requested'),
      fn.coalesce('p.bill_total', 'p.amount').as('bill'),
      fn
        .coalesce(
          selectFrom('captures as c')
            .select((c) => c.fn.sum<Amount>(c.fn.coalesce('c.counted', 'c.amount')).as('amount'))
            .whereRef('c.counts_for', '=', 'p.id')
            .where('c.state', 'in', ['fits', 'accepted']),
          'p.amount',
        )
        .as('received'),
    ])
    .where('p.registration_id', '=', registrationId)
    .where('p.status', 'in', ['success', 'refunded'])
    .orderBy('p.attempt'),
)
const amountPaidBack = statement((builder, { registrationId }: RegistrationParams) =>
  builder
    .selectFrom('dues as d')
    .select(({ fn, lit }) => fn.coalesce(fn.sum<number>('d.amount'), lit(0)).as('refundedAsOwed'))
    .where('d.registration_id', '=', registrationId)
    .where('d.what', '=', 'paid back')
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('dues as c')
            .select('c.id')
            .whereRef('c.registration_id', '=', 'd.registration_id')
            .where('c.what', '=', 'cancelled')
            .whereRef('c.id', '<', 'd.id'),
        ),
      ),
    ),
)
/** Filters by payment status, to exclude the capture of a payment that is about to be counted. */
const remainingAmount = statement((builder, { registrationId }: RegistrationParams) =>
  builder
    .selectFrom('captures as c')
    .innerJoin('payments as p', 'p.id', 'c.counts_for')
    .select(({ eb, fn, lit, selectFrom }) =>
      fn
        .coalesce(
          fn.sum<number>(
            eb(
              'c.amount',
              '-',
              selectFrom('refunds as f')
                .select((f) =>
                  f.fn.coalesce(f.fn.sum<Amount>('f.amount'), f.val(toAmount(0))).as('amount'),
                )
                .whereRef('f.capture_id', '=', 'c.id')
                .where('f.state', '=', 'done'),
            ),
          ),
          lit(0),
        )
        .as('left'),
    )
    .where('p.registration_id', '=', registrationId)
    .where('c.state', 'in', ['fits', 'accepted'])
    .where('p.status', 'in', ['success', 'refunded']),
)
const priceOfRegistration = statement((builder, { registrationId }: RegistrationParams) =>
  builder.selectFrom('registrations').select('total').where('id', '=', registrationId),
)
export const priceAndCorrection = statement((builder, { registrationId }: RegistrationParams) =>
  builder
    .selectFrom('registrations')
    .select(['total', 'is_corrected', 'freed_at_attempt'])
    .where('id', '=', registrationId),
)
const requestedRemainder = statement((builder, { registrationId }: RegistrationParams) =>
  builder
    .selectFrom('dues')
    .select('id')
    .where('registration_id', '=', registrationId)
    .where('what', '=', REMAINDER_REASON)
    .where('payment_id', 'is not', null)
    .limit(1),
)
/**
 * Selects paid registrations that have an accepted payment, with the refunded amounts, and the amounts by which refunds
 * reduced the balance.
 */
const acceptedRegistrations = statement((builder) =>
  builder
    .selectFrom('registrations as r')
    .innerJoin('payments as p', (join) =>
      join.onRef('p.registration_id', '=', 'r.id').on('p.status', '=', 'success'),
    )
    .select(['r.id', 'r.due', 'r.total'])
    .select(({ fn, selectFrom }) => [
      fn.max('p.status_at').as('at'),
      selectFrom('refunds as f')
        .innerJoin('captures as c', 'c.id', 'f.capture_id')
        .innerJoin('payments as q', 'q.id', 'c.counts_for')
        .select((f) => f.fn.coalesce(f.fn.sum<number>('f.amount'), f.lit(0)).as('amount'))
        .whereRef('q.registration_id', '=', 'r.id')
        .where('c.state', 'in', ['fits', 'accepted'])
        .where('f.state', '=', 'done')
        .$asScalar()
        .$notNull()
        .as('refunded'),
      selectFrom('dues as d')
        .select((d) => d.fn.coalesce(d.fn.sum<number>('d.amount'), d.lit(0)).as('amount'))
        .whereRef('d.registration_id', '=', 'r.id')
        .where('d.what', '=', 'paid back')
        .$asScalar()
        .$notNull()
        .as('refundedAsOwed'),
    ])
    .where('r.payment_status', '=', 'success')
    .where('r.state', 'not in', ['cancelled', 'refused'])
    .where('r.due', '<=', toAmount(0))
    .where('r.total', 'is not', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('captures as c')
          .select('c.id')
          .whereRef('c.registration_id', '=', 'r.id')
          .where('c.state', '=', 'accepted'),
      ),
    )
    .groupBy(['r.id', 'r.due', 'r.total'])
    .orderBy('r.id')
    .$narrowType<{ total: Amount }>(),
)

/** Prefetches the data that `getBillAmounts` needs in addition to the payments. */
export const prefetchPaidBack = (sql: Sql, registrationId: number): Promise<unknown> =>
  amountPaidBack.get(sql, { registrationId })

/**
 * Reads the amounts for the balance rules. Also runs outside the writer's transaction. `next`: a payment that is about
 * to be counted.
 */
export async function getBillAmounts(
  sql: Sql,
  registrationId: number,
  next: CountedPayment | null = null,
): Promise<PaymentTotals> {
  const [refundRow, payments, remaining] = await Promise.all([
    amountPaidBack.get(sql, { registrationId }),
    paymentsOfRegistration.all(sql, { registrationId }),
    remainingAmount.get(sql, { registrationId }),
  ])
  const countedPayments: readonly CountedPayment[] = [
    ...payments,
    ...(next === null ? [] : [next]),
  ].toSorted((a, b) => a.attempt - b.attempt)
  return {
    received: toAmount(countedPayments.reduce((sum, payment) => sum + payment.received, 0)),
    refundedAsOwed: toAmount(refundRow?.refundedAsOwed ?? 0),
    left: toAmount(Math.max(0, (remaining?.left ?? 0) + (next?.received ?? 0))),
    acceptedShortfalls: countedPayments.flatMap(({ requested, bill, received }) =>
      received < requested ? [{ bill, amount: toAmount(requested - received) }] : [],
    ),
    highestPaidBill:
      countedPayments.length === 0
        ? null
        : toAmount(Math.max(...countedPayments.map(({ bill }) => bill))),
  }
}

/** Predicts the balance data that is read once this payment is the only one of its registration. */
export function predictBalance(
  sql: Sql,
  { registration_id: registrationId, attempt, amount, bill_total: bill }: JoinedPaymentRow,
  { total, is_corrected, freed_at_attempt }: RegistrationRow,
): void {
  priceAndCorrection.predict(sql, { registrationId }, [{ total, is_corrected, freed_at_attempt }])
  priceOfRegistration.predict(sql, { registrationId }, [{ total }])
  const paid = { attempt, requested: amount, bill: bill ?? amount, received: amount }
  paymentsOfRegistration.predict(sql, { registrationId }, [paid])
  remainingAmount.predict(sql, { registrationId }, [{ left: amount }])
}

/**
 * Computes the balance from the bill and the payments by the engine's rules. The stored balance also includes changes
 * made before these rules existed.
 */
export async function computeBalance(
  sql: Sql,
  registrationId: number,
  next: CountedPayment | null = null,
): Promise<number> {
  const [price, amounts] = await Promise.all([
    priceOfRegistration.get(sql, { registrationId }),
    getBillAmounts(sql, registrationId, next),
  ])
  return calculateBalance(price?.total ?? toAmount(0), amounts)
}

/** Reduces the balance by this payment, if it is for a difference and is about to be counted. */
export async function reduceBalance(
  sql: Sql,
  row: Pick<
    JoinedPaymentRow,
    'id' | 'registration_id' | 'attempt' | 'amount' | 'bill_total' | 'asks_for'
  >,
  receivedAmount: Amount,
  at: Instant,
): Promise<void> {
  if (row.asks_for !== 'difference') return
  const { id: paymentId, registration_id: id, attempt, amount: requested, bill_total: bill } = row
  const [balanceAfter, balanceBefore] = await Promise.all([
    computeBalance(sql, id, {
      attempt,
      requested,
      bill: bill ?? requested,
      received: receivedAmount,
    }),
    computeBalance(sql, id),
  ])
  recordAdjustment(sql, id, { what: 'paid', amount: balanceAfter - balanceBefore, paymentId }, at)
}

/** Records the remainder after a payment of less than the requested amount. It stays due. */
export function recordRemainder(
  sql: Sql,
  {
    id: paymentId,
    registration_id: registrationId,
  }: Pick<JoinedPaymentRow, 'id' | 'registration_id'>,
  remainder: Amount,
  at: Instant,
): void {
  recordAdjustment(
    sql,
    registrationId,
    { what: REMAINDER_REASON, amount: remainder, paymentId },
    at,
  )
}

/**
 * Returns true if this payment, which has just been counted, must be confirmed by email. If it is for the difference
 * after a correction, the registration was confirmed earlier. If the registration was paid in part, it is confirmed
 * when its balance is zero.
 */
export async function needsConfirmation(
  sql: Sql,
  {
    asks_for,
    registration_id: registrationId,
  }: Pick<JoinedPaymentRow, 'asks_for' | 'registration_id'>,
): Promise<boolean> {
  if (asks_for === 'whole') return true
  const wasPaidInPart = (await requestedRemainder.get(sql, { registrationId })) !== undefined
  return wasPaidInPart && (await getStoredBalance(sql, registrationId)) <= 0
}

/**
 * Updates balances of registrations for which staff accepted other amounts before these rules existed. An amount above
 * the price becomes refundable; an amount that was never received does not. Orders for a difference are left unchanged.
 */
export async function updateOldBalances(sql: Sql): Promise<void> {
  for (const batch of splitIntoBatches(await acceptedRegistrations.all(sql))) {
    const amounts = await Promise.all(
      batch.map(async (entry) => ({ ...entry, totals: await getBillAmounts(sql, entry.id) })),
    )
    for (const { id, due, total, at, refunded, refundedAsOwed, totals } of amounts) {
      // Uses the whole accepted amounts, because refunds are deducted below.
      const computedBalance = calculateBalance(total, { ...totals, left: totals.received })
      if (computedBalance > due)
        recordAdjustment(
          sql,
          id,
          { what: 'corrected', amount: Math.min(0, computedBalance) - due },
          at,
        )
      if (computedBalance >= due) continue
      recordAdjustment(sql, id, { what: 'corrected', amount: computedBalance - due }, at)
      const returned = Math.max(0, Math.min(due - computedBalance, refunded - refundedAsOwed))
      recordAdjustment(sql, id, { what: 'paid back', amount: returned }, at)
    }
  }
}
