/** Attacks on payments: forged and replayed gateway messages, changed amounts and guessed order ids. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  FORM_HEADERS,
  encodeForm,
  buildMessage,
  placeOrder,
  clickPaymentButton,
  readStoredOrder,
  waitForQuery,
  waitForStatus,
} from './gateway.ts'
import type { FormFields } from './gateway.ts'
import {
  findChanges,
  delegate,
  createAddress,
  registerDelegate,
  startTarget,
  REGISTER,
} from './target.ts'
import type { Target } from './target.ts'
import type { HttpResponse } from './wire.ts'

const WEBHOOK_PATH = '/api/payment/webhook/'
const RETURN_PATHS = ['/api/payment/return/', '/api/afpicon/airpay-response']
const RETRY_PATH = '/api/payment/retry/'

let target: Target
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())

const postForm = (
  path: string,
  fields: FormFields,
  address = createAddress(),
): Promise<HttpResponse> =>
  target.send({ method: 'POST', path, headers: FORM_HEADERS, body: encodeForm(fields) }, address)

/** Returns the changes without the gateway messages that the attack itself stored. */
const excludeMessages = (changedTables: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(changedTables).filter(([name]) => name !== 'gateway_notices'))

describe('a forged message', () => {
  const forgeries: readonly (readonly [label: string, (orderId: string) => FormFields])[] = [
    ['claims the full payment with a valid hash', (orderId) => buildMessage({ orderId })],
    ['claims one rupee', (orderId) => buildMessage({ orderId, amount: '1.00' })],
    ['claims a negative amount', (orderId) => buildMessage({ orderId, amount: '-7080.00' })],
    ['claims a refund', (orderId) => buildMessage({ orderId, status: '405' })],
    ['claims a failure', (orderId) => buildMessage({ orderId, status: '400' })],
    ['claims an unknown state', (orderId) => buildMessage({ orderId, status: 'SUCCESS' })],
    [
      'has no hash',
      (orderId) => ({ TRANSACTIONID: orderId, TRANSACTIONSTATUS: '200', AMOUNT: '7080.00' }),
    ],
    [
      'is written in lower case',
      (orderId) =>
        Object.fromEntries(
          Object.entries(buildMessage({ orderId })).map(([name, value]) => [
            name.toLowerCase(),
            value,
          ]),
        ),
    ],
    [
      'contains internal fields',
      (orderId) => ({
        ...buildMessage({ orderId }),
        payment_status: 'success',
        status: 'success',
        paid_at: '1',
        verified: 'true',
      }),
    ],
  ]
  test.each(forgeries)(
    'that %s does not change a payment, either as a webhook or as a return',
    async (_what, buildForgery) => {
      const { data } = await registerDelegate(target)
      const snapshotBefore = target.readSnapshot()
      for (const path of [WEBHOOK_PATH, ...RETURN_PATHS]) {
        const { asks: queriesBefore } = readStoredOrder(target, data.orderid)
        const forgeryResponse = await postForm(path, buildForgery(data.orderid))
        expect([path, forgeryResponse.status]).toEqual([path, path === WEBHOOK_PATH ? 200 : 303])
        await waitForQuery(target, data.orderid, Number(queriesBefore))
      }
      expect(readStoredOrder(target, data.orderid)).toMatchObject({
        status: 'pending',
        registration: 'pending',
        review: null,
        amount: 708_000,
        reference: null,
        confirmations: 0,
      })
      expect(findChanges(snapshotBefore, target.readSnapshot())).toEqual({ gateway_notices: 3 })
    },
  )

  test('in JSON, XML or multipart, without a content type, or in the URL, pays nothing', async () => {
    const { data } = await registerDelegate(target)
    const fields = buildMessage({ orderId: data.orderid })
    const snapshotBefore = target.readSnapshot()
    const bodyCases: readonly (readonly [type: string, body: string])[] = [
      ['application/json', JSON.stringify(fields)],
      ['application/json', JSON.stringify({ ...fields, __proto__: fields })],
      ['application/json', JSON.stringify([fields])],
      ['text/plain', JSON.stringify(fields)],
      [
        'text/xml',
        `<RESPONSE><TRANSACTION><TRANSACTIONSTATUS>200</TRANSACTIONSTATUS></TRANSACTION></RESPONSE>`,
      ],
      [
        'multipart/form-data; boundary=x',
        `--x\r\nContent-Disposition: form-data; name="TRANSACTIONID"\r\n\r\n${data.orderid}\r\n--x--`,
      ],
      ['', encodeForm(fields)],
    ]
    for (const path of [WEBHOOK_PATH, ...RETURN_PATHS])
      for (const [type, body] of bodyCases) {
        const headers = type === '' ? {} : { 'content-type': type }
        const { status } = await target.send({ method: 'POST', path, headers, body })
        expect([200, 303, 400, 404]).toContain(status)
      }
    for (const path of RETURN_PATHS)
      expect((await target.send({ path: `${path}?${encodeForm(fields)}` })).status).toBe(303)
    await waitForQuery(target, data.orderid, 0)
    expect(readStoredOrder(target, data.orderid)).toMatchObject({
      status: 'pending',
      confirmations: 0,
    })
    expect(excludeMessages(findChanges(snapshotBefore, target.readSnapshot()))).toEqual({})
  })

  test('that turns a decline into a success has no effect', async () => {
    const { data } = await registerDelegate(target)
    await clickPaymentButton(await placeOrder(data), 'decline')
    await waitForStatus(target, data.orderid, 'failed')
    const snapshotBefore = target.readSnapshot()
    const { asks: queriesBefore } = readStoredOrder(target, data.orderid)
    await postForm(WEBHOOK_PATH, buildMessage({ orderId: data.orderid }))
    await waitForQuery(target, data.orderid, Number(queriesBefore))
    expect(readStoredOrder(target, data.orderid)).toMatchObject({
      status: 'failed',
      confirmations: 0,
    })
    expect(excludeMessages(findChanges(snapshotBefore, target.readSnapshot()))).toEqual({})
  })
})

