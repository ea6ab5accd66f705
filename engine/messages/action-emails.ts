/** Emails to delegates about actions of the office on their registration. */
import type { EventConfig } from '../event/config.ts'
import { formatMoney, type Paise } from '../lib/money.ts'
import { delegateOf } from '../event/delegate-fields.ts'
import { wordFor } from '../event/texts.ts'
import { type RegistrationView } from './registration-values.ts'
import { dayOf, formatDay, type Instant } from '../lib/time.ts'
import { LINK_PLACE } from './unpaid-reminder-email.ts'

export type Mail = {
  readonly to: string
  readonly copyTo: null
  readonly subject: string
  readonly text: string
}
export type Told = Pick<RegistrationView, 'regNo' | 'answers'>

/** The link to the self-service page, at the end of an email. */
export const OWN_LINK: readonly string[] = [
  LINK_PLACE,
  'Please keep the link to yourself: anybody who has it can see your registration.',
]

/**
 * Email after a cancellation. Null if the event sends no email, or no address is stored. `back`:
 * the amount to be refunded.
 */
export function cancelledMail(event: EventConfig, registration: Told, back: Paise): Mail | null {
  const { regNo } = registration
  return delegateMail(event, registration, `Your registration for ${event.title} is cancelled`, [
    `Your registration ${regNo} for ${event.title} has been cancelled by the organisers.`,
    back === 0
      ? 'There is nothing to refund.'
      : `${formatMoney(back)} will be refunded to you. You need not do anything.`,
  ])
}

/**
 * Email after a refund: of the whole payment, a part of it, or a surplus. `isComplete`: the
 * registration remains paid.
 */
export function givenBackMail(
  event: EventConfig,
  registration: Told,
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
  const { regNo } = registration
  const under = reference === null || reference === '' ? '' : `, with the reference ${reference}`
  return delegateMail(
    event,
    registration,
    `${formatMoney(amount)} has been refunded for ${event.title}`,
    [
      `${formatMoney(amount)} of what was paid for your registration ${regNo} for ${event.title} was refunded to you on ${formatDay(dayOf(at))}${under}.`,
      'A bank or a card company may take some working days until its statement shows it.',
      ...(isComplete ? ['Your registration is paid and complete, as before.'] : []),
      'You can see how it stands here:',
      ...OWN_LINK,
    ],
  )
}

/** To the new delegate after a transfer: number and payments are theirs now. */
export function transferredMail(event: EventConfig, registration: Told): Mail | null {
  const { regNo } = registration
  return delegateMail(event, registration, `A registration for ${event.title} is yours now`, [
    `The registration ${regNo} for ${event.title} has been transferred to you. It is paid and complete, and you need not do anything.`,
    `You can find it here:\n${LINK_PLACE}`,
    'Please keep the link to yourself: anybody who has it can see your registration.',
  ])
}

/** To the former delegate after a transfer. */
export function handedOverMail(event: EventConfig, registration: Told): Mail | null {
  const { regNo } = registration
  return delegateMail(
    event,
    registration,
    `Your registration for ${event.title} has been transferred`,
    [
      `Your registration ${regNo} for ${event.title} has been transferred to somebody else by the organisers. It is not yours any more.`,
    ],
  )
}

/** After a correction that raises the price. */
export function differenceMail(event: EventConfig, registration: Told, due: Paise): Mail | null {
  const { regNo } = registration
  return delegateMail(event, registration, `${formatMoney(due)} is to be paid for ${event.title}`, [
    `Your registration ${regNo} for ${event.title} was corrected by the organisers. ${formatMoney(due)} more is to be paid for it.`,
    `Pay the difference here:\n${LINK_PLACE}`,
    'Please keep the link to yourself: anybody who has it can see your registration.',
  ])
}

/** After a correction that leaves no balance on a paid registration. `back`: the amount to be refunded. */
export function cheaperMail(event: EventConfig, registration: Told, back: Paise): Mail | null {
  const { regNo } = registration
  const goesBack = back > 0
  return delegateMail(
    event,
    registration,
    goesBack
      ? `${formatMoney(back)} will be refunded for ${event.title}`
      : `Nothing more is to be paid for ${event.title}`,
    [
      `Your registration ${regNo} for ${event.title} was corrected by the organisers. ${
        goesBack
          ? `${formatMoney(back)} of what was paid will be refunded to you. You need not do anything.`
          : 'Nothing more is to be paid for it, and nothing to be refunded.'
      }`,
      'You can see how it stands here:',
      ...OWN_LINK,
    ],
  )
}

/** The payment link that the office sends on request. */
export function payLinkMail(event: EventConfig, registration: Told, due: Paise): Mail | null {
  const { regNo } = registration
  return delegateMail(event, registration, `Finish your registration for ${event.title}`, [
    `Your registration ${regNo} for ${event.title} is complete once ${formatMoney(due)} is paid.`,
    `Pay here:\n${LINK_PLACE}`,
    'Please keep the link to yourself: anybody who has it can see your registration. If you have paid in the meantime, you need not do anything.',
  ])
}

/**
 * Builds an email to the delegate in the common layout. Null if the event sends none, or no address
 * is stored.
 */
export function delegateMail(
  event: EventConfig,
  { answers }: Told,
  subject: string,
  paragraphs: readonly string[],
): Mail | null {
  const { fullName, email } = delegateOf(event, answers)
  if (event.email === null || email === '') return null
  const text = [
    `Dear ${oneLine(fullName) || wordFor(event, 'delegate')},`,
    ...paragraphs,
    `If you have questions, write to ${event.support}.`,
  ].join('\n\n')
  return { to: oneLine(email), copyTo: null, subject: oneLine(subject), text }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
