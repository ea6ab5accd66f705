/** The form's texts about prices by payment method, items with their own periods, and tax rules. */
import { expect, test } from 'vitest'
import { INR, day, formatMoney, quote, startOfDay, toAmount } from '../../../engine/index.ts'
import type { Answers, PublicEvent } from '../../../engine/index.ts'
import type { TariffResponse } from '../../../engine/api.ts'
import { choosePageKind } from '../../../web/registration/event-page-kind.ts'
import {
  listMethodNotes,
  buildOptionStatuses,
  calculatePriceByBill,
} from '../../../web/registration/price/itemised-price.ts'
import { createEvent, createField, isIn, when } from '../../engine/fixtures.ts'

const VAT = { name: 'VAT', percent: 25, prices: 'inclusive', round: 'paise' } as const
const REVERSE_CHARGE = {
  when: when(isIn('buyer', 'company')),
  tax: { name: 'VAT', percent: 0, prices: 'exclusive', round: 'paise', replaces: 25 },
  note: 'reverse charge',
} as const
const event: PublicEvent = createEvent({
  categories: [{ id: 'member', label: 'Member', listedOnly: false }],
  categoryChoice: { by: 'rules', rules: [{ when: null, then: 'member' }] },
  registration: {},
  fields: [createField('room', { type: 'select', options: [{ id: 'twin', label: 'Twin' }] })],
  fees: {
    tax: VAT,
    taxRules: [REVERSE_CHARGE],
    periods: [{ id: 'now', label: 'Now' }],
    otherDates: null,
    prices: { member: { now: toAmount(100_000) } },
    items: [
      {
        id: 'room',
        label: 'Room',
        by: 'room',
        tax: VAT,
        periods: [
          { id: 'first', label: 'First', to: day('2027-01-14') },
          { id: 'second', label: 'Second', from: day('2027-01-15') },
        ],
        prices: [
          {
            when: null,
            table: { twin: { first: toAmount(50_000), second: toAmount(80_000) } },
          },
        ],
      },
    ],
    adjustments: [
      {
        id: 'card-charge',
        label: 'Card charge',
        when: when(isIn('method', 'card')),
        on: 'all',
        by: { percent: 3 },
      },
    ],
    methods: [
      { id: 'card', label: 'Card', is: 'card' },
      { id: 'bank', label: 'Bank transfer', is: 'transfer' },
    ],
  },
})
const formatRupees = (amount: number) => formatMoney(toAmount(amount), INR)
const buildTariffResponse = (on: string): TariffResponse => ({
  status: 'success',
  now: `${on}T12:00:00+05:30`,
  open: true,
  closed_text: null,
  current_period: 'now',
  until: null,
  tariff_data: {},
  pricing: {},
})
const listNotes = (answers: Answers) => {
  const result = quote(event, answers, startOfDay(day('2027-01-10')))
  return result.ok
    ? listMethodNotes(event, answers, result.value, buildTariffResponse('2027-01-10').now)
    : null
}

test('the price for every other payment method is shown below the bill, with the charge that the method adds', () => {
  expect(listNotes({ way: 'bank' })).toEqual([
    `Card: ${formatRupees(103_000)}, including Card charge ${formatRupees(3_000)}`,
  ])
  expect(listNotes({ way: 'card' })).toEqual([`Bank transfer: ${formatRupees(100_000)}`])
})

test('an option states the price in its own period on the given day', () => {
  const findPrice = (on: string) =>
    buildOptionStatuses(event, buildTariffResponse(on), {}, 'member').get('room.twin')?.price
  expect(findPrice('2027-01-14')).toBe(formatRupees(50_000))
  expect(findPrice('2027-01-15')).toBe(formatRupees(80_000))
})

test('an option and the bill state the price without tax if a tax rule applies', () => {
  const companyAnswers = { buyer: 'company', way: 'bank', room: 'twin' }
  const tariff = buildTariffResponse('2027-01-10')
  expect(buildOptionStatuses(event, tariff, companyAnswers, 'member').get('room.twin')?.price).toBe(
    formatRupees(40_000),
  )
  const price = calculatePriceByBill(event, tariff, 'member', companyAnswers)
  expect(price).toMatchObject({ gst: 0, total: 120_000 })
})

test('an event with tax rules uses the page with a bill', () => {
  const { taxRules, tax, periods, otherDates, prices } = event.fees
  const fees = { tax, taxRules, periods, otherDates, prices, items: [], adjustments: [] }
  const eventWithoutItems = createEvent({ ...event, fields: [], fees } as Parameters<
    typeof createEvent
  >[0])
  const pageData = {
    status: 'success',
    event: eventWithoutItems,
    now: '2027-01-10T12:00:00+05:30',
  } as const
  expect(choosePageKind(pageData as unknown as Parameters<typeof choosePageKind>[0])).toBe(
    'selling',
  )
})
