/** A second payment for one person in one event: how persons are compared, and what the confirmation says. */
import { composed } from '../lib/unicode.ts'
import { foldedText } from '../answers/compare-answers.ts'
import type { RegNo } from '../event/registration-number.ts'
import { LINK_PLACE } from '../messages/unpaid-reminder-email.ts'

/** Titles before a name, which some people write and others leave out. */
const TITLES: ReadonlySet<string> = new Set([
  'adv',
  'doctor',
  'dr',
  'er',
  'kum',
  'kumari',
  'miss',
  'mr',
  'mrs',
  'ms',
  'prof',
  'professor',
  'shri',
  'smt',
  'sri',
])

/** Email address and name in one spelling: without title, case, spaces and punctuation. Null: one of them is missing. */
export function payerKey({
  email,
  fullName,
}: {
  readonly email: string
  readonly fullName: string
}): string | null {
  const words = composed(fullName)
    .normalize('NFKC')
    .split(/[^\p{L}\p{M}\p{N}\p{Default_Ignorable_Code_Point}]+/u)
    .map(foldedText)
    .filter((word) => word !== '')
  const first = words.findIndex((word) => !TITLES.has(word))
  const [address, name] = [foldedText(email), words.slice(Math.max(0, first)).join('')]
  return address === '' || name === '' ? null : JSON.stringify([address, name])
}

/** The same for every registration of which no refund can be requested, so that it tells nothing of another one. */
export const NO_REFUND_REQUEST = 'You cannot request a refund here. Please write to the organisers.'
/** The button on the delegate's own page. */
export const ASK_REFUND = 'Request a refund'

/** The confirmation of a second payment: says so below the greeting, and how to request a refund. */
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
