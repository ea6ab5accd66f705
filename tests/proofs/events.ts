/** Draws small random events with all features that affect a bill. */
import { day, type EventConfig, type Field } from '../../engine/index.ts'
import type { Condition, Test } from '../../engine/event/answer-types.ts'
import type { Adjustment, Item, PriceTable } from '../../engine/event/pricing-types.ts'
import { createEvent, createField, createRequired, toRupees } from '../engine/fixtures.ts'
import { createRandom, type Random } from '../simulator/random.ts'

const CATEGORIES = ['member', 'visitor', 'guest']
/** The days of the two periods, which are 1–3 January and 4–6 January. */
export const DAYS = [
  '2026-01-01',
  '2026-01-02',
  '2026-01-03',
  '2026-01-04',
  '2026-01-05',
  '2026-01-06',
].map(day)
const PERIODS = ['early', 'late']
const GST = { name: 'GST', percent: 18, prices: 'exclusive', round: 'paise' } as const
const TAXES = [
  GST,
  null,
  { ...GST, percent: 5 },
  { ...GST, prices: 'inclusive' as const, round: 'rupee' as const },
]

/**
 * Draws the event for a seed. It has items, adjustments, quotas, discount codes, a member list, and fields that hide
 * each other.
 */
export function drawRandomEvent(...seed: readonly (string | number)[]): EventConfig {
  const random = createRandom('proofs', ...seed)
  const { pick, chance, below } = random
  const categories = CATEGORIES.slice(0, 2 + below(2))
  const codeKinds = chance(0.4) ? ['invited', 'coupon'].slice(0, 1 + below(2)) : []
  const hasMemberList = chance(0.2)
  const fields = drawFields(random, hasMemberList)
  const names = listConditionNames(fields, codeKinds, hasMemberList)
  const drawCondition = (sources: readonly string[], canTestCategory: boolean): Condition =>
    Array.from({ length: chance(0.2) ? 2 : 1 }, () =>
      Array.from({ length: chance(0.3) ? 2 : 1 }, () =>
        drawTest(
          random,
          fields,
          codeKinds,
          canTestCategory && chance(0.3) ? 'category' : pick(sources),
          categories,
        ),
      ),
    )
  // A field depends only on fields before it, and never on the category, which depends on all fields.
  const conditionalFields = fields.map((baseField, index): Field => {
    const earlierIds = fields.slice(0, index).map(({ id }) => id)
    const canHaveCondition = earlierIds.length > 0 && baseField.id !== 'number_of_roll'
    return {
      ...baseField,
      ...(canHaveCondition && chance(0.25) ? { showWhen: drawCondition(earlierIds, false) } : {}),
      ...(baseField.default !== undefined || !chance(0.4)
        ? {}
        : canHaveCondition && chance(0.3)
          ? { required: { message: 'Please answer', when: drawCondition(earlierIds, false) } }
          : { required: createRequired('Please answer') }),
    }
  })
  const adjustments = Array.from({ length: below(4) }, (_, index): Adjustment => ({
    id: `adjustment-${index}`,
    label: 'Adjustment',
    on: pick(['registration', 'all', 'item-0', 'item-1'].slice(0, chance(0.5) ? 2 : 3)),
    by: chance(0.4)
      ? { percent: pick([-100, -50, -15, -7.5, 10]) }
      : { amount: toRupees(pick([-2000, -500, -99.99, -50, 30, 500])) },
    ...(chance(0.7) ? { when: drawCondition(names, true) } : {}),
    ...(chance(0.3) ? { from: pick(DAYS) } : {}),
    ...(chance(0.3) ? { to: pick(DAYS) } : {}),
  }))
  const items = Array.from({ length: 1 + below(3) }, (_, index) =>
    drawItem(random, `item-${index}`, conditionalFields, () => drawCondition(names, true)),
  )
  return createEvent({
    categories: categories.map((id) => ({ id, label: id, listedOnly: false })),
    categoryChoice: {
      by: 'rules',
      rules: [
        ...Array.from({ length: 1 + below(2) }, () => ({
          when: drawCondition(names, false),
          then: pick(categories),
        })),
        ...(chance(0.9) ? [{ when: null, then: pick(categories) }] : []),
      ],
    },
    fees: {
      tax: pick(TAXES),
      periods: [
        { id: 'early', label: 'Early', from: day('2026-01-01'), to: day('2026-01-03') },
        { id: 'late', label: 'Late', from: day('2026-01-04'), to: day('2026-01-06') },
      ],
      otherDates: null,
      prices: drawTable(random, categories, 0.08),
      items,
      adjustments,
    },
    quotas: chance(0.3)
      ? [
          {
            id: 'hall',
            max: 5,
            full: { message: 'Full', ...(chance(0.5) ? { offer: pick(categories) } : {}) },
            ...(chance(0.7) ? { when: [[createOneOfTest('category', pick(categories))]] } : {}),
          },
        ]
      : [],
    codeKinds: codeKinds.map((id) => ({
      id,
      label: id,
      gives:
        id === 'invited' || adjustments[0] === undefined
          ? { category: pick(categories) }
          : { adjustment: adjustments[0].id },
    })),
    memberLists: hasMemberList
      ? [
          {
            id: 'society',
            key: 'number',
            columns: [
              { id: 'number', type: 'text' },
              { id: 'kind', type: 'choice', options: ['life', 'annual'] },
            ],
            shows: [],
          },
        ]
      : [],
    fields: conditionalFields,
  })
}

