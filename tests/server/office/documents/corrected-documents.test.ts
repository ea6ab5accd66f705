/** Tax documents, by tax rate, for registrations that are corrected, refunded or cancelled after payment. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instant, createOrderId, toAmount } from '../../../../engine/index.ts'
import type { Answers, DocumentBody, RegNo } from '../../../../engine/index.ts'
import type { ActionsResponse } from '../../../../engine/api.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { createEventWithItems, toNoon, register, signIn } from '../office.ts'
import type { Office } from '../office.ts'

let server: TestApp
let office: Office
let delegateCount = 0
const EVENT = 'sample2026'
const paidAt = toNoon('2026-01-20')

const ITEMS = `  items:
    - {id: room, label: Room, when: {room: true}, tax: {name: GST, percent: 5, prices: exclusive}, prices: {period: [early, late], each: [3000, 3000]}}
    - {id: companion, label: Companion, when: {companion: true}, prices: {period: [early, late], each: [777.77, 777.77]}}
    - {id: workshop, label: Workshop, when: {workshop: true}, prices: {period: [early, late], each: [1000, 1000]}}
    - {id: donation, label: Donation, when: {donation: true}, tax: none, prices: {period: [early, late], each: [1180, 1180]}}
`
const EXTRAS = ['room', 'companion', 'workshop', 'donation']

beforeAll(async () => {
  const eventFile = createEventWithItems(ITEMS, EXTRAS)
  server = await startTestApp({ clock: '2026-01-20', events: { 'sample2026.yaml': eventFile } })
  office = await signIn(server)
})
afterAll(() => server.close())

const registerPaid = (extras: Answers): Promise<RegNo> => {
  delegateCount += 1
  return register(server, EVENT, {
    n: delegateCount,
    on: paidAt,
    answers: {
      full_name: 'Asha Sample',
      email: `asha${delegateCount}@example.org`,
      phone_number: `+9198765${String(10_000 + delegateCount)}`,
      is_member: true,
      ...extras,
    },
    pays: 'success',
  })
}

async function readBodies(regNo: RegNo): Promise<readonly DocumentBody[]> {
  const { store } = server.deps
  const bodies = await Promise.all(
    (await store.documents(regNo)).map(({ id }) => store.document(regNo, id)),
  )
  return bodies.flatMap((body) => (body === null ? [] : [body]))
}
type AmountsByRate = Readonly<Record<string, readonly [base: number, gst: number]>>
/** Sums the invoices minus the credit notes, by rate. */
async function sumInvoices(regNo: RegNo): Promise<AmountsByRate> {
  const sums: Record<string, [number, number]> = {}
  for (const { kind, lines } of await readBodies(regNo))
    for (const { rate = null, base, gst } of kind === 'receipt' ? [] : lines) {
      const sum = (sums[String(rate)] ??= [0, 0])
      sum[0] += kind === 'credit' ? -base : base
      sum[1] += kind === 'credit' ? -gst : gst
    }
  return Object.fromEntries(Object.entries(sums).filter(([, [base, gst]]) => base + gst !== 0))
}
/** Sums the taxable value and tax of the registered items, by rate. */
async function sumItems(regNo: RegNo): Promise<AmountsByRate> {
  const sums: Record<string, [number, number]> = {}
  for (const { rate, base, gst } of (await server.deps.store.registration(regNo))?.lines ?? []) {
    const sum = (sums[String(rate)] ??= [0, 0])
    sum[0] += base
    sum[1] += gst
  }
  return sums
}
const readNewestDocuments = async (regNo: RegNo, skippedCount: number) =>
  (await readBodies(regNo))
    .slice(skippedCount)
    .map(({ kind, base, gst, lines }) => [kind, base, gst, lines.map(({ label }) => label).join()])

