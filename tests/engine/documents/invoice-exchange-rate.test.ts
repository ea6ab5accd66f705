/** The rupee value of documents in another currency. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readRate, toAmount, type Currency, type Day } from '../../../engine/index.ts'
import { computeRupeeValue, toRupees } from '../../../engine/documents/invoice-exchange-rate.ts'
import type { DocumentBody } from '../../../engine/index.ts'

const USD = 'USD' as Currency

test.each([
  ['USD', 17_700, '83.4125', 1_476_401],
  ['USD', 1, '0.5', 1],
  ['USD', -17_700, '83.4125', -1_476_401],
  ['JPY', 10_000, '0.5532', 553_200],
  ['KWD', 15_250, '271.123456', 413_463],
])('%s %i (in minor units) is converted at the rate %s', (currency, amount, rate, paise) => {
  expect(toRupees(toAmount(amount), currency as Currency, rate)).toBe(paise)
})

test.each(['83,41', '0', '0.0000000', '83.1234567', '-1', '1e3', '', '083'])(
  '%s is not an exchange rate',
  (text) => {
    expect(readRate(text)).toBeNull()
  },
)

test('for each component, the rupee values of an invoice’s credit notes add up to the invoice’s rupee value', () => {
  const cents = fc.integer({ min: 0, max: 5_000_000 })
  const amountsByKind = fc.record({
    taxable: cents,
    cgst: cents,
    sgst: cents,
    igst: cents,
    untaxed: cents,
  })
  const rates = fc.integer({ min: 1, max: 999_999_999 }).map((n) => (n / 1_000_000).toFixed(6))
  fc.assert(
    fc.property(fc.array(amountsByKind, { minLength: 1, maxLength: 5 }), rates, (credits, rate) => {
      const createDocument = (amounts: (typeof credits)[number]) =>
        ({
          currency: USD,
          base: toAmount(amounts.taxable + amounts.untaxed),
          byRate: [{ ...amounts, roundOff: 0 }],
        }) as unknown as DocumentBody
      const sum = (key: keyof (typeof credits)[number]): number =>
        credits.reduce((total, credit) => total + credit[key], 0)
      const wholeInvoice = createDocument({
        taxable: sum('taxable'),
        cgst: sum('cgst'),
        sgst: sum('sgst'),
        igst: sum('igst'),
        untaxed: sum('untaxed'),
      })
      const terms = { rate, day: '2027-07-20' as Day, source: 'FBIL' }
      const creditNotes = credits.reduce<readonly DocumentBody[]>((earlierNotes, credit) => {
        const body = createDocument(credit)
        return [...earlierNotes, { ...body, rupees: computeRupeeValue(body, terms, earlierNotes) }]
      }, [])
      const invoice = computeRupeeValue(wholeInvoice, terms)
      for (const key of [
        'taxable',
        'cgst',
        'sgst',
        'igst',
        'roundOff',
        'untaxed',
        'total',
      ] as const)
        expect(creditNotes.reduce((total, { rupees }) => total + (rupees?.[key] ?? 0), 0)).toBe(
          invoice[key],
        )
    }),
  )
})

test('CGST and SGST in rupees are each half of the tax in rupees, not the converted halves of the tax in cents', () => {
  const body = {
    currency: USD,
    base: toAmount(6_248),
    byRate: [{ taxable: 6_248, cgst: 562, sgst: 562, igst: 0, roundOff: 1 }],
  } as unknown as DocumentBody
  expect(
    computeRupeeValue(body, { rate: '99', day: '2027-07-20' as Day, source: 'FBIL' }),
  ).toMatchObject({
    taxable: 618_552,
    cgst: 55_687,
    sgst: 55_687,
    roundOff: 1,
    total: 729_927,
  })
})
