/** Formats ISO timestamps for the office: "21 Nov 2026, 3:01 pm". */
import {
  dayOf,
  formatDayShort,
  formatTime,
  readInstant,
  startOfDay,
} from '../../../engine/index.ts'

/**
 * Returns an invalid timestamp unchanged, and midnight without the time: bank statements, settlement reports and
 * imports state only the day of a payment.
 */
export function formatDateTime(text: string): string {
  const instant = readInstant(text)
  if (instant === null) return text
  const day = dayOf(instant)
  const dayText = formatDayShort(day)
  return instant === startOfDay(day) ? dayText : `${dayText}, ${formatTime(instant)}`
}
