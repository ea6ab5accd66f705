/** Emails about manual payments: instructions, payment claim received or rejected, expired, reopened. */
import type { EventConfig } from '../event/config.ts'
import { delegateMail as mailTo, OWN_LINK, type Mail, type Told } from './action-emails.ts'
import { formatMoney, type Paise } from '../lib/money.ts'
import type { TransferWay } from '../event/payment-method-types.ts'
import { dayOf, formatDay, instant, type Instant } from '../lib/time.ts'

/** Each is null if the event sends no email, or no address is stored. */
type MaybeMail = Mail | null

/** Right after registration: payment instructions, and how to submit a payment claim. */
export function toPayMail(
  event: EventConfig,
  registration: Told,
  way: TransferWay,
  total: Paise,
  until: Instant,
): MaybeMail {
  const { regNo } = registration
  return mailTo(event, registration, `How to pay for ${event.title}`, [
    `Your registration ${regNo} for ${event.title} is recorded. Please pay ${formatMoney(total)} until ${lastDay(until)}:`,
    way.tell.trim(),
    `Write ${regNo} as the remark of the transfer.`,
    'Then tell us on your own page that you have paid:',
    ...OWN_LINK,
  ])
}

/** After a payment claim. */
export function toldMail(event: EventConfig, registration: Told, reference: string): MaybeMail {
  const { regNo } = registration
  return mailTo(event, registration, `We look for your payment for ${event.title}`, [
    `You have told us that ${regNo} is paid, with the reference ${reference}. The organisers look for it at their bank; you get an email when it is found.`,
    'You can see how it stands here:',
    ...OWN_LINK,
  ])
}

/** After staff rejected a payment claim. `why` is their reason. */
export function notFoundMail(
  event: EventConfig,
  registration: Told,
  reference: string,
  why: string,
  until: Instant | null,
): MaybeMail {
  const { regNo } = registration
  return mailTo(event, registration, `We could not find your payment for ${event.title}`, [
    `The organisers have looked for the payment ${reference} of your registration ${regNo} and have not found it:`,
    why,
    `Please check what you wrote${until === null ? '' : `, and tell us again until ${lastDay(until)}`}:`,
    ...OWN_LINK,
  ])
}

/** After expiry. */
export function lapsedMail(event: EventConfig, registration: Told): MaybeMail {
  const { regNo } = registration
  return mailTo(event, registration, `Your registration for ${event.title} has lapsed`, [
    `No payment for your registration ${regNo} for ${event.title} has reached us in time. It has lapsed, and its places are free for others.`,
    'If you have paid, tell us here, and the organisers look for it:',
    ...OWN_LINK,
  ])
}

/** After the office reopened the registration. */
export function takenUpMail(
  event: EventConfig,
  registration: Told,
  total: Paise,
  until: Instant,
): MaybeMail {
  const { regNo } = registration
  return mailTo(event, registration, `Your registration for ${event.title} is open again`, [
    `Your registration ${regNo} for ${event.title} can be paid again, until ${lastDay(until)}: ${formatMoney(total)}.`,
    'How to pay stands here:',
    ...OWN_LINK,
  ])
}

/** Returns the last Indian day before an instant at which something ends. */
function lastDay(until: Instant): string {
  return formatDay(dayOf(instant(until - 1)))
}
