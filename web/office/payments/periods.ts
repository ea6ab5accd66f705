/** The named date ranges by which payments can be listed. */
import { addDays, addMonths, day, formatDay, formatDays } from '../../../engine/index.ts'
import type { Day } from '../../../engine/index.ts'

export type NamedPeriod = { readonly label: string; readonly query: string }

/** Number of months that the menu offers. */
const OFFERED_MONTHS = 24

/** Formats a month: “January 2026” for 2026-01. */
export const formatMonth = (month: string): string =>
  formatDay(day(`${month}-01`)).replace(/^\d+ /, '')

const getMonth = (date: Day): string => date.slice(0, 7)

/**
 * Returns the first and last day of the financial year (April to March) that contains the date, or of the one
 * `yearsBefore` years earlier.
 */
function getFinancialYear(date: Day, yearsBefore: number): readonly [Day, Day] {
  const [year = 0, month = 1] = date.split('-').map(Number)
  const firstDay = day(`${(month >= 4 ? year : year - 1) - yearsBefore}-04-01`)
  return [firstDay, addDays(addMonths(firstDay, 12), -1)]
}

/** Lists the ranges relative to today. `query` is the part of the page's URL that selects the range. */
export function listNamedPeriods(today: Day): readonly NamedPeriod[] {
  const getMonthBefore = (monthsBefore: number): string =>
    getMonth(addMonths(day(`${getMonth(today)}-01`), -monthsBefore))
  const buildFinancialYear = (label: string, yearsBefore: number): NamedPeriod => {
    const [from, to] = getFinancialYear(today, yearsBefore)
    return { label, query: `from=${from}&to=${to}` }
  }
  return [
    {
      label: `This month (${formatMonth(getMonthBefore(0))})`,
      query: `month=${getMonthBefore(0)}`,
    },
    {
      label: `Last month (${formatMonth(getMonthBefore(1))})`,
      query: `month=${getMonthBefore(1)}`,
    },
    buildFinancialYear('This financial year', 0),
    buildFinancialYear('Last financial year', 1),
    ...Array.from({ length: OFFERED_MONTHS - 2 }, (_, index) => getMonthBefore(index + 2)).map(
      (listedMonth) => ({
        label: formatMonth(listedMonth),
        query: `month=${listedMonth}`,
      }),
    ),
  ]
}

/** Describes a range of days: “1–31 January 2026”. */
export const describePeriod = (from: string, to: string): string => formatDays(day(from), day(to))
