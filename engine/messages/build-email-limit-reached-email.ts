/** The email that announces a pause after too many emails were sent to an address. */
import { EMAIL_MESSAGES } from '../text-catalogue/email-texts.ts'
import { formatMessage, selectPluralForm } from '../lib/format-message.ts'
import { formatInstant, type Instant } from '../lib/time.ts'

/** A line that is replaced by the URL of the "Lost your link?" page when the email is sent. */
export const LOST_LINK_PLACEHOLDER = '{lost-link page}'

/** Builds the email. It mentions no person and no event, because someone else may have entered the address. */
export function buildEmailLimitReachedEmail(
  to: string,
  maxEmails: number,
  until: Instant,
): {
  readonly to: string
  readonly copyTo: null
  readonly subject: string
  readonly text: string
} {
  const { paused } = EMAIL_MESSAGES
  const text = [
    formatMessage(selectPluralForm(maxEmails, paused.text), {
      count: maxEmails,
      time: formatInstant(until),
    }),
    paused.nothingLost,
    formatMessage(paused.links, { page: LOST_LINK_PLACEHOLDER }),
    paused.notYou,
  ].join('\n\n')
  return { to, copyTo: null, subject: paused.subject, text }
}
