/** The confirmation email of a second payment for one person. */
import type { RegNo } from '../event/registration-number.ts'
import { ASK_REFUND } from '../payments/duplicate-payment.ts'
import { LINK_PLACE } from './unpaid-reminder-email.ts'

/** Adds to the confirmation, below the greeting, that it is a second payment, and how to request a refund. */
export function secondPaymentMail<M extends { readonly subject: string; readonly text: string }>(
  mail: M,
  first: RegNo,
): M {
  const said = `This is the second payment for this name and email address. Registration ${first} was paid before. If you paid twice by mistake, open the link below and choose “${ASK_REFUND}”.`
  const [greeting = '', ...rest] = mail.text.split('\n\n')
  const isGreeted = rest.length > 0 && /^[^\n]*,$/.test(greeting)
  const parts = isGreeted ? [greeting, said, ...rest] : [said, greeting, ...rest]
  const hasLink = mail.text.split('\n').includes(LINK_PLACE)
  return {
    ...mail,
    subject: `${mail.subject} (second payment)`,
    text: [...parts, ...(hasLink ? [] : [`Your registration:\n${LINK_PLACE}`])].join('\n\n'),
  }
}
