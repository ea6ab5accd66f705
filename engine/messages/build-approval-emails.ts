/** Emails to delegates about approval: pending, approved, refused. */
import {
  buildDelegateEmail,
  SELF_SERVICE_LINK,
  type Mail,
  type EmailedRegistration,
} from './build-office-action-emails.ts'
import { EMAIL_MESSAGES } from '../text-catalogue/email-texts.ts'
import { formatMessage } from '../lib/format-message.ts'
import type { Approval } from '../event/approval-and-cancellation-types.ts'
import { getCategoryLabel, getCurrency } from '../rules/category.ts'
import type { EventConfig } from '../event/config.ts'
import { formatMoney, formatPrice, type Amount } from '../lib/money.ts'
import { getLabel, getLowerCaseLabel } from '../event/placeholders-and-answer-texts.ts'
import type { Instant } from '../lib/time.ts'
import { formatLastDay } from './build-manual-payment-emails.ts'
import { LINK_PLACEHOLDER } from './build-payment-reminder-email.ts'

const link = LINK_PLACEHOLDER

/**
 * Builds the email sent after registration: the next steps, and the deadline for the decision. Null if the event sends
 * no email, or no address is stored.
 */
export function buildWaitingForApprovalEmail(
  event: EventConfig,
  registration: EmailedRegistration,
  {
    approval,
    total,
    by,
  }: { readonly approval: Approval; readonly total: Amount; readonly by: Instant },
): Mail | null {
  const { waitingForApproval } = EMAIL_MESSAGES
  const values = {
    event: event.title,
    number: registration.regNo,
    fields: approval.documents.map((id) => getLabel(event, id)).join(', '),
    day: formatLastDay(by),
    amount: formatPrice(total, registration.currency),
  }
  return buildDelegateEmail(
    event,
    registration,
    formatMessage(waitingForApproval.subject, values),
    [
      formatMessage(waitingForApproval.text, values),
      total === 0 ? waitingForApproval.free : formatMessage(waitingForApproval.pay, values),
      ...SELF_SERVICE_LINK,
    ],
  )
}

/** Builds the email sent after approval, for a registration with a balance to pay. */
export function buildApprovedEmail(
  event: EventConfig,
  registration: EmailedRegistration,
  due: Amount,
  payUntil: Instant,
): Mail | null {
  const { approved, keepLink } = EMAIL_MESSAGES
  const values = {
    event: event.title,
    number: registration.regNo,
    amount: formatMoney(due, registration.currency),
  }
  return buildDelegateEmail(event, registration, formatMessage(approved.subject, values), [
    formatMessage(approved.text, values),
    formatMessage(EMAIL_MESSAGES.payUntil, { day: formatLastDay(payUntil), link }),
    keepLink,
  ])
}

/** Builds the email sent after a refusal. `offer` is null if no other category is offered. */
export function buildNotApprovedEmail(
  event: EventConfig,
  registration: EmailedRegistration,
  refusal: {
    readonly why: string
    readonly say: string | null
    readonly offer: { readonly category: string; readonly total: Amount } | null
  },
): Mail | null {
  const { keepLink, notApproved } = EMAIL_MESSAGES
  const { why: reason, say, offer } = refusal
  const values = { event: event.title, number: registration.regNo, reason }
  return buildDelegateEmail(event, registration, formatMessage(notApproved.subject, values), [
    formatMessage(notApproved.text, values),
    ...(say === null ? [] : [say]),
    ...(offer === null
      ? [notApproved.nothingToDo]
      : [
          formatMessage(notApproved.offer, {
            word: getLowerCaseLabel(event, 'category'),
            category: getCategoryLabel(event, offer.category),
            amount: formatPrice(offer.total, getCurrency(event, offer.category)),
            link,
          }),
          keepLink,
        ]),
  ])
}

/** Builds the email sent after the delegate accepts the offer. */
export function buildOfferAcceptedEmail(
  event: EventConfig,
  registration: EmailedRegistration,
  accepted: { readonly category: string; readonly due: Amount; readonly payUntil: Instant },
): Mail | null {
  const { keepLink, offerAccepted } = EMAIL_MESSAGES
  const values = {
    event: event.title,
    number: registration.regNo,
    word: getLowerCaseLabel(event, 'category'),
    category: getCategoryLabel(event, accepted.category),
    amount: formatMoney(accepted.due, getCurrency(event, accepted.category)),
  }
  return buildDelegateEmail(event, registration, formatMessage(offerAccepted.subject, values), [
    formatMessage(offerAccepted.text, values),
    formatMessage(EMAIL_MESSAGES.payUntil, { day: formatLastDay(accepted.payUntil), link }),
    keepLink,
  ])
}
