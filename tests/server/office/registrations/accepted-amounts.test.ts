/** Payments that staff accept above or below the price: balances, refunds and invoices after later changes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOrderId, toAmount } from '../../../../engine/index.ts'
import type { Answers, RegNo } from '../../../../engine/index.ts'
import type {
  ActionsResponse,
  ListResponse,
  MovementsResponse,
  OfficeRegistrationResponse,
  SearchResponse,
} from '../../../../engine/api.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import {
  actionsUrl,
  createEventWithItems,
  toNoon,
  register,
  signIn,
  readShownVersion,
} from '../office.ts'
import type { Office } from '../office.ts'

let server: TestApp
let office: Office
let counter = 0
const EVENT = 'sample2026'
const paidAt = toNoon('2026-01-20')
/** A member pays 1,180, or 3,540 with dinner, 4,720 with a workshop as well, and 5,900 with a tour as well. */
const ITEMS = `  items:
    - {id: dinner, label: Dinner, when: {dinner: true}, prices: {period: [early, late], each: [2000, 2000]}}
    - {id: workshop, label: Workshop, when: {workshop: true}, prices: {period: [early, late], each: [1000, 1000]}}
    - {id: tour, label: Tour, when: {tour: true}, prices: {period: [early, late], each: [1000, 1000]}}
`
const EXTRAS_FOR_3540 = { dinner: true }
const EXTRAS_FOR_4720 = { ...EXTRAS_FOR_3540, workshop: true }
const EXTRAS_FOR_5900 = { ...EXTRAS_FOR_4720, tour: true }

beforeAll(async () => {
  const eventFile = createEventWithItems(ITEMS, ['dinner', 'workshop', 'tour'])
  server = await startTestApp({ clock: '2026-01-20', events: { 'sample2026.yaml': eventFile } })
  office = await signIn(server)
})
afterAll(() => server.close())

const registerWith = (extras: Answers): Promise<RegNo> => {
  counter += 1
  const answers = {
    full_name: `Sample ${counter}`,
    email: `sample${counter}@example.org`,
    phone_number: `+9198765${String(10_000 + counter)}`,
    is_member: true,
    ...extras,
  }
  return register(server, EVENT, { n: counter, on: paidAt, answers })
}
const readActions = async (regNo: RegNo) =>
  (await office.json(actionsUrl(regNo))) as unknown as ActionsResponse
async function performAction(regNo: RegNo, input: object): Promise<void> {
  const { status, body } = await office.act(regNo, { why: 'As the letter says.', ...input })
  expect(status, JSON.stringify(body)).toBe(200)
}
async function acceptPayment(regNo: RegNo): Promise<void> {
  const [review] = (await readActions(regNo)).reviews
  await performAction(regNo, { act: 'accept', review: review?.id })
}
const confirm = (regNo: RegNo, amount: number): Promise<void> =>
  performAction(regNo, { act: 'confirm', way: 'cash', reference: `slip ${++counter}`, amount })
/** Registers a delegate, records a payment that differs from the price, and accepts the payment as staff would. */
async function registerAccepted(extras: Answers, amount: number): Promise<RegNo> {
  const regNo = await registerWith(extras)
  await confirm(regNo, amount)
  await acceptPayment(regNo)
  return regNo
}
const correct = (regNo: RegNo, answers: Answers, total: number): Promise<void> =>
  performAction(regNo, { act: 'correct', answers, total })
const refund = (regNo: RegNo, amount: number): Promise<void> =>
  performAction(regNo, { act: 'refund', amount, by_hand: true, reference: `back ${++counter}` })

/** Reads the amounts due, refundable and retained, the refund proposed on cancellation, and the net invoiced amount. */
async function readFigures(regNo: RegNo) {
  const {
    due,
    pay_back: refunds,
    kept,
    proposed_back: proposed,
    cancellation,
  } = await readActions(regNo)
  const { owed, remaining, share, refunded } = cancellation
  expect(proposed).toBe(Math.round((owed + (share ?? 0) - refunded) * 100) / 100)
  const { store } = server.deps
  let invoicedAmount = 0
  for (const { id, kind } of await store.documents(regNo))
    for (const { base, gst } of kind === 'receipt'
      ? []
      : ((await store.document(regNo, id))?.lines ?? []))
      invoicedAmount += kind === 'credit' ? -base - gst : base + gst
  return { due, back: refunds, kept, owed, remaining, proposed, invoiced: invoicedAmount / 100 }
}

