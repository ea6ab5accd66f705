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

/** Begins the sentence about refunds of other parts of the line, before `POSSIBLE_RETURN`. */
const REFUNDED_PARTS_START = 'Refunds under this reference: '

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

/** `line` identifies the statement line, which may refer to several payments. */
export type StoredWithdrawal = Withdrawal & { readonly line: string }

/** Returns the withdrawals that refer to the payment, including those that staff have decided on. */
export async function readWithdrawals(
  sql: Sql,
  captureId: number,
): Promise<readonly StoredWithdrawal[]> {
  const keys = await returnedKeys.all(sql, { captureId })
  return keys.map(({ key, currency }) => {
    const [, , ...parts] = key.split(' ')
    const [day = '', amount] = parts
    return {
      line: parts.join(' '),
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
    remaining = replaceReason(remaining, withdrawal, () => '')
    if (!isFullyRefunded) break
  }
  const trimmed = remaining.replaceAll(/ {2,}/g, ' ').trim()
  return trimmed === '' ? null : trimmed
}

/** Replaces the reason for a withdrawal. Reasons without it are unchanged. */
function replaceReason(
  reasons: string,
  withdrawal: Withdrawal,
  change: (reason: string) => string,
): string {
  const start = reasons.indexOf(getReasonStart(withdrawal))
  const endStart = reasons.indexOf(REASON_END, start)
  if (start === -1 || endStart === -1) return reasons
  const end = endStart + REASON_END.length
  return reasons.slice(0, start) + change(reasons.slice(start, end)) + reasons.slice(end)
}

/**
 * Returns the review reasons of a payment after refunds of parts of its line. `refunded`: the amount that staff recorded
 * for all parts under the reference that the withdrawals name; `left`: the rest of the withdrawals.
 */
export async function noteRefundedParts(
  sql: Sql,
  review: string | null,
  id: number,
  { refunded, left }: { readonly refunded: Amount; readonly left: Amount },
): Promise<string | null> {
  if (review === null || !review.includes(POSSIBLE_RETURN)) return review
  let noted = review
  for (const withdrawal of await readWithdrawals(sql, id))
    noted = replaceReason(noted, withdrawal, (reason) => {
      const question = reason.indexOf(POSSIBLE_RETURN)
      const noteStart = reason.lastIndexOf(REFUNDED_PARTS_START, question)
      const facts = reason.slice(0, noteStart === -1 ? question : noteStart)
      const [recordedText, leftText] = [refunded, left].map((amount) =>
        formatMoney(amount, withdrawal.currency),
      )
      const note = `${REFUNDED_PARTS_START}${recordedText} recorded, ${leftText} left. `
      return `${facts}${note}${reason.slice(question)}`
    })
  return noted
}
