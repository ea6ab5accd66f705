/** The skip link for keyboard users: the first tab stop, visible while it has focus. */
import { COMMON_MESSAGES } from '../../../engine/messages.ts'

export function SkipLink() {
  return (
    <a className="skip" href="#main">
      {COMMON_MESSAGES.skipLink}
    </a>
  )
}
