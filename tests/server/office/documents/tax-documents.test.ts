/** Tax documents for a single bill with rates of 18% and 5% and an untaxed donation. */
import * as mupdf from 'mupdf'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { instant, createOrderId, toAmount } from '../../../../engine/index.ts'
import type { Answers, DocumentBody, RegNo } from '../../../../engine/index.ts'
import type { DocumentsResponse } from '../../../../engine/api.ts'
import { getFileName, formatDocument } from '../../../../server/documents/document-contents.ts'
import { renderPdf } from '../../../../server/documents/render-pdf.ts'
import { issueLink } from '../../../../server/registration/access-link.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { toNoon, register, signIn } from '../office.ts'
import {
  readDocument,
  TAMIL_NADU_GSTIN,
  KERALA,
  MYSORE,
  DELEGATE_ANSWERS,
  REGISTERED_BUYER,
  TAX_EVENTS,
} from './tax-samples.ts'

const noon = toNoon('2026-01-20')

let server: TestApp
beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-01-20',
    events: TAX_EVENTS,
  })
})
afterAll(() => server.close())

const ROOM_AND_DONATION: Answers = { nights: 2, gift: 500 }
const ROOM: Answers = { nights: 2 }

let delegateCount = 0
async function registerPaid(event: string, answers: Answers): Promise<RegNo> {
  delegateCount += 1
  return register(server, event, {
    n: delegateCount,
    on: instant(noon + delegateCount * 60_000),
    answers: { ...DELEGATE_ANSWERS, ...answers },
    pays: 'success',
  })
}
const readIssuedDocument = (regNo: RegNo, kind: string): Promise<DocumentBody> =>
  readDocument(server, regNo, kind)
const issueInvoice = async (event: string, answers: Answers): Promise<DocumentBody> =>
  readIssuedDocument(await registerPaid(event, answers), 'invoice')

async function readPageText(body: DocumentBody): Promise<string> {
  const page = mupdf.Document.openDocument(await renderPdf(body), 'application/pdf').loadPage(0)
  return page.toStructuredText('preserve-whitespace').asText().replaceAll('\u00a0', ' ')
}

test('a receipt lists an untaxed donation separately from the taxable value', async () => {
  const regNo = await registerPaid(KERALA, ROOM_AND_DONATION)
  const readSums = async (kind: string) =>
    formatDocument(await readIssuedDocument(regNo, kind)).sums.map(([name, sum]) => [
      name,
      sum.replace('\u00a0', ' '),
    ])
  expect(await readSums('receipt')).toEqual([
    ['Taxable value', '₹ 7,000'],
    ['Untaxed items', '₹ 500'],
    ['GST', '₹ 480'],
  ])
  expect(await readSums('invoice')).toContainEqual(['Taxable value', '₹ 7,000'])
})

test('a bill with rates of 18% and 5% states the rate and code of each line, and the tax for each rate', async () => {
  const body = await issueInvoice(KERALA, ROOM)
  expect(body.lines).toMatchObject([
    { item: 'registration', rate: 18, sac: '998596', base: 100_000, gst: 18_000 },
    { item: 'room', rate: 5, sac: '996311', quantity: 2, base: 600_000, gst: 30_000 },
  ])
  expect(body).toMatchObject({
    form: 'tax-invoice',
    base: 700_000,
    gst: 48_000,
    total: 748_000,
    byRate: [
      { rate: 18, taxable: 100_000, cgst: 9_000, sgst: 9_000, igst: 0 },
      { rate: 5, taxable: 600_000, cgst: 15_000, sgst: 15_000, igst: 0 },
    ],
  })
  const { rows, rates, sums: totals, total } = formatDocument(body)
  expect(rows.map((row) => row.map((cell) => cell.replaceAll('\u00a0', ' ')))).toEqual([
    ['Member', '998596', '1', '₹ 1,000', '₹ 1,000', '18%', '₹ 180', '₹ 1,180'],
    ['Room', '996311', '2', '₹ 3,000', '₹ 6,000', '5%', '₹ 300', '₹ 6,300'],
  ])
  expect(rates?.columns).toEqual(['Rate of tax', 'Taxable value', 'CGST', 'SGST'])
  expect(rates?.rows.map((row) => row.map((cell) => cell.replaceAll('\u00a0', ' ')))).toEqual([
    ['18%', '₹ 1,000', '9%: ₹ 90', '9%: ₹ 90'],
    ['5%', '₹ 6,000', '2.5%: ₹ 150', '2.5%: ₹ 150'],
  ])
  expect(totals.map(([name]) => name)).toEqual(['Taxable value', 'CGST', 'SGST'])
  expect(total[1]).toBe('₹\u00a07,480')
})

