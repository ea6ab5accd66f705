/** Emails to delegates about staff actions on their registration. */
import type { EventConfig } from '../event/config.ts'
import { EMAIL_MESSAGES } from '../text-catalogue/email-texts.ts'
import { formatMessage } from '../lib/format-message.ts'
import { formatMoney, type Amount } from '../lib/money.ts'
import { readDelegate } from '../event/delegate-fields.ts'
import { getLowerCaseLabel } from '../event/placeholders-and-answer-texts.ts'
import { type RegistrationView } from './placeholder-values.ts'
import { dayOf, formatDay, type Instant } from '../lib/time.ts'
import { LINK_PLACEHOLDER } from './build-payment-reminder-email.ts'

export type Mail = {
  readonly to: string
  readonly copyTo: null
  readonly subject: string
  readonly text: string
}
export type EmailedRegistration = Pick<RegistrationView, 'regNo' | 'answers' | 'currency'>

const link = LINK_PLACEHOLDER

/** The link to the self-service page, for the end of an email. */
export const SELF_SERVICE_LINK: readonly string[] = [
  formatMessage(EMAIL_MESSAGES.viewRegistration, { link }),
  EMAIL_MESSAGES.keepLink,
]

/**
 * Builds the email sent after a cancellation. `refund` is the amount to refund. Null if the event sends no email, or no
 * address is stored.
 */
export function buildCancelledEmail(
  event: EventConfig,
  registration: EmailedRegistration,
  refund: Amount,
): Mail | null {
  const { cancelled } = EMAIL_MESSAGES
  const values = {
    number: registration.regNo,
    event: event.title,
    amount: formatMoney(refund, registration.currency),
  }
  return buildDelegateEmail(event, registration, formatMessage(cancelled.subject, values), [
    formatMessage(cancelled.text, values),
    refund === 0 ? cancelled.nothingToRefund : formatMessage(cancelled.refund, values),
  ])
}

/**
 * Builds the email sent after a refund of the whole payment, of a part, or of an overpayment. `isComplete` is true if
 * the registration remains paid, `isCancelled` if it is cancelled. `isDispute` is true if the payer's bank reversed
 * the payment. `isPreviousHolder` is true if the payment was made before a transfer to another person, who must not
 * learn its references.
 */
export function buildRefundedEmail(
  event: EventConfig,
  registration: EmailedRegistration,
  {
    amount,
    reference,
    at,
    isComplete,
    isCancelled,
    isDispute,
    isPreviousHolder,
  }: {
    readonly amount: Amount
    readonly reference: string | null
    readonly at: Instant
    readonly isComplete: boolean
    readonly isCancelled: boolean
    readonly isDispute: boolean
    readonly isPreviousHolder: boolean
  },
): Mail | null {
  const { refunded } = EMAIL_MESSAGES
  const values = {
    amount: formatMoney(amount, registration.currency),
    event: event.title,
    number: registration.regNo,
    day: formatDay(dayOf(at)),
  }
  const status = [
    ...(isComplete ? [refunded.stillComplete] : []),
    ...(isCancelled ? [refunded.cancelled] : []),
    ...SELF_SERVICE_LINK,
  ]
  if (isDispute && isPreviousHolder)
    return buildDelegateEmail(
      event,
      registration,
      formatMessage(refunded.disputeBeforeTransferSubject, values),
      [formatMessage(refunded.disputeBeforeTransfer, values), ...status],
    )
  if (isDispute)
    return buildDelegateEmail(event, registration, formatMessage(refunded.disputeSubject, values), [
      formatMessage(refunded.dispute, { ...values, reference: reference ?? '' }),
      ...status,
    ])
  return buildDelegateEmail(event, registration, formatMessage(refunded.subject, values), [
    reference === null || reference === '' || isPreviousHolder
      ? formatMessage(refunded.text, values)
      : formatMessage(refunded.textWithReference, { ...values, reference }),
    refunded.time,
    ...status,
  ])
}

/** Builds an email whose only sentence mentions the registration and the event. */
function buildNotice(
  event: EventConfig,
  registration: EmailedRegistration,
  { subject, text }: { readonly subject: string; readonly text: string },
  lines: readonly string[],
): Mail | null {
  const values = { number: registration.regNo, event: event.title }
  return buildDelegateEmail(event, registration, formatMessage(subject, values), [
    formatMessage(text, values),
    ...lines,
  ])
}

