/** Inserts a payment that staff record, even if a dismissed payment has its reference. */
import type { Amount, Currency, Instant, ManualMethod } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'

/** A payment as recorded at the bank or the front desk. */
export type RecordedPaymentRow = {
  readonly method: ManualMethod
  readonly reference: string
  readonly account: string
  readonly amount: Amount
  readonly currency: Currency
  readonly paidAt: Instant
  readonly at: Instant
  readonly state: 'fits' | 'review' | 'unmatched'
  readonly why: string | null
  /** Null if the payment is not matched to a registration yet. */
  readonly registrationId: number | null
  readonly paymentId: number | null
  /** The event whose staff decide on the payment if it is not matched to a registration. */
  readonly foundFor: string | null
}

type ReferenceInAccount = Pick<RecordedPaymentRow, 'method' | 'account' | 'reference'>
const paymentWithReference = statement(
  (builder, { method, account, reference }: ReferenceInAccount) =>
    builder
      .selectFrom('captures')
      .select('state')
      .where('source', '=', method)
      .where('account', '=', account)
      .where('reference', '=', reference),
)
const insertPayment = statement((builder, payment: RecordedPaymentRow) =>
  builder
    .insertInto('captures')
    .values({
      payment_id: payment.paymentId,
      counts_for: payment.paymentId,
      registration_id: payment.registrationId,
      source: payment.method,
      account: payment.account,
      reference: payment.reference,
      amount: payment.amount,
      currency: payment.currency,
      kind: 'sale',
      paid_at: payment.paidAt,
      seen_at: payment.at,
      state: payment.state,
      why: payment.why,
      found_for: payment.foundFor,
    })
    .returning('id'),
)

/**
 * Returns the account under which the payment can be stored. The source, account and reference of a stored payment are
 * unique and frozen, also after it is dismissed, so the account of the next payment under its reference gets a number:
 * `#2`, `#3` and so on. Null if a payment that is not dismissed has the reference.
 */
async function findFreeAccount(sql: Sql, payment: ReferenceInAccount): Promise<string | null> {
  for (let number = 1; ; number += 1) {
    const account = number === 1 ? payment.account : `${payment.account}#${number}`
    const storedPayment = await paymentWithReference.get(sql, { ...payment, account })
    if (storedPayment === undefined) return account
    if (storedPayment.state !== 'refused') return null
  }
}

/** Returns the id of the inserted payment. Null if a payment that is not dismissed has the reference. */
export async function insertRecordedPayment(
  sql: Sql,
  payment: RecordedPaymentRow,
): Promise<number | null> {
  const account = await findFreeAccount(sql, payment)
  if (account === null) return null
  return (await insertPayment.get(sql, { ...payment, account }))?.id ?? null
}
