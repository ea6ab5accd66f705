/** Puts payments into review whose bank reference shows that they may count twice, or not at all. */
import { sql as raw } from 'kysely'
import type { Expression, RawBuilder } from 'kysely'
import { currencyOfMoney, bankKey, splitWords } from '../../../engine/index.ts'
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

/** Two payments with one reference: staff decide which of them the bank has received. */
export async function reportTwice(
  sql: Sql,
  later: number,
  { reference, eventId }: { readonly reference: string; readonly eventId: string },
  first: KnownPayment,
): Promise<void> {
  if ((await rejectedPayment.get(sql, { id: first.id })) !== undefined) return
  const reason = `The bank reference ${reference} is recorded twice: it is also ${await describeOwner(sql, first.regNo, eventId)}. Check the bank statement and refund what was counted twice.`
  await putInReview(sql, later, reason)
}

/**
 * A gateway paid out under this reference: a payment recorded under it consists of card payments, which count
 * separately.
 */
export async function reportPaidOut(sql: Sql, utr: string): Promise<void> {
  for (const [, { id }] of await findPaymentsByKey(sql, [bankKey(utr)]))
    await putInReview(
      sql,
      id,
      `The gateway’s settlement has the bank reference ${utr}: this money is a payout of card payments, so do not count it again.`,
    )
}

/** A withdrawal with the reference of a recorded payment. */
export type ReturnedTransfer = {
  readonly captureId: number
  readonly reference: string
  /** Zero if the file does not state it. */
  readonly amount: Amount
  readonly currency: Currency
  readonly day: Day
  readonly narration: string
}

/** Puts payments that the bank may have returned into review, once per withdrawal, until staff decide. */
export async function reportReturned(
  sql: Sql,
  returned: readonly ReturnedTransfer[],
): Promise<void> {
  for (const { captureId, reference, amount, currency, day, narration } of returned) {
    const left = await unrefundedAmount.get(sql, { captureId })
    // Staff have refunded it: this withdrawal is that refund.
    if (left === undefined || left.left <= 0) continue
    // A withdrawal from an account in another currency returned something else.
    if (currencyOfMoney(left) !== currency) continue
    const withdrawal = { amount, currency, day }
    const key = createReturnKey(captureId, withdrawal, splitWords(narration))
    if ((await referenceWithKey.get(sql, { key })) !== undefined) continue
    assignReference.run(sql, { key, captureId })
    await putInReview(sql, captureId, describeReturn(withdrawal, reference))
  }
}

/** A counted payment, or one already in review, gets one more review reason. */
async function putInReview(sql: Sql, captureId: number, reason: string): Promise<void> {
  addReasonToPayment.run(sql, { captureId, why: reason })
  const changes = await addReasonToAttempt.run(sql, { captureId, why: reason }).changes
  if (changes > 0) markRegistrationForReview.run(sql, { captureId })
}
