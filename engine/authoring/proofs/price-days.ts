/** Lists the days on which bills differ: one day for each range with the same prices and adjustments. */
import type { EventConfig } from '../../event/config.ts'
import {
  checkRegistrationOpen,
  withDeskDays,
  findItemPeriodOn,
  findPeriodOn,
} from '../../pricing/price-periods.ts'
import { isTaxRuleActive, listTaxRules } from '../../pricing/tax-rules.ts'
import { memoize } from '../../lib/memoize.ts'
import type { Adjustment } from '../../event/pricing-types.ts'
import { addDays, day, type Day } from '../../lib/time.ts'

/**
 * Returns one day from each range of days with the same prices and adjustments, with the event's period on that day.
 */
export const listBillDays = memoize(
  (event: EventConfig): readonly { readonly on: Day; readonly period: string }[] => {
    const { periods, adjustments, items, groups = [] } = event.fees
    const taxRules = listTaxRules(event.fees)
    const openEvent: EventConfig = { ...event, status: 'open' }
    const ownPeriods = [...items, ...groups].flatMap((owner) => owner.periods ?? [])
    const edges = [...periods, ...adjustments, ...ownPeriods, ...taxRules].flatMap(
      ({ from, to }) => [
        ...(from === undefined ? [] : [addDays(from, -1), from]),
        ...(to === undefined ? [] : [to, addDays(to, 1)]),
      ],
    )
    const { opens, closes, desk } = event.registration
    const edgeDays = [
      ...edges,
      ...(desk === undefined ? [] : [desk.opens, desk.closes]),
      ...(opens === undefined ? [] : [opens]),
      ...(closes === undefined ? [] : [closes]),
    ]
    const days = new Map<string, { on: Day; period: string }>()
    for (const on of [...new Set(edgeDays.length === 0 ? [EVERY_DAY] : edgeDays)].sort()) {
      const period = findPeriodOn(event.fees, on)
      if (period === null || !checkRegistrationOpen(withDeskDays(openEvent, on), on).open) continue
      const activeAdjustments = adjustments
        .map((adjustment) => isAdjustmentActive(adjustment, on))
        .join()
      const taxes = taxRules.map((rule) => isTaxRuleActive(rule, on)).join()
      const columns = [
        ...items.map((item) => findItemPeriodOn(event.fees, item, null, period.id, on)),
        ...groups.map((group) => findPeriodOn(event.fees, on, group.categories[0])?.id ?? ''),
      ].join()
      const key = `${period.id} ${activeAdjustments} ${columns} ${taxes}`
      if (!days.has(key)) days.set(key, { on, period: period.id })
    }
    return [...days.values()]
  },
)
/** Used if prices do not depend on the day. */
const EVERY_DAY = day('2000-01-01')

/** Returns true if an adjustment applies to any delegate on that day. */
export function isAdjustmentActive({ from, to }: Adjustment, on: Day): boolean {
  return (from === undefined || from <= on) && (to === undefined || on <= to)
}
