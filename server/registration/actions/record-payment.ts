/** Records a payment received by transfer or at the desk. */
import {
  bankKey,
  dayOf,
  err,
  formatDayShort,
  hasOtherLetters,
  instant,
  isAtLeast,
  isDay,
  isManualMethod,
  isDeskPayment,
  isSlipNumber,
  ok,
  getOwn,
  REFERENCE_CHARACTERS_MAX,
  startOfDay,
  methodInSentence,
  describeMethod,
  type Actor,
  type Instant,
  type Paise,
  type Result,
  type Role,
  type ManualMethod,
} from '../../../engine/index.ts'
import { atPrice, priceOnDay } from '../../payments/price-on-credit-date.ts'
import { confirmationOf } from '../../payments/verify-payment.ts'
import type { ActionDenial } from '../../storage/index.ts'
import { amountIn, badData, textIn } from './action-input.ts'
import type { ActionRequest, ActionHandler } from './action-input.ts'

/** `{way, reference, amount: rupees, day?: YYYY-MM-DD}`; without a day, the payment arrived today. */
export const confirm: ActionHandler = async (asked) => {
  const { deps, served, registration, wanted } = asked
  const came = cameIn(asked)
  if (!came.ok) return came
  const { reference, paidAt } = came.value
  const [payment] = registration.payments
  const price = priceOnDay(served.config, registration, paidAt)
  const mail =
    payment === undefined
      ? null
      : confirmationOf(
          { event: served.config, registration: atPrice(registration, price), payment },
          reference,
          paidAt,
        )
  return deps.store.confirm(wanted, { ...came.value, price }, mail)
}

/** Records an extra payment for a registration that is already paid or has ended. */
export const cameAgain: ActionHandler = async (asked) => {
  const came = cameIn(asked)
  return came.ok ? asked.deps.store.cameAgain(asked.wanted, came.value) : came
}

function cameIn({ wanted, words }: Pick<ActionRequest, 'wanted' | 'words'>): Result<
  {
    readonly way: ManualMethod
    readonly reference: string
    readonly also: readonly string[]
    readonly amount: Paise
    readonly paidAt: Instant
  },
  ActionDenial
> {
  const way = textIn(words, 'way')
  if (!isManualMethod(way)) return badData('Choose a payment method.')
  const { least, asks } = describeMethod(way)
  if (!mayConfirm(wanted.actor, least))
    return err({
      code: 'not_your_role' as const,
      message: `You need the ${least} role to record a payment ${methodInSentence(way)}. You have ${wanted.actor}.`,
    })
  const reference = textIn(words, 'reference').replaceAll(/\s+/g, ' ')
  const also = alsoIn(getOwn(words, 'also'))
  if (also === null) return badData('The other bank references must be a list of texts.')
  // A bank reference has at least one letter or digit.
  const isEmpty = isDeskPayment(way) ? reference === '' : bankKey(reference) === ''
  if (isEmpty || reference.length > REFERENCE_CHARACTERS_MAX)
    return badData(
      `Enter the ${asks.replace(/^(?!UPI|UTR)./, (first) => first.toLowerCase())}, at most ${REFERENCE_CHARACTERS_MAX} characters.`,
    )
  const wrong = wrongLetters(way, reference)
  if (wrong !== null) return badData(wrong)
  const amount = amountIn(words, 'amount')
  if (!amount.ok) return amount
  if (amount.value === null || amount.value === 0) return badData('Enter the amount received.')
  const today = dayOf(wanted.at)
  const day = textIn(words, 'day') || today
  if (!isDay(day)) return badData('Enter the date as 2026-12-31.')
  if (day > today)
    return badData(
      `The date received, ${formatDayShort(day)}, is after today, ${formatDayShort(today)}.`,
    )
  const paidAt = day === today ? wanted.at : instant(startOfDay(day))
  return ok({ way, reference, also, amount: amount.value, paidAt })
}

/**
 * Returns what is wrong with the characters of a reference that is compared with bank statements; null: nothing.
 * A desk receipt number may use any script.
 */
export function wrongLetters(way: ManualMethod, reference: string): string | null {
  const key = bankKey(reference)
  const isSlip = way === 'cash' || (isDeskPayment(way) && isSlipNumber(key))
  return isSlip || !hasOtherLetters(key)
    ? null
    : 'Enter the reference in Latin letters and digits, as the bank prints it.'
}

/** A bank statement line has only a few numbers. */
const ALSO_MAX = 10

/**
 * Parses the other references that a bank statement line shows for the same payment; null: not a list of
 * references.
 */
export function alsoIn(given: unknown): readonly string[] | null {
  if (given === undefined) return []
  const isList = Array.isArray(given) && given.length <= ALSO_MAX
  return isList &&
    given.every((one) => typeof one === 'string' && one.length <= REFERENCE_CHARACTERS_MAX)
    ? given
    : null
}

const mayConfirm = (actor: Actor, least: Role): boolean =>
  actor !== 'delegate' && actor !== 'clock' && isAtLeast(actor, least)
