/** Quotas: which seats a registration takes, and what the form says about the seats left. */
import type { Answers } from '../event/answer-types.ts'
import type { PublicEvent } from '../event/config.ts'
import { chosenOptions, matchesCondition } from '../rules/evaluate-condition.ts'
import { fullSeatName } from '../rules/pricing-context.ts'
import { getOwn } from '../lib/result.ts'
import type { Quota } from '../event/pricing-types.ts'
import { wordsFromId } from '../event/placeholders-and-answer-texts.ts'

/** `id`: a quota's, or `limit.option` if each option has its own seats; otherwise `option` is null. */
export type SeatPool = {
  readonly id: string
  readonly max: number
  readonly limit: Quota
  readonly option: string | null
}

/** Returns every seat type of these quotas, in the file's order. */
export function allSeatPools(limits: readonly Quota[]): readonly SeatPool[] {
  return limits.flatMap((limit): SeatPool[] => {
    const { id, max } = limit
    return typeof max === 'number'
      ? [{ id, max, limit, option: null }]
      : Object.entries(max).map(([option, of]) => ({
          id: `${id}.${option}`,
          max: of,
          limit,
          option,
        }))
  })
}

/**
 * Returns the seats that a registration takes, each once. `answers` are normalised and include the
 * context under which it was priced; `category` is the one derived from them.
 */
export function requiredSeats(
  limits: readonly Quota[],
  answers: Answers,
  category: string | null,
): readonly SeatPool[] {
  return limits.flatMap((limit): SeatPool[] => {
    const { id, when, eachOptionOf, max } = limit
    if (when !== undefined && !matchesCondition(when, answers, category)) return []
    if (typeof max === 'number') return [{ id, max, limit, option: null }]
    if (eachOptionOf === undefined) return []
    return chosenOptions(getOwn(answers, eachOptionOf)).flatMap((option) => {
      const optionMax = getOwn(max, option)
      return optionMax === undefined
        ? []
        : [{ id: `${id}.${option}`, max: optionMax, limit, option }]
    })
  })
}

/** Returns the first of its seats that is full, by the context in the answers. Null if all are available. */
export function firstFull(
  limits: readonly Quota[],
  answers: Answers,
  category: string | null,
): SeatPool | null {
  return (
    requiredSeats(limits, answers, category).find(
      ({ id }) => getOwn(answers, fullSeatName(id)) === true,
    ) ?? null
  )
}

/** Returns the message for a full seat; for one of several options it names the option. */
export function fullSeatMessage(event: PublicEvent, place: SeatPool): string {
  const { message } = place.limit.full
  return place.option === null ? message : `${seatName(event, place)}: ${message}`
}

/** Returns the display name of a seat: its option's label, or the quota's name. */
export function seatName(
  { fields }: Pick<PublicEvent, 'fields'>,
  { limit, option }: SeatPool,
): string {
  const { options = [] } = fields.find(({ id }) => id === limit.eachOptionOf) ?? {}
  return options.find(({ id }) => id === option)?.label ?? wordsFromId(option ?? limit.id)
}

/** Returns what may be public: which seats are full, and how many are left if the file asks to show it. */
export function publicAvailability(
  limits: readonly Quota[],
  left: Readonly<Record<string, number>>,
): Record<string, number> {
  return Object.fromEntries(
    allSeatPools(limits).flatMap(({ id, max, limit: { few } }): [string, number][] => {
      const seatsLeft = Math.max(0, getOwn(left, id) ?? max)
      return seatsLeft === 0 || (few !== undefined && seatsLeft <= few) ? [[id, seatsLeft]] : []
    }),
  )
}