describe('the place of supply', () => {
  test('admission for a hospital registered in another state is taxed with CGST and SGST of the venue’s state, not IGST', async () => {
    const body = await issueInvoice(KERALA, { ...REGISTERED_BUYER, ...ROOM })
    expect(body).toMatchObject({
      form: 'tax-invoice',
      buyer: {
        name: 'Sample Hospital',
        gstin: TAMIL_NADU_GSTIN,
        state: { code: '33', name: 'Tamil Nadu' },
      },
      lines: [{ place: '32' }, { place: '32' }],
      byRate: [
        { rate: 18, cgst: 9_000, sgst: 9_000, igst: 0 },
        { rate: 5, cgst: 15_000, sgst: 15_000, igst: 0 },
      ],
    })
  })

  test('if an event and its rooms are in a different state from the supplier, IGST applies, and the page states the place of supply', async () => {
    for (const buyer of [{}, REGISTERED_BUYER]) {
      const body = await issueInvoice(MYSORE, { ...buyer, ...ROOM })
      expect(body.byRate).toMatchObject([
        { rate: 18, place: '29', cgst: 0, sgst: 0, igst: 18_000 },
        { rate: 5, place: '29', cgst: 0, sgst: 0, igst: 30_000 },
      ])
      expect(await readPageText(body)).toContain('Karnataka (state code 29)')
    }
  })

  test('sponsorship is supplied at a registered buyer’s address, otherwise at the venue, so one invoice can have two places of supply', async () => {
    const registeredInvoice = await issueInvoice(KERALA, { ...REGISTERED_BUYER, stall: true })
    expect(registeredInvoice.byRate).toMatchObject([
      { rate: 18, place: '32', taxable: 100_000, igst: 0 },
      { rate: 18, place: '33', taxable: 1_000_000, igst: 180_000 },
    ])
    expect(formatDocument(registeredInvoice).rates?.columns).toEqual([
      'Rate of tax',
      'Place of supply',
      'Taxable value',
      'CGST',
      'SGST',
      'IGST',
    ])
    const unregisteredInvoice = await issueInvoice(KERALA, { stall: true })
    expect(unregisteredInvoice.byRate).toMatchObject([
      { rate: 18, place: '32', taxable: 1_100_000 },
    ])
  })
})

