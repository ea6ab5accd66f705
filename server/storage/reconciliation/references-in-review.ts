/** Puts payments into review if their bank reference suggests that they are counted twice or must not be counted. */
import { sql as raw } from 'kysely'
import type { Expression, RawBuilder } from 'kysely'
import { getReceivedCurrency, toBankKey, splitWords } from '../../../engine/index.ts'
import type { Amount, Currency, Day, KnownPayment } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { createReturnKey, describeReturn } from '../payments/returned-transfers.ts'
import { assignReference, describeOwner, findPaymentsByKey } from './bank-references.ts'

const rejectedPayment = statement((builder, { id }: { id: number }) =>
  builder.selectFrom('captures').select('id').where('id', '=', id).where('state', '=', 'refused'),
)
const unrefundedAmount = statement((builder, { captureId }: { captureId: number }) =>
  builder
    .selectFrom('captures as c')
    .select('c.currency')
    .select(({ eb, selectFrom }) =>
      eb(
        'c.amount',
        '-',
        selectFrom('refunds as f')
          .select(({ fn }) =>
            fn.coalesce(fn.sum<Amount>('f.amount'), raw.lit(0 as Amount)).as('sum'),
          )
          .whereRef('f.capture_id', '=', 'c.id')
          .where('f.state', '=', 'done')
          .$asScalar(),
      ).as('left'),
    )
    .where('c.id', '=', captureId)
    .where('c.state', '<>', 'refused'),
)
const referenceWithKey = statement((builder, { key }: { key: string }) =>
  builder.selectFrom('bank_references').select('key').where('key', '=', key),
)
const addReasonToPayment = statement(
  (builder, { captureId, why: reason }: { captureId: number; why: string }) =>
    builder
      .updateTable('captures')
      .set(({ ref }) => ({ why: addReason(ref('why'), reason) }))
      .where('id', '=', captureId)
      .where('state', 'in', ['unmatched', 'review'])
      .where(({ ref }) => lacksReason(ref('why'), reason)),
)
const addReasonToAttempt = statement(
  (builder, { captureId, why: reason }: { captureId: number; why: string }) =>
    builder
      .updateTable('payments')
      .set(({ ref }) => ({ review: addReason(ref('review'), reason) }))
      .where(({ eb, selectFrom }) =>
        eb(
          'id',
          '=',
          selectFrom('captures as c')
            .select('c.counts_for')
            .where('c.id', '=', captureId)
            .where('c.state', 'in', ['fits', 'review', 'accepted']),
        ),
      )
      .where(({ ref }) => lacksReason(ref('review'), reason)),
)
const markRegistrationForReview = statement((builder, { captureId }: { captureId: number }) =>
  builder
    .updateTable('registrations')
    .set({ in_review: 1 })
    .where(({ eb, selectFrom }) =>
      eb(
        'id',
        '=',
        selectFrom('captures as c').select('c.registration_id').where('c.id', '=', captureId),
      ),
    ),
)
type Reasons = Expression<string | null>
const addReason = (reasons: Reasons, reason: string): RawBuilder<string> =>
  raw`coalesce(${reasons} || ' ', '') || ${reason}`
const lacksReason = (reasons: Reasons, reason: string): RawBuilder<boolean> =>
  raw`instr(coalesce(${reasons}, ''), ${reason}) = 0`

/**
 * Puts a payment into review because another payment already has its reference. Staff decide which of the two the bank
 * received.
 */
export async function reviewDuplicateReference(
  sql: Sql,
  laterId: number,
  { reference, eventId }: { readonly reference: string; readonly eventId: string },
  first: KnownPayment,
): Promise<void> {
  if ((await rejectedPayment.get(sql, { id: first.id })) !== undefined) return
  const reason = `The bank reference ${reference} is also recorded for ${await describeOwner(sql, first.regNo, eventId)}. Check the bank statement, and refund any amount that was counted twice.`
  await putInReview(sql, laterId, reason)
}

/**
 * Puts a payment into review because it was recorded under the reference of a gateway payout. A payout consists of card
 * payments, which are counted separately.
 */
export async function reviewPayoutReference(sql: Sql, utr: string): Promise<void> {
  for (const [, { id }] of await findPaymentsByKey(sql, [toBankKey(utr)]))
    await putInReview(
      sql,
      id,
      `The gateway’s settlement has the bank reference ${utr}: this money is a payout of card payments, so do not count it again.`,
    )
}

/** A withdrawal with the reference of a recorded payment, or of the line of which the payment is a part. */
export type ReturnedTransfer = {
  readonly captureId: number
  readonly reference: string
  /** Zero if the file does not state the amount. */
  readonly amount: Amount
  readonly currency: Currency
  readonly day: Day
  readonly narration: string
}

/** Puts payments that the bank may have returned into review, once per withdrawal. */
export async function reviewReturnedTransfers(
  sql: Sql,
  transfers: readonly ReturnedTransfer[],
): Promise<void> {
  for (const transfer of transfers) await reviewReturnedTransfer(sql, transfer)
}

async function reviewReturnedTransfer(
  sql: Sql,
  { captureId, reference, amount, currency, day, narration }: ReturnedTransfer,
): Promise<void> {
  const unrefunded = await unrefundedAmount.get(sql, { captureId })
  // Staff have already recorded this withdrawal as a refund.
  if (unrefunded === undefined || unrefunded.left <= 0) return
  // A withdrawal from an account in another currency cannot have returned this payment.
  if (getReceivedCurrency(unrefunded) !== currency) return
  const withdrawal = { amount, currency, day }
  const key = createReturnKey(captureId, withdrawal, splitWords(narration))
  if ((await referenceWithKey.get(sql, { key })) !== undefined) return
  assignReference.run(sql, { key, captureId })
  await putInReview(sql, captureId, describeReturn(withdrawal, reference))
}

/** Adds a review reason to a payment that is counted or already under review. */
async function putInReview(sql: Sql, captureId: number, reason: string): Promise<void> {
  addReasonToPayment.run(sql, { captureId, why: reason })
  const changes = await addReasonToAttempt.run(sql, { captureId, why: reason }).changes
  if (changes > 0) markRegistrationForReview.run(sql, { captureId })
}
