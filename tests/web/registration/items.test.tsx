/** Logic of a form with items, tested without a browser: message keys, bill rows and option statuses. */
import { expect, test } from 'vitest'
import {
  INR,
  getLabel,
  EMPTY_CONTEXT,
  normalise,
  toAmount,
  quote,
  readInstant,
} from '../../../engine/index.ts'
import { buildResultRows } from '../../../engine/messages.ts'
import type { PricingContext, PublicEvent } from '../../../engine/index.ts'
import type { TariffResponse } from '../../../engine/api.ts'
import {
  calculatePriceByBill,
  buildOptionStatuses,
  listPriceNotes,
} from '../../../web/registration/price/itemised-price.ts'
import {
  toElementId,
  toFieldKey,
  moveErrors,
  getFieldName,
  toErrorTree,
} from '../../../web/registration/form/field-keys.ts'
import { readAlternative } from '../../../web/registration/submit-anyway-dialog.tsx'
import { buildBillRows } from '../../../web/ui/payment/bill-rows.tsx'
import { createEvent, createField, isIn, createRequired, when } from '../../engine/fixtures.ts'

const GST = { name: 'GST', percent: 18, prices: 'exclusive', round: 'paise' } as const
const createOptions = (...ids: string[]) => ids.map((id) => ({ id, label: id.toUpperCase() }))
const event: PublicEvent = createEvent({
  fields: [
    createField('kind', {
      type: 'select',
      options: createOptions('plain', 'pg'),
      required: createRequired('Choose'),
    }),
    createField('workshops', { type: 'many', options: createOptions('usg', 'ecmo') }),
    createField('companions', {
      type: 'people',
      max: 3,
      fields: [
        createField('first_name'),
        createField('age', { type: 'number', required: createRequired('Give the age') }),
      ],
    }),
    createField('room', { type: 'select', options: createOptions('none', 'twin') }),
    createField('nights', {
      type: 'number',
      min: 1,
      max: 5,
      isWhole: true,
      unit: 'nights',
      unitOne: 'night',
    }),
  ],
  categories: ['plain', 'pg'].map((id) => ({ id, label: `The ${id}`, listedOnly: false })),
  categoryChoice: { by: 'field', field: 'kind' },
  fees: {
    tax: GST,
    periods: [{ id: 'now', label: 'Now' }],
    otherDates: null,
    prices: { plain: { now: toAmount(500_000) }, pg: { now: toAmount(300_000) } },
    items: [
      {
        id: 'workshop',
        label: 'Workshop {option}',
        by: 'workshops',
        tax: GST,
        prices: [
          {
            when: when(isIn('category', 'pg')),
            table: { usg: { now: toAmount(50_000) }, ecmo: { now: null } },
          },
          {
            when: null,
            table: { usg: { now: toAmount(100_000) }, ecmo: { now: toAmount(200_000) } },
          },
        ],
      },
      {
        id: 'accompanying',
        label: 'Accompanying',
        count: { field: 'companions' },
        tax: GST,
        prices: [{ when: null, table: { each: { now: toAmount(400_000) } } }],
      },
      {
        id: 'room',
        label: '{option}, {nights} {nights.unit}',
        by: 'room',
        when: when({ field: 'room', test: { is: 'not-in', values: ['none'] } }),
        times: 'nights',
        tax: null,
        prices: [{ when: null, table: { twin: { now: toAmount(250_000) } } }],
      },
    ],
    adjustments: [
      { id: 'early', label: 'Early', on: 'registration', by: { amount: toAmount(-50_000) } },
    ],
  },
  quotas: [
    { id: 'hall', max: 10, full: { message: 'The hall is full' } },
    {
      id: 'pgs',
      when: when(isIn('category', 'pg')),
      max: 5,
      full: { message: 'PG is full', offer: 'plain' },
    },
    { id: 'seats', eachOptionOf: 'workshops', max: { usg: 3, ecmo: 3 }, full: { message: 'Full' } },
  ],
})
const tariff: TariffResponse = {
  status: 'success',
  now: '2026-01-01T12:00:00+05:30',
  open: true,
  closed_text: null,
  current_period: 'now',
  until: null,
  tariff_data: {},
  pricing: {},
}
const filledAnswers = {
  kind: 'plain',
  workshops: ['ecmo', 'usg'],
  companions: [{ age: 4 }, { age: 40 }],
}
const createAnswers = (raw: object, context: PricingContext = EMPTY_CONTEXT) =>
  normalise(event, raw as Readonly<Record<string, unknown>>, context).answers
