/**
 * Each price list is entirely with tax or entirely without: form, fee table, plain page,
 * organisers' page, preview.
 */
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { listedTaxText, normalise, paidTaxText, toAmount } from '../../../engine/index.ts'
import { buildTariff } from '../../../engine/api.ts'
import type { EventConfig } from '../../../engine/index.ts'
import { preview } from '../../../engine/authoring.ts'
import { renderScriptNotice } from '../../../server/pages/html-shell.ts'
import { optionMarks } from '../../../web/registration/price/itemised-price.ts'
import { formatOptionPrice } from '../../../web/registration/fields/radio-choices.tsx'
import { FeeTable } from '../../../web/registration/price/fee-table.tsx'
import { ItemPrices } from '../../../web/organisers/preview/item-prices.tsx'
import { createEvent, field, requiredMessage } from '../../engine/fixtures.ts'
import { noon } from '../../server/office/office.ts'

const NOW = noon('2026-01-20')
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

/** Registration at ₹ 1,180, a room at ₹ 2,100, each including tax. */
const createEventWithTaxes = (registration: TaxName, room: TaxName): EventConfig =>
  createEvent({
    fields: [
      field('email', { type: 'email' }),
      field('kind', {
        type: 'select',
        options: [{ id: 'plain', label: 'Plain' }],
        required: requiredMessage('Choose'),
      }),
      field('room', { type: 'select', options: [{ id: 'twin', label: 'Twin' }] }),
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

/** The price of the registration and of the room on every page for delegates. */
function listPrices(event: EventConfig) {
  const tariffAnswer = buildTariff(event, NOW)
  const { answers } = normalise(event, { kind: 'plain' })
  const room = optionMarks(event, tariffAnswer, answers, 'plain').get('room.twin')?.price ?? ''
  const form = formatOptionPrice(event, tariffAnswer, { id: 'plain' }) ?? ''
  const table = renderToStaticMarkup(
    <FeeTable event={event} category={null} now="2026-01-20T12:00:00+05:30" />,
  )
  return {
    form: findAmounts(`${form} ${room}`),
    table: findAmounts(table),
    plain: findAmounts(renderScriptNotice(event)),
  }
}
/** The same on every page for organisers. */
const buildPaidPages = (event: EventConfig) => ({
  page: findAmounts(renderToStaticMarkup(<ItemPrices event={event} />)),
  preview: findAmounts(preview(event).find(({ name }) => name === 'index.html')?.html ?? ''),
})

describe('a price list had some prices with tax and some without', () => {
  test.each<[TaxName, TaxName, string, string, string]>([
    ['on top, 18%', 'on top, 18%', '₹ 1,180', '₹ 2,100', 'exclusive of 18% GST'],
    ['on top, 18%', 'inside, 5%', '₹ 1,180', '₹ 2,000', 'exclusive of 18% GST'],
    ['on top, 18%', 'none', '₹ 1,180', '₹ 2,100', 'exclusive of 18% GST'],
    ['inside, 18%', 'inside, 5%', '₹ 1,180', '₹ 2,100', '18% GST included'],
    ['inside, 18%', 'on top, 5%', '₹ 1,180', '₹ 2,205', '18% GST included'],
    ['none', 'inside, 5%', '₹ 1,180', '₹ 2,100', ''],
    ['none', 'on top, 5%', '₹ 1,180', '₹ 2,100', ''],
  ])(
    'for delegates, with tax %s and of rooms %s',
    (registration, room, firstPrice, secondPrice, expected) => {
      const event = createEventWithTaxes(registration, room)
      expect(listPrices(event)).toEqual({
        form: [firstPrice, secondPrice],
        table: [firstPrice],
        plain: [firstPrice],
      })
      expect(listedTaxText(event)).toBe(expected)
    },
  )

  test.each<[TaxName, TaxName, string, string, string]>([
    ['on top, 18%', 'on top, 18%', '₹ 1,392.40', '₹ 2,478', 'GST included'],
    ['on top, 18%', 'inside, 5%', '₹ 1,392.40', '₹ 2,100', 'GST (18% and 5%) included'],
    ['inside, 18%', 'on top, 5%', '₹ 1,180', '₹ 2,205', 'GST (18% and 5%) included'],
    ['none', 'on top, 5%', '₹ 1,180', '₹ 2,205', 'GST included'],
    ['none', 'none', '₹ 1,180', '₹ 2,100', ''],
  ])(
    'for organisers, with tax %s and of rooms %s',
    (registration, room, firstPrice, secondPrice, expected) => {
      const event = createEventWithTaxes(registration, room)
      expect(buildPaidPages(event)).toEqual({
        page: [secondPrice],
        preview: [firstPrice, secondPrice],
      })
      expect(paidTaxText(event)).toBe(expected)
    },
  )
})
