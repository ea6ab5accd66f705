/** Documents for payments (receipts, tax invoices and credit notes) as database rows, as PDF files and by email. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import * as mupdf from 'mupdf'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { spellAmount } from '../../../../engine/documents/amount-in-words.ts'
import { INR, formatMoney, instant, createOrderId, toAmount } from '../../../../engine/index.ts'
import type { DocumentBody, RegNo } from '../../../../engine/index.ts'
import type { DocumentsResponse } from '../../../../engine/api.ts'
import type { SelfServiceResponse } from '../../../../engine/api.ts'
import { readGolden } from '../../../engine/authoring/goldens.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { run } from '../../run-command.ts'
import { toNoon, register, signIn } from '../office.ts'
import { formatDocument } from '../../../../server/documents/document-contents.ts'
import { renderPdf } from '../../../../server/documents/render-pdf.ts'
import { issueLink } from '../../../../server/registration/access-link.ts'
import { collectTicket } from '../../../../server/mail/ticket-contents.ts'
import type { Office } from '../office.ts'

let server: TestApp
let office: Office
const EVENT = 'sample2026'
const noon = toNoon('2026-01-20')

beforeAll(async () => {
  const eventFile = readGolden('EV493.yaml')
    .replace('number: "SMPL/24-25/{n}"', 'number: "SMPL/{year}/{n}"')
    .replace('gateway: card-gateway, account: sample', 'gateway: airpay, account: afpi')
  server = await startTestApp({ clock: '2026-01-20', events: { 'sample2026.yaml': eventFile } })
  office = await signIn(server)
})
afterAll(() => server.close())

const buildAnswers = (name: string) => ({
  full_name: name,
  email: 'made.up@example.org',
  phone_number: '+919876500001',
  is_member: true,
})
const registerPaid = (n: number, name = 'Asha Sample'): Promise<RegNo> =>
  register(server, EVENT, {
    n,
    on: instant(noon + n * 60_000),
    answers: buildAnswers(name),
    pays: 'success',
  })
const readDocuments = async (regNo: RegNo): Promise<DocumentsResponse['documents']> =>
  (await office.get(`/admin/registrations/${regNo}/documents/`)).json<DocumentsResponse>().documents
const readBody = async (regNo: RegNo, kind: string): Promise<DocumentBody> => {
  const entry = (await readDocuments(regNo)).find((document) => document.kind === kind)
  const body = await server.deps.store.document(regNo, entry?.id ?? 0)
  if (body === null) throw new Error(`no ${kind}`)
  return body
}

test('a payment has a receipt and an invoice with consecutive numbers', async () => {
  const [firstRegNo, secondRegNo] = [await registerPaid(1), await registerPaid(2)]
  const unpaidRegNo = await register(server, EVENT, {
    n: 3,
    on: noon,
    answers: buildAnswers('Not Paid'),
  })
  expect(await readDocuments(unpaidRegNo)).toEqual([])
  expect((await readDocuments(firstRegNo)).map(({ kind, serial }) => [kind, serial])).toEqual([
    ['receipt', createOrderId(firstRegNo, 1)],
    ['invoice', 'SMPL/25-26/1'],
  ])
  expect((await readDocuments(secondRegNo)).map(({ serial }) => serial)).toContain('SMPL/25-26/2')
  const invoice = await readBody(firstRegNo, 'invoice')
  expect(invoice).toMatchObject({
    buyer: { name: 'Asha Sample', gstin: null },
    supplier: { gstin: '32AAAAA0000A1ZB', sac: '998596' },
    form: 'tax-invoice',
    lines: [{ sac: '998596', rate: 18, place: '32', base: 100_000, gst: 18_000 }],
    byRate: [{ rate: 18, place: '32', taxable: 100_000, cgst: 9_000, sgst: 9_000, igst: 0 }],
    inWords: 'Rupees one thousand one hundred eighty only',
  })
  // A repeated gateway message does not issue another document.
  await server.deps.store.applyPaymentEvent(
    createOrderId(firstRegNo, 1),
    {
      type: 'confirmed',
      reference: 'REF1',
      amount: toAmount(118_000),
      currency: '356',
      kind: 'sale',
      at: noon,
    },
    null,
  )
  expect(await readDocuments(firstRegNo)).toHaveLength(2)
})

test('a credit note has the tax rate of its invoice, and never exceeds the invoice', async () => {
  const regNo = await registerPaid(4)
  for (const [reference, amount] of [
    ['BACK1', 50_000],
    ['BACK2', 68_000],
  ] as const)
    await server.deps.store.applyPaymentEvent(
      createOrderId(regNo, 1),
      { type: 'refunded', reference, amount: toAmount(amount), at: instant(noon + 3_600_000) },
      null,
    )
  const documents = await readDocuments(regNo)
  expect(documents.map(({ kind, serial, total }) => [kind, serial, total])).toEqual([
    ['receipt', createOrderId(regNo, 1), 1180],
    ['invoice', 'SMPL/25-26/3', 1180],
    ['credit', 'CSMPL/25-26/1', 500],
    ['credit', 'CSMPL/25-26/2', 680],
  ])
  const creditNote = await readBody(regNo, 'credit')
  expect(creditNote).toMatchObject({ base: 42_373, gst: 7_627, of: { serial: 'SMPL/25-26/3' } })
})

test.for([
  { n: 20, received: 118_000 + 10_000, before: 0, after: 10_000, credited: [] },
  { n: 21, received: 118_000 + 10_000, before: 0, after: 15_000, credited: [50] },
  { n: 22, received: 108_000, before: 10_000, after: 0, credited: [] },
  { n: 23, received: 108_000, before: 10_000, after: 20_000, credited: [200] },
  { n: 24, received: 128_000 + 118_000, before: 118_000, after: 0, credited: [] },
])(
  'if $received is accepted for 118000, with $before refunded before acceptance and $after afterwards, the receipt states the amount held, and the credit notes are for $credited',
  async ({ n, received, before, after, credited }) => {
    const regNo = await register(server, EVENT, { n, on: noon, answers: buildAnswers('Odd Sum') })
    const order = createOrderId(regNo, 1)
    const { store } = server.deps
    const paymentEvent = {
      type: 'confirmed',
      reference: `ODD${n}`,
      amount: toAmount(received),
    } as const
    await store.applyPaymentEvent(
      order,
      { ...paymentEvent, currency: '356', kind: 'sale', at: noon },
      null,
    )
    const refund = async (amount: number, reference: string): Promise<void> => {
      if (amount === 0) return
      const refundedAt = instant(noon + 3_600_000)
      await store.applyPaymentEvent(
        order,
        { type: 'refunded', reference, amount: toAmount(amount), at: refundedAt },
        null,
      )
    }
    await refund(before, `EARLY${n}`)
    const [review] = (await store.reviews(null)).filter((review) => review.regNo === regNo)
    const acceptance = {
      what: 'accept',
      reference: null,
      amount: null,
      why: 'Agreed',
      who: 'x',
    } as const
    const decision = await store.decideReview(
      review?.id ?? '',
      acceptance,
      instant(noon + 7_200_000),
      null,
    )
    expect(decision).toMatchObject({ ok: true })
    await refund(after, `LATE${n}`)
    const documents = await readDocuments(regNo)
    expect(documents.find(({ kind }) => kind === 'invoice')?.total).toBe(1180)
    // The receipt and the list show the amount held at acceptance, not the price.
    const amountHeld = received - before
    expect(documents.find(({ kind }) => kind === 'receipt')?.total).toBe(amountHeld / 100)
    const {
      head,
      notes,
      total,
      sums,
      in_words: inWords,
    } = formatDocument(await readBody(regNo, 'receipt'))
    // Each label says which number follows.
    expect([head[0]?.[0], head[2]?.[0]]).toEqual(['Order number', 'Registration number'])
    expect(notes[0]?.[1]).toContain(', payment reference ')
    expect(total).toEqual(['Paid', formatMoney(toAmount(amountHeld), INR)])
    expect(sums.slice(-2)).toEqual([
      ['Price', '₹\u00a01,180'],
      amountHeld > 118_000
        ? ['Overpayment', '₹\u00a0100']
        : ['Waived by the organisers', '−₹\u00a0200'],
    ])
    expect(inWords).toBe(spellAmount(toAmount(amountHeld), INR))
    const credits = documents.filter(({ kind }) => kind === 'credit')
    expect(credits.map(({ total }) => total)).toEqual(credited)
  },
)

test('a credit note’s number is in the series of its invoice, even if the event file no longer defines invoices', async () => {
  const regNo = await registerPaid(8)
  const eventFile = server.readEvent('sample2026.yaml')
  const fileWithoutInvoices = eventFile.replace(/^invoice:\n(?: .*\n)+/m, '')
  expect(fileWithoutInvoices).not.toBe(eventFile)
  const applyRefund = (reference: string) =>
    server.deps.store.applyPaymentEvent(
      createOrderId(regNo, 1),
      { type: 'refunded', reference, amount: toAmount(20_000), at: instant(noon + 7_200_000) },
      null,
    )
  try {
    for (const [file, reference] of [
      [fileWithoutInvoices, 'BACK8'],
      [eventFile.replace('SMPL/{year}/{n}', 'ANEW/{year}/{n}'), 'BACK9'],
    ] as const) {
      server.writeEvent('sample2026.yaml', file)
      await server.deps.events.reload()
      await applyRefund(reference)
    }
  } finally {
    server.writeEvent('sample2026.yaml', eventFile)
    await server.deps.events.reload()
  }
  const credits = (await readDocuments(regNo)).filter(({ kind }) => kind === 'credit')
  expect(credits.map(({ serial, total }) => [serial.slice(0, 12), total])).toEqual([
    ['CSMPL/25-26/', 200],
    ['CSMPL/25-26/', 200],
  ])
})

test('a document cannot be rewritten or deleted', async () => {
  expect(server.rows('SELECT id FROM documents').length).toBeGreaterThan(0)
  const db = new Database(join(server.dir, 'rollcall.db'))
  try {
    expect(() => db.exec("UPDATE documents SET body = '{}' WHERE kind = 'invoice'")).toThrow(
      'never rewritten',
    )
    expect(() => db.exec('DELETE FROM documents')).toThrow('never deleted')
  } finally {
    db.close()
  }
})

/** Counts the characters without a glyph (glyph 0), which are drawn as boxes. */
function countMissingGlyphs(page: mupdf.Page): number {
  let missingCount = 0
  const device = new mupdf.Device({
    fillText: (text) =>
      text.walk({
        showGlyph: (_font, _place, glyph) => {
          if (glyph === 0) missingCount += 1
        },
      }),
  })
  page.run(device, mupdf.Matrix.identity)
  device.close()
  return missingCount
}