const calculateBill = (raw: object, billedEvent = event) => {
  const calculatedBill = calculatePriceByBill(billedEvent, tariff, 'plain', createAnswers(raw))
  if (calculatedBill === null || typeof calculatedBill === 'string')
    throw new Error(`no bill: ${calculatedBill}`)
  return calculatedBill
}

test.each([
  ['email', 'root_email'],
  ['companions', 'root_companions'],
  ['companions.0.age', 'root_companions_0_age'],
  ['companions.12.first_name', 'root_companions_12_first_name'],
])(
  'the message key %s belongs to the element %s, and is found from the element’s id',
  (key, element) => {
    expect(toElementId(key)).toBe(element)
    expect(toFieldKey(event, element)).toBe(key)
  },
)

test('a person’s answer is identified by the person’s number and the field’s label, any other answer by its label', () => {
  expect(getFieldName(event, 'companions.1.age')).toBe('Person 2: Label of age')
  expect(getFieldName(event, 'room')).toBe('Label of room')
})

test('the form library receives each message at its field', () => {
  expect(toErrorTree({ room: 'A', companions: 'B', 'companions.1.age': 'C' })).toEqual({
    room: { __errors: ['A'] },
    companions: { __errors: ['B'], 1: { age: { __errors: ['C'] } } },
  })
})

test('when a person is removed from a list, their messages are removed, and those of the next people move up', () => {
  const errors = {
    room: 'r',
    'companions.0.age': 'first',
    'companions.1.age': 'second',
    'companions.2.age': 'third',
  }
  const [a, b, c] = [{ age: 1 }, { age: 2 }, { age: 3 }]
  expect(moveErrors(errors, 'companions', [a, b, c], [a, c])).toEqual({
    room: 'r',
    'companions.0.age': 'first',
    'companions.1.age': 'third',
  })
  expect(moveErrors(errors, 'companions', [a, b], [a, b, c])).toBe(errors)
  expect(moveErrors(errors, 'room', 'x', 'y')).toBe(errors)
})

test('the browser calculates the same bill as the engine, at the server’s time', () => {
  const quoteTime = readInstant(tariff.now)
  if (quoteTime === null) throw new Error('no clock')
  const bill = calculateBill(filledAnswers)
  expect(quote(event, createAnswers(filledAnswers), quoteTime)).toEqual({ ok: true, value: bill })
  expect(bill.total).toBe(1_829_000)
})

const toText = (value: unknown): string =>
  typeof value === 'string' ? value.replaceAll('\u00a0', ' ') : '(more)'

test('a bill shows each line as quantity × unit price, and the lines add up to the totals below', () => {
  expect(
    buildBillRows(event, calculateBill({ ...filledAnswers, room: 'twin', nights: 3 }), [
      'total',
    ]).map(({ label, about, value, isTotal }) => [
      label,
      about && toText(about),
      toText(value),
      isTotal === true,
    ]),
  ).toEqual([
    ['The plain', undefined, '₹ 5,000', false],
    ['Workshop USG', undefined, '₹ 1,000', false],
    ['Workshop ECMO', undefined, '₹ 2,000', false],
    ['Accompanying', '2 × ₹ 4,000', '₹ 8,000', false],
    ['TWIN, 3 nights', '3 × ₹ 2,500', '₹ 7,500', false],
    ['Early', undefined, '−₹ 500', false],
    ['Before GST', undefined, '₹ 23,000', false],
    ['GST (18%)', undefined, '₹ 2,790', false],
    ['Total', undefined, '₹ 25,790', true],
  ])
})