/** Builds the email about an invoice that was issued after its exchange rate was entered. */
export function buildInvoiceEmail(
  event: EventConfig,
  registration: EmailedRegistration,
): Mail | null {
  return buildNotice(event, registration, EMAIL_MESSAGES.invoiceIssued, SELF_SERVICE_LINK)
}

/** Builds the email sent to the new delegate after a transfer. */
export function buildTransferredToYouEmail(
  event: EventConfig,
  registration: EmailedRegistration,
): Mail | null {
  return buildNotice(event, registration, EMAIL_MESSAGES.transferredToYou, SELF_SERVICE_LINK)
}

/** Builds the email sent to the former delegate after a transfer. */
export function buildTransferredEmail(
  event: EventConfig,
  registration: EmailedRegistration,
): Mail | null {
  return buildNotice(event, registration, EMAIL_MESSAGES.transferred, [])
}

/** Builds the email sent after a correction that raises the price. */
export function buildMoreToPayEmail(
  event: EventConfig,
  registration: EmailedRegistration,
  balance: Amount,
): Mail | null {
  const { correctedMoreToPay } = EMAIL_MESSAGES
  const values = {
    number: registration.regNo,
    event: event.title,
    amount: formatMoney(balance, registration.currency),
    link,
  }
  return buildDelegateEmail(
    event,
    registration,
    formatMessage(correctedMoreToPay.subject, values),
    [
      formatMessage(correctedMoreToPay.text, values),
      formatMessage(correctedMoreToPay.pay, values),
      EMAIL_MESSAGES.keepLink,
    ],
  )
}

/**
 * Builds the email sent after a correction that leaves no balance on a paid registration. `refund` is the amount to
 * refund.
 */
export function buildCorrectedEmail(
  event: EventConfig,
  registration: EmailedRegistration,
  refund: Amount,
): Mail | null {
  const correctedTexts =
    refund > 0 ? EMAIL_MESSAGES.correctedRefund : EMAIL_MESSAGES.correctedNothingToPay
  const values = {
    number: registration.regNo,
    event: event.title,
    amount: formatMoney(refund, registration.currency),
  }
  return buildDelegateEmail(event, registration, formatMessage(correctedTexts.subject, values), [
    formatMessage(correctedTexts.text, values),
    ...SELF_SERVICE_LINK,
  ])
}

/** Builds the email with the payment link that staff send on request, for the whole price or for the rest of it. */
export function buildPayLinkEmail(
  event: EventConfig,
  registration: EmailedRegistration & { readonly total: Amount | null },
  balance: Amount,
): Mail | null {
  const { keepLink, payHere, paymentLink } = EMAIL_MESSAGES
  const values = {
    number: registration.regNo,
    event: event.title,
    amount: formatMoney(balance, registration.currency),
  }
  const total = registration.total ?? balance
  const [subject, text] =
    total > balance
      ? [
          formatMessage(paymentLink.partlyPaidSubject, values),
          formatMessage(paymentLink.partlyPaid, {
            ...values,
            total: formatMoney(total, registration.currency),
          }),
        ]
      : [formatMessage(paymentLink.subject, values), formatMessage(paymentLink.text, values)]
  return buildDelegateEmail(event, registration, subject, [
    text,
    formatMessage(payHere, { link }),
    `${keepLink} ${paymentLink.alreadyPaid}`,
  ])
}

/**
 * Builds an email to the delegate in the common layout. Null if the event sends no email, or no
 * address is stored.
 */
export function buildDelegateEmail(
  event: EventConfig,
  { answers }: EmailedRegistration,
  subject: string,
  paragraphs: readonly string[],
): Mail | null {
  const { fullName, email } = readDelegate(event, answers)
  if (event.email === null || email === '') return null
  const text = [
    formatMessage(EMAIL_MESSAGES.greeting, {
      name: toSingleLine(fullName) || getLowerCaseLabel(event, 'delegate'),
    }),
    ...paragraphs,
    formatMessage(EMAIL_MESSAGES.questions, { support: event.support }),
  ].join('\n\n')
  return { to: toSingleLine(email), copyTo: null, subject: toSingleLine(subject), text }
}

function toSingleLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