describe('a genuine message sent again', () => {
  test('forty times concurrently, by webhook and return, counts once and sends one email', async () => {
    const { data } = await registerDelegate(target)
    await clickPaymentButton(await placeOrder(data), 'pay')
    await waitForStatus(target, data.orderid, 'success')
    const [genuineMessage] = target.readRows(
      "SELECT body FROM gateway_notices WHERE order_id = ? AND kind = 'notice'",
      data.orderid,
    )
    const snapshotBefore = target.readSnapshot()
    const { asks: queriesBefore } = readStoredOrder(target, data.orderid)
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        target.send({
          method: 'POST',
          path: n % 2 === 0 ? WEBHOOK_PATH : (RETURN_PATHS[0] ?? ''),
          headers: FORM_HEADERS,
          body: String(genuineMessage?.['body']),
        }),
      ),
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 303]))
    await waitForQuery(target, data.orderid, Number(queriesBefore))
    expect(readStoredOrder(target, data.orderid)).toMatchObject({
      status: 'success',
      confirmations: 1,
    })
    expect(excludeMessages(findChanges(snapshotBefore, target.readSnapshot()))).toEqual({})
  })

  test('for the order of another delegate pays nothing', async () => {
    const [paidOrder, otherOrder] = [await registerDelegate(target), await registerDelegate(target)]
    await clickPaymentButton(await placeOrder(paidOrder.data), 'pay')
    await waitForStatus(target, paidOrder.data.orderid, 'success')
    const { reference } = readStoredOrder(target, paidOrder.data.orderid)
    const snapshotBefore = target.readSnapshot()
    await postForm(
      WEBHOOK_PATH,
      buildMessage({ orderId: otherOrder.data.orderid, reference: String(reference) }),
    )
    await waitForQuery(target, otherOrder.data.orderid, 0)
    expect(readStoredOrder(target, otherOrder.data.orderid)).toMatchObject({
      status: 'pending',
      reference: null,
    })
    expect(excludeMessages(findChanges(snapshotBefore, target.readSnapshot()))).toEqual({})
  })
})

