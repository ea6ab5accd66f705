/** Events and documents with two tax rates, for tests and `npm run pictures:invoices`. */
import { instant, createOrderId, toAmount } from '../../../../engine/index.ts'
import type { Answers, DocumentBody, RegNo } from '../../../../engine/index.ts'
import { readGolden } from '../../../engine/authoring/goldens.ts'
import type { TestApp } from '../../harness.ts'

export const TAMIL_NADU_GSTIN = '33AAAAA0000A1Z9'
/** The venue is in the supplier's state. */
export const KERALA = 'sample2026'
/** The venue and its rooms are in a different state from the supplier. */
export const MYSORE = 'second2026'

function buildEventFile(id: string, prefix: string, venue: string): string {
  return readGolden('EV491-by-field.yaml')
    .replaceAll('sample2026', id)
    .replaceAll('SMPL', prefix)
    .replace('place_of_supply: region', `place_of_supply: ${venue}`)
    .replace('gateway: card-gateway, account: sample', 'gateway: airpay, account: afpi')
    .replace('{id: abroad, label: Abroad}', '{id: tn, label: Tamil Nadu}')
    .replace(
      'number: "',
      'declaration: Not required to issue e-invoices (rule 46, clause s).\n  buyer: {name: institution, gstin: gst_number, address: address, state: region}\n  number: "',
    )
    .replace(
      '        - id: region\n',
      `        - {id: nights, type: number, label: Nights, min: 0, max: 20}
        - {id: gift, type: number, label: Donation, min: 0, max: 5000}
        - {id: stall, type: yes-no, label: Stall, default: false}
        - {id: kit, type: yes-no, label: Kit, default: false}
        - {id: hall, type: number, label: Nights in Chennai, min: 0, max: 20}
        - {id: institution, label: Institution}
        - {id: gst_number, label: GSTIN, format: gstin}
        - {id: address, label: Address}
        - id: region
`,
    )
    .replace(
      '    visitor: [2000, 2500]\n',
      `    visitor: [free, 2500]
  items:
    - id: room
      label: Room
      times: nights
      sac: 996311
      tax: {name: GST, percent: 5, prices: exclusive}
      prices:
        period: [early, late]
        each:   [3000, 3500]
    - id: room-elsewhere
      label: Room in Chennai
      times: hall
      sac: 996311
      place_of_supply: Tamil Nadu
      tax: {name: GST, percent: 5, prices: exclusive}
      prices:
        period: [early, late]
        each:   [2000, 2500]
    - {id: donation, label: Donation, amount_in: gift, tax: none}
    - id: kit
      label: Workshop kit
      when: {kit: true}
      prices:
        period: [early, late]
        each:   [100.50, 100.50]
    - id: stall
      label: Sponsorship
      when: {stall: true}
      sac: 998397
      prices:
        period: [early, late]
        each:   [10000, 10000]
`,
    )
}

export const TAX_EVENTS: Readonly<Record<string, string>> = {
  'sample2026.yaml': buildEventFile(KERALA, 'SMPL', 'Kerala'),
  'second2026.yaml': buildEventFile(MYSORE, 'SCND', 'Karnataka'),
}

export const DELEGATE_ANSWERS: Answers = {
  full_name: 'Asha Sample',
  email: 'made.up@example.org',
  phone_number: '+919876500001',
  is_member: true,
}
export const REGISTERED_BUYER: Answers = {
  institution: 'Sample Hospital',
  gst_number: TAMIL_NADU_GSTIN,
  address: '4 Other Street\nChennai 600001',
}
/**
 * A buyer without a GSTIN. The taxable value of each sample is above ₹ 50,000, so the law requires
 * an address and a state.
 */
const UNREGISTERED_BUYER: Answers = { address: '1 Home Road\nKochi 682001', region: 'kl' }

/** For an intra-state supply, 18% of this price is an odd number of paise. */
const BILL_ANSWERS: Answers = { nights: 17, kit: true }

/** The kinds of supply under rule 46: intra-state and inter-state, to registered and unregistered buyers. */
export const SUPPLIES = [
  { name: 'intra-state-registered', event: KERALA, buyer: REGISTERED_BUYER },
  { name: 'intra-state-unregistered', event: KERALA, buyer: UNREGISTERED_BUYER },
  { name: 'inter-state-registered', event: MYSORE, buyer: REGISTERED_BUYER },
  { name: 'inter-state-unregistered', event: MYSORE, buyer: UNREGISTERED_BUYER },
] as const
export type SupplyName = (typeof SUPPLIES)[number]['name']

/** Registers through the form, and pays as a delegate does. */
export async function registerAndPay(
  { app, deps, now, rows }: TestApp,
  event: string,
  answers: Answers,
): Promise<RegNo> {
  const payload = { ...DELEGATE_ANSWERS, ...answers }
  const response = await app.inject({ method: 'POST', url: `/api/${event}/register/`, payload })
  if (response.statusCode !== 201) throw new Error(response.body)
  const regNo = response.json<{ reg_no: RegNo }>().reg_no
  const [order] = rows('SELECT order_id, amount FROM payments ORDER BY id DESC LIMIT 1')
  if (order?.['order_id'] !== createOrderId(regNo, 1)) throw new Error('no order was placed')
  const paymentEvent = {
    type: 'confirmed',
    reference: `REF${regNo}`,
    amount: toAmount(Number(order['amount'])),
    currency: '356',
    kind: 'sale',
    at: now(),
  } as const
  await deps.store.applyPaymentEvent(createOrderId(regNo, 1), paymentEvent, null)
  return regNo
}

export async function readDocument(
  { deps: { store } }: TestApp,
  regNo: RegNo,
  kind: string,
): Promise<DocumentBody> {
  const entry = (await store.documents(regNo)).find((document) => document.kind === kind)
  const body = await store.document(regNo, entry?.id ?? 0)
  if (body === null) throw new Error(`no ${kind}`)
  return body
}

/** Issues the invoice for a supply, and the credit note for ₹ 20,000.05 that is refunded a day later. */
export async function issueInvoiceAndCredit(
  server: TestApp,
  { event, buyer }: (typeof SUPPLIES)[number],
): Promise<{ readonly invoice: DocumentBody; readonly credit: DocumentBody }> {
  const regNo = await registerAndPay(server, event, { ...BILL_ANSWERS, ...buyer })
  const at = instant(server.now() + 86_400_000)
  const refundEvent = {
    type: 'refunded',
    reference: 'BACK',
    amount: toAmount(2_000_005),
    at,
  } as const
  await server.deps.store.applyPaymentEvent(createOrderId(regNo, 1), refundEvent, null)
  return {
    invoice: await readDocument(server, regNo, 'invoice'),
    credit: await readDocument(server, regNo, 'credit'),
  }
}
