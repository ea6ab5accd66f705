/** Checks EV1141 and EV1142: the periods of an item or a group together cover each day of registration once. */
import { formatDay } from '../../../lib/time.ts'
import type { Period } from '../../../event/pricing-types.ts'
import { containsDay } from '../../../pricing/price-periods.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Checks, Model } from '../../checked-file.ts'
import { listBillDays } from '../../proofs/price-days.ts'

const listOwnPeriods = ({ config: { fees } }: Model) => [
  ...(fees.groups ?? []).map(({ label, periods }, index) => ({
    name: label,
    periods,
    path: `fees.price_groups.${index}.periods`,
  })),
  ...fees.items.flatMap(({ id, periods }, index) =>
    periods === undefined ? [] : [{ name: id, periods, path: `fees.items.${index}.periods` }],
  ),
]

const itemPeriodGapCheck: Check = {
  slug: 'item-period-gap',
  severity: 'error',
  why: 'An item or a group of categories with its own periods has no price on other days, so delegates cannot register.',
  after: ['EV206', 'EV406', 'EV407', 'EV1142'],
  find: (model) =>
    listOwnPeriods(model).flatMap(({ name, periods, path }): Draft[] => {
      const day = listBillDays(model.config).find(
        ({ on }) => !periods.some((period) => containsDay(period, on)),
      )
      return day === undefined
        ? []
        : [
            {
              at: path,
              part: 'key',
              message: `\`${name}\` has no period on ${formatDay(day.on)}, when registration is open`,
              help: 'omit `from` in the first and `to` in the last period, and begin each period on the day after the previous one ends; write `none` if the item is not on sale',
            },
          ]
    }),
}

const isReversed = ({ from, to }: Period): boolean =>
  from !== undefined && to !== undefined && to < from
const periodsOverlap = (a: Period, b: Period): boolean =>
  (a.from === undefined || b.to === undefined || a.from <= b.to) &&
  (b.from === undefined || a.to === undefined || b.from <= a.to)

const itemPeriodOverlapCheck: Check = {
  slug: 'item-period-overlap',
  severity: 'error',
  why: 'A day in two periods of an item or a group has two prices.',
  after: ['EV206'],
  find: (model) =>
    listOwnPeriods(model).flatMap(({ name, periods, path }) =>
      periods.flatMap((period, index): Draft[] => {
        if (isReversed(period))
          return [
            {
              at: `${path}.${index}`,
              message: `period \`${period.id}\` of \`${name}\` ends before it begins`,
              help: 'swap the two dates, or correct the year',
            },
          ]
        const overlappingIndex = periods.findIndex(
          (other, i) => i < index && !isReversed(other) && periodsOverlap(other, period),
        )
        return overlappingIndex < 0
          ? []
          : [
              {
                at: `${path}.${index}`,
                message: `periods \`${periods[overlappingIndex]?.id ?? ''}\` and \`${period.id}\` of \`${name}\` have a day in common`,
                related: [{ at: `${path}.${overlappingIndex}`, message: 'the other period' }],
                help: 'begin each period on the day after the previous one ends',
              },
            ]
      }),
    ),
}

export const itemPeriodChecks = {
  EV1142: itemPeriodOverlapCheck,
  EV1141: itemPeriodGapCheck,
} satisfies Checks