test('a payment that is ₹ 100 short can count as a part payment: the missing ₹ 100 is due, and is paid like any balance', async () => {
  const regNo = await registerWith({})
  await confirm(regNo, 1080)
  const [review] = (await readActions(regNo)).reviews
  expect(review?.decisions).toContain('ask')
  const { statusCode, body } = await server.app.inject({
    method: 'POST',
    url: `/admin/reviews/${review?.id}/decide/`,
    headers: { authorization: `Bearer ${office.token}` },
    payload: { decision: 'ask', version: review?.version, why: 'The bank kept a charge.' },
  })
  expect(statusCode, body).toBe(200)
  expect((JSON.parse(body) as { message: string }).message.replaceAll('\u00a0', ' ')).toBe(
    '₹ 1,080 counts, and ₹ 100 is still due. No payment link was sent. This event sends no emails, or the delegate gave no address.',
  )
  expect(await readActions(regNo)).toMatchObject({ state: 'to_pay', state_display: 'partly paid' })
  // A refused action describes the registration like its page.
  const transfer = {
    act: 'transfer',
    why: 'They asked.',
    answers: { full_name: 'Binu New', email: 'binu@example.org', phone_number: '9876511111' },
  }
  expect(await office.act(regNo, transfer)).toMatchObject({
    status: 409,
    body: {
      message: 'You cannot transfer this registration now. The registration is partly paid.',
    },
  })
  // The whole price is invoiced, as after a correction to a higher price.
  expect(await readFigures(regNo)).toMatchObject({ due: 100, back: 0, kept: 1080, invoiced: 1180 })
  const { payments } = (await office.json(
    `/admin/registrations/${regNo}/`,
  )) as unknown as OfficeRegistrationResponse
  expect(payments.map(({ amount, received }) => [amount, received])).toEqual([
    [100, undefined],
    [1180, 1080],
  ])
  // The history of a cash payment states the amount, the method and the reference.
  expect(payments[1]?.facts).toMatchObject([
    {
      type: 'recorded',
      text: expect.stringMatching(/^₹.1,080 was received in cash, reference slip \d+\.$/),
    },
  ])
  // Search, lists and payments do not show the registration as paid.
  const readShownDue = async () => {
    const { found: foundRegistrations } = (await office.json(
      `/admin/find/?q=${regNo}`,
    )) as unknown as SearchResponse
    const listApi = server.deps.events.findById(EVENT)?.config.admin.lists[0]?.api
    const { registrations } = (await office.json(
      `${listApi}?rows=listed`,
    )) as unknown as ListResponse
    const listRow = registrations.find((row) => row.reg_no === regNo)
    const { movements } = (await office.json(
      '/admin/movements/?month=2026-01',
    )) as unknown as MovementsResponse
    return {
      found: foundRegistrations.map((row) => [row.payment_status_display, row.due]),
      listed: [listRow?.payment_status_display, listRow?.['money.owed']],
      payments: movements.filter((row) => row.reg_no === regNo).map((row) => row.due),
    }
  }
  expect(await readShownDue()).toEqual({
    found: [['Paid', 100]],
    listed: ['Paid', 100],
    payments: [{ amount: 100 }],
  })
  await confirm(regNo, 100)
  expect(await readShownDue()).toEqual({
    found: [['Paid', 0]],
    listed: ['Paid', 0],
    payments: [null, null],
  })
  expect(await readFigures(regNo)).toMatchObject({ due: 0, back: 0, kept: 1180, invoiced: 1180 })
  expect((await office.json(actionsUrl(regNo)))['state']).toBe('complete')
})