describe('the kind of document', () => {
  test('a donation is an untaxed item on an invoice-cum-bill of supply, not part of the taxable value', async () => {
    const body = await issueInvoice(KERALA, ROOM_AND_DONATION)
    expect(body.form).toBe('invoice-cum-bill')
    expect(body.byRate?.reduce((sum, { taxable }) => sum + taxable, 0)).toBe(700_000)
    expect(body).toMatchObject({ base: 750_000, gst: 48_000, total: 798_000 })
    expect(formatDocument(body).sums.at(-1)).toEqual(['Untaxed items', '₹\u00a0500'])
    expect(getFileName(body)).toMatch(/^Invoice-cum-bill-of-supply-SMPL-25-26-\d+\.pdf$/)
    const registeredInvoice = await issueInvoice(KERALA, {
      ...REGISTERED_BUYER,
      ...ROOM_AND_DONATION,
    })
    expect(registeredInvoice.form).toBe('tax-invoice')
  })

  test('an untaxed bill gets a bill of supply', async () => {
    const body = await issueInvoice(KERALA, { is_member: false, gift: 500 })
    expect(body).toMatchObject({ form: 'bill-of-supply', gst: 0, byRate: [], total: 50_000 })
    const text = await readPageText(body)
    expect(text).toContain('Bill of supply')
    for (const word of ['CGST', 'IGST', 'Taxable', 'reverse charge'])
      expect(text).not.toContain(word)
  })

  test('staff and delegates see the printed document’s title in their lists', async () => {
    const office = await signIn(server)
    for (const [answers, title] of [
      [{ is_member: false, gift: 500 }, 'Bill of supply'],
      [ROOM_AND_DONATION, 'Invoice-cum-bill of supply'],
      [{}, 'Tax invoice'],
    ] as const) {
      const regNo = await registerPaid(KERALA, answers)
      const listTitles = async (response: Promise<{ json<T>(): T }>): Promise<readonly string[]> =>
        (await response).json<DocumentsResponse>().documents.map((document) => document.title)
      const link = await issueLink(server.deps, { regNo, eventId: KERALA })
      const selfServiceTitles = listTitles(server.app.inject(`/api${new URL(link).pathname}`))
      const expectedTitles = ['Receipt', title]
      expect(await selfServiceTitles).toEqual(expectedTitles)
      expect(await listTitles(office.get(`/admin/registrations/${regNo}/documents/`))).toEqual(
        expectedTitles,
      )
    }
  })

  test('a credit note credits each rate at its place of supply, and states which document it corrects', async () => {
    const regNo = await registerPaid(MYSORE, ROOM_AND_DONATION)
    const order = createOrderId(regNo, 1)
    const at = instant(noon + 86_400_000)
    const refund = { type: 'refunded', reference: 'BACK', amount: toAmount(399_000), at } as const
    await server.deps.store.applyPaymentEvent(order, refund, null)
    const [invoice, credit] = [
      await readIssuedDocument(regNo, 'invoice'),
      await readIssuedDocument(regNo, 'credit'),
    ]
    expect(credit).toMatchObject({
      form: 'credit-note',
      of: { serial: invoice.serial, form: 'invoice-cum-bill' },
      total: 399_000,
      byRate: [
        { rate: 18, place: '29', taxable: 50_000, igst: 9_000 },
        { rate: 5, place: '29', taxable: 300_000, igst: 15_000 },
      ],
    })
    const text = await readPageText(credit)
    expect(text).toContain('Against invoice-cum-bill of supply')
    expect(text).not.toContain('no signature is required')
  })
})

test('a long email address stays within the margins of the page', async () => {
  const invoice = await issueInvoice(KERALA, {
    ...REGISTERED_BUYER,
    ...ROOM_AND_DONATION,
    stall: true,
  })
  const email = `${'made.up.name.'.repeat(5)}@department.of.medicine.example.org`
  const lines = invoice.lines.map((line) => ({ ...line, label: 'Registration/'.repeat(4) }))
  const longInvoice = { ...invoice, lines, buyer: { ...invoice.buyer, email } }
  const page = mupdf.Document.openDocument(
    await renderPdf(longInvoice),
    'application/pdf',
  ).loadPage(0)
  const [, , width = 0] = page.getBounds()
  const margin = (18 / 25.4) * 72
  const charactersOutside: string[] = []
  let textOnPage = ''
  page.toStructuredText('preserve-whitespace').walk({
    onChar: (character, _origin, _font, _size, [left = 0, , right = 0]) => {
      textOnPage += character
      if (left < margin - 1 || right > width - margin + 1) charactersOutside.push(character)
    },
  })
  expect(charactersOutside).toEqual([])
  // Copied text must not contain zero-width spaces, which would make an email address invalid.
  expect(textOnPage).toContain(email)
  expect(textOnPage).not.toMatch(/[\u200b\u2060]/)
})

