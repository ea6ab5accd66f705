/** Email to a registered delegate if someone registers again with the same answers. */
import type { EventConfig } from '../event/config.ts'
import type { Stands } from '../payments/payment.ts'
import { EMAIL_MESSAGES } from '../text-catalogue/emails.ts'
import { formatMessage } from '../lib/format-message.ts'
import { delegateMail, type Mail, type MailedRegistration } from './office-action-emails.ts'
import { LINK_PLACE } from './payment-reminder-email.ts'

/**
 * It goes to the stored address, never to the one typed, and repeats nothing that was typed. Null
 * if the event sends no email, or no address is stored.
 */
export function alreadyMail(
  event: EventConfig,
  registration: MailedRegistration,
  stands: Stands,
): Mail | null {
  const { alreadyRegistered, keepLink } = EMAIL_MESSAGES
  const values = { event: event.title, number: registration.regNo, link: LINK_PLACE }
  return delegateMail(event, registration, formatMessage(alreadyRegistered.subject, values), [
    formatMessage(alreadyRegistered.text, values),
    formatMessage(
      stands === 'complete' ? alreadyRegistered.complete : alreadyRegistered.incomplete,
      values,
    ),
    `${keepLink} ${alreadyRegistered.notYou}`,
  ])
}
