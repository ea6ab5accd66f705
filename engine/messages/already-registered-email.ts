/** Email to a registered delegate if someone registers again with the same answers. */
import type { EventConfig } from '../event/config.ts'
import type { Stands } from '../payments/payment.ts'
import { delegateOf } from '../event/delegate-fields.ts'
import { wordFor } from '../event/texts.ts'
import { type RegistrationView } from './registration-values.ts'
import { LINK_PLACE } from './unpaid-reminder-email.ts'

/**
 * It goes to the stored address, never to the one typed, and repeats nothing that was typed. Null
 * if the event sends no email, or no address is stored.
 */
export function alreadyMail(
  event: EventConfig,
  registration: Pick<RegistrationView, 'regNo' | 'answers'>,
  stands: Stands,
): {
  readonly to: string
  readonly copyTo: null
  readonly subject: string
  readonly text: string
} | null {
  const { fullName, email } = delegateOf(event, registration.answers)
  if (event.email === null || email === '') return null
  const isComplete = stands === 'complete'
  const text = [
    `Dear ${oneLine(fullName) || wordFor(event, 'delegate')},`,
    `Somebody, most likely you, has just tried to register for ${event.title} again. You are already registered, as ${registration.regNo}. Nothing was changed, and nothing was charged.`,
    isComplete
      ? `Your registration is complete. You can find it here:\n${LINK_PLACE}`
      : `Your registration is not complete yet. This page shows how it stands and whether anything is due:\n${LINK_PLACE}`,
    'Please keep the link to yourself: anybody who has it can see your registration. If it was not you, you need not do anything.',
    `If you have questions, write to ${event.support}.`,
  ].join('\n\n')
  const subject = oneLine(`You are already registered for ${event.title}`)
  return { to: oneLine(email), copyTo: null, subject, text }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
