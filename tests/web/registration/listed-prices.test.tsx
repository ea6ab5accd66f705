/** On every page, the listed prices of a category either all include tax or all exclude it. */
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import {
  day,
  getListedTaxText,
  normalise,
  getPaidTaxText,
  toAmount,
} from '../../../engine/index.ts'
import { buildTariff } from '../../../engine/api.ts'
import type { Answers, EventConfig } from '../../../engine/index.ts'
import type { Condition } from '../../../engine/event/answer-types.ts'
import type { TaxRule } from '../../../engine/event/pricing-types.ts'
import type { Tax } from '../../../engine/lib/money.ts'
import { renderPreview } from '../../../engine/authoring.ts'
import { renderScriptNotice } from '../../../server/pages/html-shell.ts'
import { buildOptionStatuses } from '../../../web/registration/price/itemised-price.ts'
import {
  formatOptionPrice,
  listPriceDetails,
  PriceNote,
} from '../../../web/registration/fields/radio-choices.tsx'
import { FeeTable } from '../../../web/registration/price/fee-table.tsx'
import { ItemPrices } from '../../../web/organisers/preview/item-prices.tsx'
import { createEvent, createField, createRequired } from '../../engine/fixtures.ts'
import { toNoon } from '../../server/office/office.ts'

const NOW = toNoon('2026-01-20')
const createTax = (percent: number, prices: 'exclusive' | 'inclusive') =>
  ({ name: 'GST', percent, prices, round: 'paise' }) as const
const TAXES = {
  none: null,
  'on top, 18%': createTax(18, 'exclusive'),
  'inside, 18%': createTax(18, 'inclusive'),
  'on top, 5%': createTax(5, 'exclusive'),
  'inside, 5%': createTax(5, 'inclusive'),
}
type TaxName = keyof typeof TAXES

/** Creates an event whose file states ₹ 1,180 for the registration and ₹ 2,100 for a room, with these taxes. */
const createEventWithTaxes = (registration: TaxName, room: TaxName): EventConfig =>
  createEvent({
    fields: [
      createField('email', { type: 'email' }),
      createField('kind', {
        type: 'select',
        options: [{ id: 'plain', label: 'Plain' }],
        required: createRequired('Choose'),
      }),
      createField('room', { type: 'select', options: [{ id: 'twin', label: 'Twin' }] }),
    ],
    categories: [{ id: 'plain', label: 'Plain', listedOnly: false }],
    categoryChoice: { by: 'field', field: 'kind' },
    fees: {
      tax: TAXES[registration],
      periods: [{ id: 'now', label: 'Now' }],
      otherDates: null,
      prices: { plain: { now: toAmount(118_000) } },
      items: [
        {
          id: 'room',
          label: 'Room',
          by: 'room',
          tax: TAXES[room],
          prices: [{ when: null, table: { twin: { now: toAmount(210_000) } } }],
        },
      ],
      adjustments: [],
    },
  })

const findAmounts = (html: string): readonly string[] =>
  [...html.replaceAll('\u00a0', ' ').matchAll(/₹ [\d,.]+\d/g)].map(([amount]) => amount)

/** Returns the prices of the registration and the room on every page for delegates. */
function listDelegatePrices(event: EventConfig) {
  const tariffResponse = buildTariff(event, NOW)
  const { answers } = normalise(event, { kind: 'plain' })
  const room =
    buildOptionStatuses(event, tariffResponse, answers, 'plain').get('room.twin')?.price ?? ''
  const form = formatOptionPrice(event, tariffResponse, { id: 'plain' }) ?? ''
  const table = renderToStaticMarkup(
    <FeeTable event={event} category={null} answers={{}} now="2026-01-20T12:00:00+05:30" />,
  )
  return {
    form: findAmounts(`${form} ${room}`),
    table: findAmounts(table),
    plain: findAmounts(renderScriptNotice(event)),
  }
}
/** Returns the prices of the registration and the room on every page for organisers. */
const listOrganiserPrices = (event: EventConfig) => ({
  page: findAmounts(renderToStaticMarkup(<ItemPrices event={event} />)),
  preview: findAmounts(renderPreview(event).find(({ name }) => name === 'index.html')?.html ?? ''),
})

