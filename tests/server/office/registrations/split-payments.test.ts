/** Balances and refunds if payments use two methods, come in two parts, or are moved, dismissed or declined. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOrderId, toAmount } from '../../../../engine/index.ts'
import type { OrderId, RegNo } from '../../../../engine/index.ts'
import type {
  ActionsResponse,
  EventStats,
  StatsResponse,
  ListResponse,
  ReconcileResponse,
  RegisterResponse,
} from '../../../../engine/api.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { actionsUrl, signIn, readShownVersion } from '../office.ts'
import type { Office } from '../office.ts'

const EVENT = 'lekhacon2027'
const eventFileName = `${EVENT}.yaml`
const eventFile = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'events', eventFileName),
  'utf8',
)
const FEE = 4720

let server: TestApp
let office: Office
beforeAll(async () => {
  server = await startTestApp({ clock: '2027-01-10', events: { [eventFileName]: eventFile } })
  office = await signIn(server)
})
afterAll(() => server.close())

let counter = 0
/** Returns an unused UTR. */
const createUtr = (): string => String(526_123_000_000 + ++counter)
const post = async (url: string, payload: object) => {
  const headers = { authorization: `Bearer ${office.token}` }
  const response = await server.app.inject({ method: 'POST', url, headers, payload })
  return { status: response.statusCode, body: response.json<Record<string, unknown>>() }
}
const register = async (method: 'transfer' | 'card'): Promise<RegNo> => {
  counter += 1
  const response = await server.post(`/api/${EVENT}/register/`, {
    full_name: `Delegate ${counter}`,
    email: `delegate${counter}@delegate.example`,
    phone_number: '9847000000',
    registered_as: 'member',
    way: method,
  })
  expect(response.statusCode, response.body).toBe(201)
  return response.json<RegisterResponse>().reg_no as RegNo
}
const readActions = async (regNo: RegNo) =>
  (await office.json(actionsUrl(regNo))) as unknown as ActionsResponse
const performAction = async (regNo: RegNo, input: object): Promise<void> => {
  const actionResponse = await office.act(regNo, input)
  expect(actionResponse, JSON.stringify(actionResponse.body)).toMatchObject({ status: 200 })
}
const confirm = (regNo: RegNo, amount: number, extraFields: object = {}) =>
  performAction(regNo, {
    act: 'confirm',
    way: 'transfer',
    reference: createUtr(),
    amount: String(amount),
    ...extraFields,
  })
const correct = (regNo: RegNo, workshop: string | null, price = 1180) =>
  performAction(regNo, {
    act: 'correct',
    why: 'By phone.',
    answers: { workshop },
    total: workshop === null ? FEE : FEE + price,
  })
/** Retries the registration's open order by card. */
const startCardPayment = async (regNo: RegNo): Promise<OrderId> => {
  const { email } = (await server.deps.store.registration(regNo))?.answers ?? {}
  const response = await post('/api/payment/retry/', { order_id: regNo, email, way: 'card' })
  expect(response.status, JSON.stringify(response.body)).toBe(201)
  return (response.body as unknown as RegisterResponse).payment_data?.orderid as OrderId
}
const payByCard = (orderId: OrderId, amount: number) =>
  server.deps.store.applyPaymentEvent(
    orderId,
    {
      type: 'confirmed',
      reference: `CARD${++counter}`,
      amount: toAmount(amount * 100),
      currency: '356',
      kind: 'sale',
      at: server.now(),
    },
    null,
  )
const listRefunds = async (regNo: RegNo) =>
  (await server.deps.store.refunds(regNo)).map(({ amount, state }) => [amount / 100, state])

test('after ₹ 4,720 by transfer and ₹ 1,180 by card, only the card payment is refunded by card, and the page states how much that is', async () => {
  const regNo = await register('transfer')
  await confirm(regNo, FEE)
  await correct(regNo, 'records')
  await payByCard(await startCardPayment(regNo), 1180)
  await correct(regNo, null)
  expect(await readActions(regNo)).toMatchObject({
    pay_back: 1180,
    kept: 5900,
    back_by_gateway: 1180,
  })
  const refund = { act: 'refund', why: 'No workshop.' }
  for (const amount of [{ amount: '1700' }, {}]) {
    const rejection = await office.act(regNo, { ...refund, ...amount })
    expect([rejection.status, rejection.body.code]).toEqual([409, 'not_by_gateway'])
    expect(rejection.body.message).toContain('can refund only ₹\u00a01,180')
  }
  await performAction(regNo, { ...refund, amount: '1180' })
  expect((await listRefunds(regNo)).map(([amount]) => amount)).toEqual([1180])
})

