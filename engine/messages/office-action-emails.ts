/** Emails to delegates about actions of the office on their registration. */
import type { EventConfig } from '../event/config.ts'
import { EMAIL_MESSAGES } from '../text-catalogue/emails.ts'
import { formatMessage } from '../lib/format-message.ts'
import { formatMoney, type Paise } from '../lib/money.ts'
import { delegateOf } from '../event/delegate-fields.ts'
import { wordFor } from '../event/texts.ts'
import { type RegistrationView } from './registration-values.ts'
import { dayOf, formatDay, type Instant } from '../lib/time.ts'
import { LINK_PLACE } from './payment-reminder-email.ts'

export type Mail = {
  readonly to: string
  readonly copyTo: null
  readonly subject: string
  readonly text: string
}
export type MailedRegistration = Pick<RegistrationView, 'regNo' | 'answers'>

const link = LINK_PLACE

/** The link to the self-service page, at the end of an email. */
export const OWN_LINK: readonly string[] = [
  formatMessage(EMAIL_MESSAGES.viewRegistration, { link }),
  EMAIL_MESSAGES.keepLink,
]

/**
 * Email after a cancellation. Null if the event sends no email, or no address is stored. `back`:
 * the amount to be refunded.
 */
export function cancelledMail(
  event: EventConfig,
  registration: MailedRegistration,
  back: Paise,
): Mail | null {
  const { cancelled } = EMAIL_MESSAGES
  const values = { number: registration.regNo, event: event.title, amount: formatMoney(back) }
  return delegateMail(event, registration, formatMessage(cancelled.subject, values), [
    formatMessage(cancelled.text, values),
    back === 0 ? cancelled.nothingToRefund : formatMessage(cancelled.refund, values),
  ])
}

/**
 * Email after a refund: of the whole payment, a part of it, or a surplus. `isComplete`: the
 * registration remains paid.
 */
export function givenBackMail(
  event: EventConfig,
  registration: MailedRegistration,
  {
    amount,
    reference,
    at,
    isComplete,
  }: {
    readonly amount: Paise
    readonly reference: string | null
    readonly at: Instant
    readonly isComplete: boolean
  },
): Mail | null {
  const { refunded } = EMAIL_MESSAGES
  const values = {
    amount: formatMoney(amount),
    event: event.title,
    number: registration.regNo,
    day: formatDay(dayOf(at)),
  }
  return delegateMail(event, registration, formatMessage(refunded.subject, values), [
    reference === null || reference === ''
      ? formatMessage(refunded.text, values)
      : formatMessage(refunded.textWithReference, { ...values, reference }),
    refunded.time,
    ...(isComplete ? [refunded.stillComplete] : []),
    ...OWN_LINK,
  ])
}

/** To the new delegate after a transfer: number and payments are theirs now. */
export function transferredMail(event: EventConfig, registration: MailedRegistration): Mail | null {
  const { transferredToYou } = EMAIL_MESSAGES
  const values = { number: registration.regNo, event: event.title }
  return delegateMail(event, registration, formatMessage(transferredToYou.subject, values), [
    formatMessage(transferredToYou.text, values),
    ...OWN_LINK,
  ])
}

/** To the former delegate after a transfer. */
export function handedOverMail(event: EventConfig, registration: MailedRegistration): Mail | null {
  const { transferred } = EMAIL_MESSAGES
  const values = { number: registration.regNo, event: event.title }
  return delegateMail(event, registration, formatMessage(transferred.subject, values), [
    formatMessage(transferred.text, values),
  ])
}

/** After a correction that raises the price. */
export function differenceMail(
  event: EventConfig,
  registration: MailedRegistration,
  due: Paise,
): Mail | null {
  const { correctedMoreToPay } = EMAIL_MESSAGES
  const values = { number: registration.regNo, event: event.title, amount: formatMoney(due), link }
  return delegateMail(event, registration, formatMessage(correctedMoreToPay.subject, values), [
    formatMessage(correctedMoreToPay.text, values),
    formatMessage(correctedMoreToPay.pay, values),
    EMAIL_MESSAGES.keepLink,
  ])
}

/** After a correction that leaves no balance on a paid registration. `back`: the amount to be refunded. */
export function cheaperMail(
  event: EventConfig,
  registration: MailedRegistration,
  back: Paise,
): Mail | null {
  const corrected = back > 0 ? EMAIL_MESSAGES.correctedRefund : EMAIL_MESSAGES.correctedNothingToPay
  const values = { number: registration.regNo, event: event.title, amount: formatMoney(back) }
  return delegateMail(event, registration, formatMessage(corrected.subject, values), [
    formatMessage(corrected.text, values),
    ...OWN_LINK,
  ])
}

/** The payment link that the office sends on request. */
export function payLinkMail(
  event: EventConfig,
  registration: MailedRegistration,
  due: Paise,
): Mail | null {
  const { keepLink, payHere, payLink } = EMAIL_MESSAGES
  const values = { number: registration.regNo, event: event.title, amount: formatMoney(due) }
  return delegateMail(event, registration, formatMessage(payLink.subject, values), [
    formatMessage(payLink.text, values),
    formatMessage(payHere, { link }),
    `${keepLink} ${payLink.alreadyPaid}`,
  ])
}

/**
 * Builds an email to the delegate in the common layout. Null if the event sends none, or no address
 * is stored.
 */
export function delegateMail(
  event: EventConfig,
  { answers }: MailedRegistration,
  subject: string,
  paragraphs: readonly string[],
): Mail | null {
  const { fullName, email } = delegateOf(event, answers)
  if (event.email === null || email === '') return null
  const text = [
    formatMessage(EMAIL_MESSAGES.greeting, {
      name: oneLine(fullName) || wordFor(event, 'delegate'),
    }),
    ...paragraphs,
    formatMessage(EMAIL_MESSAGES.questions, { support: event.support }),
  ].join('\n\n')
  return { to: oneLine(email), copyTo: null, subject: oneLine(subject), text }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