/** The same event, but with room prices that include 5% tax. */
const eventWithTwoRates: PublicEvent = {
  ...event,
  fees: {
    ...event.fees,
    items: event.fees.items.map((item) =>
      item.id === 'room'
        ? { ...item, tax: { ...GST, percent: 5, prices: 'inclusive' as const } }
        : item,
    ),
  },
}

test('the tax label states the rates on the bill', () => {
  const renderTaxLabel = (answers: object): unknown =>
    buildBillRows(
      eventWithTwoRates,
      calculateBill({ ...filledAnswers, ...answers }, eventWithTwoRates),
      ['total'],
    ).at(-2)?.label
  expect(renderTaxLabel({ room: 'twin', nights: 3 })).toBe('GST (18% and 5%)')
  expect(renderTaxLabel({ room: 'none' })).toBe('GST (18%)')
  expect(getLabel(eventWithTwoRates, 'gst')).toBe('GST (18% and 5%)')
  expect(getLabel(event, 'gst')).toBe('GST (18%)')
})

test('the result page shows the same tax label as the form', () => {
  const { success } = eventWithTwoRates.results
  const details = [{ show: 'gst', label: getLabel(eventWithTwoRates, 'gst') }]
  const eventWithTaxRow = {
    ...eventWithTwoRates,
    results: { ...eventWithTwoRates.results, success: { ...success, details } },
  }
  const renderTaxLabel = (answers: object): unknown => {
    const { base, gst, total, lines } = calculateBill(
      { ...filledAnswers, ...answers },
      eventWithTaxRow,
    )
    const storedRegistration = {
      regNo: 'X1',
      answers: createAnswers({ ...filledAnswers, ...answers }),
      category: 'plain',
      period: 'now',
      base,
      gst,
      total,
      currency: INR,
      lines,
      paymentStatus: 'success',
      inReview: false,
      paymentId: null,
      paidAt: null,
      createdAt: null,
    } as const
    return buildResultRows(eventWithTaxRow, 'success', storedRegistration, {})[0]?.label
  }
  expect(renderTaxLabel({ room: 'twin', nights: 3 })).toBe('GST (18% and 5%)')
  expect(renderTaxLabel({ room: 'none' })).toBe('GST (18%)')
})

test('one night is singular, and a bill with one line has no subtotal', () => {
  const rows = buildBillRows(event, calculateBill({ kind: 'plain', room: 'twin', nights: 1 }), [
    'total',
  ])
  expect(rows.map(({ label }) => label)).toContain('TWIN, 1 night')
  const eventWithoutItems = { ...event, fees: { ...event.fees, items: [], adjustments: [] } }
  const quoteTime = readInstant(tariff.now)
  const quoteResult =
    quoteTime === null
      ? null
      : quote(eventWithoutItems, createAnswers({ kind: 'plain' }), quoteTime)
  if (quoteResult?.ok !== true) throw new Error('no quote')
  expect(
    buildBillRows(eventWithoutItems, quoteResult.value, ['total']).map(({ label }) => label),
  ).toContain('Base')
})

test('a number field shows the unit price, or the prices of its items', () => {
  expect(toText(findOptionStatuses({ kind: 'plain' }, 'plain').get('companions')?.price)).toBe(
    '₹ 4,000 each',
  )
  expect(findOptionStatuses({ kind: 'plain' }, 'plain').has('nights')).toBe(false)
  const [workshop, firstItem, ...otherItems] = event.fees.items
  if (workshop === undefined || firstItem === undefined) throw new Error('no items')
  const childItem = {
    ...firstItem,
    id: 'child',
    label: 'Child',
    prices: [{ when: null, table: { each: { now: toAmount(0) } } }],
  }
  const familyEvent: PublicEvent = {
    ...event,
    fees: { ...event.fees, items: [workshop, firstItem, childItem, ...otherItems] },
  }
  const companionStatuses = buildOptionStatuses(
    familyEvent,
    tariff,
    createAnswers({ kind: 'plain' }),
    'plain',
  ).get('companions')
  expect(toText(companionStatuses?.price)).toBe('Accompanying: ₹ 4,000 each; Child: Free')
})