test('a refund that the gateway rejected can be recorded as paid by transfer', async () => {
  const regNo = await register('card')
  await payByCard(createOrderId(regNo, 1), FEE)
  // The gateway in these tests has no record of the payment, so it rejects the refund.
  await performAction(regNo, { act: 'refund', why: 'Goodwill.', amount: '500' })
  const [review] = (await readActions(regNo)).reviews
  expect(review).toMatchObject({
    kind: 'refund-refused',
    decisions: ['accept', 'refund', 'dismiss'],
  })
  const sendDecision = async (input: object) =>
    post(`/admin/reviews/${review?.id}/decide/`, {
      why: 'Paid by transfer.',
      version: await readShownVersion(server, review?.id),
      ...input,
    })
  const refundResponse = await sendDecision({
    decision: 'refund',
    by_hand: true,
    reference: createUtr(),
  })
  expect(refundResponse.body['message']).toBe(
    'Accept this review instead, with the reference of the refund.',
  )
  expect((await sendDecision({ decision: 'accept' })).body['code']).toBe('no_reference')
  // In the meantime, all but ₹ 400 is refunded.
  const manualRefund = { act: 'refund', why: 'Agreed.', by_hand: true }
  await performAction(regNo, { ...manualRefund, amount: '4320', reference: createUtr() })
  const reference = createUtr()
  expect((await sendDecision({ decision: 'accept', reference })).body['code']).toBe('bad_amount')
  expect(await readActions(regNo)).toMatchObject({ kept: 400 })

  const otherRegNo = await register('card')
  await payByCard(createOrderId(otherRegNo, 1), FEE)
  await performAction(otherRegNo, { act: 'refund', why: 'Goodwill.', amount: '500' })
  const [openReview] = (await readActions(otherRegNo)).reviews
  const acceptResponse = await post(`/admin/reviews/${openReview?.id}/decide/`, {
    decision: 'accept',
    version: openReview?.version,
    reference,
    why: 'Paid by transfer.',
  })
  expect(acceptResponse.body).toMatchObject({ message: '₹\u00a0500 was refunded.' })
  expect(await listRefunds(otherRegNo)).toEqual([
    [500, 'refused'],
    [500, 'done'],
  ])
  expect(await readActions(otherRegNo)).toMatchObject({
    kept: FEE - 500,
    reviews: [],
    state: 'complete',
  })
})

const HEADER = 'Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt'
const sendStatement = async (...rows: readonly string[]) => {
  const response = await server.app.inject({
    method: 'POST',
    url: `/admin/reconcile/?event=${EVENT}`,
    headers: { authorization: `Bearer ${office.token}`, 'content-type': 'text/csv' },
    payload: [HEADER, ...rows].join('\n'),
  })
  return response.json<Extract<ReconcileResponse, { header: null }>>().lines
}
/** Reads a registration's balance from list, export and statement, and checks that the totals agree. */
const readDueEverywhere = async (regNo: RegNo) => {
  const url = `/admin/${EVENT}/registrations/?page_size=100`
  const { registrations, sums } = (await office.json(url)) as unknown as ListResponse
  const csv = (await office.get(`/admin/export/?event_type=${EVENT}`)).body.replace(/^\uFEFF/, '')
  const csvRows = parse(csv, { columns: true }) as Record<string, string>[]
  const [line] = await sendStatement(`10/01/27,NEFT ${regNo},${createUtr()},,${FEE}`)
  const sum = (amounts: readonly unknown[]) =>
    amounts.reduce<number>((sum, amount) => sum + Number(amount), 0)
  const [regNoColumn] = Object.keys(csvRows[0] ?? {})
  expect([
    sum(registrations.map((row) => row['money.owed'])),
    sum(csvRows.map((row) => row['Amount due'])),
  ]).toEqual([sums?.due, sums?.due])
  return [
    registrations.find((row) => row.reg_no === regNo)?.['money.owed'],
    Number(csvRows.find((row) => row[regNoColumn ?? ''] === regNo)?.['Amount due']),
    line?.of[0]?.due,
  ]
}