async function correct(regNo: RegNo, answers: Answers): Promise<void> {
  const registration = await server.deps.store.registration(regNo)
  const total = Object.entries(answers).reduce(
    (sum, [id, isAdded]) => sum + (isAdded === true ? 1 : -1) * PRICES[id as keyof typeof PRICES],
    registration?.total ?? 0,
  )
  const payload = { act: 'correct', answers, total: total / 100, why: 'As the letter says.' }
  const { status, body } = await office.act(regNo, payload)
  expect(status, JSON.stringify(body)).toBe(200)
  expect(await sumInvoices(regNo)).toEqual(await sumItems(regNo))
}
const PRICES = { room: 315_000, companion: 91_777, workshop: 118_000, donation: 118_000 }
const refund = async (regNo: RegNo, amount: number): Promise<void> => {
  const payload = { act: 'refund', amount, by_hand: true, reference: `R${amount}`, why: 'Owed.' }
  const { status, body } = await office.act(regNo, payload)
  expect(status, JSON.stringify(body)).toBe(200)
}

test('a room at 5% that was added after payment is invoiced with 5% tax', async () => {
  const regNo = await registerPaid({})
  await correct(regNo, { room: true })
  expect(await readNewestDocuments(regNo, 2)).toEqual([['invoice', 300_000, 15_000, 'Room']])
  await server.deps.store.applyPaymentEvent(
    createOrderId(regNo, 2),
    {
      type: 'confirmed',
      reference: 'ROOM',
      amount: toAmount(315_000),
      currency: '356',
      kind: 'sale',
      at: instant(paidAt + 3_600_000),
    },
    null,
  )
  // The balance receipt states the same tax, and nothing is invoiced twice.
  expect(await readNewestDocuments(regNo, 3)).toEqual([
    ['receipt', 300_000, 15_000, 'Remaining amount'],
  ])
})

test('an untaxed donation has no tax, whether it is added or removed', async () => {
  const regNo = await registerPaid({})
  await correct(regNo, { donation: true })
  await correct(regNo, { donation: false })
  expect(await readNewestDocuments(regNo, 2)).toEqual([
    ['invoice', 118_000, 0, 'Donation'],
    ['credit', 118_000, 0, 'Donation'],
  ])
})

test('removing a companion credits the tax on them, and the refund credits nothing more', async () => {
  const regNo = await registerPaid({ companion: true, room: true })
  await correct(regNo, { companion: false })
  expect(await readNewestDocuments(regNo, 2)).toEqual([['credit', 77_777, 14_000, 'Companion']])
  await refund(regNo, 917.77)
  expect(await sumInvoices(regNo)).toEqual(await sumItems(regNo))
})

test('exchanging items without changing the total issues an invoice and a credit note', async () => {
  const regNo = await registerPaid({ workshop: true })
  await correct(regNo, { workshop: false, donation: true })
  expect(await readNewestDocuments(regNo, 2)).toEqual([
    ['credit', 100_000, 18_000, 'Workshop'],
    ['invoice', 118_000, 0, 'Donation'],
  ])
})

test('credit notes for partial refunds add up to their invoices, by rate', async () => {
  const regNo = await registerPaid({ companion: true, room: true, donation: true })
  const { total } = (await server.deps.store.registration(regNo)) ?? { total: 0 }
  for (const amount of [1, 333.33, 0.07]) await refund(regNo, amount)
  const creditNotes = (await readBodies(regNo)).filter(({ kind }) => kind === 'credit')
  expect(creditNotes.map((body) => body.total)).toEqual([100, 33_333, 7])
  await refund(regNo, ((total ?? 0) - 100 - 33_333 - 7) / 100)
  expect(await sumInvoices(regNo)).toEqual({})
})

test('several partial refunds credit CGST and SGST to the paisa', async () => {
  const regNo = await registerPaid({ companion: true, room: true })
  const { total } = (await server.deps.store.registration(regNo)) ?? { total: 0 }
  const parts = [10.03, 333.33, 0.07, 1001.01, 20.09]
  for (const part of parts) await refund(regNo, part)
  const lastPart = (total ?? 0) - parts.reduce((sum, part) => sum + Math.round(part * 100), 0)
  await refund(regNo, lastPart / 100)
  const [bodies, uncredited] = [await readBodies(regNo), {} as Record<string, number>]
  for (const { kind, byRate = [] } of bodies)
    for (const row of byRate) {
      const sign = kind === 'credit' ? -1 : 1
      for (const component of ['taxable', 'cgst', 'sgst', 'roundOff'] as const)
        uncredited[`${row.rate} ${component}`] =
          (uncredited[`${row.rate} ${component}`] ?? 0) + sign * row[component]
      expect(row.cgst).toBe(row.sgst)
      expect(Math.abs(row.roundOff)).toBeLessThanOrEqual(1)
    }
  const amounts = [18, 5].flatMap((rate) =>
    ['taxable', 'cgst', 'sgst', 'roundOff'].map((component) => [`${rate} ${component}`, 0]),
  )
  expect(uncredited).toEqual(Object.fromEntries(amounts))
  // In at least one credit note, the tax is an odd number of paise.
  expect(bodies.some(({ kind, gst }) => kind === 'credit' && gst % 2 === 1)).toBe(true)
})