test('compared with an earlier bill, changed and removed lines are struck through', () => {
  const rows = buildBillRows(
    event,
    calculateBill({ kind: 'plain', workshops: ['usg'] }),
    ['total'],
    calculateBill(filledAnswers),
  )
  expect(rows.map(({ id }) => id)).toEqual([
    'registration.',
    'workshop.usg',
    'early.',
    'gone.workshop.ecmo',
    'gone.accompanying.',
    'base',
    'gst',
    'total',
  ])
  expect(rows.filter(({ value }) => typeof value === 'string').map(({ id }) => id)).toEqual([
    'registration.',
    'workshop.usg',
    'early.',
  ])
})

test('a quote without lines shows its totals', () => {
  const { lines: _, ...sums } = calculateBill(filledAnswers)
  expect(buildBillRows(event, { ...sums, lines: [] }, ['total']).map(({ id }) => id)).toEqual([
    'total',
  ])
})

const findOptionStatuses = (
  raw: object,
  category: string | null,
  seatsLeft: Record<string, number> = {},
) => buildOptionStatuses(event, { ...tariff, left: seatsLeft }, createAnswers(raw), category)

test('an option shows its price for the given answers, its price per night, and whether it is on sale', () => {
  const statuses = findOptionStatuses({ kind: 'plain' }, 'plain')
  expect(toText(statuses.get('workshops.ecmo')?.price)).toBe('₹ 2,000')
  expect(toText(statuses.get('room.twin')?.price)).toBe('₹ 2,500 per night')
  expect(statuses.get('room.none')).toEqual({})
  expect(findOptionStatuses({ kind: 'pg' }, 'pg').get('workshops.ecmo')).toEqual({ price: null })
  // Before a category is chosen, it is unknown which price table applies.
  expect(findOptionStatuses({}, null).get('workshops.usg')).toEqual({})
})

test('an option shows how many seats are left, and when it is full', () => {
  const statuses = findOptionStatuses({ kind: 'plain' }, 'plain', {
    'seats.usg': 2,
    'seats.ecmo': 0,
  })
  expect(statuses.get('workshops.usg')?.seatsLeftText).toBe('2 left')
  expect(statuses.get('workshops.ecmo')?.soldOutText).toBe('Full')
})

test('the error states which chosen item is not on sale', () => {
  expect(
    calculatePriceByBill(event, tariff, 'pg', createAnswers({ kind: 'pg', workshops: ['ecmo'] })),
  ).toBe('ECMO is not on sale today')
})

const createContextWithoutSeats = (...seats: string[]): PricingContext => ({
  ...EMPTY_CONTEXT,
  left: Object.fromEntries(seats.map((seat) => [seat, 0])),
})

test('a full hall blocks the bill with its message; a full category offers another category, with a note', () => {
  expect(
    calculatePriceByBill(
      event,
      tariff,
      'plain',
      createAnswers({ kind: 'plain' }, createContextWithoutSeats('hall')),
    ),
  ).toBe('The hall is full')
  const pgAnswers = createAnswers({ kind: 'pg' }, createContextWithoutSeats('pgs'))
  expect(calculatePriceByBill(event, tariff, 'plain', pgAnswers)).toMatchObject({
    category: 'plain',
  })
  expect(listPriceNotes(event, pgAnswers, { pgs: 0 })).toEqual(['PG is full'])
  expect(listPriceNotes(event, createAnswers({ kind: 'plain' }), { hall: 1, pgs: 0 })).toEqual([
    '1 seat left',
  ])
  // Both the hall and the category have few seats: only the lower number is shown.
  expect(listPriceNotes(event, createAnswers({ kind: 'pg' }), { hall: 4, pgs: 2 })).toEqual([
    '2 seats left',
  ])
})