function createOneOfTest(name: string, ...values: (string | boolean | number)[]) {
  return { field: name, test: { is: 'in', values } } as const
}

/** Draws few fields with few options, so that every combination can be tried. */
function drawFields({ chance, below, pick }: Random, hasMemberList: boolean): readonly Field[] {
  const createOptions = (count: number) =>
    ['a', 'b', 'c', 'd'].slice(0, count).map((id) => ({ id, label: id }))
  const allFields: readonly Field[] = [
    ...(hasMemberList ? [createField('number_of_roll', { roll: 'society' })] : []),
    createField('agrees', { type: 'yes-no', ...(chance(0.5) ? { default: false } : {}) }),
    createField('room', { type: 'select', options: createOptions(2 + below(2)) }),
    createField('nights', { type: 'number', min: below(2), max: 2 + below(2), isWhole: true }),
    createField('workshops', {
      type: 'many',
      options: createOptions(2 + below(3)),
      ...(chance(0.6)
        ? {
            choose: {
              mutuallyExclusive: chance(0.6) ? [['a', 'b']] : [],
              message: 'No',
              ...(chance(0.5) ? { atMost: 1 + below(3) } : {}),
              ...(chance(0.2) ? { atLeast: 1 } : {}),
            },
          }
        : {}),
    }),
    createField('company', {
      type: 'people',
      max: 1 + below(2),
      fields: [
        createField('age', {
          type: 'number',
          min: 0,
          max: 9,
          isWhole: true,
          ...(chance(0.6) ? { required: createRequired('Age') } : {}),
        }),
      ],
    }),
    createField('gift', { type: 'number', min: 100, max: pick([150, 5000]) }),
  ]
  return allFields.filter(({ id }) => id === 'number_of_roll' || chance(id === 'gift' ? 0.2 : 0.62))
}

/** Returns the names that conditions can test. */
function listConditionNames(
  fields: readonly Field[],
  kinds: readonly string[],
  hasMemberList: boolean,
): readonly string[] {
  const names = [
    ...fields.map(({ id }) => id).filter((id) => id !== 'number_of_roll'),
    ...(kinds.length > 0 ? ['code'] : []),
    ...(hasMemberList ? ['number_of_roll.kind'] : []),
  ]
  return names.length === 0 ? ['code'] : names
}

