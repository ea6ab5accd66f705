/** The named ranges of days in which payments are listed. */
import { addDays, addMonths, day, formatDay, formatDays } from '../../../engine/index.ts'
import type { Day } from '../../../engine/index.ts'

export type NamedPeriod = { readonly label: string; readonly query: string }

/** How many months the menu offers. */
const OFFERED_MONTHS = 24

/** “January 2026” for 2026-01. */
export const formatMonth = (month: string): string =>
  formatDay(day(`${month}-01`)).replace(/^\d+ /, '')

const getMonth = (date: Day): string => date.slice(0, 7)

/**
 * Returns the financial year, from April to March, that contains the date or is some years earlier.
 */
function getFinancialYear(date: Day, yearsBefore: number): readonly [Day, Day] {
  const [year = 0, month = 1] = date.split('-').map(Number)
  const first = day(`${(month >= 4 ? year : year - 1) - yearsBefore}-04-01`)
  return [first, addDays(addMonths(first, 12), -1)]
}

/** The ranges relative to today. `query` is their part of the page's URL. */
export function listNamedPeriods(today: Day): readonly NamedPeriod[] {
  const getMonthBefore = (monthsBefore: number): string =>
    getMonth(addMonths(day(`${getMonth(today)}-01`), -monthsBefore))
  const buildFinancialYear = (label: string, monthsBefore: number): NamedPeriod => {
    const [from, to] = getFinancialYear(today, monthsBefore)
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
      (before) => ({
        label: formatMonth(before),
        query: `month=${before}`,
      }),
    ),
  ]
}

/** “1–31 January 2026”. */
export const describePeriod = (from: string, to: string): string => formatDays(day(from), day(to))
