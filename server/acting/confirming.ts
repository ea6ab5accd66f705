/** The act that says that money came by transfer or at the desk. */
import {
  dayOf,
  err,
  formatDay,
  instant,
  isAtLeast,
  isDay,
  isWay,
  quoteOf,
  startOf,
  transferWay,
  wayInSentence,
  wayOf,
  type Actor,
  type EventConfig,
  type Instant,
  type Quote,
  type Role,
} from '../../engine/index.ts'
import { confirmationOf } from '../paying/question.ts'
import type { StoredRegistration } from '../store/store.ts'
import { amountIn, badData, textIn } from './asked.ts'
import type { Doer } from './asked.ts'

/** References of banks have at most 22; a cheque also names its bank. */
const REFERENCE_CHARACTERS_MAX = 64

/** `{way, reference, amount: rupees, day?: YYYY-MM-DD}`; without a day it came today. */
export const confirm: Doer = async ({ deps, served, registration, wanted, words }) => {
  const way = textIn(words, 'way')
  if (!isWay(way)) return badData('Say which way it came.')
  const { least, asks } = wayOf(way)
  if (!mayConfirm(wanted.actor, least))
    return err({
      code: 'not_your_role' as const,
      message: `To confirm money by ${wayInSentence(way)} takes the role ${least}; yours is ${wanted.actor}.`,
    })
  const reference = textIn(words, 'reference').replaceAll(/\s+/g, ' ')
  if (reference === '' || reference.length > REFERENCE_CHARACTERS_MAX)
    return badData(`Write its reference: ${asks}, at most ${REFERENCE_CHARACTERS_MAX} characters.`)
  const amount = amountIn(words, 'amount')
  if (!amount.ok) return amount
  if (amount.value === null || amount.value === 0) return badData('Write the amount that came.')
  const today = dayOf(wanted.at)
  const day = textIn(words, 'day') || today
  if (!isDay(day)) return badData('Write the day as 2026-12-31.')
  if (day > today)
    return badData(`It cannot have come on ${formatDay(day)}: today is ${formatDay(today)}.`)
  const paidAt = day === today ? wanted.at : instant(startOf(day))
  const [payment] = registration.payments
  const price = priceOnDay(served.config, registration, paidAt)
  const mail =
    payment === undefined
      ? null
      : confirmationOf({ event: served.config, registration, payment }, reference, paidAt)
  const came = { way, reference, amount: amount.value, paidAt, price }
  return deps.store.confirm(wanted, came, mail)
}

/** Where the day of credit decides, what it cost then; null: what it cost when it was registered. */
function priceOnDay(
  config: EventConfig,
  { payments, answers, category, paymentStatus }: StoredRegistration,
  paidAt: Instant,
): Quote | null {
  const way = transferWay(config, payments[0]?.way ?? null)
  if (way === null || way.priceOn !== 'credited' || paymentStatus === 'success') return null
  const quoted = quoteOf(config, answers, category, paidAt)
  return quoted.ok ? quoted.value : null
}

const mayConfirm = (actor: Actor, least: Role): boolean =>
  actor !== 'delegate' && actor !== 'clock' && isAtLeast(actor, least)
