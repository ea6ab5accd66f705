/** Tax documents of a registration that was transferred to another person, or whose buyer was corrected after payment. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatIsoIndia, instant } from '../../../../engine/index.ts'
import type { Answers, DocumentBody, RegNo } from '../../../../engine/index.ts'
import type { DocumentsResponse, SelfServiceResponse } from '../../../../engine/api.ts'
import { collectTicket } from '../../../../server/mail/ticket-contents.ts'
import { issueLink } from '../../../../server/registration/access-link.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { signIn } from '../office.ts'
import type { Office } from '../office.ts'
import { KERALA, registerAndPay, REGISTERED_BUYER, TAX_EVENTS } from './tax-samples.ts'

let server: TestApp
let office: Office
let delegateCount = 0
beforeAll(async () => {
  server = await startTestApp({ clock: '2026-01-20', events: TAX_EVENTS })
  office = await signIn(server)
})
afterAll(() => server.close())

/** Advances the clock, because documents issued at the time of the transfer belong to the former holder. */
const pass = (): void => server.setTime(formatIsoIndia(instant(server.now() + 60_000)))

/** Registers the first holder, whose institution pays. */
async function registerFirstHolder(extras: Answers = {}): Promise<RegNo> {
  delegateCount += 1
  return registerAndPay(server, KERALA, {
    ...REGISTERED_BUYER,
    full_name: 'First Holder',
    email: `first${delegateCount}@example.org`,
    phone_number: `+9198765${String(20_000 + delegateCount)}`,
    nights: 2,
    ...extras,
  })
}
async function perform(regNo: RegNo, action: object): Promise<string> {
  pass()
  const { status, body } = await office.act(regNo, { why: 'By letter.', ...action })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.message
}
const transfer = (regNo: RegNo): Promise<string> =>
  perform(regNo, {
    act: 'transfer',
    answers: {
      full_name: 'Second Holder',
      email: 'second@example.org',
      phone_number: '9876511111',
    },
  })
/** Corrects answers, accepts the new price, and pays the difference. */
async function correctAndPay(regNo: RegNo, answers: Answers, total: number): Promise<void> {
  await perform(regNo, { act: 'correct', answers, total })
  const registration = await server.deps.store.registration(regNo)
  const { orderId, amount } = registration?.payments[0] ?? {}
  if (orderId === undefined || amount === undefined) throw new Error('no payment')
  pass()
  await server.deps.store.applyPaymentEvent(
    orderId,
    {
      type: 'confirmed',
      reference: `MORE${regNo}`,
      amount,
      currency: '356',
      kind: 'sale',
      at: server.now(),
    },
    null,
  )
}
async function readBodies(regNo: RegNo): Promise<readonly DocumentBody[]> {
  const { store } = server.deps
  const bodies = await Promise.all(
    (await store.documents(regNo)).map(({ id }) => store.document(regNo, id)),
  )
  return bodies.flatMap((body) => (body === null ? [] : [body]))
}
/** Returns the documents that the new holder sees: on the self-service page, and attached to an email. */
async function readHolderDocuments(regNo: RegNo) {
  const link = await issueLink(server.deps, { regNo, eventId: KERALA })
  const page = await server.app.inject({ url: `/api${new URL(link).pathname}/` })
  const event = server.deps.events.findById(KERALA)?.config ?? null
  const email = { kind: 'again', regNo, to: 'second@example.org' } as const
  const ticket = await collectTicket(server.deps.store, event, email, server.now())
  return {
    page: (page.json<SelfServiceResponse>().documents ?? []).map(({ kind }) => kind),
    email: ticket?.documents.map(({ document }) => document.title) ?? [],
    link: `/api${new URL(link).pathname}`,
  }
}

test('an invoice and a receipt issued after a transfer named the former holder’s institution, address and GSTIN', async () => {
  const regNo = await registerFirstHolder({ region: 'tn' })
  const count = (await readBodies(regNo)).length
  await transfer(regNo)
  await correctAndPay(regNo, { nights: 3 }, 10_630)
  const bodies = (await readBodies(regNo)).slice(count)
  expect(bodies.map(({ kind }) => kind)).toEqual(['invoice', 'receipt'])
  for (const { buyer } of bodies)
    expect(buyer).toEqual({
      name: 'Second Holder',
      email: 'second@example.org',
      gstin: null,
      address: null,
      state: null,
    })
  expect(await readHolderDocuments(regNo)).toMatchObject({
    page: ['invoice', 'receipt'],
    email: ['Tax invoice', 'Receipt'],
  })
})

test('a credit note for the former holder’s invoice was shown and emailed to the new holder', async () => {
  const regNo = await registerFirstHolder()
  await transfer(regNo)
  expect(await perform(regNo, { act: 'cancel', pay_back: 1000 })).toMatch(
    /To refund: ₹\s1,000\. Credit note \S+ is for the previous holder\. Download it and send it to them\.$/,
  )
  const refund = { act: 'refund', amount: 1000, by_hand: true, reference: `BACK${regNo}` }
  // The refund issues no further credit note.
  expect(await perform(regNo, refund)).not.toContain('previous holder')
  const documents = await server.deps.store.documents(regNo)
  const credit = documents.find(({ kind }) => kind === 'credit')
  expect((await readBodies(regNo)).find(({ kind }) => kind === 'credit')?.buyer).toMatchObject({
    name: 'Sample Hospital',
    email: expect.stringContaining('first') as string,
  })
  const { page, email, link } = await readHolderDocuments(regNo)
  expect([page, email]).toEqual([[], []])
  const response = await server.app.inject({ url: `${link}/documents/${credit?.id}/` })
  expect(response.statusCode).toBe(404)
  // Staff download it and send it to the previous holder.
  const list = await office.get(`/admin/registrations/${regNo}/documents/`)
  expect(list.json<DocumentsResponse>().documents.map(({ kind }) => kind)).toContain('credit')
  const pdf = await office.get(`/admin/registrations/${regNo}/documents/${credit?.id}/`)
  expect(pdf.headers['content-type']).toBe('application/pdf')
})

