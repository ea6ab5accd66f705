/** Renames periods of next year's event file whose ids contain days. */
import type { EventConfig } from '../../event/config.ts'
import type { Period } from '../../event/pricing-types.ts'
import type { Day } from '../../lib/time.ts'
import { formatMonthLike } from './shift-days.ts'

export type Renaming = { readonly from: string; readonly to: string }

/** Renames period ids that contain days, such as july-1-aug-31, to match their new days. */
export function renamePeriods(old: EventConfig, shiftDay: (of: Day) => Day): readonly Renaming[] {
  const renamed = listAllPeriods(old).flatMap(({ id, from, to }) => {
    const next = id.replace(
      /([a-z]{3,9})-(\d{1,2})(?!\d)/g,
      (match, month: string, number: string) => {
        const spelt = [from, to].find(
          (text) =>
            text !== undefined &&
            Number(text.slice(8)) === Number(number) &&
            formatMonthLike(month, text) === month,
        )
        if (spelt === undefined) return match
        const shiftedDay = shiftDay(spelt)
        return `${formatMonthLike(month, shiftedDay)}-${Number(shiftedDay.slice(8))}`
      },
    )
    return next === id ? [] : [{ from: id, to: next }]
  })
  // Two tables may have a period with the same name.
  return renamed.filter(
    ({ from }, index) => renamed.findIndex((other) => other.from === from) === index,
  )
}

/** Returns the periods of the fees, of groups and of items. */
export function listAllPeriods({ fees }: EventConfig): readonly Period[] {
  const ownPeriods = [...(fees.groups ?? []), ...fees.items].flatMap(({ periods = [] }) => periods)
  return [...fees.periods, ...ownPeriods]
}
