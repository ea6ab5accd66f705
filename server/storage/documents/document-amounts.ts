/** Adds up the amounts that documents state: received, refunded and charged for a registration. */
import { expressionBuilder, sql as raw } from 'kysely'
import { isEnded, toAmount, computeRequiredAmount } from '../../../engine/index.ts'
import type { Charge, Amount } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { getBillAmounts } from '../payments/stored-balance.ts'
import { getSource } from '../payments/received-payments.ts'
import type { JoinedPaymentRow, RegistrationRow } from '../registrations/row-mapping.ts'

const capture = expressionBuilder<Tables & { c: Tables['captures'] }, 'c'>()
/**
 * True for an imported capture `c`. The previous system issued its invoice, and also issues the credit notes for its
 * refunds.
 */
const isImported = capture.and([
  capture('c.source', '=', getSource(null)),
  capture.not(
    capture.exists(
      capture
        .selectFrom('refunds as f')
        .select('f.id')
        .whereRef('f.capture_id', '=', 'c.id')
        .where('f.who', '=', 'import'),
    ),
  ),
])
const importedCapture = statement((builder, { registrationId }: { registrationId: number }) =>
  builder
    .selectFrom('captures as c')
    .select('c.id')
    .where(isImported)
    .where('c.registration_id', '=', registrationId),
)
const paidAmounts = statement((builder, { registrationId }: { registrationId: number }) =>
  builder
    .selectFrom(({ selectFrom }) =>
      selectFrom('payments as p')
        .select((eb) => [
          eb
            .case()
            .when(
              eb.exists(
                eb
                  .selectFrom('captures as c')
                  .select('c.id')
                  .where(isImported)
                  .whereRef('c.counts_for', '=', 'p.id'),
              ),
            )
            .then(1)
            .else(0)
            .end()
            .as('is_imported'),
          eb.fn
            .coalesce(
              eb
                .selectFrom('captures as c')
                .select(({ fn }) => fn.sum<number>('c.amount').as('amount'))
                .whereRef('c.counts_for', '=', 'p.id')
                .where('c.state', 'in', ['fits', 'accepted']),
              'p.amount',
            )
            .as('received'),
          eb
            .selectFrom('refunds as f')
            .innerJoin('captures as c', 'c.id', 'f.capture_id')
            .select(({ fn, lit }) => fn.coalesce(fn.sum<number>('f.amount'), lit(0)).as('amount'))
            .whereRef('c.counts_for', '=', 'p.id')
            .where('c.state', 'in', ['fits', 'accepted'])
            .where('f.state', '=', 'done')
            .as('refunded'),
        ])
        .where('p.registration_id', '=', registrationId)
        .where('p.status', 'in', ['success', 'refunded'])
        .as('paid'),
    )
    .select(({ eb, fn, lit }) => [
      fn.coalesce(fn.sum<number>('received'), lit(0)).as('received'),
      fn.coalesce(fn.sum<number>('refunded'), lit(0)).as('refunded'),
      fn
        .coalesce(
          fn.sum<number>(
            eb
              .case()
              .when('is_imported', '=', 1)
              .then(eb('received', '-', eb.ref('refunded')))
              .else(0)
              .end(),
          ),
          lit(0),
        )
        .as('imported'),
    ]),
)
/** Selects the newest receipt of each payment. */
const receiptAmounts = statement(
  (builder, { registrationId }: { registrationId: number }, dialect) =>
    builder
      .selectFrom('documents')
      .select(({ fn, lit, ref }) => {
        const readAmountAt = (path: string) =>
          fn.coalesce(
            fn.sum<number>(raw<number>`cast(${dialect.jsonText(ref('body'), path)} as bigint)`),
            lit(0),
          )
        return [readAmountAt('$.gst').as('gst'), readAmountAt('$.total').as('total')]
      })
      .where('id', 'in', ({ selectFrom }) =>
        selectFrom('documents')
          .select(({ fn }) => fn.max('id').as('id'))
          .where('registration_id', '=', registrationId)
          .where('kind', '=', 'receipt')
          .groupBy('payment_id'),
      ),
)
const acceptedAmount = statement((builder, { paymentId }: { paymentId: number }) =>
  builder
    .selectFrom('captures')
    .select(({ fn }) => fn.sum<Amount | null>(fn.coalesce('counted', 'amount')).as('amount'))
    .where('counts_for', '=', paymentId)
    .where('state', '=', 'accepted'),
)
const countedAmount = statement((builder, { paymentId }: { paymentId: number }) =>
  builder
    .selectFrom('captures')
    .select(({ fn, lit }) =>
      fn.coalesce(fn.sum<number>(fn.coalesce('counted', 'amount')), lit(0)).as('amount'),
    )
    .where('counts_for', '=', paymentId)
    .where('state', 'in', ['fits', 'accepted']),
)

