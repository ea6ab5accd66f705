/** Emails about manual payments: instructions, payment report received or rejected, expired, reopened. */
import type { EventConfig } from '../event/config.ts'
import {
  buildDelegateEmail,
  SELF_SERVICE_LINK,
  type Mail,
  type EmailedRegistration,
} from './build-office-action-emails.ts'
import { EMAIL_MESSAGES } from '../text-catalogue/email-texts.ts'
import { formatMessage } from '../lib/format-message.ts'
import { formatMoney, type Amount } from '../lib/money.ts'
import type { TransferMethod } from '../event/payment-method-types.ts'
import { dayOf, formatDay, instant, type Instant } from '../lib/time.ts'
import { LINK_PLACEHOLDER } from './build-payment-reminder-email.ts'

/** Null if the event sends no email, or no address is stored. */
type MaybeMail = Mail | null

const link = LINK_PLACEHOLDER

/** Returns the placeholder values of an email that asks for a payment. */
const getAmountValues = (
  event: EventConfig,
  registration: EmailedRegistration,
  total: Amount,
  deadline: Instant,
) => ({
  event: event.title,
  number: registration.regNo,
  amount: formatMoney(total, registration.currency),
  day: formatLastDay(deadline),
})

/** Builds the email sent after registration, with payment instructions and a link to report the payment. */
export function buildPaymentInstructionsEmail(
  event: EventConfig,
  registration: EmailedRegistration,
  method: TransferMethod,
  total: Amount,
  deadline: Instant,
): MaybeMail {
  const { keepLink, manualPayment } = EMAIL_MESSAGES
  const values = getAmountValues(event, registration, total, deadline)
  return buildDelegateEmail(event, registration, formatMessage(manualPayment.subject, values), [
    formatMessage(manualPayment.text, values),
    method.instructions.trim(),
    formatMessage(manualPayment.remark, values),
    formatMessage(manualPayment.claim, { link }),
    keepLink,
  ])
}

/** Builds the email sent after a delegate reports a payment. */
export function buildClaimReceivedEmail(
  event: EventConfig,
  registration: EmailedRegistration,
  reference: string,
): MaybeMail {
  const { claimReceived } = EMAIL_MESSAGES
  const values = { event: event.title, number: registration.regNo, reference }
  return buildDelegateEmail(event, registration, formatMessage(claimReceived.subject, values), [
    formatMessage(claimReceived.text, values),
    ...SELF_SERVICE_LINK,
  ])
}

/** Builds the email sent after staff reject a reported payment. `reason` is the reason that they entered. */
export function buildClaimRejectedEmail(
  event: EventConfig,
  registration: EmailedRegistration,
  reference: string,
  reason: string,
  deadline: Instant | null,
): MaybeMail {
  const { claimRejected, keepLink } = EMAIL_MESSAGES
  const values = { event: event.title, number: registration.regNo, reference }
  return buildDelegateEmail(event, registration, formatMessage(claimRejected.subject, values), [
    formatMessage(claimRejected.text, values),
    reason,
    deadline === null
      ? formatMessage(claimRejected.resubmit, { link })
      : formatMessage(claimRejected.resubmitBy, { day: formatLastDay(deadline), link }),
    keepLink,
  ])
}

/** Builds the email sent after a registration expires. */
export function buildExpiredEmail(
  event: EventConfig,
  registration: EmailedRegistration,
): MaybeMail {
  const { expired, keepLink } = EMAIL_MESSAGES
  const values = { event: event.title, number: registration.regNo }
  return buildDelegateEmail(event, registration, formatMessage(expired.subject, values), [
    formatMessage(expired.text, values),
    formatMessage(expired.claim, { link }),
    keepLink,
  ])
}

/** Builds the email sent after staff reopen the registration. */
export function buildReopenedEmail(
  event: EventConfig,
  registration: EmailedRegistration,
  total: Amount,
  deadline: Instant,
): MaybeMail {
  const { keepLink, reopened } = EMAIL_MESSAGES
  const values = getAmountValues(event, registration, total, deadline)
  return buildDelegateEmail(event, registration, formatMessage(reopened.subject, values), [
    formatMessage(reopened.text, values),
    formatMessage(reopened.how, { link }),
    keepLink,
  ])
}

/** Returns the last day, in Indian time, before the deadline. */
export function formatLastDay(deadline: Instant): string {
  return formatDay(dayOf(instant(deadline - 1)))
}
