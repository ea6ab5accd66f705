/** The office's format of ISO instants: "21 Nov 2026, 12:30". */
import { formatInstant, readInstant } from '../../../engine/index.ts'

/** Returns unreadable text unchanged. */
export function instantText(text: string): string {
  const at = readInstant(text)
  return at === null ? text : formatInstant(at)
}