const refundsOfCounted = statement((builder, { registrationId }: { registrationId: number }) =>
  builder
    .selectFrom('refunds as f')
    .innerJoin('captures as c', 'c.id', 'f.capture_id')
    .innerJoin('payments as p', 'p.id', 'c.counts_for')
    .select(['f.amount', 'f.reference'])
    .where('p.registration_id', '=', registrationId)
    .where('p.status', 'in', ['success', 'refunded'])
    .where('c.state', 'in', ['fits', 'accepted'])
    .where('f.state', '=', 'done')
    .orderBy('f.done_at')
    .orderBy('f.id'),
)

/** Returns the refunds of the counted payments of a registration, oldest first. */
export const listRefunds = (
  sql: Sql,
  registrationId: number,
): Promise<readonly { readonly amount: Amount; readonly reference: string | null }[]> =>
  refundsOfCounted.all(sql, { registrationId })

/** Returns the amount that staff accepted for the payment. Null if they accepted none. */
export async function findAcceptedAmount(sql: Sql, paymentId: number): Promise<Amount | null> {
  return (await acceptedAmount.get(sql, { paymentId }))?.amount ?? null
}

/** Returns the counted amount of a payment. */
export async function findCountedAmount(sql: Sql, paymentId: number): Promise<Amount> {
  return toAmount((await countedAmount.get(sql, { paymentId }))?.amount ?? 0)
}

export async function hasImportedMoney(sql: Sql, registrationId: number): Promise<boolean> {
  return (await importedCapture.get(sql, { registrationId })) !== undefined
}

/**
 * Returns the tax of the bill that no earlier receipt includes. Zero if this payment differs from the remaining amount.
 */
export async function computeTaxOfDifference(
  sql: Sql,
  row: JoinedPaymentRow,
  { gst, total }: RegistrationRow,
): Promise<Amount> {
  const receiptedAmounts = (await receiptAmounts.get(sql, {
    registrationId: row.registration_id,
  })) ?? {
    gst: 0,
    total: 0,
  }
  const remainingTax = (gst ?? 0) - receiptedAmounts.gst
  const isExact =
    (total ?? 0) - receiptedAmounts.total === row.amount &&
    remainingTax >= 0 &&
    remainingTax <= row.amount
  return toAmount(isExact ? remainingTax : 0)
}

/** Predicts the results of reading the amounts after this payment has become the only one of its registration. */
export function predictAmounts(
  sql: Sql,
  { id, registration_id: registrationId, amount }: JoinedPaymentRow,
): void {
  importedCapture.predict(sql, { registrationId }, [])
  paidAmounts.predict(sql, { registrationId }, [{ received: amount, refunded: 0, imported: 0 }])
  countedAmount.predict(sql, { paymentId: id }, [{ amount }])
}
/** Like `predictAmounts`, but for the reads of the payment's receipt. */
export const predictReceiptAmounts = (sql: Sql, paymentId: number): void =>
  acceptedAmount.predict(sql, { paymentId }, [{ amount: null }])

/** Prefetches the data for `findChargedAmounts`. */
export const prefetchCharge = (sql: Sql, registrationId: number): Promise<unknown> =>
  Promise.all([paidAmounts.get(sql, { registrationId }), getBillAmounts(sql, registrationId)])

/**
 * Returns the charged part of the bill: the retained amount plus the balance. Amounts above the price were never
 * charged. `chargedAboveUninvoiced` excludes imported payments. Refunds reduce imported payments first.
 */
export async function findChargedAmounts(
  sql: Sql,
  { id, due, state }: RegistrationRow,
  total: Amount,
  refundedBefore: number,
): Promise<Pick<Charge, 'charged' | 'chargedAboveUninvoiced'>> {
  const { received, refunded, imported } = (await paidAmounts.get(sql, { registrationId: id })) ?? {
    received: 0,
    refunded: 0,
    imported: 0,
  }
  const retainedAmount = received - refunded + refundedBefore
  // The organisers accepted less than the price. This applies until the registration is cancelled or fully refunded.
  const waivedLimit =
    total - computeRequiredAmount(total, (await getBillAmounts(sql, id)).acceptedShortfalls)
  const waivedAmount = retainedAmount > 0 && !isEnded(state) ? waivedLimit : 0
  const dueAboveUninvoiced = Math.max(due, Math.min(0, imported + due))
  return {
    charged: toAmount(Math.max(0, Math.min(total, retainedAmount + due + waivedAmount))),
    chargedAboveUninvoiced: toAmount(
      Math.max(0, retainedAmount - imported + dueAboveUninvoiced + waivedAmount),
    ),
  }
}
