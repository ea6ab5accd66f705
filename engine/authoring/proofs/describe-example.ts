/** Somebody who was found, and their bill, in words. */
import type { EventConfig } from '../../event/config.ts'
import type { Answer } from '../../event/answer-types.ts'
import { CODE } from '../../rules/pricing-context.ts'
import { formatMoney } from '../../lib/money.ts'
import { formatDay } from '../../lib/time.ts'
import type { BillFound } from './bill-bounds.ts'
import type { Somebody } from './item-prices.ts'

/** "`member` or `senior`": of many the rest is counted. */
export function sayCategories(who: readonly Somebody[]): string {
  const names = [...new Set(who.map(({ category }) => `\`${category}\``))]
  return names.length > NAMED_MAX
    ? `${names.slice(0, NAMED_MAX).join(', ')} or ${names.length - NAMED_MAX} more`
    : names.join(' or ')
}
const NAMED_MAX = 4

/** "code: coupon, workshops: usg and ecmo": answers in their order, a No among them left out. */
export function sayAnswers({ answers }: Pick<Somebody, 'answers'>): string {
  return Object.entries(answers)
    .filter(([, answer]) => answer !== false)
    .map(([name, answer]) => `${name === CODE ? 'the code' : name}: ${sayAnswer(answer)}`)
    .join(', ')
}

function sayAnswer(answer: Answer): string {
  if (typeof answer === 'boolean') return answer ? 'yes' : 'no'
  if (typeof answer !== 'object') return String(answer).trim()
  return answer.every((one) => typeof one === 'string')
    ? answer.join(' and ')
    : `${answer.length} of them`
}

/** "₹ 14,750.00 for `member` on 1 February 2027 (registration ₹ 11,800.00, workshop ₹ 2,950.00) with workshops: ecmo". */
export function sayBill(event: EventConfig, bill: BillFound): string {
  const byLine = Map.groupBy(bill.lines, ({ id }) => id)
  const lines = [...byLine].map(
    ([id, some]) => `${id} ${formatMoney(totalOf(some.map(({ total }) => total)))}`,
  )
  const said = sayAnswers(bill)
  const isOne = lines.length === 1
  const period = event.fees.periods.length > 1 ? ` in \`${bill.period}\`` : ''
  return `${formatMoney(bill.total)} for \`${bill.category}\`${period}, ${formatDay(bill.on)}${isOne ? '' : ` (${lines.join(', ')})`}${said === '' ? '' : ` with ${said}`}`
}

function totalOf(amounts: readonly BillFound['total'][]): BillFound['total'] {
  return amounts.reduce<number>((sum, amount) => sum + amount, 0) as BillFound['total']
}

/** What somebody does with a field of options: ticks or chooses one. */
export function verbOf(event: EventConfig, field: string | undefined): string {
  const type = event.fields.find(({ id }) => id === field)?.type
  return type === 'many' ? 'ticks' : 'chooses'
}