describe('an invoice for 50,000 rupees', () => {
  const register = (answers: Answers) =>
    server.app.inject({
      method: 'POST',
      url: `/api/${KERALA}/register/`,
      payload: { ...DELEGATE_ANSWERS, ...answers, nights: 17 },
    })
  test('requires an address and a state from a buyer without a GSTIN', async () => {
    const response = await register({})
    expect(response.statusCode).toBe(422)
    expect(Object.keys(response.json<{ errors: object }>().errors)).toEqual(['address', 'region'])
    const belowLimit = await server.app.inject({
      method: 'POST',
      url: `/api/${KERALA}/register/`,
      payload: { ...DELEGATE_ANSWERS, nights: 16 },
    })
    expect(belowLimit.statusCode, belowLimit.body).toBe(201)
  })
  test.each([
    ['with an address and a state', { address: '1 Home Road, Kochi', region: 'kl' }],
    ['with a GSTIN', { gst_number: TAMIL_NADU_GSTIN }],
  ])('can be registered %s', async (_, answers) => {
    const response = await register(answers)
    expect(response.statusCode, response.body).toBe(201)
  })

  test('a correction that raises a bill to ₹ 50,000 requires an address and a state', async () => {
    const office = await signIn(server)
    const regNo = await registerPaid(KERALA, { nights: 15 })
    const correct = (answers: object) =>
      office.act(regNo, { act: 'correct', why: 'By phone.', answers })
    const requiredMessage =
      'This is required on an invoice of ₹ 50,000 or more. Please enter it, or enter a GSTIN.'
    expect((await correct({ nights: 16 })).body.code).toBe('price_changes')
    expect((await correct({ nights: 17 })).body).toMatchObject({
      code: 'bad_data',
      message: `Address: ${requiredMessage} Region: ${requiredMessage}`,
    })
    expect((await correct({ nights: 17, address: '1 Home Road' })).body.message).toBe(
      `Region: ${requiredMessage}`,
    )
    const completeAnswers = { nights: 17, address: '1 Home Road', region: 'kl' }
    expect((await correct(completeAnswers)).body.code).toBe('price_changes')
    const answersWithGstin = { nights: 17, gst_number: TAMIL_NADU_GSTIN }
    expect((await correct(answersWithGstin)).body.code).toBe('price_changes')
    expect((await correct({ full_name: 'Asha Other' })).status).toBe(200)
  })

  test('an older bill without an address can still be corrected', async () => {
    const office = await signIn(server)
    const regNo = await registerPaid(KERALA, { nights: 17 })
    const nameCorrection = { act: 'correct', why: 'A typo.', answers: { full_name: 'Asha Other' } }
    expect((await office.act(regNo, nameCorrection)).status).toBe(200)
  })
})

test('another site’s URL in an institution name is not a link in the receipt or the invoice', async () => {
  const enteredAnswers = {
    full_name: 'Dr. A.B. Nair evil\u2024example',
    email: 'made.up@example.org',
    institution: 'https://evil.example/inst',
    address: 'www.evil.example\nmailto:x@evil.example, Kochi 682001',
    gst_number: '',
  }
  const regNo = await registerPaid(KERALA, { ...ROOM_AND_DONATION, ...enteredAnswers })
  for (const kind of ['receipt', 'invoice']) {
    const body = await readIssuedDocument(regNo, kind)
    expect(JSON.stringify(body)).toContain('evil')
    const text = await readPageText(body)
    expect(text).not.toMatch(/https?:\/\/|www\.\S|evil[.\u2024]\S|mailto:\S/)
    expect(text).toContain('https: / /evil. example/inst')
    expect(text).toContain('www. evil. example')
    // The email addresses of the delegate and the organisers are not split.
    for (const word of ['made.up@example.org', body.event.support]) expect(text).toContain(word)
  }
  const receipt = await readIssuedDocument(regNo, 'receipt')
  const [line] = receipt.lines
  if (line === undefined) throw new Error('the document needs a line')
  const label = 'Visit of https://tours.example for https://evil.example/x'
  const { rows } = formatDocument(
    { ...receipt, lines: [{ ...line, label }] },
    { items: ['Visit of https://tours.example for {institution}'] },
  )
  expect(rows[0]?.[0]).toBe('Visit of https://tours.example for https: / /evil. example/x')
  const reference = 'evil.example/pay'
  const payment = { reference, at: receipt.at }
  expect(JSON.stringify(formatDocument({ ...receipt, paid: payment }))).not.toContain(
    'evil.example',
  )
})
