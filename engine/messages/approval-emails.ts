/** Emails to delegates about an approval: pending, approved, refused. */
import {
  delegateMail,
  OWN_LINK,
  type Mail,
  type MailedRegistration,
} from './office-action-emails.ts'
import { EMAIL_MESSAGES } from '../text-catalogue/emails.ts'
import { formatMessage } from '../lib/format-message.ts'
import type { Approval } from '../event/registration-types.ts'
import { labelOfCategory } from '../rules/category.ts'
import type { EventConfig } from '../event/config.ts'
import { formatMoney, formatPrice, type Paise } from '../lib/money.ts'
import { labelOf, wordFor } from '../event/texts.ts'
import { dayOf, formatDay, instant, type Instant } from '../lib/time.ts'
import { LINK_PLACE } from './payment-reminder-email.ts'

const link = LINK_PLACE

/** Returns the last day of a time limit that ends with a day. */
const lastDay = (ends: Instant): string => formatDay(dayOf(instant(ends - 1)))

/**
 * After registration: what happens next, and by when. Null if the event sends no email, or no
 * address is stored.
 */
export function toApproveMail(
  event: EventConfig,
  registration: MailedRegistration,
  {
    approval,
    total,
    by,
  }: { readonly approval: Approval; readonly total: Paise; readonly by: Instant },
): Mail | null {
  const { waitingForApproval } = EMAIL_MESSAGES
  const values = {
    event: event.title,
    number: registration.regNo,
    fields: approval.documents.map((id) => labelOf(event, id)).join(', '),
    day: lastDay(by),
    amount: formatPrice(total),
  }
  return delegateMail(event, registration, formatMessage(waitingForApproval.subject, values), [
    formatMessage(waitingForApproval.text, values),
    total === 0 ? waitingForApproval.free : formatMessage(waitingForApproval.pay, values),
    ...OWN_LINK,
  ])
}

/** After approval, with a balance to pay. */
export function approvedMail(
  event: EventConfig,
  registration: MailedRegistration,
  due: Paise,
  payUntil: Instant,
): Mail | null {
  const { approved, keepLink } = EMAIL_MESSAGES
  const values = { event: event.title, number: registration.regNo, amount: formatMoney(due) }
  return delegateMail(event, registration, formatMessage(approved.subject, values), [
    formatMessage(approved.text, values),
    formatMessage(EMAIL_MESSAGES.payUntil, { day: lastDay(payUntil), link }),
    keepLink,
  ])
}

/** After refusal; `offer` null: there is no other category to offer. */
export function refusedMail(
  event: EventConfig,
  registration: MailedRegistration,
  said: {
    readonly why: string
    readonly say: string | null
    readonly offer: { readonly category: string; readonly total: Paise } | null
  },
): Mail | null {
  const { keepLink, notApproved } = EMAIL_MESSAGES
  const { why: reason, say, offer } = said
  const values = { event: event.title, number: registration.regNo, reason }
  return delegateMail(event, registration, formatMessage(notApproved.subject, values), [
    formatMessage(notApproved.text, values),
    ...(say === null ? [] : [say]),
    ...(offer === null
      ? [notApproved.nothingToDo]
      : [
          formatMessage(notApproved.offer, {
            word: wordFor(event, 'category'),
            category: labelOfCategory(event, offer.category),
            amount: formatPrice(offer.total),
            link,
          }),
          keepLink,
        ]),
  ])
}

/** After the delegate accepted the offer. */
export function offerAcceptedMail(
  event: EventConfig,
  registration: MailedRegistration,
  as: { readonly category: string; readonly due: Paise; readonly payUntil: Instant },
): Mail | null {
  const { keepLink, offerAccepted } = EMAIL_MESSAGES
  const values = {
    event: event.title,
    number: registration.regNo,
    word: wordFor(event, 'category'),
    category: labelOfCategory(event, as.category),
    amount: formatMoney(as.due),
  }
  return delegateMail(event, registration, formatMessage(offerAccepted.subject, values), [
    formatMessage(offerAccepted.text, values),
    formatMessage(EMAIL_MESSAGES.payUntil, { day: lastDay(as.payUntil), link }),
    keepLink,
  ])
}