test.each([
  [5800.5, 0.5, '₹ 5,800 counts as the payment of ₹ 5,900'],
  [5900.5, 0.5, '₹ 5,900 counts'],
  [5900.5, 100, '₹ 5,800.50 counts as the payment of ₹ 5,900'],
  [5800.5, 0, '₹ 5,800.50 counts as the payment of ₹ 5,900'],
])(
  'if ₹ %d is accepted and ₹ %d of it was refunded, the message says that only the rest counts',
  async (received, refundable, countedText) => {
    const regNo = await registerWith(EXTRAS_FOR_5900)
    await confirm(regNo, received)
    const [review] = (await readActions(regNo)).reviews
    const decide = async (payload: object) =>
      server.app.inject({
        method: 'POST',
        url: `/admin/reviews/${review?.id}/decide/`,
        headers: { authorization: `Bearer ${office.token}` },
        payload: {
          why: 'Agreed by phone.',
          version: await readShownVersion(server, review?.id),
          ...payload,
        },
      })
    const manualRefund = { decision: 'refund', by_hand: true, reference: `back ${++counter}` }
    if (refundable > 0)
      expect((await decide({ ...manualRefund, amount: String(refundable) })).statusCode).toBe(200)
    const { message } = (await decide({ decision: 'accept' })).json<{ message: string }>()
    expect(message.replaceAll('\u00a0', ' ')).toBe(`${countedText}: the registration is paid.`)
    expect(await readActions(regNo)).toMatchObject({
      due: 0,
      pay_back: 0,
      kept: received - refundable,
    })
    const { audit } = (await office.json(`/admin/registrations/${regNo}/`)) as {
      audit?: { what: string }[]
    }
    const amount = countedText.slice(0, countedText.indexOf(' counts'))
    expect(audit?.map(({ what }) => what.replaceAll('\u00a0', ' '))).toContain(
      `payment accepted, ${amount}: Agreed by phone.`,
    )
  },
)

describe('₹ 4,000 that staff accepted as payment of ₹ 5,900', () => {
  test('after a correction to ₹ 4,720, the ₹ 1,180 that was never paid is not due for refund', async () => {
    const regNo = await registerAccepted(EXTRAS_FOR_5900, 4000)
    expect(await readFigures(regNo)).toMatchObject({
      due: 0,
      back: 0,
      invoiced: 5900,
      proposed: 3000,
    })
    await correct(regNo, { tour: false }, 4720)
    expect(await readFigures(regNo)).toEqual({
      due: 0,
      back: 0,
      kept: 4000,
      owed: 0,
      remaining: 4000,
      proposed: 3000,
      invoiced: 4720,
    })
  })

  test('after a correction to ₹ 3,540, ₹ 460 is refunded, and the refund scale applies to the rest', async () => {
    const regNo = await registerAccepted(EXTRAS_FOR_5900, 4000)
    await correct(regNo, { tour: false, workshop: false }, 3540)
    const expectedAfter = {
      back: 460,
      owed: 460,
      remaining: 3540,
      proposed: 460 + 2655,
      invoiced: 3540,
    }
    expect(await readFigures(regNo)).toMatchObject(expectedAfter)
    // The total is the same whether the refund is paid before the cancellation or as part of it.
    await refund(regNo, 460)
    expect(await readFigures(regNo)).toMatchObject({ back: 0, kept: 3540, proposed: 2655 })
    await performAction(regNo, { act: 'cancel', pay_back: 2655, kept: 3540 })
    await refund(regNo, 2655)
    expect(await readFigures(regNo)).toMatchObject({ back: 0, kept: 885, invoiced: 885 })
  })

  test('after a correction back to the higher price, the shortfall is waived once', async () => {
    const regNo = await registerAccepted(EXTRAS_FOR_5900, 4000)
    await correct(regNo, { tour: false }, 4720)
    await correct(regNo, { tour: true }, 5900)
    expect(await readFigures(regNo)).toMatchObject({ due: 0, back: 0, invoiced: 5900 })
  })

  test('with a further ₹ 720, there is no surplus after a correction to ₹ 4,720', async () => {
    const regNo = await registerWith(EXTRAS_FOR_5900)
    await confirm(regNo, 4000)
    await confirm(regNo, 720)
    await acceptPayment(regNo)
    await acceptPayment(regNo)
    await correct(regNo, { tour: false }, 4720)
    expect(await readFigures(regNo)).toMatchObject({ due: 0, back: 0, kept: 4720, remaining: 4720 })
  })
})

