/** Emails to a registered delegate after another registration with the same answers or the same name. */
import type { EventConfig } from '../event/config.ts'
import type { PaymentState } from '../payments/payment.ts'
import { EMAIL_MESSAGES } from '../text-catalogue/email-texts.ts'
import { formatMessage } from '../lib/format-message.ts'
import {
  buildDelegateEmail,
  type Mail,
  type EmailedRegistration,
} from './build-office-action-emails.ts'
import { LINK_PLACEHOLDER } from './build-payment-reminder-email.ts'

/**
 * Builds the email to the stored address, without any text typed by the requester. Null if the
 * event sends no email, or no address is stored.
 */
export function buildAlreadyRegisteredEmail(
  event: EventConfig,
  registration: EmailedRegistration,
  paymentState: PaymentState,
): Mail | null {
  const { alreadyRegistered, keepLink } = EMAIL_MESSAGES
  const values = { event: event.title, number: registration.regNo, link: LINK_PLACEHOLDER }
  return buildDelegateEmail(event, registration, formatMessage(alreadyRegistered.subject, values), [
    formatMessage(alreadyRegistered.text, values),
    formatMessage(
      paymentState === 'complete' ? alreadyRegistered.complete : alreadyRegistered.incomplete,
      values,
    ),
    `${keepLink} ${alreadyRegistered.notYou}`,
  ])
}

/**
 * Builds the email that warns a delegate that someone is registering with the same name and email address in another
 * browser.
 */
export function buildSamePersonEmail(
  event: EventConfig,
  registration: EmailedRegistration,
  isPaid: boolean,
): Mail | null {
  const { samePerson, alreadyRegistered, keepLink } = EMAIL_MESSAGES
  const values = { event: event.title, number: registration.regNo, link: LINK_PLACEHOLDER }
  return buildDelegateEmail(event, registration, formatMessage(samePerson.subject, values), [
    formatMessage(isPaid ? samePerson.paid : samePerson.unpaid, values),
    formatMessage(samePerson.open, values),
    samePerson.continueSecond,
    `${alreadyRegistered.notYou} ${keepLink}`,
  ])
}