test('a workshop that became full after it was chosen blocks the bill, and the error contains its label', () => {
  const chosenItems = { kind: 'plain', workshops: ['usg', 'ecmo'] }
  expect(
    calculatePriceByBill(
      event,
      tariff,
      'plain',
      createAnswers(chosenItems, createContextWithoutSeats('seats.ecmo')),
    ),
  ).toBe('ECMO: Full')
  const otherAnswers = createAnswers(
    { ...chosenItems, workshops: ['usg'] },
    createContextWithoutSeats('seats.ecmo'),
  )
  expect(calculatePriceByBill(event, tariff, 'plain', otherAnswers)).toMatchObject({
    category: 'plain',
  })
})

test('a hall that is full for all categories blocks the bill, even if it offers another category', () => {
  const [, ...otherQuotas] = event.quotas
  const eventWithOffer: PublicEvent = {
    ...event,
    quotas: [
      { id: 'hall', max: 10, full: { message: 'The hall is full', offer: 'pg' } },
      ...otherQuotas,
    ],
  }
  const chosenAnswers = createAnswers({ kind: 'plain' }, createContextWithoutSeats('hall'))
  expect(calculatePriceByBill(eventWithOffer, tariff, 'plain', chosenAnswers)).toBe(
    'The hall is full',
  )
  expect(listPriceNotes(eventWithOffer, chosenAnswers, { hall: 0 })).toEqual([])
  // Without a bill, the message is shown in only one place.
  const eventWithoutPrices = { ...eventWithOffer, fees: { ...eventWithOffer.fees, prices: null } }
  expect(listPriceNotes(eventWithoutPrices, chosenAnswers, { hall: 0 })).toEqual([
    'The hall is full',
  ])
})

test('a delegate who requests more tickets than are left sees how many are left', () => {
  const dinner = { id: 'dinner', count: 'nights', maxCount: 5, max: 80, full: { message: 'Full' } }
  const eventWithTickets: PublicEvent = { ...event, quotas: [dinner] }
  const answers = createAnswers({ kind: 'plain', room: 'twin', nights: 3 })
  const left = { dinner: 2 }
  const message = 'Dinner: only 2 left, and you asked for 3.'
  expect(calculatePriceByBill(eventWithTickets, { ...tariff, left }, 'plain', answers)).toBe(
    message,
  )
  expect(
    calculatePriceByBill(eventWithTickets, { ...tariff, left: { dinner: 0 } }, 'plain', answers),
  ).toBe('Full')
  expect(
    calculatePriceByBill(eventWithTickets, { ...tariff, left: { dinner: 3 } }, 'plain', answers),
  ).not.toBe(message)
  // The number is shown only if it is at most `few`, although the response always contains it.
  expect(listPriceNotes(eventWithTickets, answers, { dinner: 4 })).toEqual([])
  expect(
    listPriceNotes({ ...eventWithTickets, quotas: [{ ...dinner, few: 4 }] }, answers, {
      dinner: 4,
    }),
  ).toEqual(['4 seats left'])
})

const readErrorAlternative = (code: string, errorBody: object) =>
  readAlternative({ status: 409, code, message: 'Why.', errorResponse: errorBody })
test('only a refusal with an alternative opens a dialog', () => {
  const apiQuote = { category: 'plain', period: 'now', base: 10, gst: 1.8, total: 11.8, lines: [] }
  expect(readErrorAlternative('registered_already', { may_confirm: true })).toEqual({
    message: 'Why.',
    newQuote: null,
  })
  expect(readErrorAlternative('registered_already', {})).toBeNull()
  expect(readErrorAlternative('full', { quote: null })).toBeNull()
  expect(readErrorAlternative('full', { quote: apiQuote })?.newQuote?.total).toBe(1180)
  expect(readErrorAlternative('price_changed', { quote: apiQuote })).toBeNull()
})
