/** The place of supply, kind of document and tax by rate are those that GST law requires. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StateCode } from '../../../engine/event/gstin.ts'
import {
  fromMajorUnits,
  INR,
  formatRates,
  readCurrency,
  toAmount,
} from '../../../engine/lib/money.ts'
import { splitPrice } from '../../../engine/pricing/line-tax-and-rounding.ts'
import {
  MIN_TAXABLE_FOR_ADDRESS,
  getPlaceOfSupply,
  requiresAddress,
  chooseTaxForm,
  summariseByRate,
} from '../../../engine/pricing/invoice-tax.ts'

const [KERALA, TAMIL_NADU, KARNATAKA, CHANDIGARH] = ['32', '33', '29', '04'] as const
const [ADMISSION, ROOM, SPONSORSHIP] = ['998596', '996311', '998397'] as const

test.each([
  // Section 12(6): the place of supply of admission is the venue for every buyer.
  [ADMISSION, KERALA, null, KERALA],
  [ADMISSION, KERALA, TAMIL_NADU, KERALA],
  [ADMISSION, KERALA, KERALA, KERALA],
  // Section 12(3): the place of supply of lodging is the location of the building.
  [ROOM, KARNATAKA, null, KARNATAKA],
  [ROOM, KARNATAKA, TAMIL_NADU, KARNATAKA],
  ['996322', KARNATAKA, TAMIL_NADU, KARNATAKA],
  // Section 12(7): the place of supply of sponsorship is the location of a registered recipient, otherwise the event.
  [SPONSORSHIP, KERALA, TAMIL_NADU, TAMIL_NADU],
  [SPONSORSHIP, KERALA, null, KERALA],
  // Section 12(4): the place of supply of food and drink (99633) is where they are served, at the event.
  ['996331', KERALA, TAMIL_NADU, KERALA],
] as const)(
  'for a service %s at a site in %s for a buyer registered in %s, the place of supply is %s',
  (sac, venueState, registeredIn, place) =>
    expect(getPlaceOfSupply({ sac, site: venueState }, registeredIn)).toBe(place),
)

const createLine = (rate: number | null, base: number, gst: number, place: StateCode = KERALA) => ({
  rate,
  place,
  base: toAmount(base),
  gst: toAmount(gst),
})

test('a bill with two rates states each rate separately, and untaxed lines are not part of the taxable value', () => {
  const lines = [
    createLine(18, 600_000, 108_000),
    createLine(5, 300_000, 15_000),
    createLine(18, 100_000, 18_001),
    createLine(null, 100_000, 0),
    createLine(0, 5_000, 0),
  ]
  expect(summariseByRate(lines, KERALA)).toEqual([
    {
      rate: 18,
      place: KERALA,
      isInterState: false,
      taxable: 700_000,
      cgst: 63_000,
      sgst: 63_000,
      igst: 0,
      roundOff: 1,
      second: 'SGST',
    },
    {
      rate: 5,
      place: KERALA,
      isInterState: false,
      taxable: 300_000,
      cgst: 7_500,
      sgst: 7_500,
      igst: 0,
      roundOff: 0,
      second: 'SGST',
    },
  ])
  expect(summariseByRate(lines, TAMIL_NADU)).toMatchObject([
    { rate: 18, isInterState: true, cgst: 0, sgst: 0, igst: 126_001, roundOff: 0 },
    { rate: 5, isInterState: true, cgst: 0, sgst: 0, igst: 15_000, roundOff: 0 },
  ])
  expect(summariseByRate([createLine(18, 100, 18, CHANDIGARH)], CHANDIGARH)).toMatchObject([
    { second: 'UTGST' },
  ])
})

test('one rate in two states has two rows: IGST for a room in another state, and CGST and SGST for admission', () => {
  const lines = [createLine(5, 300_000, 15_000, KARNATAKA), createLine(5, 100_000, 5_000)]
  expect(summariseByRate(lines, KERALA)).toMatchObject([
    { place: KARNATAKA, igst: 15_000, cgst: 0 },
    { place: KERALA, igst: 0, cgst: 2_500, sgst: 2_500 },
  ])
})

test('the rows add up to the taxed lines after any purchases and credits', () => {
  const rates = [null, 5, 18] as const
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          price: fc.integer({ min: 0, max: 9_999_999 }),
          rate: fc.constantFrom(...rates),
          place: fc.constantFrom(KERALA, KARNATAKA, CHANDIGARH),
          sign: fc.constantFrom(1, -1),
        }),
        { maxLength: 8 },
      ),
      fc.constantFrom(KERALA, CHANDIGARH),
      (soldItems, supplier) => {
        const lines = soldItems.map(({ price, rate, place, sign }) => {
          const tax = {
            name: 'GST',
            percent: rate ?? 0,
            prices: 'exclusive',
            round: 'paise',
          } as const
          const { base, gst } = splitPrice(rate === null ? null : tax, toAmount(price))
          return createLine(rate, sign * base, sign * gst, place)
        })
        const rows = summariseByRate(lines, supplier)
        const taxedLines = lines.filter(({ rate }) => rate !== null)
        const sumAmounts = (amounts: readonly number[]) =>
          amounts.reduce((sumSoFar, amount) => sumSoFar + amount, 0)
        expect(sumAmounts(rows.map(({ taxable }) => taxable))).toBe(
          sumAmounts(taxedLines.map(({ base }) => base)),
        )
        expect(sumAmounts(rows.map((row) => row.cgst + row.sgst + row.igst + row.roundOff))).toBe(
          sumAmounts(taxedLines.map(({ gst }) => gst)),
        )
        for (const row of rows) {
          expect(row.cgst).toBe(row.sgst)
          expect(row.isInterState).toBe(row.place !== supplier)
          if (row.isInterState) expect(row.cgst + row.roundOff).toBe(0)
          else expect(row.igst).toBe(0)
        }
      },
    ),
  )
})

const [TAXED, UNTAXED, FREE] = [
  createLine(18, 100, 18),
  createLine(null, 100, 0),
  createLine(18, 0, 0),
]
test.each([
  ['taxed items, registered', [TAXED, createLine(5, 100, 5)], true, 'tax-invoice'],
  ['taxed items, unregistered', [TAXED], false, 'tax-invoice'],
  ['taxed and untaxed items, unregistered', [TAXED, UNTAXED], false, 'invoice-cum-bill'],
  ['taxed and untaxed items, registered', [TAXED, UNTAXED], true, 'tax-invoice'],
  [
    'only untaxed items, unregistered',
    [UNTAXED, createLine(0, 100, 0), FREE],
    false,
    'bill-of-supply',
  ],
  ['only untaxed items, registered', [UNTAXED], true, 'bill-of-supply'],
] as const)('the kind of document for %s is correct', (_, lines, isRegistered, form) =>
  expect(chooseTaxForm(lines, isRegistered)).toBe(form),
)

test('from a taxable value of 50,000 rupees, an unregistered buyer must give an address; a registered buyer need not', () => {
  const belowLimit = toAmount(MIN_TAXABLE_FOR_ADDRESS - 1)
  expect([MIN_TAXABLE_FOR_ADDRESS, requiresAddress(MIN_TAXABLE_FOR_ADDRESS, false)]).toEqual([
    5_000_000,
    true,
  ])
  expect(requiresAddress(belowLimit, false)).toBe(false)
  expect(requiresAddress(MIN_TAXABLE_FOR_ADDRESS, true)).toBe(false)
})

test('the address is required for an invoice in another currency that may be worth 50,000 rupees', () => {
  const toCurrency = (code: string) => readCurrency(code) ?? INR
  const needsAddress = (code: string, major: number, isRegistered = false) => {
    const currency = toCurrency(code)
    const amount = fromMajorUnits(major, currency) ?? toAmount(0)
    return requiresAddress(amount, isRegistered, currency)
  }
  expect([
    needsAddress('USD', 600),
    needsAddress('USD', 300),
    needsAddress('USD', 600, true),
  ]).toEqual([true, false, false])
  expect([needsAddress('JPY', 90_000), needsAddress('JPY', 40_000)]).toEqual([true, false])
  expect([needsAddress('KWD', 170), needsAddress('KWD', 90)]).toEqual([true, false])
})

test.each([
  [[18, 5, 18, null, 0], '18% and 5%'],
  [[5, 18, 12.5], '18%, 12.5% and 5%'],
  [[18, null], '18%'],
  [[null, undefined, 0], ''],
])('the rates %j are shown as %s', (rates, text) => expect(formatRates(rates)).toBe(text))
