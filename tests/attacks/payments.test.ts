/** Attacks on money: forged and replayed messages, tampering at every hop from the form to the notice, numbers guessed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  FORM,
  formBody,
  messageOf,
  placed,
  presses,
  stored,
  untilAsked,
  untilIs,
} from './gateway.ts'
import type { Fields } from './gateway.ts'
import { changes, delegate, freshAddress, registered, startTarget, REGISTER } from './target.ts'
import type { Target } from './target.ts'
import type { Answer } from './wire.ts'

const NOTICE = '/api/payment/webhook/'
const RETURNS = ['/api/payment/return/', '/api/afpicon/airpay-response']
const RETRY = '/api/payment/retry/'

let target: Target
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())

const sends = (path: string, fields: Fields, address = freshAddress()): Promise<Answer> =>
  target.ask({ method: 'POST', path, headers: FORM, body: formBody(fields) }, address)

/** Money, mails and sessions; what was asked and kept of the attack itself is told apart. */
const withoutMessages = (changed: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(changed).filter(([name]) => name !== 'gateway_notices'))

describe('a forged message', () => {
  const forgeries: readonly (readonly [what: string, (orderId: string) => Fields])[] = [
    ['claims the money, its hash right', (orderId) => messageOf({ orderId })],
    ['claims a rupee', (orderId) => messageOf({ orderId, amount: '1.00' })],
    ['claims less than nothing', (orderId) => messageOf({ orderId, amount: '-7080.00' })],
    ['claims a refund', (orderId) => messageOf({ orderId, status: '405' })],
    ['claims a failure', (orderId) => messageOf({ orderId, status: '400' })],
    ['claims what nobody knows', (orderId) => messageOf({ orderId, status: 'SUCCESS' })],
    [
      'has no hash',
      (orderId) => ({ TRANSACTIONID: orderId, TRANSACTIONSTATUS: '200', AMOUNT: '7080.00' }),
    ],
    [
      'is written in small letters',
      (orderId) =>
        Object.fromEntries(
          Object.entries(messageOf({ orderId })).map(([name, value]) => [
            name.toLowerCase(),
            value,
          ]),
        ),
    ],
    [
      'brings fields of ours',
      (orderId) => ({
        ...messageOf({ orderId }),
        payment_status: 'success',
        status: 'success',
        paid_at: '1',
        verified: 'true',
      }),
    ],
  ]
  test.each(forgeries)(
    'that %s changes no payment, by webhook and by return',
    async (_what, forge) => {
      const { data } = await registered(target)
      const before = target.holds()
      for (const path of [NOTICE, ...RETURNS]) {
        const { asks } = stored(target, data.orderid)
        const answer = await sends(path, forge(data.orderid))
        expect([path, answer.status]).toEqual([path, path === NOTICE ? 200 : 303])
        await untilAsked(target, data.orderid, Number(asks))
      }
      expect(stored(target, data.orderid)).toMatchObject({
        status: 'pending',
        registration: 'pending',
        review: null,
        amount: 708_000,
        reference: null,
        confirmations: 0,
      })
      expect(changes(before, target.holds())).toEqual({ gateway_notices: 3 })
    },
  )

  test('in JSON, XML, multipart, without a type, or in the address, is no payment', async () => {
    const { data } = await registered(target)
    const fields = messageOf({ orderId: data.orderid })
    const before = target.holds()
    const bodies: readonly (readonly [type: string, body: string])[] = [
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
      ['', formBody(fields)],
    ]
    for (const path of [NOTICE, ...RETURNS])
      for (const [type, body] of bodies) {
        const headers = type === '' ? {} : { 'content-type': type }
        const { status } = await target.ask({ method: 'POST', path, headers, body })
        expect([200, 303, 400, 404]).toContain(status)
      }
    for (const path of RETURNS)
      expect((await target.ask({ path: `${path}?${formBody(fields)}` })).status).toBe(303)
    await untilAsked(target, data.orderid, 0)
    expect(stored(target, data.orderid)).toMatchObject({ status: 'pending', confirmations: 0 })
    expect(withoutMessages(changes(before, target.holds()))).toEqual({})
  })

  test('of a decline changed to a success stays a decline', async () => {
    const { data } = await registered(target)
    await presses(await placed(data), 'decline')
    await untilIs(target, data.orderid, 'failed')
    const before = target.holds()
    const { asks } = stored(target, data.orderid)
    await sends(NOTICE, messageOf({ orderId: data.orderid }))
    await untilAsked(target, data.orderid, Number(asks))
    expect(stored(target, data.orderid)).toMatchObject({ status: 'failed', confirmations: 0 })
    expect(withoutMessages(changes(before, target.holds()))).toEqual({})
  })
})

