/** Formats ISO timestamps for the office: "21 Nov 2026, 3:01 pm". */
import { dayOf, formatDayShort, formatTime, readInstant, isDayOnly } from '../../../engine/index.ts'

/** Returns an invalid timestamp unchanged. Omits the time if only the day is known. */
export function formatDateTime(text: string): string {
  const instant = readInstant(text)
  if (instant === null) return text
  const dayText = formatDayShort(dayOf(instant))
  return isDayOnly(instant) ? dayText : `${dayText}, ${formatTime(instant)}`
}
