/** Describes a delegate found by a proof, and their bill. */
import { listPeriodsOfCategory } from '../../pricing/price-periods.ts'
import type { EventConfig } from '../../event/config.ts'
import type { Answer } from '../../event/answer-types.ts'
import { CODE_NAME } from '../../rules/pricing-context.ts'
import { formatMoney } from '../../lib/money.ts'
import { formatDay } from '../../lib/time.ts'
import type { PossibleBill } from './bill-bounds.ts'
import type { SampleDelegate } from './item-prices.ts'
import { getCurrency } from '../../rules/category.ts'

/** Lists categories: "`member` or `senior`". A long list ends with the number of categories omitted. */
export function describeCategories(who: readonly SampleDelegate[]): string {
  const names = [...new Set(who.map(({ category }) => `\`${category}\``))]
  return names.length > MAX_NAMED_CATEGORIES
    ? `${names.slice(0, MAX_NAMED_CATEGORIES).join(', ')} or ${names.length - MAX_NAMED_CATEGORIES} more`
    : names.join(' or ')
}
const MAX_NAMED_CATEGORIES = 4

/** Describes answers in the order given: "code: coupon, workshops: usg and ecmo". Omits the answer No. */
export function describeAnswers({ answers }: Pick<SampleDelegate, 'answers'>): string {
  return Object.entries(answers)
    .filter(([, answer]) => answer !== false)
    .map(([name, answer]) => `${name === CODE_NAME ? 'the code' : name}: ${describeAnswer(answer)}`)
    .join(', ')
}

function describeAnswer(answer: Answer): string {
  if (typeof answer === 'boolean') return answer ? 'yes' : 'no'
  if (typeof answer !== 'object') return String(answer).trim()
  return answer.every((candidate) => typeof candidate === 'string')
    ? answer.join(' and ')
    : `${answer.length} of them`
}

/**
 * Describes a bill: "₹ 14,750.00 for `member` on 1 February 2027 (registration ₹ 11,800.00,
 * workshop ₹ 2,950.00) with workshops: ecmo".
 */
export function describeBill(event: EventConfig, bill: PossibleBill): string {
  const currency = getCurrency(event, bill.category)
  const byLine = Map.groupBy(bill.lines, ({ id }) => id)
  const lines = [...byLine].map(
    ([id, linesOfItem]) =>
      `${id} ${formatMoney(addTotals(linesOfItem.map(({ total }) => total)), currency)}`,
  )
  const answersText = describeAnswers(bill)
  const hasOneLine = lines.length === 1
  const period =
    listPeriodsOfCategory(event.fees, bill.category).length > 1 ? ` in \`${bill.period}\`` : ''
  return `${formatMoney(bill.total, currency)} for \`${bill.category}\`${period}, ${formatDay(bill.on)}${hasOneLine ? '' : ` (${lines.join(', ')})`}${answersText === '' ? '' : ` with ${answersText}`}`
}

function addTotals(amounts: readonly PossibleBill['total'][]): PossibleBill['total'] {
  return amounts.reduce<number>((sum, amount) => sum + amount, 0) as PossibleBill['total']
}

/** Returns the verb for a field with options: "tick" for several, otherwise "choose". */
export function getChoiceVerb(event: EventConfig, field: string | undefined): string {
  const type = event.fields.find(({ id }) => id === field)?.type
  return type === 'many' ? 'tick' : 'choose'
}
