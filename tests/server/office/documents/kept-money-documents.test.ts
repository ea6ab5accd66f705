/** Tax documents, by tax rate, for amounts that were retained, waived, never paid or invoiced elsewhere. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { INR, instant, createOrderId, toAmount, quote } from '../../../../engine/index.ts'
import type { Answers, RegNo } from '../../../../engine/index.ts'
import { readGolden } from '../../../engine/authoring/goldens.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { toNoon, buildRegNo, register, signIn } from '../office.ts'
import type { Office } from '../office.ts'

let server: TestApp
let office: Office
let delegateCount = 0
const EVENT = 'sample2026'
const paidAt = toNoon('2026-01-20')
const ITEMS = `  items:
    - {id: workshop, label: Workshop, when: {workshop: true}, prices: {period: [early, late], each: [1000, 1000]}}
    - {id: book, label: Book, when: {book: true}, tax: none, prices: {period: [early, late], each: [500, 500]}}
`

beforeAll(async () => {
  const eventFile = readGolden('EV493.yaml')
    .replace('number: "SMPL/24-25/{n}"', 'number: "SMPL/{year}/{n}"')
    .replace('gateway: card-gateway, account: sample', 'gateway: airpay, account: afpi')
    .replace('    visitor: [2000, 2500]\n', `    visitor: [2000, 2500]\n${ITEMS}`)
    .replace(
      '  summary:',
      `${['workshop', 'book'].map((id) => `        - {id: ${id}, type: yes-no, label: ${id}, default: false}\n`).join('')}  summary:`,
    )
  server = await startTestApp({ clock: '2026-01-20', events: { 'sample2026.yaml': eventFile } })
  office = await signIn(server)
})
afterAll(() => server.close())

function buildAnswers(extras: Answers): Answers {
  delegateCount += 1
  const email = `asha${delegateCount}@example.org`
  const phone = `+9198765${String(10_000 + delegateCount)}`
  return { full_name: 'Asha Sample', email, phone_number: phone, is_member: true, ...extras }
}

/** Registers a delegate with a payment that differs from the price, and accepts it as staff would. */
async function registerAccepted(extras: Answers, amount: number): Promise<RegNo> {
  const answers = buildAnswers(extras)
  const regNo = await register(server, EVENT, { n: delegateCount, on: paidAt, answers })
  const { store } = server.deps
  const reference = `SHORT${delegateCount}`
  const payment = { type: 'confirmed', reference, amount: toAmount(amount) } as const
  await store.applyPaymentEvent(
    createOrderId(regNo, 1),
    { ...payment, currency: '356', kind: 'sale', at: paidAt },
    null,
  )
  const [review] = (await store.reviews(null)).filter((entry) => entry.regNo === regNo)
  const acceptance = {
    what: 'accept',
    reference: null,
    amount: null,
    why: 'Agreed',
    who: 'x',
  } as const
  await store.decideReview(review?.id ?? '', acceptance, instant(paidAt + 1), null)
  return regNo
}

/** Imports a registration that was paid elsewhere. */
async function importPaid(extras: Answers): Promise<RegNo> {
  const event = server.deps.events.findById(EVENT)
  const answers = buildAnswers(extras)
  const quoteResult = event === null ? null : quote(event.config, answers, paidAt)
  const regNo = buildRegNo(server, EVENT, delegateCount)
  const importResult = await server.deps.store.importRegistrations([
    {
      eventId: EVENT,
      eventHash: event?.hash ?? '',
      regNo,
      formerNo: `OLD-${delegateCount}`,
      answers,
      searchable: { fullName: 'Asha Sample', email: '', phone: '', councilNo: '' },
      category: 'member',
      period: 'early',
      base: null,
      gst: null,
      total: quoteResult?.ok === true ? quoteResult.value.total : null,
      currency: INR,
      paymentStatus: 'success',
      paymentId: `52612345${String(1000 + delegateCount)}`,
      createdAt: paidAt,
      paidAt: paidAt,
    },
  ])
  expect(importResult.ok).toBe(true)
  return regNo
}

/** Sums the invoices minus the credit notes, by rate. */
async function sumInvoices(regNo: RegNo): Promise<Readonly<Record<string, readonly number[]>>> {
  const { store } = server.deps
  const sums: Record<string, [number, number]> = {}
  for (const { id, kind } of await store.documents(regNo))
    for (const { rate = null, base, gst } of kind === 'receipt'
      ? []
      : ((await store.document(regNo, id))?.lines ?? [])) {
      const sum = (sums[String(rate)] ??= [0, 0])
      sum[0] += kind === 'credit' ? -base : base
      sum[1] += kind === 'credit' ? -gst : gst
    }
  return Object.fromEntries(Object.entries(sums).filter(([, [base, gst]]) => base + gst !== 0))
}
const readKinds = async (regNo: RegNo): Promise<readonly string[]> =>
  (await server.deps.store.documents(regNo)).map(({ kind }) => kind)

