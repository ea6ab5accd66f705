/** Formats ISO timestamps for the office: "21 Nov 2026, 3:01 pm". */
import { dayOf, formatDayShort, formatTime, readInstant } from '../../../engine/index.ts'

/** Returns an invalid timestamp unchanged. */
export function formatDateTime(text: string): string {
  const instant = readInstant(text)
  return instant === null ? text : `${formatDayShort(dayOf(instant))}, ${formatTime(instant)}`
}