describe('the checkout, changed in the browser', () => {
  test.each([
    ['amount', { amount: '1.00' }],
    ['order', { orderid: 'AFPI0000000000000' }],
    ['merchant', { mercid: '100001' }],
    ['key', { privatekey: 'a'.repeat(64) }],
    ['checksum', { checksum: 'a'.repeat(64) }],
    ['buyer', { buyerEmail: 'mallory@example.org' }],
    ['currency', { currency: '360', isocurrency: 'IDR' }],
  ])(
    'with a different %s is refused by the gateway and pays nothing here',
    async (_what, changes) => {
      const { data } = await registerDelegate(target)
      const snapshotBefore = target.readSnapshot()
      expect(await placeOrder(data, changes)).toBe(null)
      expect(readStoredOrder(target, data.orderid)).toMatchObject({ status: 'pending' })
      expect(findChanges(snapshotBefore, target.readSnapshot())).toEqual({})
    },
  )

  test('paid with one rupee too little is not a success, whatever the messages say', async () => {
    const { data } = await registerDelegate(target)
    await clickPaymentButton(await placeOrder(data), 'wrong')
    await postForm(WEBHOOK_PATH, buildMessage({ orderId: data.orderid, amount: '7080.00' }))
    await expect
      .poll(() => readStoredOrder(target, data.orderid)['review'], { timeout: 200_000 })
      .toBe('The payment is ₹\u00a07,079 instead of ₹\u00a07,080.')
    expect(readStoredOrder(target, data.orderid)).toMatchObject({
      status: 'pending',
      registration: 'pending',
      confirmations: 0,
    })
  })
})

describe('the price sent by the form', () => {
  test.each<[Record<string, unknown>, number]>([
    [{ total_amount: '1' }, 409],
    [{ total_amount: 1 }, 409],
    [{ total_amount: '-7080' }, 422],
    [{ total_amount: '7080.001' }, 422],
    [{ total_amount: '7,080' }, 422],
    [{ total_amount: '7.08e3' }, 422],
    [{ total_amount: ['7080'] }, 422],
    [{ total_amount: { valueOf: 1 } }, 422],
    [{ total_amount: true }, 422],
    [{ base_amount: '5999' }, 409],
    [{ gst_amount: '0' }, 409],
    [{ base_amount: '7080', gst_amount: '0', total_amount: '7080' }, 409],
    [{ registration_category: 'afpi-pg' }, 409],
  ])('%j is refused, and nothing is stored', async (sentPrice, status) => {
    const snapshotBefore = target.readSnapshot()
    const response = await target.post(REGISTER, { ...delegate, ...sentPrice })
    expect([response.status, findChanges(snapshotBefore, target.readSnapshot())]).toEqual([
      status,
      {},
    ])
  })

  test("fields that only the server writes are ignored: the row has the server's price and no payment", async () => {
    const response = await target.post(REGISTER, {
      ...delegate,
      payment_status: 'success',
      status: 'success',
      category: 'afpi-pg',
      period: 'july-1-aug-31',
      base: 1,
      gst: 0,
      total: 1,
      final_amount: 1,
      amount: '1.00',
      reg_no: 'AFPI0000000000000',
      order_id: 'AFPI0000000000000',
      orderid: 'AFPI0000000000000',
      paid_at: 1,
      in_review: 0,
      payment_id: 'x',
      event_id: 'nothing',
      id: 1,
    })
    const { reg_no, payment_data } = JSON.parse(response.body) as {
      reg_no: string
      payment_data: FormFields
    }
    expect([response.status, payment_data['amount']]).toEqual([201, '7080.00'])
    expect(
      target.readRows(
        'SELECT event_id, category, base, gst, total, payment_status, paid_at, payment_id FROM registrations WHERE reg_no = ?',
        reg_no,
      ),
    ).toEqual([
      {
        event_id: 'afpicon2026',
        category: 'afpi-gp-specialist',
        base: 600_000,
        gst: 108_000,
        total: 708_000,
        payment_status: 'pending',
        paid_at: null,
        payment_id: null,
      },
    ])
  })

  test('the same key with another price is rejected, and the first price still applies', async () => {
    const keyHeaders = { 'idempotency-key': 'attack-on-a-price' }
    const firstResponse = await target.post(REGISTER, delegate, createAddress(), keyHeaders)
    expect(firstResponse.status).toBe(201)
    const snapshotBefore = target.readSnapshot()
    const repeatedResponse = await target.post(
      REGISTER,
      { ...delegate, total_amount: 1 },
      createAddress(),
      keyHeaders,
    )
    expect([repeatedResponse.status, findChanges(snapshotBefore, target.readSnapshot())]).toEqual([
      422,
      {},
    ])
  })
})

