/** Adds and removes the review reason for a payment that the bank may have returned. */
import { getReceivedCurrency, formatDay, formatMoney, toAmount } from '../../../engine/index.ts'
import type { Currency, Day, Amount } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'

const returnedKeys = statement((builder, { captureId }: { captureId: number }) =>
  builder
    .selectFrom('bank_references as b')
    .innerJoin('captures as c', 'c.id', 'b.capture_id')
    .select(['b.key', 'c.currency'])
    .where('b.capture_id', '=', captureId)
    .where(({ fn, lit }) => fn<string>('substr', ['b.key', lit(1), lit(9)]), '=', 'returned '),
)

/**
 * Part of the review reason for a counted payment that the bank may have returned. The next word is “payment”, or
 * “transfer” in reasons that an earlier version stored.
 */
export const POSSIBLE_RETURN = 'It may have returned this '
const REASON_END = 'If so, record the refund on the page of the registration.'

type Withdrawal = { readonly amount: Amount; readonly currency: Currency; readonly day: Day }
const getReasonStart = ({ amount, currency, day }: Withdrawal): string => {
  const amountText = amount === 0 ? '' : ` of ${formatMoney(amount, currency)}`
  return `The bank shows a withdrawal${amountText} on ${formatDay(day)} that names `
}

/** `reference`: the payment's reference, as found in the statement line. */
export const describeReturn = (withdrawal: Withdrawal, reference: string): string =>
  `${getReasonStart(withdrawal)}${reference}. ${POSSIBLE_RETURN}payment. ${REASON_END}`

/** Identifies a withdrawal, so that its reason is added once. */
export type ReturnKey = `returned ${number} ${string}`
export const createReturnKey = (
  captureId: number,
  { amount, day }: Pick<Withdrawal, 'amount' | 'day'>,
  reasonTexts: readonly string[],
): ReturnKey => `returned ${captureId} ${day} ${amount} ${reasonTexts.join(' ')}`

/** Returns true if a withdrawal refers to the payment. The bank may then have returned it under a new reference. */
export const isReturned = async (sql: Sql, captureId: number): Promise<boolean> =>
  (await readWithdrawals(sql, captureId)).length > 0

/** Returns the withdrawals that refer to the payment, including those that staff have decided on. */
export async function readWithdrawals(sql: Sql, captureId: number): Promise<readonly Withdrawal[]> {
  const keys = await returnedKeys.all(sql, { captureId })
  return keys.map(({ key, currency }) => {
    const [, , day = '', amount] = key.split(' ')
    return {
      day: day as Day,
      amount: toAmount(Number(amount)),
      currency: getReceivedCurrency({ currency }),
    }
  })
}

/**
 * Returns the review reasons of a payment that remain after a refund of this capture. The refund explains a withdrawal
 * of the same amount, or all withdrawals if the whole payment is refunded. Any other withdrawal still needs a decision.
 */
export async function removeReturnedReason(
  sql: Sql,
  review: string | null,
  {
    id,
    isFullyRefunded,
    amount,
  }: { readonly id: number; readonly isFullyRefunded: boolean; amount: Amount },
): Promise<string | null> {
  if (review === null || !review.includes(POSSIBLE_RETURN)) return review
  let remaining = review
  for (const withdrawal of await readWithdrawals(sql, id)) {
    if (!isFullyRefunded && withdrawal.amount !== amount) continue
    const reasonStart = remaining.indexOf(getReasonStart(withdrawal))
    const end = remaining.indexOf(REASON_END, reasonStart)
    if (reasonStart !== -1 && end !== -1)
      remaining = remaining.slice(0, reasonStart) + remaining.slice(end + REASON_END.length)
    if (!isFullyRefunded) break
  }
  const trimmed = remaining.replaceAll(/ {2,}/g, ' ').trim()
  return trimmed === '' ? null : trimmed
}