test('the PDF shows the stored data in every script, and is identical each time', async () => {
  const name = 'ഡോ. അഞ്ജലി / टि कृष्णा / ஸ்ரீ / ଡାଃ ସୁଭଦ୍ରା'
  const regNo = await registerPaid(5, name)
  const invoice = (await readDocuments(regNo)).find(({ kind }) => kind === 'invoice')
  const get = (): ReturnType<Office['get']> =>
    office.get(`/admin/registrations/${regNo}/documents/${invoice?.id}/`)
  const [firstPdf, secondPdf] = [await get(), await get()]
  expect(firstPdf.headers).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': `attachment; filename="Tax-invoice-${invoice?.serial.replaceAll('/', '-')}.pdf"`,
  })
  expect(firstPdf.rawPayload.equals(secondPdf.rawPayload)).toBe(true)
  const page = mupdf.Document.openDocument(firstPdf.rawPayload, 'application/pdf').loadPage(0)
  const text = page.toStructuredText('preserve-whitespace').asText()
  for (const label of [
    'Tax invoice',
    invoice?.serial ?? '',
    '₹\u00a01,180',
    '9%: ₹ 90',
    'GSTIN 32AAAAA0000A1ZB',
  ])
    expect(text.replaceAll(' ', '\u00a0')).toContain(label.replaceAll(' ', '\u00a0'))
  expect(countMissingGlyphs(page)).toBe(0)
  // A screen reader announces the headings and tables, which are structure elements of a tagged PDF.
  const structure = firstPdf.rawPayload.toString('latin1')
  for (const role of ['H1', 'Table', 'TH', 'TD'])
    expect(structure).toMatch(new RegExp(`/S ?/${role}\\b`))
  expect(structure).toContain('/StructTreeRoot')
  const chineseReceipt = await readBody(await registerPaid(7, '李'), 'receipt')
  const pdfWithoutGlyph = mupdf.Document.openDocument(
    await renderPdf(chineseReceipt),
    'application/pdf',
  )
  expect(countMissingGlyphs(pdfWithoutGlyph.loadPage(0))).toBe(1)
  const strangerResponse = await office.get(
    `/admin/registrations/${await registerPaid(6)}/documents/${invoice?.id}/`,
  )
  expect(strangerResponse.statusCode).toBe(404)
})