test('when partial refunds add up to less than the price, the rest of the invoice is credited too', async () => {
  delegateCount += 1
  const regNo = await register(server, EVENT, {
    n: delegateCount,
    on: paidAt,
    answers: {
      full_name: 'Short',
      email: 'short@example.org',
      phone_number: '+919876500000',
      is_member: true,
    },
  })
  const order = createOrderId(regNo, 1)
  const { store } = server.deps
  const shortPayment = { type: 'confirmed', reference: 'SHORT', amount: toAmount(117_950) } as const
  await store.applyPaymentEvent(
    order,
    { ...shortPayment, currency: '356', kind: 'sale', at: paidAt },
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
  await refund(regNo, 500)
  await refund(regNo, 679.5)
  const creditNotes = (await readBodies(regNo)).filter(({ kind }) => kind === 'credit')
  expect(creditNotes.map(({ total }) => total)).toEqual([50_000, 68_000])
  expect(await sumInvoices(regNo)).toEqual({})
})

test.for([true, false])(
  'cancelling proposes the same total refund whether or not a price reduction was refunded first (refunded: %s)',
  async (isRefundedFirst) => {
    const regNo = await registerPaid({ companion: true })
    await correct(regNo, { companion: false })
    if (isRefundedFirst) await refund(regNo, 917.77)
    const page = await office.json(`/admin/registrations/${regNo}/acts/`)
    expect(page).toMatchObject({
      cancellation: {
        paid: 2097.77,
        owed: 917.77,
        remaining: 1180,
        percent: 75,
        share: 885,
        refunded: isRefundedFirst ? 917.77 : 0,
      },
      proposed_back: isRefundedFirst ? 885 : 1802.77,
    })
    const expectedRefund = isRefundedFirst ? 885 : 1802.77
    const { status } = await office.act(regNo, {
      act: 'cancel',
      pay_back: expectedRefund,
      why: 'Ill.',
    })
    expect(status).toBe(200)
    await refund(regNo, expectedRefund)
    expect(await sumInvoices(regNo)).toEqual({ 18: [25_000, 4_500] })
  },
)

test('an accepted shortfall reduces the refund after a correction, so that an amount that was never paid is not refunded', async () => {
  const regNo = await register(server, EVENT, {
    n: ++delegateCount,
    on: paidAt,
    answers: {
      full_name: 'Asha Sample',
      email: `asha${delegateCount}@example.org`,
      phone_number: `+9198765${String(10_000 + delegateCount)}`,
      is_member: true,
      companion: true,
    },
  })
  const applyPayment = (attempt: number, amount: number) =>
    server.deps.store.applyPaymentEvent(
      createOrderId(regNo, attempt),
      {
        type: 'confirmed',
        reference: `SHORT${attempt}`,
        amount: toAmount(amount),
        currency: '356',
        kind: 'sale',
        at: instant(paidAt + 3_600_000),
      },
      null,
    )
  await applyPayment(1, 199_777)
  const { reviews } = (await office.json(
    `/admin/registrations/${regNo}/acts/`,
  )) as unknown as ActionsResponse
  const acceptance = {
    act: 'accept',
    review: reviews[0]?.id,
    reference: '',
    why: 'Only ₹ 100 less.',
  }
  expect((await office.act(regNo, acceptance)).status).toBe(200)
  const answers = { companion: false }
  const correction = { act: 'correct', answers, total: 1180, why: 'As the letter says.' }
  expect((await office.act(regNo, correction)).status).toBe(200)
  expect(await office.json(`/admin/registrations/${regNo}/acts/`)).toMatchObject({
    pay_back: 817.77,
    cancellation: { paid: 1997.77, owed: 817.77, remaining: 1180, share: 885 },
    proposed_back: 1702.77,
  })
})