test('if ₹ 4,000 was accepted as payment of ₹ 4,720, a tour that is added, paid and removed is refunded in full', async () => {
  const regNo = await registerAccepted(EXTRAS_FOR_4720, 4000)
  await correct(regNo, { tour: true }, 5900)
  expect(await readFigures(regNo)).toMatchObject({ due: 1180, back: 0, remaining: 4000 })
  await confirm(regNo, 1180)
  await correct(regNo, { tour: false }, 4720)
  const expectedAfter = {
    due: 0,
    back: 1180,
    kept: 5180,
    owed: 1180,
    remaining: 4000,
    invoiced: 4720,
  }
  expect(await readFigures(regNo)).toMatchObject(expectedAfter)
})

test('a shortfall accepted in the payment of a difference applies to the higher bill only', async () => {
  const regNo = await registerAccepted(EXTRAS_FOR_4720, 4000)
  await correct(regNo, { tour: true }, 5900)
  await confirm(regNo, 1000)
  await acceptPayment(regNo)
  expect(await readFigures(regNo)).toMatchObject({ due: 0, back: 0, kept: 5000, invoiced: 5900 })
  await correct(regNo, { tour: false }, 4720)
  expect(await readFigures(regNo)).toMatchObject({ due: 0, back: 1000, remaining: 4000 })
})

describe('a payment that staff accepted above the price', () => {
  test('has a surplus that is due for refund immediately, and is in the work queue', async () => {
    const readQueue = async (): Promise<string> =>
      JSON.stringify(await office.json('/admin/dashboard/stats/'))
    const queueBefore = await readQueue()
    const regNo = await registerAccepted(EXTRAS_FOR_4720, 5000)
    expect(await readFigures(regNo)).toMatchObject({ due: 0, back: 280, owed: 280, invoiced: 4720 })
    expect(await readQueue()).not.toBe(queueBefore)
  })

  test('(a) has its surplus refunded first: an unpaid correction leaves the proposal at ₹ 3,540', async () => {
    const regNo = await registerAccepted(EXTRAS_FOR_4720, 5900)
    await refund(regNo, 1180)
    expect(await readFigures(regNo)).toMatchObject({ due: 0, back: 0, kept: 4720, proposed: 3540 })
    await correct(regNo, { tour: true }, 5900)
    const expectedAfter = {
      due: 1180,
      back: 0,
      kept: 4720,
      owed: 1180,
      remaining: 4720,
      proposed: 3540,
    }
    expect(await readFigures(regNo)).toMatchObject(expectedAfter)
  })

  test('(a) has a surplus: any refund above that surplus is goodwill', async () => {
    const regNo = await registerAccepted(EXTRAS_FOR_4720, 5900)
    await refund(regNo, 1300)
    const expectedAfter = {
      due: 0,
      back: 0,
      kept: 4600,
      remaining: 4720,
      proposed: 3420,
      invoiced: 4600,
    }
    expect(await readFigures(regNo)).toMatchObject(expectedAfter)
  })

  test('(b) has a surplus that covers part of a correction: only the remaining ₹ 900 is due', async () => {
    const regNo = await registerAccepted(EXTRAS_FOR_4720, 5000)
    await correct(regNo, { tour: true }, 5900)
    const openFigures = { due: 900, back: 0, owed: 280, remaining: 4720, proposed: 280 + 3540 }
    expect(await readFigures(regNo)).toMatchObject({ ...openFigures, invoiced: 5900 })
    const [order] = (await server.deps.store.registration(regNo))?.payments ?? []
    expect(order).toMatchObject({ amount: 90_000, status: 'pending' })
    await confirm(regNo, 900)
    const paidFigures = { due: 0, back: 0, kept: 5900, owed: 0, remaining: 5900, proposed: 4425 }
    expect(await readFigures(regNo)).toMatchObject({ ...paidFigures, invoiced: 5900 })
  })

  test('(c) leaves the surplus and the difference due for refund after a correction to a lower price', async () => {
    const regNo = await registerAccepted(EXTRAS_FOR_5900, 7000)
    await correct(regNo, { tour: false }, 4720)
    const expectedAfter = { due: 0, back: 2280, owed: 2280, remaining: 4720, proposed: 2280 + 3540 }
    expect(await readFigures(regNo)).toMatchObject({ ...expectedAfter, invoiced: 4720 })
    await performAction(regNo, { act: 'cancel', pay_back: 5820, kept: 7000 })
    expect(await readFigures(regNo)).toMatchObject({ back: 5820, invoiced: 1180 })
  })
})