test('a process that has rendered a receipt can exit immediately', async () => {
  const invoice = await readBody(await registerPaid(12), 'invoice')
  const script = `
    import { renderPdf } from './server/documents/render-pdf.ts'
    const pdf = await renderPdf(${JSON.stringify(invoice)})
    console.log(pdf.subarray(0, 5).toString(), ...process.getActiveResourcesInfo())`
  const { stdout, stderr } = run(['--eval', script])
  // The process exits on its own: the background process does not keep it alive.
  expect(stdout, stderr).toMatch(/^%PDF-/)
  expect(stdout).not.toContain('Timeout')
})

test('after a transfer, only staff can open documents issued to the first holder', async () => {
  const details = { n: 60, on: toNoon('2026-01-18'), answers: buildAnswers('First Holder') }
  const regNo = await register(server, EVENT, { ...details, pays: 'success' })
  const buildLink = async (): Promise<string> => {
    const link = await issueLink(server.deps, { regNo, eventId: EVENT })
    return `/api${new URL(link).pathname}/`
  }
  const readSelfServicePage = async (path: string) =>
    (await server.app.inject({ url: path })).json<SelfServiceResponse>().documents ?? []
  const documentsBefore = await readDocuments(regNo)
  const issuedInvoice = await readBody(regNo, 'invoice')
  const firstLink = await buildLink()
  expect((await readSelfServicePage(firstLink)).map(({ id }) => id)).toEqual(
    documentsBefore.map(({ id }) => id),
  )
  const transfer = {
    act: 'transfer',
    why: 'A colleague comes.',
    answers: {
      full_name: 'Second Holder',
      email: 'second@example.org',
      phone_number: '9876511111',
    },
  }
  expect(await office.act(regNo, transfer)).toMatchObject({ status: 200 })
  // The office has the original documents; the first holder's link is revoked.
  expect(await readDocuments(regNo)).toEqual(documentsBefore)
  expect(await readBody(regNo, 'invoice')).toEqual(issuedInvoice)
  expect(JSON.stringify(issuedInvoice)).toContain('First Holder')
  expect((await server.app.inject({ url: firstLink })).statusCode).toBe(404)
  const secondLink = await buildLink()
  expect(await readSelfServicePage(secondLink)).toEqual([])
  for (const { id } of documentsBefore) {
    const response = await server.app.inject({ url: `${secondLink}documents/${id}/` })
    expect([response.statusCode, response.body.includes('First Holder')]).toEqual([404, false])
  }
  // The first holder's email attached their receipt and invoice.
  const event = server.deps.events.findById(EVENT)?.config ?? null
  const resendRequest = { kind: 'again', regNo, to: 'second@example.org' } as const
  const ticket = await collectTicket(server.deps.store, event, resendRequest, server.now())
  expect(ticket?.documents).toEqual([])
})
