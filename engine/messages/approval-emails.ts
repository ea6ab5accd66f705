/** Emails to delegates about an approval: pending, approved, refused. */
import { delegateMail, type Mail, type Told } from './action-emails.ts'
import type { Approval } from '../event/registration-types.ts'
import { labelOfCategory } from '../rules/category.ts'
import type { EventConfig } from '../event/config.ts'
import { formatMoney, formatPrice, type Paise } from '../lib/money.ts'
import { labelOf, wordFor } from '../event/texts.ts'
import { dayOf, formatDay, instant, type Instant } from '../lib/time.ts'
import { LINK_PLACE } from './unpaid-reminder-email.ts'

const KEEP_LINK = 'Please keep the link to yourself: anybody who has it can see your registration.'

/** Returns the last day of a time limit that ends with a day. */
const lastDay = (ends: Instant): string => formatDay(dayOf(instant(ends - 1)))

/**
 * After registration: what happens next, and by when. Null if the event sends no email, or no
 * address is stored.
 */
export function toApproveMail(
  event: EventConfig,
  registration: Told,
  {
    approval,
    total,
    by,
  }: { readonly approval: Approval; readonly total: Paise; readonly by: Instant },
): Mail | null {
  const { regNo } = registration
  const looked = approval.lookAt.map((id) => labelOf(event, id)).join(', ')
  return delegateMail(
    event,
    registration,
    `Your registration for ${event.title} is being looked at`,
    [
      `Your registration ${regNo} for ${event.title} is recorded, and your place is kept. The organisers look at what you sent (${looked}) before you pay, and decide by ${lastDay(by)}.`,
      total === 0
        ? 'You need not do anything: we write to you once they have decided.'
        : `Once it is approved, we send you a link to pay ${formatPrice(total)}. There is nothing to pay yet.`,
      `How it stands:\n${LINK_PLACE}`,
      KEEP_LINK,
    ],
  )
}

/** After approval, with a balance to pay. */
export function approvedMail(
  event: EventConfig,
  registration: Told,
  due: Paise,
  payUntil: Instant,
): Mail | null {
  const { regNo } = registration
  return delegateMail(event, registration, `Approved: please pay for ${event.title}`, [
    `Your registration ${regNo} for ${event.title} has been approved. It is complete once ${formatMoney(due)} is paid. This is the price of the day on which you registered.`,
    `Please pay by ${lastDay(payUntil)}; after that your place goes to somebody else. Pay here:\n${LINK_PLACE}`,
    KEEP_LINK,
  ])
}

/** After refusal; `offer` null: there is no other category to offer. */
export function refusedMail(
  event: EventConfig,
  registration: Told,
  said: {
    readonly why: string
    readonly say: string | null
    readonly offer: { readonly category: string; readonly total: Paise } | null
  },
): Mail | null {
  const { regNo } = registration
  const { why, say, offer } = said
  return delegateMail(
    event,
    registration,
    `Your registration for ${event.title} was not approved`,
    [
      `The organisers have looked at your registration ${regNo} for ${event.title} and could not approve it: ${why}`,
      ...(say === null ? [] : [say]),
      ...(offer === null
        ? ['Nothing was charged, and you need not do anything.']
        : [
            `You can take part as ${wordFor(event, 'category')} “${labelOfCategory(event, offer.category)}” instead, for ${formatPrice(offer.total)}. Your answers are saved. Accept it and pay here:\n${LINK_PLACE}`,
            KEEP_LINK,
          ]),
    ],
  )
}

/** After the delegate accepted the offer. */
export function offerAcceptedMail(
  event: EventConfig,
  registration: Told,
  as: { readonly category: string; readonly due: Paise; readonly payUntil: Instant },
): Mail | null {
  const { regNo } = registration
  const category = labelOfCategory(event, as.category)
  return delegateMail(event, registration, `Please pay for ${event.title}`, [
    `Your registration ${regNo} for ${event.title} is now one of ${wordFor(event, 'category')} “${category}”. It is complete once ${formatMoney(as.due)} is paid.`,
    `Please pay by ${lastDay(as.payUntil)}; after that your place goes to somebody else. Pay here:\n${LINK_PLACE}`,
    KEEP_LINK,
  ])
}
