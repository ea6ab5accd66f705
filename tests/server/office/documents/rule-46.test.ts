/** Each document in the table in docs/tax.md contains the particulars that rule 46 requires. */
import * as mupdf from 'mupdf'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DocumentBody } from '../../../../engine/index.ts'
import { renderPdf } from '../../../../server/documents/render-pdf.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import {
  readDocument,
  TAMIL_NADU_GSTIN,
  issueInvoiceAndCredit,
  KERALA,
  registerAndPay,
  REGISTERED_BUYER,
  SUPPLIES,
  TAX_EVENTS,
} from './tax-samples.ts'
import type { SupplyName } from './tax-samples.ts'

let server: TestApp
beforeAll(async () => {
  server = await startTestApp({ clock: '2026-01-20', events: TAX_EVENTS })
})
afterAll(() => server.close())

async function readPageText(body: DocumentBody): Promise<string> {
  const page = mupdf.Document.openDocument(await renderPdf(body), 'application/pdf').loadPage(0)
  return page.toStructuredText('preserve-whitespace').asText().replaceAll('\u00a0', ' ')
}

const RECIPIENT = {
  registered: [
    'Sample Hospital',
    '4 Other Street',
    'Chennai 600001',
    'Tamil Nadu (state code 33)',
    `GSTIN ${TAMIL_NADU_GSTIN}`,
  ],
  unregistered: ['Asha Sample', '1 Home Road', 'Kochi 682001', 'Kerala (state code 32)'],
}
const TAXES: Readonly<
  Record<
    'intra' | 'inter',
    {
      readonly place: string
      readonly invoice: readonly string[]
      readonly credit: readonly string[]
      readonly absent: readonly string[]
    }
  >
> = {
  intra: {
    place: 'Kerala (state code 32)',
    invoice: ['9%: ₹ 99.04', '2.5%: ₹ 1,275', 'Round-off', '₹ 0.01'],
    credit: ['CGST', 'SGST', '9%: ', '2.5%: '],
    absent: ['IGST'],
  },
  inter: {
    place: 'Karnataka (state code 29)',
    invoice: ['18%: ₹ 198.09', '5%: ₹ 2,550'],
    credit: ['IGST', '18%: ', '5%: '],
    absent: ['CGST', 'SGST', 'Round-off'],
  },
}
const EVERY_DOCUMENT = [
  // (a), (b), (c)
  'Sample Society',
  '12 Made-up Road, Kochi 682001',
  'GSTIN 32AAAAA0000A1ZB',
  '/25-26/',
  // (g), (h), (l)
  '998596',
  '996311',
  'Member',
  'Workshop kit',
  'Room',
  'Rate of tax',
  'Taxable value',
  // (n), (p), (s)
  'Place of supply',
  'Tax payable on reverse charge',
  'Not required to issue e-invoices',
]

describe('an invoice and its credit note state each particular that rule 46 requires', () => {
  test.each(SUPPLIES)('$name', async (supply) => {
    const { invoice, credit } = await issueInvoiceAndCredit(server, supply)
    const name: SupplyName = supply.name
    const tax = TAXES[name.startsWith('intra') ? 'intra' : 'inter']
    const recipient = RECIPIENT[name.endsWith('-registered') ? 'registered' : 'unregistered']
    const particulars = [...EVERY_DOCUMENT, ...recipient, tax.place]
    const [invoiceText, creditText] = [await readPageText(invoice), await readPageText(credit)]
    for (const text of [
      ...particulars,
      ...tax.invoice,
      'Tax invoice',
      '20 January 2026',
      '₹ 52,100.50',
      '₹ 54,848.59',
      'no signature is required',
    ])
      expect(invoiceText, text).toContain(text)
    for (const text of [
      ...particulars,
      ...tax.credit,
      'Credit note',
      '21 January 2026',
      '₹ 20,000.05',
      'Against tax invoice',
      `${invoice.serial} dated 20 January 2026`,
    ])
      expect(creditText, text).toContain(text)
    for (const absentTax of tax.absent)
      expect(`${invoiceText} ${creditText}`).not.toContain(absentTax)
    if (recipient === RECIPIENT.unregistered) expect(invoiceText.match(/GSTIN/g)).toHaveLength(1)
    // On both documents, the taxes of each rate and the rounding add up to the total.
    for (const body of [invoice, credit]) {
      const rates = body.byRate ?? []
      const sum = rates.reduce(
        (sum, { taxable, cgst, sgst, igst, roundOff }) =>
          sum + taxable + cgst + sgst + igst + roundOff,
        0,
      )
      expect([rates.map(({ rate }) => rate), sum]).toEqual([[18, 5], body.total])
    }
  })
})

describe('a room in a different state from the venue', () => {
  test('is not taxed like the venue: IGST applies to the room, CGST and SGST to admission', async () => {
    for (const buyer of [{}, REGISTERED_BUYER]) {
      const invoice = await readDocument(
        server,
        await registerAndPay(server, KERALA, { hall: 2, nights: 1, ...buyer }),
        'invoice',
      )
      expect(invoice.lines).toMatchObject([
        { item: 'registration', place: '32' },
        { item: 'room', place: '32' },
        { item: 'room-elsewhere', place: '33' },
      ])
      expect(invoice.byRate).toMatchObject([
        { rate: 18, place: '32', taxable: 100_000, cgst: 9_000, sgst: 9_000, igst: 0 },
        { rate: 5, place: '32', taxable: 300_000, cgst: 7_500, sgst: 7_500, igst: 0 },
        { rate: 5, place: '33', taxable: 400_000, cgst: 0, sgst: 0, igst: 20_000 },
      ])
      const text = await readPageText(invoice)
      for (const expectedText of [
        'Kerala (state code 32), Tamil Nadu (state code 33)',
        'Tamil Nadu (33)',
        '2.5%: ₹ 75',
        '5%: ₹ 200',
      ])
        expect(text, expectedText).toContain(expectedText)
    }
  })
})