test('list, export and statement show the price as due after a declined card payment, or after a payment of the wrong amount is dismissed, moved or refunded', async () => {
  const declinedRegNo = await register('card')
  const at = server.now()
  const declinedEvent = { type: 'declined', code: '400', message: 'No funds', at } as const
  await server.deps.store.applyPaymentEvent(createOrderId(declinedRegNo, 1), declinedEvent, null)
  expect(await readDueEverywhere(declinedRegNo)).toEqual([FEE, FEE, FEE])
  const decisions = [
    { decision: 'dismiss' },
    { decision: 'move', to: await register('transfer') },
    { decision: 'refund', by_hand: true, reference: createUtr() },
  ]
  for (const decision of decisions) {
    const regNo = await register('transfer')
    await confirm(regNo, 1000)
    const [review] = (await readActions(regNo)).reviews
    const input = { why: 'Not enough.', version: review?.version, ...decision }
    expect((await post(`/admin/reviews/${review?.id}/decide/`, input)).status).toBe(200)
    expect(await readDueEverywhere(regNo), decision.decision).toEqual([FEE, FEE, FEE])
    await confirm(regNo, FEE)
    expect((await readDueEverywhere(regNo)).slice(0, 2)).toEqual([0, 0])
  }
})

test('the second of two transfers that add up to the price can be accepted as well as refunded, moved or dismissed', async () => {
  const regNo = await register('transfer')
  await confirm(regNo, 4000)
  await confirm(regNo, 720)
  const sendDecision = async (decision: string) => {
    const [review] = (await readActions(regNo)).reviews
    const input = { decision, version: review?.version, why: 'Paid in two parts.' }
    return (await post(`/admin/reviews/${review?.id}/decide/`, input)).body['message']
  }
  await sendDecision('accept')
  const [restReview] = (await readActions(regNo)).reviews
  expect(restReview).toMatchObject({
    kind: 'rest',
    decisions: ['accept', 'refund', 'move', 'dismiss'],
  })
  expect(await sendDecision('accept')).toBe('₹\u00a0720 is added: the registration is paid.')
  expect(await readActions(regNo)).toMatchObject({
    state: 'complete',
    kept: FEE,
    due: 0,
    reviews: [],
  })
  expect(await server.deps.store.registration(regNo)).toMatchObject({ inReview: false })
  const documents = await server.deps.store.documents(regNo)
  const receipts = documents.filter(({ kind }) => kind === 'receipt')
  expect(receipts.map(({ serial }) => serial)).toEqual([regNo, `${regNo}-2`])
  const body = await server.deps.store.document(regNo, receipts.at(-1)?.id ?? 0)
  expect(body?.total).toBe(FEE * 100)
  expect(body?.paid).not.toHaveProperty('amount')
  // A payment that exceeds the missing amount cannot be added to it and remains a separate payment.
  const otherRegNo = await register('transfer')
  await confirm(otherRegNo, 4000)
  await confirm(otherRegNo, 721)
  const [shortReview] = (await readActions(otherRegNo)).reviews
  const decision = { decision: 'accept', version: shortReview?.version, why: 'Agreed.' }
  await post(`/admin/reviews/${shortReview?.id}/decide/`, decision)
  expect((await readActions(otherRegNo)).reviews).toMatchObject([{ kind: 'second' }])
})

test('the dashboard counts a dismissed payment, except for the part that was refunded', async () => {
  const sumDismissed = async (): Promise<number> => {
    const { data } = (await office.json('/admin/dashboard/stats/')) as unknown as StatsResponse
    const { key = '' } = server.deps.events.findById(EVENT)?.config.admin.dashboard ?? {}
    return (data[`${key}_stats`] as EventStats).dismissed_amount
  }
  const dismissedBefore = await sumDismissed()
  const regNo = await register('transfer')
  await confirm(regNo, 300)
  const [review] = (await readActions(regNo)).reviews
  const sendDecision = async (input: object) =>
    post(`/admin/reviews/${review?.id}/decide/`, {
      why: 'The delegate does not want a refund.',
      version: await readShownVersion(server, review?.id),
      ...input,
    })
  await sendDecision({ decision: 'refund', amount: '100', by_hand: true, reference: createUtr() })
  expect(await sumDismissed()).toBe(dismissedBefore)
  expect((await sendDecision({ decision: 'dismiss' })).status).toBe(200)
  expect(await sumDismissed()).toBe(dismissedBefore + 200)
})