describe('the prices in a list all include tax or all exclude it', () => {
  test.each<[TaxName, TaxName, string, string, string]>([
    ['on top, 18%', 'on top, 18%', '₹ 1,180', '₹ 2,100', 'exclusive of 18% GST'],
    ['on top, 18%', 'inside, 5%', '₹ 1,180', '₹ 2,000', 'exclusive of 18% GST'],
    ['on top, 18%', 'none', '₹ 1,180', '₹ 2,100', 'exclusive of 18% GST'],
    ['inside, 18%', 'inside, 5%', '₹ 1,180', '₹ 2,100', '18% GST included'],
    ['inside, 18%', 'on top, 5%', '₹ 1,180', '₹ 2,205', '18% GST included'],
    ['none', 'inside, 5%', '₹ 1,180', '₹ 2,100', ''],
    ['none', 'on top, 5%', '₹ 1,180', '₹ 2,100', ''],
  ])(
    'for delegates, if the tax is “%s” for the registration and “%s” for rooms',
    (registration, room, firstPrice, secondPrice, expected) => {
      const event = createEventWithTaxes(registration, room)
      expect(listDelegatePrices(event)).toEqual({
        form: [firstPrice, secondPrice],
        table: [firstPrice],
        plain: [firstPrice],
      })
      expect(getListedTaxText(event, { category: 'plain', on: day('2026-01-20') })).toBe(expected)
    },
  )

  test.each<[TaxName, TaxName, string, string, string]>([
    ['on top, 18%', 'on top, 18%', '₹ 1,392.40', '₹ 2,478', 'GST included'],
    ['on top, 18%', 'inside, 5%', '₹ 1,392.40', '₹ 2,100', 'GST (18% and 5%) included'],
    ['inside, 18%', 'on top, 5%', '₹ 1,180', '₹ 2,205', 'GST (18% and 5%) included'],
    ['none', 'on top, 5%', '₹ 1,180', '₹ 2,205', 'GST included'],
    ['none', 'none', '₹ 1,180', '₹ 2,100', ''],
  ])(
    'for organisers, if the tax is “%s” for the registration and “%s” for rooms',
    (registration, room, firstPrice, secondPrice, expected) => {
      const event = createEventWithTaxes(registration, room)
      expect(listOrganiserPrices(event)).toEqual({
        page: [secondPrice],
        preview: [firstPrice, secondPrice],
      })
      expect(getPaidTaxText(event)).toBe(expected)
    },
  )
})

const createCondition = (field: string, value: string): Condition => [
  [{ field, test: { is: 'in', values: [value] } }],
]
/** Creates an event with these tax rules and two categories, which cost ₹ 1,180 both until 31 January and later. */
function createEventWithRules(tax: Tax | null, taxRules: readonly TaxRule[]): EventConfig {
  const event = createEventWithTaxes('none', 'none')
  const row = { now: toAmount(118_000), later: toAmount(118_000) }
  const options = [
    { id: 'plain', label: 'Resident' },
    { id: 'abroad', label: 'Abroad' },
  ]
  return {
    ...event,
    fields: event.fields.map((field) => (field.id === 'kind' ? { ...field, options } : field)),
    categories: options.map((option) => ({ ...option, listedOnly: false })),
    fees: {
      ...event.fees,
      tax,
      taxRules,
      periods: [
        { id: 'now', label: 'Now', to: day('2026-01-31') },
        { id: 'later', label: 'Later', from: day('2026-02-01') },
      ],
      prices: { plain: row, abroad: row },
      items: [],
    },
  }
}

/**
 * Returns the prices in the form, the fee table and the plain page, with their taxes in brackets. Each list begins
 * with the tax text that applies to all prices.
 */
function readListedPrices(event: EventConfig, category: string | null, answers: Answers) {
  const tariff = buildTariff(event, NOW)
  const removeTags = (html: string): string =>
    html.replaceAll(/<[^>]*>/g, '').replaceAll('\u00a0', ' ')
  const readRows = (html: string) =>
    [...html.matchAll(/<th scope="row">([^]*?)<\/tr>/g)].map(([, row = '']) =>
      removeTags(
        row
          .replaceAll(/<small aria-hidden[^]*?<\/small>/g, '')
          .replaceAll(/<span class="yours">[^]*?<\/span>/g, '')
          .replaceAll(/(?:<br>)?<(?:small|span class="tax")>([^]*?)<\/(?:small|span)>/g, ' ($1)')
          .replaceAll(/<td[^>]*>/g, ' | '),
      ),
    )
  const readHint = (html: string) =>
    removeTags(/<p class="hint">([^]*?)<\/p>/.exec(html)?.[1] ?? '')
  const table = renderToStaticMarkup(
    <FeeTable event={event} answers={answers} {...{ category }} now="2026-01-20T12:00:00+05:30" />,
  )
  const plainPage = renderScriptNotice(event)
  return {
    form: [
      removeTags(renderToStaticMarkup(<PriceNote event={event} tariff={tariff} />)),
      ...event.categories.map(
        (option) =>
          `${removeTags(formatOptionPrice(event, tariff, option) ?? '')} ${listPriceDetails(event, tariff).get(option.id)}`,
      ),
    ],
    table: [readHint(table), ...readRows(table)],
    plain: [readHint(plainPage), ...readRows(plainPage)],
  }
}