async function performAction(regNo: RegNo, payload: object): Promise<void> {
  const { status, body } = await office.act(regNo, { why: 'As the letter says.', ...payload })
  expect(status, JSON.stringify(body)).toBe(200)
}
const refund = (regNo: RegNo, amount: number): Promise<void> =>
  performAction(regNo, {
    act: 'refund',
    amount,
    by_hand: true,
    reference: `BACK${delegateCount} ${amount}`,
  })
/** Pays the balance after a correction. */
const payBalance = (regNo: RegNo, amount: number): Promise<void> =>
  performAction(regNo, {
    act: 'confirm',
    way: 'cash',
    reference: `SLIP ${delegateCount}`,
    amount: amount / 100,
    day: '2026-01-20',
  })

describe('a cancelled registration whose price was not paid in full', () => {
  test('has no tax on the ₹ 100 that was never paid', async () => {
    const regNo = await registerAccepted({}, 108_000)
    await performAction(regNo, { act: 'cancel', pay_back: 810 })
    expect(await sumInvoices(regNo)).toEqual({ 18: [22_881, 4_119] })
    await refund(regNo, 810)
    expect(await sumInvoices(regNo)).toEqual({ 18: [22_881, 4_119] })
  })

  test('has no invoice for the full price if ₹ 1 is retained', async () => {
    const regNo = await registerAccepted({}, 100)
    expect(await sumInvoices(regNo)).toEqual({ 18: [100_000, 18_000] })
    await performAction(regNo, { act: 'cancel', pay_back: 0 })
    expect(await sumInvoices(regNo)).toEqual({ 18: [85, 15] })
  })

  test('gets a credit note for the book that was added but never paid for, which does not credit the tax on the paid items', async () => {
    const regNo = await register(server, EVENT, {
      n: delegateCount + 1,
      on: paidAt,
      answers: buildAnswers({}),
      pays: 'success',
    })
    await performAction(regNo, { act: 'correct', answers: { book: true }, total: 1680 })
    expect(await sumInvoices(regNo)).toEqual({ 18: [100_000, 18_000], null: [50_000, 0] })
    await performAction(regNo, { act: 'cancel', pay_back: 0 })
    expect(await sumInvoices(regNo)).toEqual({ 18: [100_000, 18_000] })
  })
})

describe('a registration that was imported as paid', () => {
  test('gets no invoice for the retained part when it is cancelled', async () => {
    const regNo = await importPaid({})
    await performAction(regNo, { act: 'cancel', pay_back: 885 })
    await refund(regNo, 885)
    expect(await readKinds(regNo)).toEqual([])
  })

  test('gets no invoice when part of the payment is refunded', async () => {
    const regNo = await importPaid({})
    await refund(regNo, 100)
    expect(await readKinds(regNo)).toEqual([])
  })

  test('gets no invoice for a workshop that was paid for elsewhere when a book is added', async () => {
    const regNo = await importPaid({ workshop: true })
    await performAction(regNo, { act: 'correct', answers: { book: true }, total: 2860 })
    expect(await sumInvoices(regNo)).toEqual({ null: [50_000, 0] })
    await performAction(regNo, { act: 'correct', answers: { book: false }, total: 2360 })
    expect(await sumInvoices(regNo)).toEqual({})
  })

  test('keeps the invoice for a workshop that was added later when the imported payment is refunded', async () => {
    const regNo = await importPaid({})
    await performAction(regNo, { act: 'correct', answers: { workshop: true }, total: 2360 })
    await payBalance(regNo, 118_000)
    expect(await sumInvoices(regNo)).toEqual({ 18: [100_000, 18_000] })
    await refund(regNo, 100)
    expect(await readKinds(regNo)).toEqual(['invoice', 'receipt'])
    await performAction(regNo, { act: 'cancel', pay_back: 1180 })
    expect(await readKinds(regNo)).toEqual(['invoice', 'receipt', 'credit'])
    expect(await sumInvoices(regNo)).toEqual({ 18: [91_525, 16_475] })
    await refund(regNo, 1180)
    // The payment for the workshop was refunded in full, so the retained amount was invoiced elsewhere.
    expect(await sumInvoices(regNo)).toEqual({})
  })
})