test('a payment cannot be accepted on an outdated page if it was moved to another registration in the meantime', async () => {
  const [paidRegNo, targetRegNo] = [await register('transfer'), await register('transfer')]
  await correct(targetRegNo, 'records')
  await confirm(paidRegNo, FEE - 1)
  const [shownReview] = (await readActions(paidRegNo)).reviews
  const acceptDecision = {
    decision: 'accept',
    version: shownReview?.version,
    why: 'One rupee less.',
  }
  const sendDecision = (input: object) => post(`/admin/reviews/${shownReview?.id}/decide/`, input)
  // Both treasurers opened the page before the payment was moved.
  const moveResponse = await sendDecision({
    ...acceptDecision,
    decision: 'move',
    to: targetRegNo,
    why: 'Paid for a colleague.',
  })
  expect(moveResponse.body['message']).toContain(`moved to ${targetRegNo}, where it needs review`)
  const manualRefund = { by_hand: true, reference: createUtr() }
  for (const decision of [
    acceptDecision,
    { ...acceptDecision, decision: 'dismiss' },
    { ...acceptDecision, decision: 'refund', ...manualRefund },
    { ...acceptDecision, decision: 'move', to: paidRegNo },
  ])
    expect(await sendDecision(decision), decision.decision).toEqual({
      status: 409,
      body: {
        status: 'error',
        code: 'review_changed',
        message:
          'This payment was moved after you opened this page. Reload the page and check the payment again.',
      },
    })
  for (const name of ['accept', 'dismiss']) {
    const input = {
      act: name,
      review: shownReview?.id,
      version: shownReview?.version,
      why: 'One rupee less.',
    }
    expect((await office.act(targetRegNo, input)).body.code, name).toBe('review_changed')
    expect((await office.act(targetRegNo, { ...input, version: '' })).status, name).toBe(422)
  }
  const bulkAccept = {
    act: 'accept',
    reg_nos: [targetRegNo],
    versions: [shownReview?.version],
    why: 'One rupee less.',
  }
  const { body } = await post('/admin/registrations/bulk/', bulkAccept)
  expect(body).toMatchObject({
    done: [],
    refused: [{ message: expect.stringContaining('moved after you opened this page') }],
  })
  expect(await readDueEverywhere(targetRegNo)).toEqual([FEE + 1180, FEE + 1180, FEE + 1180])

  // The amounts can change too: here, part of the payment is refunded in the meantime.
  const [currentReview] = (await readActions(targetRegNo)).reviews
  const partialRefund = {
    ...acceptDecision,
    version: currentReview?.version,
    decision: 'refund',
    amount: '100',
  }
  expect((await sendDecision({ ...partialRefund, ...manualRefund })).status).toBe(200)
  expect(
    (await sendDecision({ ...acceptDecision, version: currentReview?.version })).body['message'],
  ).toContain('was changed after you opened this page')
  // A page from an older version of Rollcall sends no review version.
  const { version: _, ...decisionWithoutVersion } = acceptDecision
  expect(await sendDecision(decisionWithoutVersion)).toMatchObject({
    status: 422,
    body: { code: 'no_version' },
  })
})

test('a correction warns if its refund was already paid as goodwill before the correction', async () => {
  const regNo = await register('transfer')
  await confirm(regNo, FEE)
  await correct(regNo, 'writing', 1770)
  await confirm(regNo, 1770)
  const refund = { act: 'refund', why: 'No workshop.', amount: '1770', by_hand: true }
  await performAction(regNo, { ...refund, reference: createUtr() })
  const expectedNote =
    '₹\u00a01,770 was already refunded as goodwill and is not deducted: the list of refunds will show ₹\u00a01,770.'
  const input = { act: 'correct', why: 'No workshop.', answers: { workshop: null } }
  const previewResponse = await office.act(regNo, input)
  expect([previewResponse.status, previewResponse.body.code]).toEqual([409, 'price_changes'])
  expect(previewResponse.body.message).toContain(expectedNote)
  const saveResponse = await office.act(regNo, { ...input, total: FEE })
  expect([saveResponse.status, saveResponse.body.message]).toEqual([
    200,
    expect.stringContaining(expectedNote),
  ])
  expect(await readActions(regNo)).toMatchObject({ pay_back: 1770, goodwill: 1770, kept: FEE })

  // If the correction comes first, no part of the refund is goodwill.
  const otherRegNo = await register('transfer')
  await confirm(otherRegNo, FEE)
  await correct(otherRegNo, 'writing', 1770)
  await confirm(otherRegNo, 1770)
  await correct(otherRegNo, null)
  expect(await readActions(otherRegNo)).toMatchObject({ pay_back: 1770, goodwill: 0 })
  await performAction(otherRegNo, { ...refund, reference: createUtr() })
  expect(await readActions(otherRegNo)).toMatchObject({ pay_back: 0, goodwill: 0, kept: FEE })
})