test('if ₹ 4,720 of an unmatched transfer of ₹ 1,04,720 is moved to a registration, the receipt states ₹ 4,720', async () => {
  const targetRegNo = await registerWith(EXTRAS_FOR_4720)
  const post = async (url: string, payload: object) => {
    const headers = { authorization: `Bearer ${office.token}` }
    const response = await server.app.inject({ method: 'POST', url, headers, payload })
    expect(response.statusCode, response.body).toBe(200)
    return response.json<Record<string, unknown>>()
  }
  const reference = '526123450001'
  const line = { reference, also: [], amount: 104_720, day: '2026-01-20', narration: 'NEFT' }
  await post('/admin/reconcile/confirm/', { event: EVENT, lines: [], keep: [line] })
  const reviews = await server.deps.store.reviews(EVENT)
  const review = reviews.find(({ came: received }) => received?.reference === reference)
  const decide = async (input: object) =>
    post(`/admin/reviews/${review?.id}/decide/`, {
      why: 'It is theirs.',
      version: await readShownVersion(server, review?.id),
      ...input,
    })
  const manualRefund = { by_hand: true, reference: 'NEFT OUT 1' }
  await decide({ decision: 'refund', amount: 100_000, ...manualRefund })
  await decide({ decision: 'move', to: targetRegNo })
  if ((await readActions(targetRegNo)).reviews.length > 0) await acceptPayment(targetRegNo)
  const { store } = server.deps
  const receipt = (await store.documents(targetRegNo)).find(({ kind }) => kind === 'receipt')
  const body = await store.document(targetRegNo, receipt?.id ?? 0)
  expect([receipt?.total, body?.paid?.amount]).toEqual([472_000, undefined])
  const exactFigures = { due: 0, back: 0, kept: 4720, owed: 0, remaining: 4720, invoiced: 4720 }
  expect(await readFigures(targetRegNo)).toMatchObject(exactFigures)
  await correct(targetRegNo, { tour: true }, 5900)
  expect(await readFigures(targetRegNo)).toMatchObject({ due: 1180, proposed: 3540 })
  expect((await readActions(targetRegNo)).cancellation).toMatchObject({
    paid: 4720,
    owed: 0,
    refunded: 0,
  })
})

test('an amount that is already due for refund stays listed when the registration is cancelled with a refund of ₹ 0', async () => {
  const regNo = await registerWith(EXTRAS_FOR_5900)
  await confirm(regNo, 5900)
  await correct(regNo, { tour: false }, 4720)
  expect(await readFigures(regNo)).toMatchObject({ back: 1180 })
  const cancelResponse = await office.act(regNo, { act: 'cancel', why: 'No show.', pay_back: 0 })
  expect(cancelResponse.body.message).toContain('To refund: ₹\u00a01,180')
  expect(await readFigures(regNo)).toMatchObject({ due: 0, back: 1180, kept: 5900, invoiced: 4720 })
  const api = server.deps.events.findById(EVENT)?.config.admin.lists[0]?.api
  const toRefundList = await office.json(`${api}?waiting=pay_back&page_size=100`)
  expect(JSON.stringify(toRefundList)).toContain(regNo)
  await refund(regNo, 1180)
  expect(await readFigures(regNo)).toMatchObject({ back: 0, kept: 4720, invoiced: 4720 })
})

