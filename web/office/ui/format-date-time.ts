/** How the office writes an instant that came as text: "21 Nov 2026, 12:30". */
import { formatInstant, readInstant } from '../../../engine/index.ts'

/** What cannot be read is shown as it came. */
export function instantText(text: string): string {
  const at = readInstant(text)
  return at === null ? text : formatInstant(at)
}