function drawTest(
  { pick, chance, below }: Random,
  fields: readonly Field[],
  kinds: readonly string[],
  name: string,
  categories: readonly string[],
): { readonly field: string; readonly test: Test } {
  const drawOneOf = (values: readonly string[]): Test =>
    chance(0.3) ? { is: 'not-in', values: [pick(values)] } : { is: 'in', values: [pick(values)] }
  const drawAnyTest = (): Test => {
    if (name === 'category') return drawOneOf(categories)
    if (name === 'code') return drawOneOf(kinds.length === 0 ? ['nothing'] : kinds)
    if (name === 'number_of_roll.kind') return drawOneOf(['life', 'annual'])
    if (chance(0.15)) return { is: 'answered', answered: chance(0.5) }
    const testedField = fields.find(({ id }) => id === name)
    switch (testedField?.type) {
      case 'yes-no':
        return { is: 'in', values: [chance(0.7)] }
      case 'select':
        return drawOneOf((testedField.options ?? []).map(({ id }) => id))
      case 'number':
        return name === 'gift'
          ? { is: 'number', atLeast: 120 }
          : chance(0.5)
            ? { is: 'number', atLeast: 1 + below(2) }
            : { is: 'number', below: 2 }
      case 'many':
        return chance(0.6)
          ? { is: 'has', values: [pick(testedField.options ?? []).id] }
          : { is: 'count', atLeast: 1 + below(2) }
      default:
        return { is: 'count', atLeast: 1 }
    }
  }
  return { field: name, test: drawAnyTest() }
}

function drawTable(
  { pick, chance }: Random,
  rows: readonly string[],
  emptyShare: number,
): PriceTable {
  const drawCell = () =>
    chance(emptyShare) ? null : toRupees(pick([0, 1, 49.5, 250, 999, 1000, 2500]))
  return Object.fromEntries(
    rows.map((row) => [row, Object.fromEntries(PERIODS.map((period) => [period, drawCell()]))]),
  )
}

function drawItem(
  random: Random,
  id: string,
  fields: readonly Field[],
  drawCondition: () => Condition,
): Item {
  const { pick, chance } = random
  const listFieldsOfType = (...types: readonly string[]) =>
    fields.filter(({ type }) => types.includes(type))
  const byField = chance(0.6) ? listFieldsOfType('select', 'many')[0] : undefined
  const choice = chance(0.5) ? byField : (listFieldsOfType('many')[0] ?? byField)
  const soldField = byField === undefined ? undefined : choice
  const peopleField = chance(0.5) ? pickOptional(random, listFieldsOfType('people')) : undefined
  const nightsField = chance(0.3) ? fields.find(({ id: name }) => name === 'nights') : undefined
  const giftField = fields.find(({ id: name }) => name === 'gift')
  const base = {
    id,
    label: id,
    tax: pick(TAXES),
    ...(chance(0.4) ? { when: drawCondition() } : {}),
  }
  if (giftField !== undefined && chance(0.3)) return { ...base, prices: [], amountIn: giftField.id }
  const rows =
    soldField === undefined ? ['each'] : (soldField.options ?? []).map((option) => option.id)
  const createTable = () =>
    drawTable(random, chance(0.1) ? rows.slice(0, Math.max(1, rows.length - 1)) : rows, 0.06)
  return {
    ...base,
    ...(soldField === undefined ? {} : { by: soldField.id }),
    ...(peopleField === undefined
      ? {}
      : {
          count: {
            field: peopleField.id,
            ...(chance(0.7)
              ? { where: [[{ field: 'age', test: { is: 'number', atLeast: 5 } as const }]] }
              : {}),
          },
        }),
    ...(nightsField === undefined ? {} : { times: nightsField.id }),
    prices: [
      ...(chance(0.4) ? [{ when: drawCondition(), table: createTable() }] : []),
      ...(chance(0.9)
        ? [{ when: null, table: createTable() }]
        : [{ when: drawCondition(), table: createTable() }]),
    ],
  }
}

function pickOptional<T>({ pick }: Random, list: readonly T[]): T | undefined {
  return list.length === 0 ? undefined : pick(list)
}
