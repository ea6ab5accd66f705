/** Documents for bills with a charge that depends on the payment method, and with a tax rule. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DocumentBody } from '../../../../engine/index.ts'
import { formatDocument } from '../../../../server/documents/document-contents.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import {
  readDocument,
  KERALA,
  registerAndPay,
  REGISTERED_BUYER,
  TAX_EVENTS,
} from './tax-samples.ts'

const eventFile = (TAX_EVENTS['sample2026.yaml'] ?? '')
  .replace(
    '  tax: {name: GST, percent: 18, prices: exclusive}\n',
    `  tax: {name: GST, percent: 18, prices: exclusive}
  tax_rules:
    - {when: {gst_number: {answered: true}}, percent: 0, note: reverse charge}
  adjustments:
    - {id: card-charge, label: Card charge, when: {method: card}, on: all, percent: 3}
`,
  )
  .replace(
    'payment: {gateway: airpay, account: afpi}',
    `payment:
  methods:
    - {id: card, gateway: airpay, account: afpi}
    - {id: desk, office_only: true}`,
  )

let server: TestApp
beforeAll(async () => {
  server = await startTestApp({ clock: '2026-01-20', events: { 'sample2026.yaml': eventFile } })
})
afterAll(() => server.close())

const readRows = (body: DocumentBody) =>
  formatDocument(body).rows.map((row) => row.map((cell) => cell.replaceAll('\u00a0', ' ')))

test('an invoice states the card charge below the line that it increases, taxed at that line’s rate', async () => {
  const regNo = await registerAndPay(server, KERALA, { nights: 2 })
  const invoice = await readDocument(server, regNo, 'invoice')
  expect(invoice).toMatchObject({
    total: 770_440,
    byRate: [
      { rate: 18, taxable: 103_000, cgst: 9_270, sgst: 9_270 },
      { rate: 5, taxable: 618_000, cgst: 15_450, sgst: 15_450 },
    ],
  })
  expect(readRows(invoice).map(([label]) => label)).toEqual([
    'Member\nCard charge: ₹ 30',
    'Room\nCard charge: ₹ 180',
  ])
  expect(readRows(await readDocument(server, regNo, 'receipt')).at(-1)).toContain('Card charge')
})

test('an invoice states the note of a tax rule, and taxes only the lines that the rule does not exempt', async () => {
  const invoice = await readDocument(
    server,
    await registerAndPay(server, KERALA, { ...REGISTERED_BUYER, nights: 2 }),
    'invoice',
  )
  expect(invoice).toMatchObject({
    form: 'tax-invoice',
    total: 751_900,
    byRate: [{ rate: 5, taxable: 618_000 }],
  })
  const [member, room] = readRows(invoice)
  expect(member?.[0]).toContain('Member (reverse charge)')
  expect(member).toContain('untaxed')
  expect(room).toContain('5%')
})
