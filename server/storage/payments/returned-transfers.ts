/** Review reasons of payments that the bank may have returned, from the statement to the recorded refund. */
import { formatDay, formatMoney, paise } from '../../../engine/index.ts'
import type { Day, Paise } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'

const returnedKeys = statement((builder, { captureId }: { captureId: number }) =>
  builder
    .selectFrom('bank_references')
    .select('key')
    .where('capture_id', '=', captureId)
    .where(({ fn, lit }) => fn<string>('substr', ['key', lit(1), lit(9)]), '=', 'returned '),
)

/** Part of the review reason of a counted payment that the bank may have returned. */
export const MAY_BE_RETURNED = 'It may have returned this transfer.'
const WHAT_TO_DO = `${MAY_BE_RETURNED} If so, record the refund on the page of the registration.`

type Withdrawal = { readonly amount: Paise; readonly day: Day }
const beginningOf = ({ amount, day }: Withdrawal): string => {
  const sum = amount === 0 ? '' : ` of ${formatMoney(amount)}`
  return `The bank shows a withdrawal${sum} on ${formatDay(day)} that names `
}

/** `reference`: as the line names the payment. */
export const sayReturned = (withdrawal: Withdrawal, reference: string): string =>
  `${beginningOf(withdrawal)}${reference}. ${WHAT_TO_DO}`

/** The key of a withdrawal, whose reason is added once. */
export type ReturnedKey = `returned ${number} ${string}`
export const returnedKey = (
  captureId: number,
  { amount, day }: Withdrawal,
  words: readonly string[],
): ReturnedKey => `returned ${captureId} ${day} ${amount} ${words.join(' ')}`

/** Returns true if a withdrawal names the payment: the bank may have returned it under its own reference. */
export const isReturned = async (sql: Sql, captureId: number): Promise<boolean> =>
  (await withdrawalsOf(sql, captureId)).length > 0

async function withdrawalsOf(sql: Sql, captureId: number): Promise<readonly Withdrawal[]> {
  const keys = await returnedKeys.all(sql, { captureId })
  return keys.map(({ key }) => {
    const [, , day = '', amount] = key.split(' ')
    return { day: day as Day, amount: paise(Number(amount)) }
  })
}

/**
 * Returns the review reasons of a payment after a refund of this received payment: a withdrawal of this amount is
 * explained, and once nothing is left each of them is. A withdrawal of another amount still waits for staff.
 */
export async function withoutReturned(
  sql: Sql,
  review: string | null,
  { id, isAllBack, amount }: { readonly id: number; readonly isAllBack: boolean; amount: Paise },
): Promise<string | null> {
  if (review === null || !review.includes(MAY_BE_RETURNED)) return review
  let rest = review
  for (const withdrawal of await withdrawalsOf(sql, id)) {
    if (!isAllBack && withdrawal.amount !== amount) continue
    const begin = rest.indexOf(beginningOf(withdrawal))
    const end = rest.indexOf(WHAT_TO_DO, begin)
    if (begin !== -1 && end !== -1)
      rest = rest.slice(0, begin) + rest.slice(end + WHAT_TO_DO.length)
    if (!isAllBack) break
  }
  const said = rest.replaceAll(/ {2,}/g, ' ').trim()
  return said === '' ? null : said
}