test('an invoice issued after a transfer names the institution that staff entered for the new holder', async () => {
  const regNo = await registerFirstHolder()
  await transfer(regNo)
  const recipient = { institution: 'New Hospital', gst_number: '29ABCDE1234F1ZW' }
  await correctAndPay(regNo, { nights: 3, ...recipient }, 10_630)
  const [invoice] = (await readBodies(regNo)).filter(({ buyer }) => buyer.name === 'New Hospital')
  expect(invoice).toMatchObject({
    kind: 'invoice',
    buyer: { gstin: '29ABCDE1234F1ZW', state: { code: '29' }, address: null },
  })
  // A credit note has the recipient of its invoice, and the new holder sees only that of the new invoice.
  await perform(regNo, { act: 'correct', answers: { nights: 0 }, total: 1180 })
  const credits = (await readBodies(regNo)).filter(({ kind }) => kind === 'credit')
  expect(credits.map(({ buyer }) => buyer.name).toSorted()).toEqual([
    'New Hospital',
    'Sample Hospital',
  ])
  expect((await readHolderDocuments(regNo)).page).toEqual(['invoice', 'receipt', 'credit'])
})

test('an institution that both holders have stays on later invoices if staff save it again', async () => {
  const regNo = await registerFirstHolder()
  expect(await transfer(regNo)).toBe(
    "Registration transferred. Later invoices omit the previous holder's answers. For the new holder, save these answers again: Institution, GSTIN, Address.",
  )
  const { institution } = REGISTERED_BUYER
  expect(await perform(regNo, { act: 'correct', answers: { institution } })).toBe(
    'Correction saved. The documents already issued keep their recipient.',
  )
  await correctAndPay(regNo, { nights: 3 }, 10_630)
  const buyers = (await readBodies(regNo)).slice(2).map(({ buyer }) => buyer)
  expect(buyers).toMatchObject([
    { name: 'Sample Hospital', gstin: null, address: null },
    { name: 'Sample Hospital', gstin: null, address: null },
  ])
})

test('after a transfer, an invoice of ₹ 50,000 or more does not use the address of the former holder', async () => {
  const regNo = await registerFirstHolder({ nights: 17, region: 'tn' })
  await transfer(regNo)
  const act = { act: 'correct', answers: { nights: 18 }, total: 57_880, why: 'By letter.' }
  const { status, body } = await office.act(regNo, act)
  expect([status, body]).toMatchObject([422, { errors: { address: expect.any(String) as string } }])
  for (const answers of [{ address: '9 New Road' }, { region: 'kl' }])
    await perform(regNo, { act: 'correct', answers })
  await perform(regNo, act)
  const invoice = (await readBodies(regNo)).findLast(({ kind }) => kind === 'invoice')
  expect(invoice?.buyer).toMatchObject({
    name: 'Second Holder',
    address: '9 New Road',
    state: { code: '32' },
  })
})

test('staff who added a GSTIN after payment were not told that no issued document changes', async () => {
  const note = ' The documents already issued keep their recipient.'
  const regNo = await registerFirstHolder({ institution: '', gst_number: '' })
  const count = (await readBodies(regNo)).length
  const correct = (answers: Answers, total?: number) =>
    perform(regNo, { act: 'correct', answers, total })
  expect(await correct({ gst_number: '29ABCDE1234F1ZW' })).toBe(`Correction saved.${note}`)
  expect(await correct({ institution: 'New Hospital', nights: 3 }, 10_630)).toBe(
    `Correction saved. The price is ₹\u00a03,150 higher.${note}`,
  )
  expect(await correct({ phone_number: '+919876500009' })).toBe('Correction saved.')
  expect((await readBodies(regNo)).slice(count)).toMatchObject([
    { kind: 'invoice', buyer: { name: 'New Hospital', gstin: '29ABCDE1234F1ZW' } },
  ])
})

test('the emails to the new holder named the former holder’s institution', async () => {
  const email = `\nemail:\n  subject: "{reg_no}"\n  text: "Paid by {institution}."\n`
  const ownServer = await startTestApp({
    clock: '2026-01-20',
    events: { 'sample2026.yaml': `${TAX_EVENTS['sample2026.yaml']}${email}` },
  })
  const ownOffice = await signIn(ownServer)
  const regNo = await registerAndPay(ownServer, KERALA, {
    ...REGISTERED_BUYER,
    full_name: 'First Holder',
    email: 'first@example.org',
    phone_number: '+919876520000',
  })
  const resend = async (): Promise<string> => {
    const response = await ownOffice.act(regNo, { act: 'resend', why: 'On request.' })
    expect(response.status, JSON.stringify(response.body)).toBe(200)
    return (await ownServer.deps.store.emailsOfRegistration(regNo)).at(-1)?.text ?? ''
  }
  expect(await resend()).toContain('Sample Hospital')
  const answers = {
    full_name: 'Second Holder',
    email: 'second@example.org',
    phone_number: '9876511111',
  }
  const transferResponse = await ownOffice.act(regNo, { act: 'transfer', why: 'Ill.', answers })
  expect(transferResponse.status, JSON.stringify(transferResponse.body)).toBe(200)
  expect(await resend()).not.toContain('Sample Hospital')
  await ownServer.close()
})
