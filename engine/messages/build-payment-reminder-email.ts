/** Email to a delegate who registered but has not paid: balance, price hold and payment link. */
import type { EventConfig } from '../event/config.ts'
import { EMAIL_MESSAGES } from '../text-catalogue/email-texts.ts'
import { formatMessage } from '../lib/format-message.ts'
import { formatPrice } from '../lib/money.ts'
import type { RegNo } from '../event/registration-number.ts'
import { readDelegate } from '../event/delegate-fields.ts'
import { getLowerCaseLabel } from '../event/placeholders-and-answer-texts.ts'
import { type RegistrationView } from './placeholder-values.ts'
import { formatDay, type Day } from '../lib/time.ts'

/** A placeholder. The link is created when the email is sent and is not stored. */
export const LINK_PLACEHOLDER = '{link}'

/**
 * Builds the email. Null if the event sends no email, the registration has no address, or there is nothing to pay.
 * The organisers receive no copy, because the link gives access to the registration. `price` contains the last day on
 * which the price applies. `paidRegNo` is the number of a paid registration with the same address. If present,
 * `registration` is probably a second attempt, so the email does not ask for a second payment.
 */
export function buildPaymentReminderEmail(
  event: EventConfig,
  registration: Pick<RegistrationView, 'regNo' | 'answers' | 'total' | 'currency'>,
  price: { readonly until: Day | null; readonly today: Day },
  paidRegNo: RegNo | null = null,
): {
  readonly to: string
  readonly copyTo: null
  readonly subject: string
  readonly text: string
} | null {
  const { fullName, email } = readDelegate(event, registration.answers)
  const { total, regNo } = registration
  if (event.email === null || email === '' || total === null || total === 0) return null
  const { greeting, keepLink, questions, unpaid, unpaidSecond } = EMAIL_MESSAGES
  const values = {
    name: toSingleLine(fullName) || getLowerCaseLabel(event, 'delegate'),
    event: event.title,
    number: regNo,
    amount: formatPrice(total, registration.currency),
    link: LINK_PLACEHOLDER,
    support: event.support,
  }
  const buildEmail = (subject: string, paragraphs: readonly string[]) => ({
    to: toSingleLine(email),
    copyTo: null,
    subject: toSingleLine(subject),
    text: [formatMessage(greeting, values), ...paragraphs, formatMessage(questions, values)].join(
      '\n\n',
    ),
  })
  if (paidRegNo !== null)
    return buildEmail(formatMessage(unpaidSecond.subject, values), [
      formatMessage(unpaidSecond.text, { event: event.title, paid: paidRegNo, unpaid: regNo }),
      unpaidSecond.samePerson,
      formatMessage(unpaidSecond.otherPerson, values),
      keepLink,
    ])
  return buildEmail(formatMessage(unpaid.subject, values), [
    formatMessage(unpaid.text, values),
    formatMessage(unpaid.finish, values),
    ...(price.until === null
      ? []
      : [
          formatMessage(price.today > price.until ? unpaid.priceWasValid : unpaid.priceValid, {
            day: formatDay(price.until),
          }),
        ]),
    `${keepLink} ${unpaid.alreadyPaid}`,
  ])
}

function toSingleLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
