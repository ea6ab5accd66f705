/** Quotas: the seats that a registration takes, and the form's messages about available seats. */
import type { Answers } from '../event/answer-types.ts'
import type { PublicEvent } from '../event/config.ts'
import { listChosenOptions, matchesCondition, toList } from '../rules/conditions-and-operators.ts'
import { getFullQuotaName } from '../rules/pricing-context.ts'
import { formatMessage } from '../lib/format-message.ts'
import { getOwn } from '../lib/result.ts'
import { EXTENDED_FORM_MESSAGES } from '../text-catalogue/form-with-items-and-codes.ts'
import type { Quota } from '../event/pricing-types.ts'
import { formatIdAsWords } from '../event/placeholders-and-answer-texts.ts'

/**
 * The seats of a quota or of one of its options. `id`: the quota's id, or `quota.option` if each option has its own
 * seats; otherwise `option` is null.
 */
export type SeatPool = {
  readonly id: string
  readonly max: number
  readonly quota: Quota
  readonly option: string | null
  /** The number of these seats that the registration takes. */
  readonly quantity: number
}

/** Returns every seat pool of these quotas, in the file's order. */
export function listSeatPools(quotas: readonly Quota[]): readonly SeatPool[] {
  return quotas.flatMap((quota): SeatPool[] => {
    const { id, max } = quota
    return typeof max === 'number'
      ? [{ id, max, quota, option: null, quantity: 1 }]
      : Object.entries(max).map(([option, of]) => ({
          id: `${id}.${option}`,
          max: of,
          quota,
          option,
          quantity: 1,
        }))
  })
}

/**
 * Returns the seats that a registration takes, each pool once. `answers` are normalised and include
 * the context used for pricing; `category` is derived from them.
 */
export function listRequiredSeats(
  quotas: readonly Quota[],
  answers: Answers,
  category: string | null,
): readonly SeatPool[] {
  return quotas.flatMap((quota): SeatPool[] => {
    const { id, when, eachOptionOf, max } = quota
    if (when !== undefined && !matchesCondition(when, answers, category)) return []
    const quantity = countSeats(quota, answers)
    if (quantity === 0) return []
    if (typeof max === 'number') return [{ id, max, quota, option: null, quantity }]
    if (eachOptionOf === undefined) return []
    return listChosenOptions(getOwn(answers, eachOptionOf)).flatMap((option) => {
      const optionMax = getOwn(max, option)
      return optionMax === undefined
        ? []
        : [{ id: `${id}.${option}`, max: optionMax, quota, option, quantity: 1 }]
    })
  })
}

/** Returns the number in the counted field, or the number of people listed in it. */
function countSeats({ count, withDelegate }: Quota, answers: Answers): number {
  if (count === undefined) return 1
  const answer = getOwn(answers, count)
  const countedSeats =
    typeof answer === 'number' ? Math.max(0, Math.ceil(answer)) : toList(answer).length
  return countedSeats + (withDelegate === true ? 1 : 0)
}

/**
 * Returns the first seat pool that is full according to the context, or that has fewer seats left
 * than the registration takes. Null if all are available.
 */
export function findFirstFull(
  quotas: readonly Quota[],
  answers: Answers,
  category: string | null,
  seatsLeft: Readonly<Record<string, number>> = {},
): SeatPool | null {
  return (
    listRequiredSeats(quotas, answers, category).find(
      (seats) => getOwn(answers, getFullQuotaName(seats.id)) === true || isShort(seats, seatsLeft),
    ) ?? null
  )
}

/**
 * Returns true if fewer seats are left than the registration takes. Pools that `left` does not
 * contain are available.
 */
export const isShort = (
  { id, quantity }: Pick<SeatPool, 'id' | 'quantity'>,
  left: Readonly<Record<string, number>>,
): boolean => (getOwn(left, id) ?? quantity) < quantity

/**
 * Returns the highest number of seats left that the form needs to know. Returns 0 if the form needs to know only
 * whether a seat is left.
 */
export const getDisplayThreshold = ({ few = 0, count, maxCount }: Quota): number =>
  count === undefined ? few : Math.max(few, (maxCount ?? Number.MAX_SAFE_INTEGER) - 1)

/**
 * Returns the message for a full seat pool; for the pool of an option, the message starts with the option's name.
 * `left`: the number of seats left, if more were requested.
 */
export function buildFullSeatMessage(event: PublicEvent, pool: SeatPool, left = 0): string {
  const { message } = pool.quota.full
  const { quantity } = pool
  if (left > 0 && left < quantity)
    return formatMessage(EXTENDED_FORM_MESSAGES.seats.tooFew, {
      name: getSeatName(event, pool),
      left,
      quantity,
    })
  return pool.option === null ? message : `${getSeatName(event, pool)}: ${message}`
}

/** Returns the display name of a seat pool: its option's label, or the quota's name. */
export function getSeatName(
  { fields }: Pick<PublicEvent, 'fields'>,
  { quota, option }: SeatPool,
): string {
  const { options = [] } = fields.find(({ id }) => id === quota.eachOptionOf) ?? {}
  return options.find(({ id }) => id === option)?.label ?? formatIdAsWords(option ?? quota.id)
}

/**
 * Returns the public part of the availability: the full pools, and the number of seats left if the event file shows
 * it.
 */
export function buildPublicAvailability(
  quotas: readonly Quota[],
  left: Readonly<Record<string, number>>,
): Record<string, number> {
  return Object.fromEntries(
    listSeatPools(quotas).flatMap(({ id, max, quota }): [string, number][] => {
      const seatsLeft = Math.max(0, getOwn(left, id) ?? max)
      return seatsLeft <= getDisplayThreshold(quota) ? [[id, seatsLeft]] : []
    }),
  )
}
