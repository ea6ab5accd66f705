/** Email to a delegate who registered but did not pay: balance, price hold and payment link. */
import type { EventConfig } from '../event/config.ts'
import { formatPrice } from '../lib/money.ts'
import type { RegNo } from '../event/registration-number.ts'
import { delegateOf } from '../event/delegate-fields.ts'
import { wordFor } from '../event/texts.ts'
import { type RegistrationView } from './registration-values.ts'
import { dayOf, formatDay, instant, type Instant } from '../lib/time.ts'

/** A placeholder in the text until the email is sent: the link is created then, and stored nowhere. */
export const LINK_PLACE = '{link}'

/**
 * Builds the email. Null if the event sends no email, the registration has no address, or nothing
 * is to be paid. No copy goes to the organisers, because the link gives access to the registration.
 * `paidAs`: another paid registration with the same address; this one is probably a second attempt,
 * and the delegate is not asked to pay twice.
 */
export function unfinishedMail(
  event: EventConfig,
  registration: Pick<RegistrationView, 'regNo' | 'answers' | 'total'>,
  holdUntil: Instant | null,
  paidAs: RegNo | null = null,
): {
  readonly to: string
  readonly copyTo: null
  readonly subject: string
  readonly text: string
} | null {
  const { fullName, email } = delegateOf(event, registration.answers)
  const { total, regNo } = registration
  if (event.email === null || email === '' || total === null || total === 0) return null
  if (paidAs !== null)
    return {
      to: oneLine(email),
      copyTo: null,
      subject: oneLine(`You are registered for ${event.title}; a second registration is not paid`),
      text: [
        `Dear ${oneLine(fullName) || wordFor(event, 'delegate')},`,
        `There are two registrations for ${event.title} with this email address: ${paidAs} is paid and complete, ${regNo} is not paid.`,
        'If you registered the same person again, you need not do anything: nothing was charged for the second one.',
        `If the second one is for somebody else, finish it here for ${formatPrice(total)}:\n${LINK_PLACE}`,
        `If you have questions, write to ${event.support}.`,
      ].join('\n\n'),
    }
  const held =
    holdUntil === null
      ? []
      : [
          `The price is held until the end of ${formatDay(dayOf(instant(holdUntil - 1)))}. After that, the price on the day you pay applies.`,
        ]
  const text = [
    `Dear ${oneLine(fullName) || wordFor(event, 'delegate')},`,
    `Your registration ${regNo} for ${event.title} is recorded, but it has not been paid. It is complete once ${formatPrice(total)} is paid.`,
    `Finish your registration here:\n${LINK_PLACE}`,
    ...held,
    'Please keep the link to yourself: anybody who has it can see your registration. If you have paid in the meantime, you need not do anything, and the confirmation will come by email.',
    `If you have questions, write to ${event.support}.`,
  ].join('\n\n')
  const subject = oneLine(`Finish your registration for ${event.title}`)
  return { to: oneLine(email), copyTo: null, subject, text }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
