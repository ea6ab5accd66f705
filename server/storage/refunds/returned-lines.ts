/** Compares the refunds under a bank reference with the withdrawals that name it. */
import { formatMoney, toAmount, toBankKey } from '../../../engine/index.ts'
import type { Amount, Currency, Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { CaptureRow } from '../database/statements/money-tables.ts'
import { statement } from '../database/statements/statement.ts'
import { readPayment, savePaymentState } from '../payments/payment-state.ts'
import {
  isReturned,
  noteRefundedParts,
  readWithdrawals,
  removeReturnedReason,
} from '../payments/returned-transfers.ts'
import { findOtherParts } from '../reconciliation/bank-line-parts.ts'
import { settleRegistration } from '../payments/settle-registration.ts'
import { toPayment } from '../registrations/row-mapping.ts'

const refundsOfCaptures = statement((builder, { ids }: { ids: string }, dialect) =>
  builder
    .selectFrom('refunds')
    .select(['reference', 'amount'])
    .where('state', 'in', ['done', 'asked'])
    .where('reference', 'is not', null)
    .where(({ ref }) => dialect.isIdIn(ref('capture_id'), ids))
    .$narrowType<{ reference: string }>(),
)
const countedCapture = statement((builder, { id }: { id: number }) =>
  builder
    .selectFrom('captures')
    .select('counts_for')
    .where('id', '=', id)
    .where('state', 'in', ['fits', 'accepted'])
    .where('counts_for', 'is not', null)
    .$narrowType<{ counts_for: number }>(),
)

/** The payments of a bank line that the bank returned, in whole or in part. */
export type ReturnedLine = {
  /** The payment itself, and the other returned parts. */
  readonly captureIds: ReadonlySet<number>
  /** The sum of the withdrawals. Null if a statement does not state the amount of one. */
  readonly withdrawn: Amount | null
  /** The sum of the refunds of these payments under the reference. */
  readonly refunded: Amount
  readonly currency: Currency
}

/** Returns the line of a payment that the bank returned. Null if no withdrawal refers to the payment. */
export async function readReturnedLine(
  sql: Sql,
  captureId: number,
  reference: string,
): Promise<ReturnedLine | null> {
  if (!(await isReturned(sql, captureId))) return null
  const captureIds = new Set([captureId])
  // One withdrawal may refer to several parts of the line.
  const withdrawals = new Map<string, Awaited<ReturnType<typeof readWithdrawals>>[number]>()
  const parts = await findOtherParts(sql, [captureId])
  for (const id of [captureId, ...parts.map((part) => part.id)])
    for (const withdrawal of await readWithdrawals(sql, id)) {
      captureIds.add(id)
      withdrawals.set(withdrawal.line, withdrawal)
    }
  const [first] = withdrawals.values()
  if (first === undefined) return null
  const amounts = [...withdrawals.values()].map(({ amount }) => amount)
  const key = toReferenceKey(reference)
  const refunds = await refundsOfCaptures.all(sql, { ids: JSON.stringify([...captureIds]) })
  return {
    captureIds,
    withdrawn: amounts.includes(toAmount(0)) ? null : sumAmounts(amounts),
    refunded: sumAmounts(
      refunds.flatMap((row) => (toReferenceKey(row.reference) === key ? [row.amount] : [])),
    ),
    currency: first.currency,
  }
}

/** Returns the form in which references of refunds are compared. */
export const toReferenceKey = (reference: string): string =>
  toBankKey(reference) || reference.trim()

const sumAmounts = (amounts: readonly Amount[]): Amount =>
  toAmount(amounts.reduce<number>((sum, amount) => sum + amount, 0))

/** Explains that a refund exceeds the withdrawals under its reference. Null if it does not. */
export function explainMoreThanWithdrawn(
  reference: string,
  { withdrawn, refunded, currency }: ReturnedLine,
  amount: Amount,
): string | null {
  if (withdrawn === null || refunded + amount <= withdrawn) return null
  const [total, recorded, left] = [withdrawn, refunded, toAmount(withdrawn - refunded)].map((sum) =>
    formatMoney(sum, currency),
  )
  const recordedText =
    refunded > 0 ? `, and refunds of ${recorded} are already recorded under it` : ''
  const limitText =
    refunded >= withdrawn
      ? 'Record any other refund under its own reference.'
      : `Record at most ${left} under it, and any other refund under its own reference.`
  return `The bank withdrew ${total} under ${reference}${recordedText}. ${limitText}`
}

/**
 * Updates the reviews of all parts of a returned line after a refund of one part under the line's reference. If the
 * refunds now explain every withdrawal, these reviews close. Otherwise they state the refunded and the remaining amount.
 */
export async function updateReviewsOfReturnedLine(
  sql: Sql,
  { id: refundedId }: Pick<CaptureRow, 'id'>,
  reference: string,
  at: Instant,
): Promise<void> {
  const line = await readReturnedLine(sql, refundedId, reference)
  if (line === null || line.withdrawn === null) return
  const left = toAmount(Math.max(0, line.withdrawn - line.refunded))
  for (const id of [...line.captureIds].toSorted((a, b) => a - b)) {
    const capture = await countedCapture.get(sql, { id })
    if (capture === undefined) continue
    const row = await readPayment(sql, capture.counts_for)
    const review =
      left === 0
        ? await removeReturnedReason(sql, row.review, {
            id,
            isFullyRefunded: true,
            amount: toAmount(0),
          })
        : await noteRefundedParts(sql, row.review, id, { refunded: line.refunded, left })
    if (review === row.review) continue
    await savePaymentState(sql, row, { ...toPayment(row), review }, at)
    await settleRegistration(sql, row.registration_id)
  }
}