describe('a retry', () => {
  test("of an open payment returns the same payment and amount; of a payment that is paid, unknown or another delegate's, nothing", async () => {
    const [openOrder, paidOrder] = [await registerDelegate(target), await registerDelegate(target)]
    await clickPaymentButton(await placeOrder(paidOrder.data), 'pay')
    await waitForStatus(target, paidOrder.data.orderid, 'success')
    const snapshotBefore = target.readSnapshot()
    const repeatedResponse = await target.post(RETRY_PATH, {
      order_id: openOrder.data.orderid,
      amount: '1.00',
    })
    expect(JSON.parse(repeatedResponse.body)).toMatchObject({
      payment_data: { orderid: openOrder.data.orderid, amount: '7080.00' },
    })
    for (const order of [
      paidOrder.data.orderid,
      `${paidOrder.data.orderid}02`,
      `${openOrder.data.orderid}'`,
      `${openOrder.data.orderid}\u0000`,
      'AFPI0000000000000',
      '',
      '%',
    ]) {
      const { status } = await target.post(RETRY_PATH, { order_id: order, amount: '1.00' })
      expect([order, status >= 400 && status < 500]).toEqual([order, true])
    }
    expect(findChanges(snapshotBefore, target.readSnapshot())).toEqual({})
  })

  test('sent twenty times concurrently for a failed payment creates one payment of the full amount', async () => {
    const { data } = await registerDelegate(target)
    await clickPaymentButton(await placeOrder(data), 'decline')
    await waitForStatus(target, data.orderid, 'failed')
    const snapshotBefore = target.readSnapshot()
    await Promise.all(
      Array.from({ length: 20 }, () =>
        target.post(RETRY_PATH, {
          order_id: data.orderid,
          amount: '1.00',
          total: 1,
          price: '1.00',
        }),
      ),
    )
    expect(findChanges(snapshotBefore, target.readSnapshot())).toMatchObject({
      payments: 1,
      asked_for: 708_000,
    })
  })
})

describe('a return', () => {
  test.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    'x\r\nSet-Cookie: a=b',
    'x\u0000',
    '<script>alert(1)</script>',
    'AFPI0000000000000?x=//evil.example',
  ])(
    'with the order id %j redirects to one of our pages and does not add a header',
    async (orderId) => {
      const { data } = await registerDelegate(target)
      for (const path of RETURN_PATHS)
        for (const fields of [
          buildMessage({ orderId }),
          { ...buildMessage({ orderId: data.orderid, amount: orderId }), MESSAGE: orderId },
        ]) {
          const { status, headers } = await postForm(path, fields)
          expect(status).toBe(303)
          expect(headers.get('location')).toMatch(/^\/(?![/\\])[\w/?=&%.+-]*$/)
          expect(headers.get('set-cookie')).toBe(undefined)
        }
    },
  )
})
