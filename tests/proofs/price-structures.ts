/** Adds features found on published fee pages to a random event. */
import { day, type EventConfig } from '../../engine/index.ts'
import type { Condition } from '../../engine/event/answer-types.ts'
import type { Fees, Item, Period, PriceGroup, TaxRule } from '../../engine/event/pricing-types.ts'
import { toRupees } from '../engine/fixtures.ts'
import { createRandom, type Random } from '../simulator/random.ts'

const METHODS = [
  { id: 'card', label: 'Card', is: 'card' },
  { id: 'bank', label: 'Bank transfer', is: 'transfer' },
  { id: 'desk', label: 'Desk', is: 'desk' },
] as const
/** Periods that cover all days of the random events. Each of their two boundaries divides a period of the fees. */
const OWN_PERIODS = [
  { id: 'first', label: 'First', to: day('2026-01-02') },
  { id: 'second', label: 'Second', from: day('2026-01-03'), to: day('2026-01-05') },
  { id: 'third', label: 'Third', from: day('2026-01-06') },
]

/** Periods for groups: a single day within a period of the event, or the event's period ids with different dates. */
const GROUP_PERIODS: readonly (readonly Period[])[] = [
  [
    { id: 'first', label: 'First', to: day('2026-01-01') },
    { id: 'second', label: 'Second', from: day('2026-01-02'), to: day('2026-01-02') },
    { id: 'third', label: 'Third', from: day('2026-01-03') },
  ],
  [
    { id: 'early', label: 'Early', to: day('2026-01-04') },
    { id: 'late', label: 'Late', from: day('2026-01-05') },
  ],
  [{ id: 'always', label: 'Always' }],
]

/** Adds prices by payment method, items and groups with their own periods, and tax by rule to an event. */
export function addPriceStructures(event: EventConfig, ...name: readonly number[]): EventConfig {
  const random = createRandom('price structures', ...name)
  const { chance, pick } = random
  const { fees } = event
  const drawConditionWith = (choose: Random['pick']): Condition => [
    [{ field: 'category', test: { is: 'in', values: [choose(event.categories).id] } }],
  ]
  const drawCondition = (): Condition => drawConditionWith(pick)
  const taxRules = fees.tax === null || chance(0.4) ? undefined : drawRules(random, drawCondition)
  const hasMethodPrices = chance(0.6)
  return {
    ...event,
    fees: {
      ...fees,
      ...addGroups(createRandom('price groups', ...name), event),
      ...(taxRules === undefined ? {} : { taxRules }),
      ...(hasMethodPrices ? { methods: METHODS } : {}),
      items: fees.items
        .map((item) => (chance(0.5) ? withOwnPeriods(random, item) : item))
        .map((item, index) => {
          const ruleRandom = createRandom('rules of items', ...name, index)
          return item.tax === null || ruleRandom.chance(0.7)
            ? item
            : {
                ...item,
                ownTaxRules: drawRules(ruleRandom, () => drawConditionWith(ruleRandom.pick)),
              }
        }),
      adjustments: [
        ...fees.adjustments,
        ...(hasMethodPrices
          ? [
              {
                id: 'by-method',
                label: 'By method',
                on: pick(['registration', 'all']),
                when: [
                  [
                    {
                      field: 'method',
                      test: { is: pick(['in', 'not-in'] as const), values: [pick(METHODS).id] },
                    },
                  ],
                ],
                by: chance(0.5)
                  ? { percent: pick([3, -3]) }
                  : { amount: toRupees(pick([-40, 75])) },
              },
            ]
          : []),
      ],
    },
  }
}

/**
 * Returns groups of categories with their prices, or an empty object. A category (most often the first) may belong to
 * no group.
 */
function addGroups(
  { chance, pick }: Random,
  { categories, fees }: EventConfig,
): Partial<Pick<Fees, 'groups' | 'prices'>> {
  if (chance(0.4)) return {}
  const groupedCategories = categories
    .map(({ id }) => id)
    .filter((_, index) => chance(index === 0 ? 0.3 : 0.7))
  const groups = groupedCategories.reduce<readonly PriceGroup[]>((earlierGroups, category) => {
    const [lastGroup] = earlierGroups.slice(-1)
    if (lastGroup !== undefined && chance(0.4))
      return [
        ...earlierGroups.slice(0, -1),
        { ...lastGroup, categories: [...lastGroup.categories, category] },
      ]
    const label = `Group of ${category}`
    return [...earlierGroups, { label, categories: [category], periods: pick(GROUP_PERIODS) }]
  }, [])
  if (groups.length === 0) return {}
  const rows = groups.flatMap((group) =>
    group.categories.map((category) => [
      category,
      Object.fromEntries(
        group.periods.map(({ id }) => [
          id,
          chance(0.08) ? null : toRupees(pick([0, 1, 49.5, 300, 1250, 4000])),
        ]),
      ),
    ]),
  )
  return { groups, prices: { ...fees.prices, ...Object.fromEntries(rows) } }
}

function drawRules({ pick, chance }: Random, drawCondition: () => Condition): readonly TaxRule[] {
  return Array.from({ length: chance(0.5) ? 2 : 1 }, () => ({
    tax: {
      name: 'GST',
      percent: pick([0, 5, 12, 28]),
      prices: pick(['exclusive', 'inclusive'] as const),
      round: 'paise' as const,
      ...(chance(0.4) ? { prices: 'exclusive' as const, replaces: 18 } : {}),
    },
    ...(chance(0.6) ? { when: drawCondition() } : {}),
    ...(chance(0.4) ? { from: day(pick(['2026-01-02', '2026-01-04', '2026-01-05'])) } : {}),
    ...(chance(0.3) ? { to: day(pick(['2026-01-03', '2026-01-05'])) } : {}),
    ...(chance(0.3) ? { note: 'reverse charge' } : {}),
  }))
}

function withOwnPeriods({ pick, chance }: Random, item: Item): Item {
  if (item.amountIn !== undefined) return item
  return {
    ...item,
    periods: OWN_PERIODS,
    prices: item.prices.map(({ table, ...rest }) => ({
      ...rest,
      table: Object.fromEntries(
        Object.keys(table).map((row) => [
          row,
          Object.fromEntries(
            OWN_PERIODS.map(({ id }) => [
              id,
              chance(0.06) ? null : toRupees(pick([0, 49.5, 250, 999, 2500])),
            ]),
          ),
        ]),
      ),
    })),
  }
}
