/** The office's format of ISO instants: "21 Nov 2026, 3:01 pm". */
import { dayOf, formatDayShort, formatTime, readInstant } from '../../../engine/index.ts'

/** Returns unreadable text unchanged. */
export function instantText(text: string): string {
  const at = readInstant(text)
  return at === null ? text : `${formatDayShort(dayOf(at))}, ${formatTime(at)}`
}
