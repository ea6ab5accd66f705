/** The email that announces a pause after too many emails to one address. */
import { formatInstant, type Instant } from '../lib/time.ts'

/**
 * A line of the text that is replaced by the address of the page "Lost your link?" when the email
 * is sent.
 */
export const LOST_LINK_PLACE = '{lost-link page}'

/** It names no person and no event: the names may have been typed by someone else. */
export function pausedMail(
  to: string,
  emailsMax: number,
  until: Instant,
): {
  readonly to: string
  readonly copyTo: null
  readonly subject: string
  readonly text: string
} {
  const text = [
    `We have sent ${emailsMax} emails to this address within an hour. To protect your mailbox, we pause until ${formatInstant(until)}.`,
    'Nothing is lost: we keep every registration and every payment. If you pay, you still get your confirmation.',
    `After the pause, you can request the links to your registrations here:\n${LOST_LINK_PLACE}`,
    'If you did not ask for these emails, you do not need to do anything.',
  ].join('\n\n')
  return { to, copyTo: null, subject: 'We have paused emails to this address', text }
}