test('a refund that is requested twice is paid once, even if another payment could cover it', async () => {
  const regNo = await register('card')
  await payByCard(createOrderId(regNo, 1), FEE)
  await correct(regNo, 'records')
  await payByCard(await startCardPayment(regNo), 1180)
  // Only ₹ 720 of the first payment can still be refunded.
  const manualRefund = { act: 'refund', why: 'Agreed.', by_hand: true, amount: '4000' }
  await performAction(regNo, { ...manualRefund, reference: createUtr() })
  const request = {
    of: regNo,
    amount: toAmount(70_000),
    why: 'Agreed.',
    who: 'treasurer',
    at: server.now(),
  }
  const results = await Promise.all(
    [request, request].map((wantedRefund) => server.deps.store.requestRefund(wantedRefund)),
  )
  expect(results.map((result) => (result.ok ? 'requested' : result.error.code))).toEqual([
    'requested',
    'under_way',
  ])
  expect(await listRefunds(regNo)).toEqual([
    [4000, 'done'],
    [700, 'wanted'],
  ])
})

test('a refund of ₹ 400 is rejected if its page was opened before another refund of ₹ 400', async () => {
  const regNo = await register('card')
  await payByCard(createOrderId(regNo, 1), FEE)
  const { kept: shownAmount } = await readActions(regNo)
  const refund = { act: 'refund', why: 'Agreed by phone.', amount: '400', by_hand: true }
  await performAction(regNo, { ...refund, kept: shownAmount, reference: createUtr() })
  for (const method of [{ by_hand: true, reference: createUtr() }, { by_hand: false }]) {
    const response = await office.act(regNo, { ...refund, ...method, kept: shownAmount })
    expect([response.status, response.body.code]).toEqual([409, 'review_changed'])
    expect(response.body.message).toBe(
      'The payments or refunds have changed: ₹ 4,320 can still be refunded. Nothing was refunded. Check the registration again.',
    )
  }
  for (const invalidAmount of ['', null, 'all']) {
    const response = await office.act(regNo, { ...refund, kept: invalidAmount, by_hand: false })
    expect([response.status, response.body.message]).toEqual([
      422,
      'Send kept as the paid amount returned in the list of actions.',
    ])
  }
  expect(await listRefunds(regNo)).toEqual([[400, 'done']])
  // If the user intends a second refund of the same amount, the request states the current amount.
  await performAction(regNo, { ...refund, kept: 4320, reference: createUtr() })
  expect(await readActions(regNo)).toMatchObject({ kept: 3920 })
})

test('a refund that is split between three payments and requested twice is paid once', async () => {
  const regNo = await register('card')
  await payByCard(createOrderId(regNo, 1), FEE)
  await correct(regNo, 'writing', 1770)
  await payByCard(await startCardPayment(regNo), 1770)
  await performAction(regNo, {
    act: 'correct',
    why: 'Not a member.',
    answers: { registered_as: 'non-member' },
    total: FEE + 1770 + 2360,
  })
  await payByCard(await startCardPayment(regNo), 2360)
  const manualRefund = { act: 'refund', why: 'Agreed.', by_hand: true, amount: '4000' }
  await performAction(regNo, { ...manualRefund, reference: createUtr() })
  // The remaining payments would cover both requests: 720 + 1680, then 90 + 2310.
  const { kept: shownAmount } = await readActions(regNo)
  expect(shownAmount).toBe(4850)
  const request = {
    of: regNo,
    amount: toAmount(240_000),
    shownPaidAmount: toAmount(485_000),
    why: 'Agreed.',
    who: 'treasurer',
    at: server.now(),
  }
  const results = await Promise.all(
    [request, request].map((wantedRefund) => server.deps.store.requestRefund(wantedRefund)),
  )
  expect(
    results.map((result) => (result.ok ? result.value.refundIds.length : result.error)),
  ).toEqual([
    2,
    { code: 'review_changed', message: expect.stringContaining('₹ 2,450 can still be refunded') },
  ])
  const refundsInProgress = [
    [4000, 'done'],
    [720, 'wanted'],
    [1680, 'wanted'],
  ]
  expect(await listRefunds(regNo)).toEqual(refundsInProgress)
  // Scripts and `rollcall payment refund` do not state the paid amount.
  const response = await office.act(regNo, { act: 'refund', why: 'Agreed.', amount: '2400' })
  expect([response.status, response.body.code]).toEqual([409, 'under_way'])
  expect(await listRefunds(regNo)).toEqual(refundsInProgress)
})

