/** Finds new ids for the periods in next year's event file whose current ids contain dates. */
import type { EventConfig } from '../../event/config.ts'
import type { Period } from '../../event/pricing-types.ts'
import type { Day } from '../../lib/time.ts'
import { formatMonthLike } from './shift-days.ts'

export type Renaming = { readonly from: string; readonly to: string }

/** Returns a new id for each period whose id contains dates that have moved, such as july-1-aug-31. */
export function findPeriodRenamings(
  oldEvent: EventConfig,
  shiftDay: (day: Day) => Day,
): readonly Renaming[] {
  const renamings = listAllPeriods(oldEvent).flatMap(({ id, from, to }) => {
    const newId = id.replace(
      /([a-z]{3,9})-(\d{1,2})(?!\d)/g,
      (match, month: string, number: string) => {
        const matchingDay = [from, to].find(
          (text) =>
            text !== undefined &&
            Number(text.slice(8)) === Number(number) &&
            formatMonthLike(month, text) === month,
        )
        if (matchingDay === undefined) return match
        const shiftedDay = shiftDay(matchingDay)
        return `${formatMonthLike(month, shiftedDay)}-${Number(shiftedDay.slice(8))}`
      },
    )
    return newId === id ? [] : [{ from: id, to: newId }]
  })
  // Two tables may have a period with the same name.
  return renamings.filter(
    ({ from }, index) => renamings.findIndex((other) => other.from === from) === index,
  )
}

/** Returns the periods of the fees, of groups and of items. */
export function listAllPeriods({ fees }: EventConfig): readonly Period[] {
  const ownPeriods = [...(fees.groups ?? []), ...fees.items].flatMap(({ periods = [] }) => periods)
  return [...fees.periods, ...ownPeriods]
}
