/** The act that says that money came by transfer or at the desk. */
import {
  dayOf,
  err,
  formatDay,
  instant,
  isAtLeast,
  isDay,
  isWay,
  ok,
  quoteOf,
  startOf,
  transferWay,
  wayInSentence,
  wayOf,
  type Actor,
  type EventConfig,
  type Instant,
  type Paise,
  type Quote,
  type Result,
  type Role,
  type Way,
} from '../../engine/index.ts'
import { confirmationOf } from '../paying/question.ts'
import type { ActNo, StoredRegistration } from '../store/store.ts'
import { amountIn, badData, textIn } from './asked.ts'
import type { Asked, Doer } from './asked.ts'

/** References of banks have at most 22; a cheque also names its bank. */
const REFERENCE_CHARACTERS_MAX = 64

/** `{way, reference, amount: rupees, day?: YYYY-MM-DD}`; without a day it came today. */
export const confirm: Doer = async (asked) => {
  const { deps, served, registration, wanted } = asked
  const came = cameIn(asked)
  if (!came.ok) return came
  const { reference, paidAt } = came.value
  const [payment] = registration.payments
  const price = priceOnDay(served.config, registration, paidAt)
  const mail =
    payment === undefined
      ? null
      : confirmationOf({ event: served.config, registration, payment }, reference, paidAt)
  return deps.store.confirm(wanted, { ...came.value, price }, mail)
}

/** The same of what is paid already, or has ended. */
export const cameAgain: Doer = async (asked) => {
  const came = cameIn(asked)
  return came.ok ? asked.deps.store.cameAgain(asked.wanted, came.value) : came
}

function cameIn({ wanted, words }: Pick<Asked, 'wanted' | 'words'>): Result<
  {
    readonly way: Way
    readonly reference: string
    readonly amount: Paise
    readonly paidAt: Instant
  },
  ActNo
> {
  const way = textIn(words, 'way')
  if (!isWay(way)) return badData('Say which way it came.')
  const { least, asks } = wayOf(way)
  if (!mayConfirm(wanted.actor, least))
    return err({
      code: 'not_your_role' as const,
      message: `To confirm money ${wayInSentence(way)} takes the role ${least}; yours is ${wanted.actor}.`,
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
  return ok({ way, reference, amount: amount.value, paidAt })
}

/** Where the day of credit decides, what it cost then; null: what it cost when it was registered. */
export function priceOnDay(
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
