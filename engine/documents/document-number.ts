/** Serial numbers of invoices and credit notes, by financial year. */
import { addDays, day, type Day } from '../lib/time.ts'

/** Returns the financial year, April to March: "26-27" for 2026-04-01 to 2027-03-31. */
export function getFinancialYear(day: Day): string {
  const year = Number(day.slice(0, 4)) - (day.slice(5) < '04-01' ? 1 : 0)
  return `${String(year % 100).padStart(2, '0')}-${String((year + 1) % 100).padStart(2, '0')}`
}

/** Returns the last day of the financial year that contains the day. */
export function getLastDayOfFinancialYear(date: Day): Day {
  const year = Number(date.slice(0, 4)) + (date.slice(5) < '04-01' ? 0 : 1)
  return addDays(day(`${year}-04-01`), -1)
}

/**
 * Formats a serial number. `pattern` contains `{n}`, and `{year}` if numbers are per financial
 * year.
 */
export function formatSerial(pattern: string, n: number, year: string): string {
  return pattern.replaceAll('{year}', year).replaceAll('{n}', String(n))
}

/** Rule 46(b): "a consecutive serial number not exceeding sixteen characters", letters, digits, hyphen, slash. */
export const MAX_SERIAL_CHARACTERS = 16
