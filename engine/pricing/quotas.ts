/** Places that there are only so many of: which ones a registration takes, and what the form says of how many are left. */
import type { Answers } from '../event/answer-types.ts'
import type { PublicEvent } from '../event/config.ts'
import { chosenIn, holds } from '../rules/evaluate-condition.ts'
import { fullOf } from '../rules/pricing-context.ts'
import { own } from '../lib/result.ts'
import type { Limit } from '../event/pricing-types.ts'
import { words } from '../event/texts.ts'

/** `id`: a limit's, or `limit.option` where each option has places of its own; else `option` is null. */
export type Place = {
  readonly id: string
  readonly max: number
  readonly limit: Limit
  readonly option: string | null
}

/** Every place of these limits, in the file's order. */
export function allPlaces(limits: readonly Limit[]): readonly Place[] {
  return limits.flatMap((limit): Place[] => {
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
 * The places that a registration takes, each once. `answers` are normalised, with the facts laid in under
 * which it was priced; `category` is the one that followed from them.
 */
export function placesOf(
  limits: readonly Limit[],
  answers: Answers,
  category: string | null,
): readonly Place[] {
  return limits.flatMap((limit): Place[] => {
    const { id, when, eachOptionOf, max } = limit
    if (when !== undefined && !holds(when, answers, category)) return []
    if (typeof max === 'number') return [{ id, max, limit, option: null }]
    if (eachOptionOf === undefined) return []
    return chosenIn(own(answers, eachOptionOf)).flatMap((option) => {
      const of = own(max, option)
      return of === undefined ? [] : [{ id: `${id}.${option}`, max: of, limit, option }]
    })
  })
}

/** The first of its places that is gone, by the facts among the answers; null: all of them are there. */
export function firstFull(
  limits: readonly Limit[],
  answers: Answers,
  category: string | null,
): Place | null {
  return (
    placesOf(limits, answers, category).find(({ id }) => own(answers, fullOf(id)) === true) ?? null
  )
}

/** What is said of a place that is gone: of one of several options it names which. */
export function sayFull(event: PublicEvent, place: Place): string {
  const { say } = place.limit.full
  return place.option === null ? say : `${placeName(event, place)}: ${say}`
}

/** What people call a place: the label of its option, or what the limit is called. */
export function placeName(
  { fields }: Pick<PublicEvent, 'fields'>,
  { limit, option }: Place,
): string {
  const { options = [] } = fields.find(({ id }) => id === limit.eachOptionOf) ?? {}
  return options.find(({ id }) => id === option)?.label ?? words(option ?? limit.id)
}

/** What everybody may know: places that are gone, and how many are left where the file asks to say so. */
export function shownLeft(
  limits: readonly Limit[],
  left: Readonly<Record<string, number>>,
): Record<string, number> {
  return Object.fromEntries(
    allPlaces(limits).flatMap(({ id, max, limit: { few } }): [string, number][] => {
      const there = Math.max(0, own(left, id) ?? max)
      return there === 0 || (few !== undefined && there <= few) ? [[id, there]] : []
    }),
  )
}
