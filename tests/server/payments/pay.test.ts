/**
 * Repeated forms, retries and email links never lead to a second payment, and never block a
 * delegate.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrderId, RegNo } from '../../../engine/index.ts'
import type { RegistrationResponse, RegisterResponse } from '../../../engine/api.ts'
import { delegate, openTestServer } from './server-with-gateway.ts'
import type { TestServer } from './server-with-gateway.ts'

const minute = 60_000
const OCTOBER = '2025-10-10T12:00:00+05:30'
let testServer: TestServer
beforeAll(async () => {
  testServer = await openTestServer()
})
afterAll(() => testServer.close())

type RetryResult = {
  readonly status: number
  readonly again: string | null
  readonly body: Record<string, unknown> & Partial<RegisterResponse>
}
async function retry(
  order_id: string,
  extraFields: object = {},
  server: TestServer = testServer,
): Promise<RetryResult> {
  const response = await fetch(`${server.url}/api/payment/retry/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ order_id, ...extraFields }),
  })
  const body = (await response.json()) as RetryResult['body']
  return { status: response.status, again: response.headers.get('retry-after'), body }
}
async function submitForm(key: string, server: TestServer = testServer): Promise<RetryResult> {
  const response = await fetch(`${server.url}/api/afpicon/register/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(delegate),
  })
  return {
    status: response.status,
    again: null,
    body: (await response.json()) as RetryResult['body'],
  }
}
async function readRegistration(
  regNo: string,
  server: TestServer = testServer,
): Promise<RegistrationResponse['registration']> {
  const response = await fetch(`${server.url}/api/afpicon/registrations/${regNo}/`)
  return ((await response.json()) as RegistrationResponse).registration
}
const readOrders = (regNo: string, server: TestServer = testServer): unknown[] =>
  server
    .rows(
      'SELECT order_id, status FROM payments WHERE order_id LIKE ? ORDER BY attempt',
      `${regNo}%`,
    )
    .map(
      ({ order_id, status }) => `${String(order_id).slice(regNo.length) || '01'} ${String(status)}`,
    )

async function withTestServer(
  callback: (other: TestServer) => Promise<void>,
  clock = OCTOBER,
): Promise<void> {
  const other = await openTestServer({ clock })
  try {
    await callback(other)
  } finally {
    await other.close()
  }
}

describe('a delegate who pays again', () => {
  test('is asked to wait while the gateway cannot tell whether the first payment was made', () =>
    withTestServer(async (other) => {
      const { orderId, regNo } = await other.place()
      await other.sandbox().runAction(orderId, 'decline')
      await other.settled()
      await other.closeGateways()
      other.advance(minute)
      expect(await retry(orderId, {}, other)).toMatchObject({
        status: 503,
        again: '60',
        body: { code: 'gateway_unsure' },
      })
      expect(readOrders(regNo, other)).toEqual(['01 failed'])
    }))

  test('sees that it is paid if a payment arrived for an earlier attempt', () =>
    withTestServer(async (other) => {
      const first = await other.place()
      await other.sandbox().runAction(first.orderId, 'decline')
      await other.settled()
      const { body } = await retry(first.orderId, {}, other)
      const second = body.payment_data?.orderid as OrderId
      await other.handOff(body.payment_data as RegisterResponse['payment_data'] & object)
      await other.sandbox().runAction(second, 'decline')
      await other.settled()
      await other.closeGateways()
      other.sandbox().settle(first.orderId)
      await other.restart()
      other.advance(minute)
      expect(await retry(second, {}, other)).toMatchObject({
        status: 409,
        body: { code: 'nothing_due' },
      })
      expect(readOrders(first.regNo, other)).toEqual(['01 success', '02 failed'])
    }))

  test('after leaving the page of the gateway gets the same order, also from the result page', async () => {
    const { orderId, regNo } = await testServer.place()
    await testServer.sandbox().runAction(orderId, 'leave')
    testServer.advance(minute)
    expect(await readRegistration(regNo)).toMatchObject({ stands: 'not-paid', may_pay: true })
    expect(await retry(orderId)).toMatchObject({
      status: 201,
      body: { stands: 'not-paid', payment_data: { orderid: orderId } },
    })
    expect(readOrders(regNo)).toEqual(['01 pending'])
  })

  test('gets the second attempt again, and no third order, if its response was lost', async () => {
    const { orderId, regNo } = await testServer.place()
    await testServer.sandbox().runAction(orderId, 'decline')
    await testServer.settled()
    testServer.advance(minute)
    const lostResponse = await retry(orderId)
    testServer.advance(minute)
    expect((await retry(orderId)).body.payment_data).toMatchObject({
      orderid: lostResponse.body.payment_data?.orderid,
    })
    expect(readOrders(regNo)).toEqual(['01 failed', '02 pending'])
  })

  test('waits while the bank processes the payment', async () => {
    const { orderId, regNo } = await testServer.place()
    await testServer.sandbox().runAction(orderId, 'later')
    testServer.advance(minute)
    expect(await retry(orderId)).toMatchObject({ status: 409, body: { code: 'wait' } })
    expect(await readRegistration(regNo)).toMatchObject({ stands: 'at-bank', may_pay: false })
  })

  test('is not asked to pay again if the gateway does not know the returned payment yet', async () => {
    const { orderId, regNo } = await testServer.place()
    const { messageOf } = testServer.sandbox()
    const claim = { ...messageOf(orderId), TRANSACTIONSTATUS: '200' }
    await testServer.comeBack(claim)
    expect(await readRegistration(regNo)).toMatchObject({ stands: 'at-bank', may_pay: false })
    testServer.advance(minute)
    expect(await retry(orderId)).toMatchObject({ status: 409, body: { code: 'wait' } })
    testServer.advance(30 * minute)
    expect(await readRegistration(regNo)).toMatchObject({ stands: 'not-paid', may_pay: true })
    expect((await retry(orderId)).status).toBe(201)
  })

  test('gets the same order for two concurrent requests after a failure', async () => {
    const { orderId, regNo } = await testServer.place()
    await testServer.sandbox().runAction(orderId, 'decline')
    await testServer.settled()
    testServer.advance(minute)
    const answers = await Promise.all([retry(orderId), retry(orderId), retry(orderId)])
    const orders = new Set(answers.map(({ body }) => body.payment_data?.orderid))
    expect([...orders]).toEqual([`${regNo}02`])
    expect(readOrders(regNo)).toEqual(['01 failed', '02 pending'])
  })

  test('is not offered a hundredth attempt', async () => {
    const { orderId, regNo } = await testServer.place()
    const { store } = testServer.parts().deps
    const declineOrder = (id: OrderId) =>
      store.applyPaymentEvent(
        id,
        { type: 'declined', code: '400', message: '', at: testServer.now() },
        null,
      )
    await declineOrder(orderId)
    for (let attempt = 2; attempt <= 99; attempt += 1) {
      const next = await store.retry(regNo as RegNo, testServer.now())
      if (!next.ok) throw new Error(next.error.code)
      await declineOrder(next.value.orderId)
      if (attempt === 98) expect(await readRegistration(regNo)).toMatchObject({ may_pay: true })
    }
    expect(await readRegistration(regNo)).toMatchObject({ stands: 'failed', may_pay: false })
    // Older attempts are no longer polled, so that one response does not need a hundred queries.
    testServer.advance(11 * 24 * 60 * minute)
    expect(await retry(orderId)).toMatchObject({
      status: 409,
      body: { code: 'too_many_attempts' },
    })
  })
})

describe('the same form again', () => {
  test('states the review instead of "successful" while staff have to decide', async () => {
    const { body } = await submitForm('review')
    await testServer.handOff(body.payment_data as RegisterResponse['payment_data'] & object)
    await testServer.sandbox().runAction(body.payment_data?.orderid ?? '', 'wrong')
    await testServer.settled()
    testServer.advance(minute)
    const secondForm = await submitForm('review')
    expect(secondForm).toMatchObject({ status: 201, body: { stands: 'organisers' } })
    expect(secondForm.body.payment_data).toBeUndefined()
    const { review_since } = await readRegistration(body.reg_no ?? '')
    expect(review_since).not.toBeNull()
  })

  test('states that the payment was refunded, or is being processed by the bank', async () => {
    const paid = (await submitForm('back')).body
    await testServer.handOff(paid.payment_data as RegisterResponse['payment_data'] & object)
    const orderId = paid.payment_data?.orderid as OrderId
    await testServer.sandbox().runAction(orderId, 'pay')
    await testServer.settled()
    const [payment] = testServer.rows('SELECT amount FROM payments WHERE order_id = ?', orderId)
    await testServer.parts().deps.store.applyPaymentEvent(
      orderId,
      {
        type: 'refunded',
        reference: 'R1',
        amount: payment?.['amount'] as never,
        at: testServer.now(),
      },
      null,
    )
    expect((await submitForm('back')).body).toMatchObject({ stands: 'refunded' })
    expect(await readRegistration(paid.reg_no ?? '')).toMatchObject({
      stands: 'refunded',
      refunded_amount: 7080,
      may_pay: false,
    })
    const waitingForm = (await submitForm('bank')).body
    await testServer.handOff(waitingForm.payment_data as RegisterResponse['payment_data'] & object)
    await testServer.sandbox().runAction(waitingForm.payment_data?.orderid ?? '', 'later')
    testServer.advance(minute)
    const secondForm = (await submitForm('bank')).body
    expect([secondForm.stands, secondForm.payment_data]).toEqual(['at-bank', undefined])
  })
})

test('a delegate who has paid keeps the ticket when another attempt is paid too', async () => {
  const first = await testServer.place()
  await testServer.sandbox().runAction(first.orderId, 'decline')
  await testServer.settled()
  testServer.advance(minute)
  const { body } = await retry(first.orderId)
  await testServer.handOff(body.payment_data as RegisterResponse['payment_data'] & object)
  await testServer.sandbox().runAction(body.payment_data?.orderid ?? '', 'pay')
  await testServer.settled()
  expect(await readRegistration(first.regNo)).toMatchObject({
    stands: 'complete',
    second_payment: false,
  })
  testServer.sandbox().settle(first.orderId)
  await testServer.settled()
  expect(await readRegistration(first.regNo)).toMatchObject({
    stands: 'complete',
    payment_status: 'success',
    second_payment: true,
    refunded_amount: 0,
    may_pay: false,
  })
  // The review names both payments, so that staff can find the one to refund.
  const references = testServer.rows(
    'SELECT c.reference FROM captures c JOIN payments p ON p.id = c.payment_id WHERE p.order_id LIKE ?',
    `${first.regNo}%`,
  )
  expect(references).toHaveLength(2)
  const { review } = testServer.holds(first.orderId)
  for (const { reference } of references) expect(review).toContain(reference)
})

describe('a price', () => {
  test('of October is not the price of January: the delegate confirms the new price first', () =>
    withTestServer(async (other) => {
      const { orderId, regNo } = await other.place()
      await other.sandbox().runAction(orderId, 'leave')
      expect(await readRegistration(regNo, other)).toMatchObject({
        held_until: '2026-01-02T00:00:00+05:30',
      })
      other.at('2026-01-01T12:00:00+05:30')
      const heldResponse = await retry(orderId, {}, other)
      expect(heldResponse).toMatchObject({
        status: 201,
        body: { payment_data: { amount: '7080.00' } },
      })
      other.at('2026-01-05T12:00:00+05:30')
      expect(await readRegistration(regNo, other)).toMatchObject({ may_pay: true })
      const newResponse = await retry(orderId, {}, other)
      expect(newResponse).toMatchObject({
        status: 409,
        body: { code: 'price_moved', was: { total: 7080 }, quote: { period: 'jan-1-jan-25' } },
      })
      const total = (newResponse.body.quote as { readonly total: number }).total
      expect(total).toBeGreaterThan(7080)
      for (const price of [undefined, 7080, 'anything', total - 1])
        expect(await retry(orderId, { price }, other)).toMatchObject({
          status: 409,
          body: { code: 'price_moved' },
        })
      const { status, body } = await retry(orderId, { price: total }, other)
      expect([status, body.payment_data?.amount]).toEqual([201, total.toFixed(2)])
      expect(await readRegistration(regNo, other)).toMatchObject({ total, period: 'jan-1-jan-25' })
      await other.handOff(body.payment_data as RegisterResponse['payment_data'] & object)
      await other.sandbox().runAction(body.payment_data?.orderid ?? '', 'pay')
      await other.settled()
      expect(await readRegistration(regNo, other)).toMatchObject({
        stands: 'complete',
        total,
        period: 'jan-1-jan-25',
      })
    }))

  test('paid in time for the old order is a success at that price, even after a higher price was accepted', () =>
    withTestServer(async (other) => {
      const { orderId, regNo } = await other.place()
      other.at('2026-01-01T20:00:00+05:30')
      await retry(orderId, {}, other)
      // After the hold, the new order ends the old one, which is still open.
      other.at('2026-01-02T01:00:00+05:30')
      const newResponse = await retry(orderId, {}, other)
      expect(newResponse.body).toMatchObject({ code: 'price_moved' })
      const { total } = newResponse.body.quote as { readonly total: number }
      expect((await retry(orderId, { price: total }, other)).status).toBe(201)
      expect(readOrders(regNo, other)).toEqual(['01 failed', '02 pending'])
      expect(await readRegistration(regNo, other)).toMatchObject({ total, period: 'jan-1-jan-25' })
      other.sandbox().settle(orderId)
      await other.settled()
      expect(readOrders(regNo, other)).toEqual(['01 success', '02 pending'])
      expect(await readRegistration(regNo, other)).toMatchObject({
        stands: 'complete',
        total: 7080,
        period: 'sep-1-dec-31',
      })
    }, '2025-12-31T23:00:00+05:30'))

  test('that has expired and is paid days later goes to review', () =>
    withTestServer(async (other) => {
      const { orderId, regNo } = await other.place()
      await other.sandbox().runAction(orderId, 'leave')
      other.at('2026-01-06T12:00:00+05:30')
      other.sandbox().settle(orderId)
      await other.settled()
      expect(other.holds(orderId).review).toBe(
        'Payment received after its price was no longer held. The price on that day was different.',
      )
      expect(await readRegistration(regNo, other)).toMatchObject({ stands: 'organisers' })
    }, '2025-12-31T23:00:00+05:30'))

  test('stays valid for a limited time after the last day for a delegate who had started to pay', () =>
    withTestServer(async (other) => {
      const file = join(other.environment.eventsDir, 'afpicon2026.yaml')
      const text = readFileSync(file, 'utf8')
      writeFileSync(file, text.replace('closes: never', 'closes: 2026-01-25'))
      await other.parts().deps.events.reload()
      const { orderId, regNo } = await other.place()
      await other.sandbox().runAction(orderId, 'leave')
      other.at('2026-01-26T10:00:00+05:30')
      expect(await readRegistration(regNo, other)).toMatchObject({
        stands: 'not-paid',
        may_pay: true,
      })
      const { status, body } = await retry(orderId, {}, other)
      expect([status, body.payment_data?.orderid]).toEqual([201, orderId])
      other.at('2026-01-27T09:00:00+05:30')
      expect(await readRegistration(regNo, other)).toMatchObject({
        stands: 'not-paid',
        may_pay: false,
      })
      expect(await retry(orderId, {}, other)).toMatchObject({
        status: 409,
        body: { code: 'registration_closed' },
      })
      // An order issued in time can still be paid.
      await other.sandbox().runAction(orderId, 'pay')
      await other.settled()
      expect(await readRegistration(regNo, other)).toMatchObject({
        stands: 'complete',
        in_review: false,
      })
    }, '2026-01-25T23:50:00+05:30'))
})

describe('a delegate who left before paying', () => {
  /** Registers, leaves, and does nothing for the given time. */
  const registerAndLeave = async (other: TestServer, ms: number) => {
    const order = await other.place()
    await other.sandbox().runAction(order.orderId, 'leave')
    other.advance(2 * minute)
    await other.parts().deps.payments.reconcile()
    other.advance(ms - 2 * minute)
    return order
  }
  const readEmails = (other: TestServer): readonly string[] => {
    const folder = join(other.dataDir, 'mail')
    return readdirSync(folder).map((name) =>
      readFileSync(join(folder, name), 'utf8').replaceAll(/=\r?\n/g, ''),
    )
  }
  const linkIn = (emailText: string): string =>
    /\/my\/([\w-]{43})(?![\w-])/.exec(emailText)?.[1] ?? ''
  const byLink = async (
    other: TestServer,
    token: string,
    extraFields: object = {},
  ): Promise<RetryResult> => {
    const response = await fetch(`${other.url}/api/payment/resume/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, ...extraFields }),
    })
    return {
      status: response.status,
      again: response.headers.get('retry-after'),
      body: (await response.json()) as RetryResult['body'],
    }
  }

  test('gets one email an hour later, whose link leads to the payment and later to the ticket', () =>
    withTestServer(async (other) => {
      const { orderId, regNo } = await registerAndLeave(other, 59 * minute)
      expect(await other.parts().paymentReminders.run()).toBe(0)
      other.advance(2 * minute)
      expect(await other.parts().paymentReminders.run()).toBe(1)
      expect(await other.parts().paymentReminders.run()).toBe(0)
      await other.restart()
      expect(await other.parts().paymentReminders.run()).toBe(0)
      expect(await other.parts().mailer.run()).toBe(1)
      const [emailText = ''] = readEmails(other)
      for (const pageText of [regNo, '7,080', '31 December 2025', 'support@afpicon.example'])
        expect(emailText).toContain(pageText)
      const token = linkIn(emailText)
      expect(token).toHaveLength(43)

      // The link in the format of older versions' emails works as well.
      expect((await fetch(`${other.url}/pay/${token}`)).status).toBe(200)
      const page = await fetch(`${other.url}/my/${token}`)
      expect(page.status).toBe(200)
      expect(Object.fromEntries(page.headers)).toMatchObject({
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'x-robots-tag': 'noindex',
      })
      expect(await page.text()).toContain('"page":"my"')
      const shown = await fetch(`${other.url}/api/my/${token}`)
      expect(await shown.json()).toMatchObject({
        status: 'success',
        // The link shows the answers, which the number alone does not.
        registration: expect.objectContaining(await readRegistration(regNo, other)),
        state: 'to_pay',
        documents: [],
      })
      for (let times = 0; times < 2; times += 1)
        expect(await byLink(other, token)).toMatchObject({
          status: 201,
          body: { payment_data: { orderid: orderId, amount: '7080.00' } },
        })
      await other.sandbox().runAction(orderId, 'pay')
      await other.settled()
      expect(await (await fetch(`${other.url}/api/my/${token}/`)).json()).toMatchObject({
        registration: { stands: 'complete' },
      })
      expect(await byLink(other, token)).toMatchObject({
        status: 409,
        body: { code: 'nothing_due' },
      })

      // The database and the log do not contain the link's token.
      const storedText = ['links', 'mail_queue', 'audit_log'].map((table) =>
        JSON.stringify(other.rows(`SELECT * FROM ${table}`)),
      )
      expect([...storedText, JSON.stringify(other.log)].join()).not.toContain(token)
    }))

  test('who registered again and paid is told that the first registration is not needed', () =>
    withTestServer(async (other) => {
      const first = await registerAndLeave(other, 30 * minute)
      const second = await other.place()
      await other.sandbox().runAction(second.orderId, 'pay')
      await other.settled()
      await other.parts().mailer.run()
      const before = readEmails(other).length
      other.advance(31 * minute)
      expect(await other.parts().paymentReminders.run()).toBe(1)
      expect(await other.parts().mailer.run()).toBe(1)
      const emails = readEmails(other)
      expect(emails.length).toBe(before + 1)
      const emailText =
        emails.find((emailText) => emailText.includes('a second registration is not paid')) ?? ''
      expect(linkIn(emailText)).toHaveLength(43)
      for (const pageText of [
        second.regNo,
        first.regNo,
        'you do not need to do anything',
        'Keep this link private',
      ])
        expect(emailText).toContain(pageText)
      expect(emailText).not.toContain('It is complete once')
    }))

  test('finds the page after the hold, and an expired link half a year after the event', () =>
    withTestServer(async (other) => {
      await registerAndLeave(other, 61 * minute)
      await other.parts().paymentReminders.run()
      await other.parts().mailer.run()
      const token = linkIn(readEmails(other)[0] ?? '')
      expect((await fetch(`${other.url}/api/my/${token}`)).status).toBe(200)
      other.at('2026-01-02T00:00:00+05:30')
      expect((await fetch(`${other.url}/api/my/${token}`)).status).toBe(200)
      other.at('2026-08-01T00:00:00+05:30')
      for (const emailText of [token, 'a'.repeat(43), 'x', '']) {
        expect(await byLink(other, emailText)).toMatchObject({
          status: 404,
          body: { status: 'error' },
        })
        expect((await fetch(`${other.url}/api/my/${emailText}`)).status).not.toBe(200)
      }
      // The event of an expired link is known, so that its page can link to the form.
      const pages = await Promise.all(
        [token, 'a'.repeat(43)].map((emailText) => fetch(`${other.url}/my/${emailText}`)),
      )
      expect(pages.map(({ status }) => status)).toEqual([404, 404])
      const [expiredPage, unknownPage] = await Promise.all(pages.map((page) => page.text()))
      expect([
        expiredPage?.includes('"page":"my","event":{'),
        unknownPage?.includes('"event":null'),
      ]).toEqual([true, true])
    }))

  test('who paid, or whose payment the bank is processing, gets no reminder', () =>
    withTestServer(async (other) => {
      const paid = await registerAndLeave(other, 61 * minute)
      const atBank = await other.place()
      await other.sandbox().runAction(atBank.orderId, 'later')
      other.advance(2 * minute)
      await other.parts().deps.payments.reconcile()
      other.advance(61 * minute)
      expect(await other.parts().paymentReminders.run()).toBe(1)
      await other.sandbox().runAction(paid.orderId, 'silent')
      await other.parts().deps.payments.verify(paid.orderId, 5_000)
      expect(await readRegistration(paid.regNo, other)).toMatchObject({ stands: 'complete' })
      await other.parts().mailer.run()
      expect(readEmails(other).filter((emailText) => emailText.includes('Finish your'))).toEqual([])
      expect(other.rows("SELECT status, error FROM mail_queue WHERE kind = 'unfinished'")).toEqual([
        { status: 'failed', error: 'It was no longer needed.' },
      ])
    }))
})

describe('a browser that returns after payment', () => {
  test('is redirected to the result page if the server cannot write', () =>
    withTestServer(async (other) => {
      const { orderId } = await other.place()
      await other.sandbox().runAction(orderId, 'stay')
      const message = other.sandbox().messageOf(orderId)
      await other.sandbox().idle()
      await other.parts().deps.store.close()
      const address = await other.comeBack(message)
      expect(`${address.pathname}${address.search}`).toBe(
        `/afpicon/payment/success?orderId=${orderId}`,
      )
    }))

  test('is redirected to the result page if its address has reached the rate limit', async () => {
    const other = await openTestServer({ variables: { RATE_LIMITS: 'on' } })
    try {
      const { orderId } = await other.place()
      await other.sandbox().runAction(orderId, 'stay')
      const openReturn = (url: string) => other.parts().app.inject({ method: 'GET', url })
      for (let times = 0; times < 600; times += 1) await openReturn('/api/payment/return/')
      const query = new URLSearchParams(other.sandbox().messageOf(orderId)).toString()
      const response = await openReturn(`/api/payment/return/?${query}`)
      expect([response.statusCode, response.headers.location]).toEqual([
        303,
        `/afpicon/payment/success?orderId=${orderId}`,
      ])
    } finally {
      await other.close()
    }
  })
})
