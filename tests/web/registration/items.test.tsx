/** What the form of an event that sells more than a registration decides without a browser: keys of messages, rows of bills, marks. */
import { expect, test } from 'vitest'
import {
  labelOf,
  EMPTY_CONTEXT,
  normalise,
  paise,
  quote,
  readInstant,
} from '../../../engine/index.ts'
import { resultRows } from '../../../engine/messages.ts'
import type { PricingContext, PublicEvent } from '../../../engine/index.ts'
import type { TariffAnswer } from '../../../engine/api.ts'
import { byBill, marksOf, notesOf } from '../../../web/registration/price/itemised-price.ts'
import {
  elementOf,
  keyOf,
  movedWith,
  nameOf,
  treeOf,
} from '../../../web/registration/form/field-keys.ts'
import { askedBy } from '../../../web/registration/submit-anyway-dialog.tsx'
import { billRows } from '../../../web/ui/payment/bill-rows.tsx'
import { eventOf, field, isIn, must, when } from '../../engine/fixtures.ts'

const GST = { name: 'GST', percent: 18, prices: 'exclusive', round: 'paise' } as const
const options = (...ids: string[]) => ids.map((id) => ({ id, label: id.toUpperCase() }))
const event: PublicEvent = eventOf({
  fields: [
    field('kind', { type: 'select', options: options('plain', 'pg'), required: must('Choose') }),
    field('workshops', { type: 'many', options: options('usg', 'ecmo') }),
    field('companions', {
      type: 'people',
      max: 3,
      fields: [
        field('first_name'),
        field('age', { type: 'number', required: must('Give the age') }),
      ],
    }),
    field('room', { type: 'select', options: options('none', 'twin') }),
    field('nights', {
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
    prices: { plain: { now: paise(500_000) }, pg: { now: paise(300_000) } },
    items: [
      {
        id: 'workshop',
        label: 'Workshop {option}',
        by: 'workshops',
        tax: GST,
        prices: [
          {
            when: when(isIn('category', 'pg')),
            table: { usg: { now: paise(50_000) }, ecmo: { now: null } },
          },
          { when: null, table: { usg: { now: paise(100_000) }, ecmo: { now: paise(200_000) } } },
        ],
      },
      {
        id: 'accompanying',
        label: 'Accompanying',
        count: { field: 'companions' },
        tax: GST,
        prices: [{ when: null, table: { each: { now: paise(400_000) } } }],
      },
      {
        id: 'room',
        label: '{option}, {nights} {nights.unit}',
        by: 'room',
        when: when({ field: 'room', test: { is: 'not-in', values: ['none'] } }),
        times: 'nights',
        tax: null,
        prices: [{ when: null, table: { twin: { now: paise(250_000) } } }],
      },
    ],
    adjustments: [
      { id: 'early', label: 'Early', on: 'registration', by: { amount: paise(-50_000) } },
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
const tariff: TariffAnswer = {
  status: 'success',
  now: '2026-01-01T12:00:00+05:30',
  open: true,
  closed_text: null,
  current_period: 'now',
  until: null,
  tariff_data: {},
  pricing: {},
}
const filled = { kind: 'plain', workshops: ['ecmo', 'usg'], companions: [{ age: 4 }, { age: 40 }] }
const answersOf = (raw: object, facts: PricingContext = EMPTY_CONTEXT) =>
  normalise(event, raw as Readonly<Record<string, unknown>>, facts).answers
const billOf = (raw: object, of = event) => {
  const found = byBill(of, tariff, 'plain', answersOf(raw))
  if (found === null || typeof found === 'string') throw new Error(`no bill: ${found}`)
  return found
}

test.each([
  ['email', 'root_email'],
  ['companions', 'root_companions'],
  ['companions.0.age', 'root_companions_0_age'],
  ['companions.12.first_name', 'root_companions_12_first_name'],
])('the message %s belongs to the element %s, and back', (key, element) => {
  expect(elementOf(key)).toBe(element)
  expect(keyOf(event, element)).toBe(key)
})

test('a person is called by their number, an answer of theirs by both', () => {
  expect(nameOf(event, 'companions.1.age')).toBe('Person 2: Label of age')
  expect(nameOf(event, 'room')).toBe('Label of room')
})

test('messages reach the form library at their places', () => {
  expect(treeOf({ room: 'A', companions: 'B', 'companions.1.age': 'C' })).toEqual({
    room: { __errors: ['A'] },
    companions: { __errors: ['B'], 1: { age: { __errors: ['C'] } } },
  })
})

test('when a person is taken off the list, messages of those behind move up, and theirs go', () => {
  const errors = {
    room: 'r',
    'companions.0.age': 'first',
    'companions.1.age': 'second',
    'companions.2.age': 'third',
  }
  const [a, b, c] = [{ age: 1 }, { age: 2 }, { age: 3 }]
  expect(movedWith(errors, 'companions', [a, b, c], [a, c])).toEqual({
    room: 'r',
    'companions.0.age': 'first',
    'companions.1.age': 'third',
  })
  expect(movedWith(errors, 'companions', [a, b], [a, b, c])).toBe(errors)
  expect(movedWith(errors, 'room', 'x', 'y')).toBe(errors)
})

test('the browser’s bill is the engine’s, at the server’s clock', () => {
  const at = readInstant(tariff.now)
  if (at === null) throw new Error('no clock')
  const bill = billOf(filled)
  expect(quote(event, answersOf(filled), at)).toEqual({ ok: true, value: bill })
  expect(bill.total).toBe(1_829_000)
})

const text = (value: unknown): string =>
  typeof value === 'string' ? value.replaceAll('\u00a0', ' ') : '(more)'

test('a bill is drawn line by line, quantity × unit, and its lines add up to what is below them', () => {
  expect(
    billRows(event, billOf({ ...filled, room: 'twin', nights: 3 }), ['total']).map(
      ({ label, about, value, total }) => [
        label,
        about && text(about),
        text(value),
        total === true,
      ],
    ),
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

/** The same event, whose rooms have 5% within their prices. */
const twoRates: PublicEvent = {
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

test('“GST (18%)” stood above a bill that has 5% too: the label has the rates of the bill', () => {
  const labelWith = (answers: object): unknown =>
    billRows(twoRates, billOf({ ...filled, ...answers }, twoRates), ['total']).at(-2)?.label
  expect(labelWith({ room: 'twin', nights: 3 })).toBe('GST (18% and 5%)')
  expect(labelWith({ room: 'none' })).toBe('GST (18%)')
  expect(labelOf(twoRates, 'gst')).toBe('GST (18% and 5%)')
  expect(labelOf(event, 'gst')).toBe('GST (18%)')
})

test('the result page had “GST (18% and 5%)” above a bill of 18% alone: it has the label that the form had', () => {
  const { success } = twoRates.results
  const details = [{ show: 'gst', label: labelOf(twoRates, 'gst') }]
  const drawn = { ...twoRates, results: { ...twoRates.results, success: { ...success, details } } }
  const labelWith = (answers: object): unknown => {
    const { base, gst, total, lines } = billOf({ ...filled, ...answers }, drawn)
    const stored = {
      regNo: 'X1',
      answers: answersOf({ ...filled, ...answers }),
      category: 'plain',
      period: 'now',
      base,
      gst,
      total,
      lines,
      paymentStatus: 'success',
      inReview: false,
      paymentId: null,
      paidAt: null,
      createdAt: null,
    } as const
    return resultRows(drawn, 'success', stored, {})[0]?.label
  }
  expect(labelWith({ room: 'twin', nights: 3 })).toBe('GST (18% and 5%)')
  expect(labelWith({ room: 'none' })).toBe('GST (18%)')
})

test('one night is one night, and a bill of one line has no sum of lines', () => {
  const rows = billRows(event, billOf({ kind: 'plain', room: 'twin', nights: 1 }), ['total'])
  expect(rows.map(({ label }) => label)).toContain('TWIN, 1 night')
  const alone = { ...event, fees: { ...event.fees, items: [], adjustments: [] } }
  const at = readInstant(tariff.now)
  const quoted = at === null ? null : quote(alone, answersOf({ kind: 'plain' }), at)
  if (quoted?.ok !== true) throw new Error('no quote')
  expect(billRows(alone, quoted.value, ['total']).map(({ label }) => label)).toContain('Base')
})

test('a question that is counted says what one of it costs, of several things which', () => {
  expect(text(marks({ kind: 'plain' }, 'plain').get('companions')?.price)).toBe('₹ 4,000 each')
  expect(marks({ kind: 'plain' }, 'plain').has('nights')).toBe(false)
  const [workshop, one, ...others] = event.fees.items
  if (workshop === undefined || one === undefined) throw new Error('no items')
  const child = {
    ...one,
    id: 'child',
    label: 'Child',
    prices: [{ when: null, table: { each: { now: paise(0) } } }],
  }
  const family: PublicEvent = {
    ...event,
    fees: { ...event.fees, items: [workshop, one, child, ...others] },
  }
  const said = marksOf(family, tariff, answersOf({ kind: 'plain' }), 'plain').get('companions')
  expect(text(said?.price)).toBe('Accompanying ₹ 4,000 each, Child Free')
})

test('beside a bill from before, what changed and what is gone are struck', () => {
  const rows = billRows(
    event,
    billOf({ kind: 'plain', workshops: ['usg'] }),
    ['total'],
    billOf(filled),
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

test('a quote without lines is drawn as its sums', () => {
  const { lines: _, ...sums } = billOf(filled)
  expect(billRows(event, { ...sums, lines: [] }, ['total']).map(({ id }) => id)).toEqual(['total'])
})

const marks = (raw: object, category: string | null, left: Record<string, number> = {}) =>
  marksOf(event, { ...tariff, left }, answersOf(raw), category)

test('an option says its price in these answers, what is not on sale, and of nights by what it is multiplied', () => {
  const plain = marks({ kind: 'plain' }, 'plain')
  expect(text(plain.get('workshops.ecmo')?.price)).toBe('₹ 2,000')
  expect(text(plain.get('room.twin')?.price)).toBe('₹ 2,500 per night')
  expect(plain.get('room.none')).toEqual({})
  expect(marks({ kind: 'pg' }, 'pg').get('workshops.ecmo')).toEqual({ price: null })
  // Which of several tables counts cannot be known before the category is.
  expect(marks({}, null).get('workshops.usg')).toEqual({})
})

test('an option says how many places are left, and that there is none', () => {
  const found = marks({ kind: 'plain' }, 'plain', { 'seats.usg': 2, 'seats.ecmo': 0 })
  expect(found.get('workshops.usg')?.left).toBe('2 left')
  expect(found.get('workshops.ecmo')?.full).toBe('Full')
})

test('what answers ask for and is not on sale is named', () => {
  expect(byBill(event, tariff, 'pg', answersOf({ kind: 'pg', workshops: ['ecmo'] }))).toBe(
    'ECMO is not on sale today',
  )
})

const gone = (...places: string[]): PricingContext => ({
  ...EMPTY_CONTEXT,
  left: Object.fromEntries(places.map((place) => [place, 0])),
})

test('a full hall stops the bill with its words; a category that is full gives another, and says so', () => {
  expect(byBill(event, tariff, 'plain', answersOf({ kind: 'plain' }, gone('hall')))).toBe(
    'The hall is full',
  )
  const offered = answersOf({ kind: 'pg' }, gone('pgs'))
  expect(byBill(event, tariff, 'plain', offered)).toMatchObject({ category: 'plain' })
  expect(notesOf(event, offered, { pgs: 0 })).toEqual(['PG is full'])
  expect(notesOf(event, answersOf({ kind: 'plain' }), { hall: 1, pgs: 0 })).toEqual(['1 seat left'])
  // Of the hall and the category there are few: one number is said, the one that counts.
  expect(notesOf(event, answersOf({ kind: 'pg' }), { hall: 4, pgs: 2 })).toEqual(['2 seats left'])
})

test('a workshop that became full after it was chosen stops the bill, by its name', () => {
  const chosen = { kind: 'plain', workshops: ['usg', 'ecmo'] }
  expect(byBill(event, tariff, 'plain', answersOf(chosen, gone('seats.ecmo')))).toBe('ECMO: Full')
  const other = answersOf({ ...chosen, workshops: ['usg'] }, gone('seats.ecmo'))
  expect(byBill(event, tariff, 'plain', other)).toMatchObject({ category: 'plain' })
})

test('a hall that is full for everybody stops the bill, also where it offers another category', () => {
  const [, ...others] = event.quotas
  const offering: PublicEvent = {
    ...event,
    quotas: [
      { id: 'hall', max: 10, full: { message: 'The hall is full', offer: 'pg' } },
      ...others,
    ],
  }
  const asked = answersOf({ kind: 'plain' }, gone('hall'))
  expect(byBill(offering, tariff, 'plain', asked)).toBe('The hall is full')
  expect(notesOf(offering, asked, { hall: 0 })).toEqual([])
  // Without a bill there is one place for it.
  const free = { ...offering, fees: { ...offering.fees, prices: null } }
  expect(notesOf(free, asked, { hall: 0 })).toEqual(['The hall is full'])
})

const refusal = (code: string, answer: object) =>
  askedBy({ status: 409, code, message: 'Why.', answer })
test('only a refusal with a way on is asked about', () => {
  const wire = { category: 'plain', period: 'now', base: 10, gst: 1.8, total: 11.8, lines: [] }
  expect(refusal('registered_already', { may_confirm: true })).toEqual({
    message: 'Why.',
    now: null,
  })
  expect(refusal('registered_already', {})).toBeNull()
  expect(refusal('full', { quote: null })).toBeNull()
  expect(refusal('full', { quote: wire })?.now?.total).toBe(1180)
  expect(refusal('price_changed', { quote: wire })).toBeNull()
})
