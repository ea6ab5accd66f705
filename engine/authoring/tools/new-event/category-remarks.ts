/** Lists unchecked conditions that category names imply: a document, a limit, free entry. */
import { INR, toAmount, type Currency } from '../../../lib/money.ts'
import type { FeeRow } from './fee-table/parts.ts'
import { readPrice } from './prices.ts'
import type { SampleCategory } from './sample-options.ts'

const PROOF_WORDS =
  /\b(letter|certificates?|bona ?fide|proof|id ?-?cards?|identity card|hod|documents?|upload\w*|attested)\b/i
const LIMIT_PATTERN =
  /\b(?:first|limited to|max\w*|only|up ?to)\s+(\d+)\b(?!\s*(?:years|yrs))|\b(\d+)\s+(?:seats|places|slots)\b/i

/** Returns one sentence for each implied condition. */
export function listCategoryRemarks(categories: readonly SampleCategory[]): readonly string[] {
  const isFree = ({ prices }: SampleCategory): boolean =>
    prices.includes(toAmount(0)) && prices.every((price) => (price ?? 0) === 0)
  const hasPaidCategory = categories.some(({ prices }) => prices.some((price) => (price ?? 0) > 0))
  return categories.flatMap((category) => {
    const name = `“${category.label}”`
    const limit = LIMIT_PATTERN.exec(category.label)
    return [
      ...(PROOF_WORDS.test(category.label)
        ? [`${name} mentions a document, but delegates are not asked to upload one.`]
        : []),
      ...(limit === null
        ? []
        : [
            `${name} mentions a limit of ${limit[1] ?? limit[2]}, but any number of delegates can choose it.`,
          ]),
      ...(hasPaidCategory && isFree(category)
        ? [`${name} is free, and every delegate can choose it.`]
        : []),
    ]
  })
}

/** Returns the remarks about a table as typed. Cells that are not prices are ignored. */
export const listRowRemarks = (
  rows: readonly FeeRow[],
  currency: Currency = INR,
): readonly string[] =>
  listCategoryRemarks(
    rows.map(({ label, cells }) => ({
      label: label.trim(),
      prices: cells.flatMap((cell) => readPrice(cell, currency) ?? []),
    })),
  )
