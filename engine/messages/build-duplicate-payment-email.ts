/** The confirmation email for a second payment for the same person. */
import type { RegNo } from '../event/registration-number.ts'
import { EMAIL_MESSAGES } from '../text-catalogue/email-texts.ts'
import { SELF_SERVICE_MESSAGES } from '../text-catalogue/self-service.ts'
import { formatMessage } from '../lib/format-message.ts'
import { LINK_PLACEHOLDER } from './build-payment-reminder-email.ts'

/**
 * Adds a paragraph below the greeting. It states that this is a second payment and explains how to request a refund.
 */
export function addSecondPaymentNotice<
  M extends { readonly subject: string; readonly text: string },
>(mail: M, firstRegNo: RegNo): M {
  const { secondPayment } = EMAIL_MESSAGES
  const button = SELF_SERVICE_MESSAGES.secondPayment.request
  const notice = formatMessage(secondPayment.text, { first: firstRegNo, button })
  const link = formatMessage(secondPayment.link, { link: LINK_PLACEHOLDER })
  const [greeting = '', ...rest] = mail.text.split('\n\n')
  const hasGreeting = rest.length > 0 && /^[^\n]*,$/.test(greeting)
  const parts = hasGreeting ? [greeting, notice, ...rest] : [notice, greeting, ...rest]
  const hasLink = mail.text.split('\n').includes(LINK_PLACEHOLDER)
  return {
    ...mail,
    subject: formatMessage(secondPayment.subject, { subject: mail.subject }),
    text: [...parts, ...(hasLink ? [] : [link])].join('\n\n'),
  }
}