test.each([
  ['a correction to ₹ 4,720, a refund of ₹ 4,720', true],
  ['a refund of ₹ 4,720, a correction to ₹ 4,720', false],
])(
  'after %s and a cancellation with the proposed refund of ₹ 0, nothing is left to refund',
  async (_order, isCorrectedFirst) => {
    const regNo = await registerWith(EXTRAS_FOR_5900)
    await confirm(regNo, 5900)
    if (isCorrectedFirst) await correct(regNo, { tour: false }, 4720)
    await refund(regNo, 4720)
    if (!isCorrectedFirst) await correct(regNo, { tour: false }, 4720)
    expect(await readFigures(regNo)).toMatchObject({ kept: 1180, owed: 1180, proposed: 0 })
    await performAction(regNo, { act: 'cancel', pay_back: 0, kept: 1180 })
    expect(await readFigures(regNo)).toMatchObject({ due: 0, back: 0, kept: 1180, invoiced: 1180 })
  },
)

test('a refund with an empty amount is rejected', async () => {
  const regNo = await registerWith(EXTRAS_FOR_4720)
  await confirm(regNo, 4720)
  const refundAction = {
    act: 'refund',
    why: 'Agreed.',
    by_hand: true,
    reference: `back ${++counter}`,
  }
  for (const amount of ['', '  ']) {
    const emptyResponse = await office.act(regNo, { ...refundAction, amount })
    expect(emptyResponse).toMatchObject({
      status: 422,
      body: { code: 'bad_data', errors: { amount: 'Enter the amount to refund.' } },
    })
  }
  expect(await readFigures(regNo)).toMatchObject({ kept: 4720 })
  await performAction(regNo, refundAction)
  expect(await readActions(regNo)).toMatchObject({ kept: 0 })
})

describe('a refund that is in progress during the cancellation reduces the refundable amount only once', () => {
  /** Registers a delegate who paid ₹ 5,900 by card, and starts a refund of this amount at the gateway. */
  async function startRefund(amount: number, extras: Answers = {}): Promise<RegNo> {
    const { store } = server.deps
    const regNo = await registerWith(EXTRAS_FOR_5900)
    const reference = `CARD${counter}`
    const at = server.now()
    const payment = {
      reference,
      amount: toAmount(590_000),
      currency: '356',
      kind: 'sale',
      at,
    } as const
    await store.applyPaymentEvent(createOrderId(regNo, 1), { type: 'confirmed', ...payment }, null)
    if ('tour' in extras) await correct(regNo, extras, 4720)
    const refundRequest = {
      of: regNo,
      amount: toAmount(amount * 100),
      why: 'Agreed.',
      who: 'office',
      at,
    }
    expect(await store.requestRefund(refundRequest)).toMatchObject({ ok: true })
    return regNo
  }
  /** Records the gateway's report that the refund is complete. */
  async function completeRefund(regNo: RegNo, amount: number): Promise<void> {
    const refund = {
      reference: `BACK${++counter}`,
      amount: toAmount(amount * 100),
      at: server.now(),
    }
    const refundEvent = { type: 'refunded', ...refund } as const
    await server.deps.store.applyPaymentEvent(createOrderId(regNo, 1), refundEvent, null)
  }

  test.each([
    ['goodwill', 2000, {}, 3900, 2425, 1475],
    ['the whole refundable amount', 4425, {}, 1475, 0, 1475],
    ['a surplus', 1180, { tour: false }, 4720, 3540, 1180],
  ] as const)(
    'a refund of %s: ₹ %i',
    async (_what, amount, extras, retained, proposed, invoiced) => {
      const regNo = await startRefund(amount, extras)
      expect(await readFigures(regNo)).toMatchObject({ kept: retained, proposed })
      await performAction(regNo, { act: 'cancel', pay_back: String(proposed), kept: retained })
      expect(await readFigures(regNo)).toMatchObject({ back: proposed, kept: retained, invoiced })
      await completeRefund(regNo, amount)
      expect(await readFigures(regNo)).toMatchObject({ back: proposed, kept: retained, invoiced })
      if (proposed > 0) await refund(regNo, proposed)
      expect(await readFigures(regNo)).toMatchObject({
        back: 0,
        kept: retained - proposed,
        invoiced,
      })
    },
  )
})
