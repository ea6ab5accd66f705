/** Repeated forms, retries and email links never lead to a second payment, and never block a delegate. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrderId, RegNo } from '../../../engine/index.ts'
import type { RegistrationResponse, RegisterResponse } from '../../../engine/api.ts'
import { delegate, openTestServer } from './server-with-gateway.ts'
import type { TestServer } from './server-with-gateway.ts'

const MINUTE_MS = 60_000
const OCTOBER = '2025-10-10T12:00:00+05:30'
let testServer: TestServer
beforeAll(async () => {
  testServer = await openTestServer()
})
afterAll(() => testServer.close())

type RetryResult = {
  readonly status: number
  readonly retryAfter: string | null
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
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body }
}
async function submitForm(key: string, server: TestServer = testServer): Promise<RetryResult> {
  const response = await fetch(`${server.url}/api/afpicon/register/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(delegate),
  })
  return {
    status: response.status,
    retryAfter: null,
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

async function runWithServer(
  callback: (server: TestServer) => Promise<void>,
  clock = OCTOBER,
): Promise<void> {
  const server = await openTestServer({ clock })
  try {
    await callback(server)
  } finally {
    await server.close()
  }
}

describe('a delegate who pays again', () => {
  test('is asked to wait while the gateway cannot tell whether the first payment was made', () =>
    runWithServer(async (server) => {
      const { orderId, regNo } = await server.placeOrder()
      await server.sandbox().runAction(orderId, 'decline')
      await server.waitUntilIdle()
      await server.closeGateways()
      server.advance(MINUTE_MS)
      expect(await retry(orderId, {}, server)).toMatchObject({
        status: 503,
        retryAfter: '60',
        body: { code: 'gateway_unsure' },
      })
      expect(readOrders(regNo, server)).toEqual(['01 failed'])
    }))

  test('sees that the registration is paid if a payment arrived for an earlier attempt', () =>
    runWithServer(async (server) => {
      const first = await server.placeOrder()
      await server.sandbox().runAction(first.orderId, 'decline')
      await server.waitUntilIdle()
      const { body } = await retry(first.orderId, {}, server)
      const secondOrderId = body.payment_data?.orderid as OrderId
      await server.handOff(body.payment_data as RegisterResponse['payment_data'] & object)
      await server.sandbox().runAction(secondOrderId, 'decline')
      await server.waitUntilIdle()
      await server.closeGateways()
      server.sandbox().settle(first.orderId)
      await server.restart()
      server.advance(MINUTE_MS)
      expect(await retry(secondOrderId, {}, server)).toMatchObject({
        status: 409,
        body: { code: 'nothing_due' },
      })
      expect(readOrders(first.regNo, server)).toEqual(['01 success', '02 failed'])
    }))

  test("continues with the same order after leaving the gateway's page, even from the result page", async () => {
    const { orderId, regNo } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'leave')
    testServer.advance(MINUTE_MS)
    expect(await readRegistration(regNo)).toMatchObject({ stands: 'not-paid', may_pay: true })
    expect(await retry(orderId)).toMatchObject({
      status: 201,
      body: { stands: 'not-paid', payment_data: { orderid: orderId } },
    })
    expect(readOrders(regNo)).toEqual(['01 pending'])
  })

  test('continues with the second attempt instead of a third if its response was lost', async () => {
    const { orderId, regNo } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'decline')
    await testServer.waitUntilIdle()
    testServer.advance(MINUTE_MS)
    const lostResponse = await retry(orderId)
    testServer.advance(MINUTE_MS)
    expect((await retry(orderId)).body.payment_data).toMatchObject({
      orderid: lostResponse.body.payment_data?.orderid,
    })
    expect(readOrders(regNo)).toEqual(['01 failed', '02 pending'])
  })

  test('has to wait while the bank is processing the payment', async () => {
    const { orderId, regNo } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'later')
    testServer.advance(MINUTE_MS)
    expect(await retry(orderId)).toMatchObject({ status: 409, body: { code: 'wait' } })
    expect(await readRegistration(regNo)).toMatchObject({ stands: 'at-bank', may_pay: false })
  })

  test('is not asked to pay again if the gateway has no record of the returned payment yet', async () => {
    const { orderId, regNo } = await testServer.placeOrder()
    const { getMessage } = testServer.sandbox()
    const claim = { ...getMessage(orderId), TRANSACTIONSTATUS: '200' }
    await testServer.returnFromGateway(claim)
    expect(await readRegistration(regNo)).toMatchObject({ stands: 'at-bank', may_pay: false })
    testServer.advance(MINUTE_MS)
    expect(await retry(orderId)).toMatchObject({ status: 409, body: { code: 'wait' } })
    testServer.advance(30 * MINUTE_MS)
    expect(await readRegistration(regNo)).toMatchObject({ stands: 'not-paid', may_pay: true })
    expect((await retry(orderId)).status).toBe(201)
  })

  test('receives the same order for two concurrent requests after a failure', async () => {
    const { orderId, regNo } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'decline')
    await testServer.waitUntilIdle()
    testServer.advance(MINUTE_MS)
    const answers = await Promise.all([retry(orderId), retry(orderId), retry(orderId)])
    const orders = new Set(answers.map(({ body }) => body.payment_data?.orderid))
    expect([...orders]).toEqual([`${regNo}02`])
    expect(readOrders(regNo)).toEqual(['01 failed', '02 pending'])
  })

  test('is not offered a hundredth attempt', async () => {
    const { orderId, regNo } = await testServer.placeOrder()
    const { store } = testServer.parts().deps
    const declineOrder = (id: OrderId) =>
      store.applyPaymentEvent(
        id,
        { type: 'declined', code: '400', message: '', at: testServer.now() },
        null,
      )
    await declineOrder(orderId)
    for (let attempt = 2; attempt <= 99; attempt += 1) {
      const retryResult = await store.retry(regNo as RegNo, testServer.now())
      if (!retryResult.ok) throw new Error(retryResult.error.code)
      await declineOrder(retryResult.value.orderId)
      if (attempt === 98) expect(await readRegistration(regNo)).toMatchObject({ may_pay: true })
    }
    expect(await readRegistration(regNo)).toMatchObject({ stands: 'failed', may_pay: false })
    // By then, polling of the older attempts has ended, so that one response does not need a hundred queries.
    testServer.advance(11 * 24 * 60 * MINUTE_MS)
    expect(await retry(orderId)).toMatchObject({
      status: 409,
      body: { code: 'too_many_attempts' },
    })
  })
})

describe('a form that is sent again', () => {
  test('gets a response that states the review, not a success, while staff have to decide', async () => {
    const { body } = await submitForm('review')
    await testServer.handOff(body.payment_data as RegisterResponse['payment_data'] & object)
    await testServer.sandbox().runAction(body.payment_data?.orderid ?? '', 'wrong')
    await testServer.waitUntilIdle()
    testServer.advance(MINUTE_MS)
    const repeatedForm = await submitForm('review')
    expect(repeatedForm).toMatchObject({ status: 201, body: { stands: 'organisers' } })
    expect(repeatedForm.body.payment_data).toBeUndefined()
    const { review_since } = await readRegistration(body.reg_no ?? '')
    expect(review_since).not.toBeNull()
  })

  test('gets a response that says whether the payment was refunded or is being processed by the bank', async () => {
    const paidForm = (await submitForm('back')).body
    await testServer.handOff(paidForm.payment_data as RegisterResponse['payment_data'] & object)
    const orderId = paidForm.payment_data?.orderid as OrderId
    await testServer.sandbox().runAction(orderId, 'pay')
    await testServer.waitUntilIdle()
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
    expect(await readRegistration(paidForm.reg_no ?? '')).toMatchObject({
      stands: 'refunded',
      refunded_amount: 7080,
      may_pay: false,
    })
    const waitingForm = (await submitForm('bank')).body
    await testServer.handOff(waitingForm.payment_data as RegisterResponse['payment_data'] & object)
    await testServer.sandbox().runAction(waitingForm.payment_data?.orderid ?? '', 'later')
    testServer.advance(MINUTE_MS)
    const repeatedForm = (await submitForm('bank')).body
    expect([repeatedForm.stands, repeatedForm.payment_data]).toEqual(['at-bank', undefined])
  })
})

test('a delegate who has paid keeps the ticket if another attempt is also paid', async () => {
  const first = await testServer.placeOrder()
  await testServer.sandbox().runAction(first.orderId, 'decline')
  await testServer.waitUntilIdle()
  testServer.advance(MINUTE_MS)
  const { body } = await retry(first.orderId)
  await testServer.handOff(body.payment_data as RegisterResponse['payment_data'] & object)
  await testServer.sandbox().runAction(body.payment_data?.orderid ?? '', 'pay')
  await testServer.waitUntilIdle()
  expect(await readRegistration(first.regNo)).toMatchObject({
    stands: 'complete',
    second_payment: false,
  })
  testServer.sandbox().settle(first.orderId)
  await testServer.waitUntilIdle()
  expect(await readRegistration(first.regNo)).toMatchObject({
    stands: 'complete',
    payment_status: 'success',
    second_payment: true,
    refunded_amount: 0,
    may_pay: false,
  })
  // The review states both references, so that staff can find the payment to refund.
  const references = testServer.rows(
    'SELECT c.reference FROM captures c JOIN payments p ON p.id = c.payment_id WHERE p.order_id LIKE ?',
    `${first.regNo}%`,
  )
  expect(references).toHaveLength(2)
  const { review } = testServer.readOrderState(first.orderId)
  for (const { reference } of references) expect(review).toContain(reference)
})

describe('a price', () => {
  test('that was quoted in October does not apply in January: the delegate confirms the new price first', () =>
    runWithServer(async (server) => {
      const { orderId, regNo } = await server.placeOrder()
      await server.sandbox().runAction(orderId, 'leave')
      expect(await readRegistration(regNo, server)).toMatchObject({
        held_until: '2026-01-02T00:00:00+05:30',
      })
      server.setTime('2026-01-01T12:00:00+05:30')
      const heldResponse = await retry(orderId, {}, server)
      expect(heldResponse).toMatchObject({
        status: 201,
        body: { payment_data: { amount: '7080.00' } },
      })
      server.setTime('2026-01-05T12:00:00+05:30')
      expect(await readRegistration(regNo, server)).toMatchObject({ may_pay: true })
      const newResponse = await retry(orderId, {}, server)
      expect(newResponse).toMatchObject({
        status: 409,
        body: { code: 'price_moved', was: { total: 7080 }, quote: { period: 'jan-1-jan-25' } },
      })
      const total = (newResponse.body.quote as { readonly total: number }).total
      expect(total).toBeGreaterThan(7080)
      for (const price of [undefined, 7080, 'anything', total - 1])
        expect(await retry(orderId, { price }, server)).toMatchObject({
          status: 409,
          body: { code: 'price_moved' },
        })
      const { status, body } = await retry(orderId, { price: total }, server)
      expect([status, body.payment_data?.amount]).toEqual([201, total.toFixed(2)])
      expect(await readRegistration(regNo, server)).toMatchObject({ total, period: 'jan-1-jan-25' })
      await server.handOff(body.payment_data as RegisterResponse['payment_data'] & object)
      await server.sandbox().runAction(body.payment_data?.orderid ?? '', 'pay')
      await server.waitUntilIdle()
      expect(await readRegistration(regNo, server)).toMatchObject({
        stands: 'complete',
        total,
        period: 'jan-1-jan-25',
      })
    }))

  test('that is paid in time for the old order counts, even after the delegate has accepted a higher price', () =>
    runWithServer(async (server) => {
      const { orderId, regNo } = await server.placeOrder()
      server.setTime('2026-01-01T20:00:00+05:30')
      await retry(orderId, {}, server)
      // Once the hold has ended, the new order closes the old one, which was still open.
      server.setTime('2026-01-02T01:00:00+05:30')
      const newResponse = await retry(orderId, {}, server)
      expect(newResponse.body).toMatchObject({ code: 'price_moved' })
      const { total } = newResponse.body.quote as { readonly total: number }
      expect((await retry(orderId, { price: total }, server)).status).toBe(201)
      expect(readOrders(regNo, server)).toEqual(['01 failed', '02 pending'])
      expect(await readRegistration(regNo, server)).toMatchObject({ total, period: 'jan-1-jan-25' })
      server.sandbox().settle(orderId)
      await server.waitUntilIdle()
      expect(readOrders(regNo, server)).toEqual(['01 success', '02 pending'])
      expect(await readRegistration(regNo, server)).toMatchObject({
        stands: 'complete',
        total: 7080,
        period: 'sep-1-dec-31',
      })
    }, '2025-12-31T23:00:00+05:30'))

  test('whose hold ended days before the payment sends the payment to review', () =>
    runWithServer(async (server) => {
      const { orderId, regNo } = await server.placeOrder()
      await server.sandbox().runAction(orderId, 'leave')
      server.setTime('2026-01-06T12:00:00+05:30')
      server.sandbox().settle(orderId)
      await server.waitUntilIdle()
      expect(server.readOrderState(orderId).review).toBe(
        'Payment received after the price hold had ended. The price on that day was different.',
      )
      expect(await readRegistration(regNo, server)).toMatchObject({ stands: 'organisers' })
    }, '2025-12-31T23:00:00+05:30'))

  test('stays valid for a limited time after the last day if the delegate had already started to pay', () =>
    runWithServer(async (server) => {
      const file = join(server.environment.eventsDir, 'afpicon2026.yaml')
      const text = readFileSync(file, 'utf8')
      writeFileSync(file, text.replace('closes: never', 'closes: 2026-01-25'))
      await server.parts().deps.events.reload()
      const { orderId, regNo } = await server.placeOrder()
      await server.sandbox().runAction(orderId, 'leave')
      server.setTime('2026-01-26T10:00:00+05:30')
      expect(await readRegistration(regNo, server)).toMatchObject({
        stands: 'not-paid',
        may_pay: true,
      })
      const { status, body } = await retry(orderId, {}, server)
      expect([status, body.payment_data?.orderid]).toEqual([201, orderId])
      server.setTime('2026-01-27T09:00:00+05:30')
      expect(await readRegistration(regNo, server)).toMatchObject({
        stands: 'not-paid',
        may_pay: false,
      })
      expect(await retry(orderId, {}, server)).toMatchObject({
        status: 409,
        body: { code: 'registration_closed' },
      })
      // An order issued in time can still be paid.
      await server.sandbox().runAction(orderId, 'pay')
      await server.waitUntilIdle()
      expect(await readRegistration(regNo, server)).toMatchObject({
        stands: 'complete',
        in_review: false,
      })
    }, '2026-01-25T23:50:00+05:30'))
})

describe('a delegate who left before paying', () => {
  /** Registers a delegate who leaves the payment page, and waits for the given time. */
  const registerAndLeave = async (server: TestServer, ms: number) => {
    const order = await server.placeOrder()
    await server.sandbox().runAction(order.orderId, 'leave')
    server.advance(2 * MINUTE_MS)
    await server.parts().deps.payments.queryDue()
    server.advance(ms - 2 * MINUTE_MS)
    return order
  }
  const readEmails = (server: TestServer): readonly string[] => {
    const folder = join(server.dataDir, 'mail')
    return readdirSync(folder).map((name) =>
      readFileSync(join(folder, name), 'utf8').replaceAll(/=\r?\n/g, ''),
    )
  }
  const findToken = (emailText: string): string =>
    /\/my\/([\w-]{43})(?![\w-])/.exec(emailText)?.[1] ?? ''
  const resumeByLink = async (
    server: TestServer,
    token: string,
    extraFields: object = {},
  ): Promise<RetryResult> => {
    const response = await fetch(`${server.url}/api/payment/resume/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, ...extraFields }),
    })
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      body: (await response.json()) as RetryResult['body'],
    }
  }

  test('receives one email an hour later, with a link that leads to the payment and later to the ticket', () =>
    runWithServer(async (server) => {
      const { orderId, regNo } = await registerAndLeave(server, 59 * MINUTE_MS)
      expect(await server.parts().paymentReminders.run()).toBe(0)
      server.advance(2 * MINUTE_MS)
      expect(await server.parts().paymentReminders.run()).toBe(1)
      expect(await server.parts().paymentReminders.run()).toBe(0)
      await server.restart()
      expect(await server.parts().paymentReminders.run()).toBe(0)
      expect(await server.parts().mailer.run()).toBe(1)
      const [emailText = ''] = readEmails(server)
      for (const expectedText of [regNo, '7,080', '31 December 2025', 'support@afpicon.example'])
        expect(emailText).toContain(expectedText)
      const token = findToken(emailText)
      expect(token).toHaveLength(43)

      // Links in the format of older versions' emails also work.
      expect((await fetch(`${server.url}/pay/${token}`)).status).toBe(200)
      const page = await fetch(`${server.url}/my/${token}`)
      expect(page.status).toBe(200)
      expect(Object.fromEntries(page.headers)).toMatchObject({
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'x-robots-tag': 'noindex',
      })
      expect(await page.text()).toContain('"page":"my"')
      const pageResponse = await fetch(`${server.url}/api/my/${token}`)
      expect(await pageResponse.json()).toMatchObject({
        status: 'success',
        // Unlike the registration number alone, the link also shows the answers.
        registration: expect.objectContaining(await readRegistration(regNo, server)),
        state: 'to_pay',
        documents: [],
      })
      for (let times = 0; times < 2; times += 1)
        expect(await resumeByLink(server, token)).toMatchObject({
          status: 201,
          body: { payment_data: { orderid: orderId, amount: '7080.00' } },
        })
      await server.sandbox().runAction(orderId, 'pay')
      await server.waitUntilIdle()
      expect(await (await fetch(`${server.url}/api/my/${token}/`)).json()).toMatchObject({
        registration: { stands: 'complete' },
      })
      expect(await resumeByLink(server, token)).toMatchObject({
        status: 409,
        body: { code: 'nothing_due' },
      })

      // The database and the log do not contain the link's token.
      const storedText = ['links', 'mail_queue', 'audit_log'].map((table) =>
        JSON.stringify(server.rows(`SELECT * FROM ${table}`)),
      )
      expect([...storedText, JSON.stringify(server.log)].join()).not.toContain(token)
    }))

  test('who has registered again and paid receives an email which says that the first registration needs no payment', () =>
    runWithServer(async (server) => {
      const first = await registerAndLeave(server, 30 * MINUTE_MS)
      const [mailbox = '', domain = ''] = (delegate.email ?? '').split('@')
      // The second address is a different spelling of the same mailbox.
      const second = await server.placeOrder({ email: `${mailbox}+congress@${domain}` })
      await server.sandbox().runAction(second.orderId, 'pay')
      await server.waitUntilIdle()
      await server.parts().mailer.run()
      const emailCount = readEmails(server).length
      server.advance(31 * MINUTE_MS)
      expect(await server.parts().paymentReminders.run()).toBe(1)
      expect(await server.parts().mailer.run()).toBe(1)
      const emails = readEmails(server)
      expect(emails.length).toBe(emailCount + 1)
      const emailText =
        emails.find((email) => email.includes('a second registration is unpaid')) ?? ''
      expect(findToken(emailText)).toHaveLength(43)
      for (const expectedText of [
        second.regNo,
        first.regNo,
        'you do not need to do anything',
        'Keep this link private',
      ])
        expect(emailText).toContain(expectedText)
      expect(emailText).not.toContain('It will be complete once')
    }))

  test('can still open the page after the hold; half a year after the event, the link has expired', () =>
    runWithServer(async (server) => {
      await registerAndLeave(server, 61 * MINUTE_MS)
      await server.parts().paymentReminders.run()
      await server.parts().mailer.run()
      const token = findToken(readEmails(server)[0] ?? '')
      expect((await fetch(`${server.url}/api/my/${token}`)).status).toBe(200)
      server.setTime('2026-01-02T00:00:00+05:30')
      expect((await fetch(`${server.url}/api/my/${token}`)).status).toBe(200)
      server.setTime('2026-08-01T00:00:00+05:30')
      for (const invalidToken of [token, 'a'.repeat(43), 'x', '']) {
        expect(await resumeByLink(server, invalidToken)).toMatchObject({
          status: 404,
          body: { status: 'error' },
        })
        expect((await fetch(`${server.url}/api/my/${invalidToken}`)).status).not.toBe(200)
      }
      // The server still knows the event of an expired link, so the page can link to the form.
      const responses = await Promise.all(
        [token, 'a'.repeat(43)].map((token) => fetch(`${server.url}/my/${token}`)),
      )
      expect(responses.map(({ status }) => status)).toEqual([404, 404])
      const [expiredPage, unknownPage] = await Promise.all(responses.map((page) => page.text()))
      expect([
        expiredPage?.includes('"page":"my","event":{'),
        unknownPage?.includes('"event":null'),
      ]).toEqual([true, true])
    }))

  test('receives no reminder after paying, or while the bank is processing the payment', () =>
    runWithServer(async (server) => {
      const paidOrder = await registerAndLeave(server, 61 * MINUTE_MS)
      const bankOrder = await server.placeOrder()
      await server.sandbox().runAction(bankOrder.orderId, 'later')
      server.advance(2 * MINUTE_MS)
      await server.parts().deps.payments.queryDue()
      server.advance(61 * MINUTE_MS)
      expect(await server.parts().paymentReminders.run()).toBe(1)
      await server.sandbox().runAction(paidOrder.orderId, 'silent')
      await server.parts().deps.payments.verify(paidOrder.orderId, 5_000)
      expect(await readRegistration(paidOrder.regNo, server)).toMatchObject({ stands: 'complete' })
      await server.parts().mailer.run()
      expect(readEmails(server).filter((email) => email.includes('Finish your'))).toEqual([])
      expect(server.rows("SELECT status, error FROM mail_queue WHERE kind = 'unfinished'")).toEqual(
        [{ status: 'failed', error: 'The email was no longer needed.' }],
      )
    }))
})

describe('a browser that returns after payment', () => {
  test('is redirected to the result page if the server cannot write', () =>
    runWithServer(async (server) => {
      const { orderId } = await server.placeOrder()
      await server.sandbox().runAction(orderId, 'stay')
      const message = server.sandbox().getMessage(orderId)
      await server.sandbox().idle()
      await server.parts().deps.store.close()
      const address = await server.returnFromGateway(message)
      expect(`${address.pathname}${address.search}`).toBe(
        `/afpicon/payment/success?orderId=${orderId}`,
      )
    }))

  test('is redirected to the result page if its address has reached the rate limit', async () => {
    const server = await openTestServer({ variables: { RATE_LIMITS: 'on' } })
    try {
      const { orderId } = await server.placeOrder()
      await server.sandbox().runAction(orderId, 'stay')
      const openReturn = (url: string) => server.parts().app.inject({ method: 'GET', url })
      for (let times = 0; times < 600; times += 1) await openReturn('/api/payment/return/')
      const query = new URLSearchParams(server.sandbox().getMessage(orderId)).toString()
      const response = await openReturn(`/api/payment/return/?${query}`)
      expect([response.statusCode, response.headers.location]).toEqual([
        303,
        `/afpicon/payment/success?orderId=${orderId}`,
      ])
    } finally {
      await server.close()
    }
  })
})