test('a refused refund needs no review once it has been made outside Rollcall from another payment', async () => {
  const regNo = await register('transfer')
  await confirm(regNo, FEE)
  await correct(regNo, 'writing', 1770)
  await payByCard(await startCardPayment(regNo), 1770)
  const refund = { act: 'refund', why: 'No workshop.' }
  await performAction(regNo, { ...refund, amount: '500' })
  expect((await readActions(regNo)).reviews).toMatchObject([{ kind: 'refund-refused' }])
  // A refund of a different amount may have a different reason.
  await performAction(regNo, { ...refund, amount: '400', by_hand: true, reference: createUtr() })
  expect((await readActions(regNo)).reviews).toMatchObject([{ kind: 'refund-refused' }])

  const manualRefund = { ...refund, amount: '500', by_hand: true, reference: createUtr() }
  const response = await office.act(regNo, manualRefund)
  expect(response.body.message).toBe(
    '₹\u00a0500 was refunded outside Rollcall. This replaces the refund of ₹\u00a0500 that the gateway rejected.',
  )
  expect(await readActions(regNo)).toMatchObject({ kept: FEE + 1770 - 900, reviews: [] })
  expect(await listRefunds(regNo)).toEqual([
    [500, 'refused'],
    [400, 'done'],
    [500, 'done'],
  ])
  expect((await readActions(regNo)).trail.map(({ text }) => text)).toContain(
    'Rejected refund replaced by another refund, ₹\u00a0500',
  )
})

test('a refused refund of a second payment still needs review after a refund of the first payment', async () => {
  const regNo = await register('card')
  const orderId = createOrderId(regNo, 1)
  await payByCard(orderId, FEE)
  await payByCard(orderId, FEE)
  const [review] = (await readActions(regNo)).reviews
  const response = await post(`/admin/reviews/${review?.id}/decide/`, {
    decision: 'refund',
    version: review?.version,
    why: 'Paid twice.',
  })
  expect(response.body).toMatchObject({ status: 'success', refund: 'refused' })
  const refusedReview = { kind: 'refund-refused' }
  expect((await readActions(regNo)).reviews).toMatchObject([refusedReview])
  const manualRefund = { act: 'refund', why: 'Cannot come.', by_hand: true, amount: String(FEE) }
  await performAction(regNo, { ...manualRefund, reference: createUtr() })
  expect((await readActions(regNo)).reviews).toMatchObject([refusedReview])
})

test('if only part of a refused refund is requested again, the message states the amount that is not', async () => {
  const regNo = await register('card')
  await payByCard(createOrderId(regNo, 1), FEE)
  await performAction(regNo, { act: 'refund', why: 'Goodwill.', amount: '500' })
  const [review] = (await readActions(regNo)).reviews
  const response = await post(`/admin/reviews/${review?.id}/decide/`, {
    decision: 'refund',
    version: review?.version,
    amount: '300',
    why: 'Agreed.',
  })
  expect(response.body['message']).toContain(
    'The other ₹\u00a0200 of that refund is not requested.',
  )
})

test('recording a refund outside Rollcall is rejected without by_hand, or while the gateway is refunding the same amount', async () => {
  const regNo = await register('card')
  await payByCard(createOrderId(regNo, 1), FEE)
  const refund = { act: 'refund', why: 'Agreed.', amount: '300' }
  const response = await office.act(regNo, { ...refund, reference: createUtr() })
  expect([response.status, response.body.code]).toEqual([422, 'bad_data'])
  const request = { of: regNo, amount: toAmount(30_000), why: 'Agreed.', who: 'treasurer' }
  expect((await server.deps.store.requestRefund({ ...request, at: server.now() })).ok).toBe(true)
  const manualResponse = await office.act(regNo, {
    ...refund,
    by_hand: true,
    reference: createUtr(),
  })
  expect([manualResponse.status, manualResponse.body.code]).toEqual([409, 'under_way'])
  expect(await listRefunds(regNo)).toEqual([[300, 'wanted']])
})
