/** Emails about manual payments: instructions, payment claim received or rejected, expired, reopened. */
import type { EventConfig } from '../event/config.ts'
import {
  delegateMail as mailTo,
  OWN_LINK,
  type Mail,
  type MailedRegistration,
} from './office-action-emails.ts'
import { EMAIL_MESSAGES } from '../text-catalogue/emails.ts'
import { formatMessage } from '../lib/format-message.ts'
import { formatMoney, type Paise } from '../lib/money.ts'
import type { TransferMethod } from '../event/payment-method-types.ts'
import { dayOf, formatDay, instant, type Instant } from '../lib/time.ts'
import { LINK_PLACE } from './payment-reminder-email.ts'

/** Each is null if the event sends no email, or no address is stored. */
type MaybeMail = Mail | null

const link = LINK_PLACE

/** What the emails state about an amount: for which registration, and until which day. */
const amountUntil = (
  event: EventConfig,
  registration: MailedRegistration,
  total: Paise,
  until: Instant,
) => ({
  event: event.title,
  number: registration.regNo,
  amount: formatMoney(total),
  day: lastDay(until),
})

/** Right after registration: payment instructions, and how to submit a payment claim. */
export function toPayMail(
  event: EventConfig,
  registration: MailedRegistration,
  way: TransferMethod,
  total: Paise,
  until: Instant,
): MaybeMail {
  const { keepLink, manualPayment } = EMAIL_MESSAGES
  const values = amountUntil(event, registration, total, until)
  return mailTo(event, registration, formatMessage(manualPayment.subject, values), [
    formatMessage(manualPayment.text, values),
    way.instructions.trim(),
    formatMessage(manualPayment.remark, values),
    formatMessage(manualPayment.claim, { link }),
    keepLink,
  ])
}

/** After a payment claim. */
export function paymentClaimMail(
  event: EventConfig,
  registration: MailedRegistration,
  reference: string,
): MaybeMail {
  const { claimReceived } = EMAIL_MESSAGES
  const values = { event: event.title, number: registration.regNo, reference }
  return mailTo(event, registration, formatMessage(claimReceived.subject, values), [
    formatMessage(claimReceived.text, values),
    ...OWN_LINK,
  ])
}

/** After staff rejected a payment claim. `why` is their reason. */
export function notFoundMail(
  event: EventConfig,
  registration: MailedRegistration,
  reference: string,
  why: string,
  until: Instant | null,
): MaybeMail {
  const { claimRejected, keepLink } = EMAIL_MESSAGES
  const values = { event: event.title, number: registration.regNo, reference }
  return mailTo(event, registration, formatMessage(claimRejected.subject, values), [
    formatMessage(claimRejected.text, values),
    why,
    until === null
      ? formatMessage(claimRejected.again, { link })
      : formatMessage(claimRejected.againBy, { day: lastDay(until), link }),
    keepLink,
  ])
}

/** After expiry. */
export function lapsedMail(event: EventConfig, registration: MailedRegistration): MaybeMail {
  const { expired, keepLink } = EMAIL_MESSAGES
  const values = { event: event.title, number: registration.regNo }
  return mailTo(event, registration, formatMessage(expired.subject, values), [
    formatMessage(expired.text, values),
    formatMessage(expired.claim, { link }),
    keepLink,
  ])
}

/** After the office reopened the registration. */
export function takenUpMail(
  event: EventConfig,
  registration: MailedRegistration,
  total: Paise,
  until: Instant,
): MaybeMail {
  const { keepLink, reopened } = EMAIL_MESSAGES
  const values = amountUntil(event, registration, total, until)
  return mailTo(event, registration, formatMessage(reopened.subject, values), [
    formatMessage(reopened.text, values),
    formatMessage(reopened.how, { link }),
    keepLink,
  ])
}

/** Returns the last Indian day before an instant at which something ends. */
function lastDay(until: Instant): string {
  return formatDay(dayOf(instant(until - 1)))
}