describe('a genuine message sent again', () => {
  test('forty times concurrently, by webhook and return, counts once and sends one email', async () => {
    const { data } = await registered(target)
    await presses(await placed(data), 'pay')
    await untilIs(target, data.orderid, 'success')
    const [genuine] = target.rows(
      "SELECT body FROM gateway_notices WHERE order_id = ? AND kind = 'notice'",
      data.orderid,
    )
    const before = target.holds()
    const { asks } = stored(target, data.orderid)
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        target.ask({
          method: 'POST',
          path: n % 2 === 0 ? NOTICE : (RETURNS[0] ?? ''),
          headers: FORM,
          body: String(genuine?.['body']),
        }),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 303]))
    await untilAsked(target, data.orderid, Number(asks))
    expect(stored(target, data.orderid)).toMatchObject({ status: 'success', confirmations: 1 })
    expect(withoutMessages(changes(before, target.holds()))).toEqual({})
  })

  test('for the order of another delegate pays nothing', async () => {
    const [paid, other] = [await registered(target), await registered(target)]
    await presses(await placed(paid.data), 'pay')
    await untilIs(target, paid.data.orderid, 'success')
    const { reference } = stored(target, paid.data.orderid)
    const before = target.holds()
    await sends(NOTICE, messageOf({ orderId: other.data.orderid, reference: String(reference) }))
    await untilAsked(target, other.data.orderid, 0)
    expect(stored(target, other.data.orderid)).toMatchObject({ status: 'pending', reference: null })
    expect(withoutMessages(changes(before, target.holds()))).toEqual({})
  })
})

describe('the checkout, changed in the browser', () => {
  test.each([
    ['the amount', { amount: '1.00' }],
    ['the order', { orderid: 'AFPI0000000000000' }],
    ['the merchant', { mercid: '100001' }],
    ['the key', { privatekey: 'a'.repeat(64) }],
    ['the checksum', { checksum: 'a'.repeat(64) }],
    ['the buyer', { buyerEmail: 'mallory@example.org' }],
    ['the currency', { currency: '360', isocurrency: 'IDR' }],
  ])('with another %s is refused by the gateway and pays nothing here', async (_what, changed) => {
    const { data } = await registered(target)
    const before = target.holds()
    expect(await placed(data, changed)).toBe(null)
    expect(stored(target, data.orderid)).toMatchObject({ status: 'pending' })
    expect(changes(before, target.holds())).toEqual({})
  })

  test('paid with a rupee less is not a success, whatever the messages say', async () => {
    const { data } = await registered(target)
    await presses(await placed(data), 'wrong')
    await sends(NOTICE, messageOf({ orderId: data.orderid, amount: '7080.00' }))
    await expect
      .poll(() => stored(target, data.orderid)['review'], { timeout: 200_000 })
      .toBe('Received ₹\u00a07,079, expected ₹\u00a07,080.')
    expect(stored(target, data.orderid)).toMatchObject({
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
  ])('%j is refused, and nothing is stored', async (sent, status) => {
    const before = target.holds()
    const answer = await target.post(REGISTER, { ...delegate, ...sent })
    expect([answer.status, changes(before, target.holds())]).toEqual([status, {}])
  })

  test("fields that only the server writes are ignored: the row has the server's price and no payment", async () => {
    const answer = await target.post(REGISTER, {
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
    const { reg_no, payment_data } = JSON.parse(answer.body) as {
      reg_no: string
      payment_data: Fields
    }
    expect([answer.status, payment_data['amount']]).toEqual([201, '7080.00'])
    expect(
      target.rows(
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

  test('the same key with another price is rejected, and the first price stays', async () => {
    const key = { 'idempotency-key': 'attack-on-a-price' }
    const first = await target.post(REGISTER, delegate, freshAddress(), key)
    expect(first.status).toBe(201)
    const before = target.holds()
    const again = await target.post(REGISTER, { ...delegate, total_amount: 1 }, freshAddress(), key)
    expect([again.status, changes(before, target.holds())]).toEqual([422, {}])
  })
})

describe('a retry', () => {
  test("of an open payment is the same payment of the same amount; of a paid, another's or unknown one, none", async () => {
    const [open, paid] = [await registered(target), await registered(target)]
    await presses(await placed(paid.data), 'pay')
    await untilIs(target, paid.data.orderid, 'success')
    const before = target.holds()
    const again = await target.post(RETRY, { order_id: open.data.orderid, amount: '1.00' })
    expect(JSON.parse(again.body)).toMatchObject({
      payment_data: { orderid: open.data.orderid, amount: '7080.00' },
    })
    for (const order of [
      paid.data.orderid,
      `${paid.data.orderid}02`,
      `${open.data.orderid}'`,
      `${open.data.orderid}\u0000`,
      'AFPI0000000000000',
      '',
      '%',
    ]) {
      const { status } = await target.post(RETRY, { order_id: order, amount: '1.00' })
      expect([order, status >= 400 && status < 500]).toEqual([order, true])
    }
    expect(changes(before, target.holds())).toEqual({})
  })

  test('twenty concurrent ones of a failed payment make one payment of the full amount', async () => {
    const { data } = await registered(target)
    await presses(await placed(data), 'decline')
    await untilIs(target, data.orderid, 'failed')
    const before = target.holds()
    await Promise.all(
      Array.from({ length: 20 }, () =>
        target.post(RETRY, { order_id: data.orderid, amount: '1.00', total: 1, price: '1.00' }),
      ),
    )
    expect(changes(before, target.holds())).toMatchObject({ payments: 1, asked_for: 708_000 })
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
  ])('that names the order %j leads to a page of ours and writes no header', async (orderId) => {
    const { data } = await registered(target)
    for (const path of RETURNS)
      for (const fields of [
        messageOf({ orderId }),
        { ...messageOf({ orderId: data.orderid, amount: orderId }), MESSAGE: orderId },
      ]) {
        const { status, headers } = await sends(path, fields)
        expect(status).toBe(303)
        expect(headers.get('location')).toMatch(/^\/(?![/\\])[\w/?=&%.+-]*$/)
        expect(headers.get('set-cookie')).toBe(undefined)
      }
  })
})
