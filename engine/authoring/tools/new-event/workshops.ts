/** Combines the prices of workshops, for all or for single categories, and finds contradictions. */
import { expandPrices } from './price-periods.ts'
import type { PricesByPeriod, SampleCategory, SampleWorkshop } from './sample-options.ts'

/** The prices of a workshop as entered. */
export type WorkshopEntry = {
  readonly label: string
  /** The category that pays these prices. Empty for all categories without their own prices. */
  readonly category: string
  readonly prices: PricesByPeriod
  /** Null if not stated. */
  readonly seats: number | null
}
/** `entry` is the index of the entry to change. */
export type WorkshopProblem = {
  readonly entry: number
  readonly isAboutSeats?: boolean
  readonly message: string
}

const normalise = (text: string): string => text.trim().toLowerCase()

/**
 * Returns true if delegates who pay these registration fees can ever buy the workshop. A single price applies to all
 * periods.
 */
export function isEverSold(prices: PricesByPeriod, fees: PricesByPeriod): boolean {
  const count = Math.max(prices.length, fees.length)
  const registration = expandPrices(fees, count)
  return expandPrices(prices, count).some(
    (price, period) => price !== null && registration[period] != null,
  )
}

export function combineWorkshops(
  entries: readonly WorkshopEntry[],
  payers: readonly SampleCategory[],
): {
  readonly workshops: readonly SampleWorkshop[]
  readonly problems: readonly WorkshopProblem[]
} {
  const groups = [
    ...Map.groupBy(
      entries.map((entry, at) => ({ ...entry, at })),
      ({ label }) => normalise(label),
    ).values(),
  ]
  const categories = payers.map(({ label }) => label)
  const problems: WorkshopProblem[] = []
  const workshops = groups.flatMap((rows): readonly SampleWorkshop[] => {
    const [first] = rows
    if (first === undefined) return []
    const { label } = first
    const commonRow = rows.find(({ category }) => category === '')
    const ownRows = rows.filter(({ category }) => category !== '')
    for (const { at, category } of rows) {
      const sameCategoryRow = rows.find((row) => normalise(row.category) === normalise(category))
      if (sameCategoryRow !== undefined && sameCategoryRow.at < at)
        problems.push({
          entry: at,
          message:
            category === ''
              ? `“${label}” is listed twice.`
              : `“${label}” has two rows for “${category}”.`,
        })
      else if (
        category !== '' &&
        !categories.some((candidate) => normalise(candidate) === normalise(category))
      )
        problems.push({ entry: at, message: `“${category}” is not a category of this conference.` })
    }
    const otherCategories = categories.filter(
      (candidate) => !ownRows.some(({ category }) => normalise(category) === normalise(candidate)),
    )
    if (commonRow === undefined && otherCategories.length > 0)
      problems.push({
        entry: first.at,
        message: `What do the other categories pay for “${label}” (${otherCategories.join(', ')})? Write one price for all of them, or “–” if they cannot choose it.`,
      })
    const ownPrices = ownRows.map(({ category, prices }): SampleCategory => ({
      label:
        categories.find((candidate) => normalise(candidate) === normalise(category)) ?? category,
      prices,
    }))
    const isSold =
      categories.length === 0
        ? rows.some(({ prices }) => prices.some((price) => price !== null))
        : payers.some((payer) =>
            isEverSold(
              ownPrices.find((candidate) => candidate.label === payer.label)?.prices ??
                commonRow?.prices ??
                [],
              payer.prices,
            ),
          )
    if (rows.every(({ prices }) => prices.length > 0) && !isSold)
      problems.push({ entry: first.at, message: `“${label}” would never be on sale.` })
    const rowsWithSeats = rows.filter(({ seats }) => seats !== null)
    const seats = rowsWithSeats[0]?.seats ?? null
    const other = rowsWithSeats.find((row) => row.seats !== seats)
    if (seats === 0)
      problems.push({
        entry: first.at,
        isAboutSeats: true,
        message: `“${label}” would have no seats.`,
      })
    if (other !== undefined)
      problems.push({
        entry: other.at,
        isAboutSeats: true,
        message: `“${label}” has the same number of seats for all categories. Is it ${seats} or ${other.seats}?`,
      })
    return [
      {
        label,
        prices: commonRow?.prices ?? [],
        ...(ownPrices.length === 0 ? {} : { ownPrices }),
        seats,
      },
    ]
  })
  return { workshops, problems }
}

/** Splits "ECG for PG", "ECG – PG" or "ECG (PG)" if the text ends with the label of a category. */
export function splitCategory(
  text: string,
  categories: readonly string[],
): { readonly label: string; readonly category: string } {
  const normalised = normalise(text)
  const namedCategories = categories
    .filter((category) => {
      const end = normalised.endsWith(')') ? `${normalise(category)})` : normalise(category)
      return normalised.endsWith(end) && category !== ''
    })
    .sort((one, other) => other.length - one.length)
  for (const category of namedCategories) {
    const textBefore = text.trim().slice(0, -category.length - (normalised.endsWith(')') ? 1 : 0))
    if (textBefore.trim() === '') return { label: '', category }
    const label = /^(.*?)(?:\s+for|\s+[–—-]|\s*[:/]|\s*\((?:for\s+)?)\s*$/i.exec(textBefore)?.[1]
    if (label !== undefined) return { label: label.trim(), category }
  }
  return { label: text.trim(), category: '' }
}