test('a price that includes tax under a tax rule is listed as including tax', () => {
  const event = createEventWithRules(TAXES['on top, 18%'], [
    { when: createCondition('category', 'abroad'), tax: createTax(18, 'inclusive') },
  ])
  const rows = [
    'Resident (exclusive of 18% GST) | ₹ 1,180 | ₹ 1,180',
    'Abroad (18% GST included) | ₹ 1,180 | ₹ 1,180',
  ]
  expect(readListedPrices(event, null, {})).toEqual({
    form: [
      'Fees until 31 January 2026.',
      '₹ 1,180 exclusive of 18% GST',
      '₹ 1,180 18% GST included',
    ],
    table: ['', ...rows],
    plain: ['', ...rows],
  })
})

test('a company under reverse charge sees its own price without tax', () => {
  const event = createEventWithRules(TAXES['inside, 18%'], [
    {
      when: [
        [
          { field: 'buyer', test: { is: 'in', values: ['company'] } },
          { field: 'country', test: { is: 'not-in', values: ['india'] } },
        ],
      ],
      tax: { ...createTax(0, 'exclusive'), replaces: 18 },
      note: 'reverse charge',
    },
  ])
  const rowsWithTax = [
    '18% GST included.',
    'Resident | ₹ 1,180 | ₹ 1,180',
    'Abroad | ₹ 1,180 | ₹ 1,180',
  ]
  const {
    form,
    plain: plainPage,
    table,
  } = readListedPrices(event, 'abroad', {
    buyer: 'company',
    country: 'france',
  })
  expect(form).toEqual(['Fees until 31 January 2026, 18% GST included.', '₹ 1,180 ', '₹ 1,180 '])
  expect(plainPage).toEqual(rowsWithTax)
  expect(table).toEqual([
    '',
    'Resident (18% GST included) | ₹ 1,180 | ₹ 1,180',
    'Abroad (reverse charge) | ₹ 1,000 | ₹ 1,000',
  ])
  expect(readListedPrices(event, 'abroad', { buyer: 'person' }).table).toEqual(rowsWithTax)
})

test('a tax rule for delegates from other countries does not change the list before the form is filled in', () => {
  const event = createEventWithRules(TAXES['inside, 18%'], [
    {
      when: [[{ field: 'country', test: { is: 'not-in', values: ['india'] } }]],
      tax: { ...createTax(0, 'exclusive'), replaces: 18 },
    },
    {
      when: createCondition('country', 'nepal'),
      tax: { ...createTax(13, 'inclusive'), name: 'VAT' },
    },
  ])
  expect(readListedPrices(event, null, {}).plain).toEqual([
    '18% GST or 13% VAT included.',
    'Resident | ₹ 1,180 | ₹ 1,180',
    'Abroad | ₹ 1,180 | ₹ 1,180',
  ])
})

test('each price states the tax that applies in its period', () => {
  const event = createEventWithRules(TAXES['on top, 18%'], [
    { to: day('2026-01-24'), tax: createTax(15, 'exclusive') },
  ])
  const { form, table } = readListedPrices(event, null, {})
  expect(form[0]).toBe('Fees until 31 January 2026, exclusive of 15% GST.')
  const cells = '₹ 1,180 (exclusive of 15% GST) | ₹ 1,180 (exclusive of 18% GST)'
  expect(table).toEqual([
    '',
    `Resident | ${cells} | ₹ 1,180 (exclusive of 18% GST)`,
    `Abroad | ${cells} | ₹ 1,180 (exclusive of 18% GST)`,
  ])
})
