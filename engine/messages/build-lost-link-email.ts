/** The email that resends lost self-service links: one line per registration with that address. */
import type { EventConfig } from '../event/config.ts'
import type { RegNo } from '../event/registration-number.ts'
import { readDelegate } from '../event/delegate-fields.ts'
import { EMAIL_MESSAGES } from '../text-catalogue/email-texts.ts'
import { formatMessage, selectPluralForm } from '../lib/format-message.ts'
import type { RegistrationState } from '../registration/registration-and-payment-states.ts'
import type { Answers } from '../event/answer-types.ts'
import { getLowerCaseLabel } from '../event/placeholders-and-answer-texts.ts'

type LinkedRegistration = {
  readonly regNo: RegNo
  readonly answers: Answers
  readonly state: RegistrationState
}
type Mail = {
  readonly to: string
  readonly copyTo: null
  readonly subject: string
  readonly text: string
}

/**
 * Returns a placeholder, which must be on a separate line. The link is created when the email is sent and is
 * not stored.
 */
export function getLinkPlaceholder(regNo: RegNo): string {
  return `{link ${regNo}}`
}

/** Returns the registration number in a placeholder line; null if the line is not a placeholder. */
export function readLinkPlaceholder(line: string): string | null {
  return /^\{link ([A-Z0-9-]+)\}$/i.exec(line)?.[1] ?? null
}

/**
 * Builds the email for one event, newest registration first. Null if the event sends no email. Line
 * breaks are removed from stored names, so that a name cannot imitate a placeholder.
 */
export function buildLostLinkEmail(
  event: EventConfig,
  to: string,
  registrations: readonly LinkedRegistration[],
): Mail | null {
  if (event.email === null || registrations.length === 0) return null
  const { lostLink, questions, states } = EMAIL_MESSAGES
  const values = { event: event.title }
  const isSingle = selectPluralForm(registrations.length, { one: 'one', other: 'other' }) === 'one'
  const messages = isSingle ? lostLink.one : lostLink.other
  const text = [
    formatMessage(messages.text, values),
    ...registrations.map(({ regNo, answers, state }) => {
      const name =
        toSingleLine(readDelegate(event, answers).fullName) || getLowerCaseLabel(event, 'delegate')
      return formatMessage(lostLink.registration, {
        name,
        number: regNo,
        state: states[state],
        link: getLinkPlaceholder(regNo),
      })
    }),
    `${lostLink.keepLinks} ${lostLink.notYou}`,
    formatMessage(questions, { support: event.support }),
  ].join('\n\n')
  const subject = toSingleLine(formatMessage(messages.subject, values))
  return { to: toSingleLine(to), copyTo: null, subject, text }
}

function toSingleLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
