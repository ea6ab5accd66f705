/** Polling of payments for which no gateway message arrives, and retries of failed payments. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayOf, instant, toAmount, getReviewVersion } from '../../../engine/index.ts'
import type { PaymentEvent, RegNo } from '../../../engine/index.ts'
import type { RegisterResponse } from '../../../engine/api.ts'
import { main } from '../../../server/cli/run-command.ts'
import { readEnvironment } from '../../../server/ops/environment.ts'
import {
  computeHandOffChecksum,
  computeSecureHash,
} from '../../../server/payments/gateways/airpay/checksums.ts'
import { createSandboxAccount } from '../../../server/payments/gateways/airpay/simulator/simulator.ts'
import { readTime } from '../../../server/payments/gateways/airpay/status-response.ts'
import { decideReview } from '../../../server/payments/decide-payment-review.ts'
import { openPayments } from '../../../server/payments/poll-payments.ts'
import { openTestServer } from './server-with-gateway.ts'
import type { TestServer } from './server-with-gateway.ts'
import { withoutThreads } from '../store-without-threads.ts'

type ConfirmedEvent = Extract<PaymentEvent, { type: 'confirmed' }>

const MINUTE_MS = 60_000
let testServer: TestServer
beforeAll(async () => {
  testServer = await openTestServer()
})
afterAll(() => testServer.close())

const reconcile = (isForced = false) => testServer.parts().deps.payments.queryDue(isForced)
const countQueries = (orderId: string): number =>
  Number(testServer.rows('SELECT asks FROM payments WHERE order_id = ?', orderId)[0]?.['asks'])
const retry = (orderId: string): Promise<Response> =>
  fetch(`${testServer.url}/api/payment/retry/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ order_id: orderId }),
  })

describe('polling', () => {
  test('queries at growing intervals; an unpaid order expires after 24 hours, and no email is sent', async () => {
    const { orderId } = await testServer.placeOrder()
    expect(await reconcile()).toEqual({ queriedCount: 0, finalCount: 0 })
    const queryTimes: number[] = []
    for (let minutes = 1; minutes < 24 * 60; minutes += 1) {
      testServer.advance(MINUTE_MS)
      if ((await reconcile()).queriedCount > 0) queryTimes.push(minutes)
    }
    expect(testServer.readOrderState(orderId)).toMatchObject({ status: 'pending', events: [] })
    const intervals = queryTimes.map((at, index) => at - (queryTimes[index - 1] ?? 0))
    expect(queryTimes[0]).toBe(1)
    expect(intervals.toSorted((a, b) => a - b)).toEqual(intervals)
    expect(queryTimes.length).toBeGreaterThan(8)
    expect(queryTimes.length).toBeLessThan(25)
    expect(countQueries(orderId)).toBe(queryTimes.length)
    testServer.advance(7 * 60 * MINUTE_MS)
    expect(await reconcile()).toEqual({ queriedCount: 1, finalCount: 1 })
    expect(testServer.readOrderState(orderId)).toEqual({
      status: 'failed',
      registration: 'failed',
      review: null,
      events: ['expired'],
      returns: 0,
      webhooks: 0,
      emails: 0,
    })
  })

  test('finds a payment without a webhook or a returning browser', async () => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'silent')
    testServer.advance(2 * MINUTE_MS)
    expect(await reconcile()).toEqual({ queriedCount: 1, finalCount: 1 })
    expect(testServer.readOrderState(orderId)).toMatchObject({
      status: 'success',
      events: ['confirmed'],
      emails: 1,
    })
    expect(await reconcile(true)).toEqual({ queriedCount: 0, finalCount: 0 })
  })

  test('does not expire a payment that the bank is processing, but sends it to review after five days', async () => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'later')
    for (let days = 0; days < 4; days += 1) {
      testServer.advance(24 * 60 * MINUTE_MS)
      expect(await reconcile()).toEqual({ queriedCount: 1, finalCount: 0 })
    }
    testServer.advance(24 * 60 * MINUTE_MS)
    expect(await reconcile()).toEqual({ queriedCount: 1, finalCount: 1 })
    expect(testServer.readOrderState(orderId)).toMatchObject({
      status: 'pending',
      review: 'The gateway has given no final answer for five days.',
      events: ['undecided'],
    })
    testServer.sandbox().settle(orderId)
    await testServer.waitUntilIdle()
    await reconcile()
    expect(testServer.readOrderState(orderId)).toMatchObject({
      status: 'success',
      review: null,
      emails: 1,
    })
  })

  test('a payment after registration has closed goes to review; a delegate who started on the last day can still pay', async () => {
    const server = await openTestServer({ clock: '2026-02-02T23:50:00+05:30' })
    try {
      const file = join(server.environment.eventsDir, 'afpicon2026.yaml')
      writeFileSync(file, readFileSync(file, 'utf8').replace('closes: never', 'closes: 2026-02-02'))
      await server.parts().deps.events.reload()
      const [timelyOrder, lateOrder] = [await server.placeOrder(), await server.placeOrder()]
      server.advance(24 * 60 * MINUTE_MS)
      await server.sandbox().runAction(timelyOrder.orderId, 'pay')
      await server.waitUntilIdle()
      expect(server.readOrderState(timelyOrder.orderId)).toMatchObject({
        status: 'success',
        review: null,
        emails: 1,
      })
      server.advance(24 * 60 * MINUTE_MS)
      await server.sandbox().runAction(lateOrder.orderId, 'pay')
      await server.waitUntilIdle()
      expect(server.readOrderState(lateOrder.orderId)).toMatchObject({
        status: 'pending',
        review: 'Payment received after registration closed.',
        events: ['confirmed'],
        emails: 0,
      })
    } finally {
      await server.close()
    }
  })

  test('a payment that is found late does not count as late: its payment time applies, in the daily revenue too', async () => {
    const server = await openTestServer({ clock: '2026-02-02T23:50:00+05:30' })
    try {
      const file = join(server.environment.eventsDir, 'afpicon2026.yaml')
      writeFileSync(file, readFileSync(file, 'utf8').replace('closes: never', 'closes: 2026-02-02'))
      await server.parts().deps.events.reload()
      const { orderId, regNo } = await server.placeOrder()
      await server.sandbox().runAction(orderId, 'silent')
      server.advance(4 * 24 * 60 * MINUTE_MS)
      expect(await server.parts().deps.payments.queryDue()).toEqual({
        queriedCount: 1,
        finalCount: 1,
      })
      expect(server.readOrderState(orderId)).toMatchObject({
        status: 'success',
        review: null,
        emails: 1,
      })
      expect(server.rows('SELECT day FROM revenue')).toEqual([{ day: '2026-02-02' }])
      expect(await server.parts().deps.store.registration(regNo)).toMatchObject({
        paidAt: instant(Date.parse('2026-02-02T23:50:00+05:30')),
      })
      // The email has the current time, because in a queue sorted by time it must not precede emails that were already
      // sent.
      expect(server.rows('SELECT created_at FROM mail_queue')).toEqual([
        { created_at: server.now() },
      ])
    } finally {
      await server.close()
    }
  })

  test.each([
    ['two days after closing goes to review', 2, 'failed', 'Payment received after registration'],
    ['in time counts, and the email states its reference', 0, 'success', null],
  ] as const)(
    'after a dismissed payment, a second payment has its own payment time: a payment %s',
    async (_what, days, status, reason) => {
      const server = await openTestServer({ clock: '2026-02-02T23:50:00+05:30' })
      try {
        const file = join(server.environment.eventsDir, 'afpicon2026.yaml')
        const text = readFileSync(file, 'utf8')
          .replace('closes: never', 'closes: 2026-02-02')
          .replace('Dear {full_name},', 'Paid as {payment_id}.')
        writeFileSync(file, text)
        await server.parts().deps.events.reload()
        const { regNo, orderId } = await server.placeOrder()
        const { deps } = server.parts()
        const rupeePayment = { amount: toAmount(590_000), kind: 'sale' as const }
        const otherPayments: NonNullable<ConfirmedEvent['further']>[number][] = []
        const paidAt = server.now()
        const payments = openPayments(
          {
            ...deps,
            gateway: {
              ...deps.gateway,
              status: async () => {
                const dollarPayment = {
                  reference: 'USD1',
                  currency: '840',
                  paidAt,
                  at: server.now(),
                }
                const event = { type: 'confirmed' as const, ...rupeePayment, ...dollarPayment }
                return {
                  is: 'payment-event',
                  raw: '',
                  paymentEvent:
                    otherPayments.length === 0 ? event : { ...event, further: otherPayments },
                }
              },
            },
          },
          { isEnabled: false },
        )
        expect(await payments.verify(orderId, 1000)).toBe('review')
        const [review] = await deps.store.reviews(null)
        const version = review === undefined ? '' : getReviewVersion(review)
        const decision = { decision: 'dismiss', version, why: 'Not ours.' }
        expect((await decideReview(deps, String(review?.id), decision, 'office')).ok).toBe(true)
        server.advance(5 * 24 * 60 * MINUTE_MS)
        const receivedAt = instant(paidAt + days * 24 * 60 * MINUTE_MS)
        otherPayments.push({
          ...rupeePayment,
          reference: 'INR2',
          currency: 'INR',
          paidAt: receivedAt,
        })
        await payments.verify(orderId, 1000)
        const orderState = server.readOrderState(orderId)
        expect(orderState.status).toBe(status)
        expect(orderState.review).toEqual(reason === null ? null : expect.stringContaining(reason))
        expect(
          (await deps.store.captures(regNo as RegNo)).map((payment) => [
            payment.reference,
            payment.paidAt,
          ]),
        ).toEqual([
          ['USD1', paidAt],
          ['INR2', receivedAt],
        ])
        // A repeated response adds no event and reopens no review.
        await payments.verify(orderId, 1000)
        expect(server.readOrderState(orderId).events).toEqual(orderState.events)
        const emails = (await deps.store.emailsOfRegistration(regNo as RegNo)).map(
          ({ text: body }) => body,
        )
        expect(emails).toEqual(reason === null ? [expect.stringContaining('Paid as INR2')] : [])
      } finally {
        await server.close()
      }
    },
  )

  test.each([
    ['before the order was placed', '01-01-2020 00:00:00'],
    ['after now', '01-01-2099 00:00:00'],
    ['that is invalid', 'yesterday'],
  ])('a payment time %s is ignored: the time of the response counts', async (_why, time) => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'silent')
    const { deps } = testServer.parts()
    const gateway = {
      ...deps.gateway,
      status: async (...args: Parameters<typeof deps.gateway.status>) => {
        const response = await deps.gateway.status(...args)
        if (response.is !== 'payment-event' || response.paymentEvent.type !== 'confirmed')
          return response
        const { paidAt: _, ...event } = response.paymentEvent
        const paidAt = readTime(time)
        return { ...response, paymentEvent: paidAt === null ? event : { ...event, paidAt } }
      },
    }
    testServer.advance(MINUTE_MS)
    const payments = openPayments({ ...deps, gateway }, { isEnabled: false })
    expect(await payments.verify(orderId, 5_000)).toBe('success')
    expect((await deps.store.registration(orderId))?.paidAt).toBe(testServer.now())
  })

  test('leaves payments under review unchanged', async () => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'wrong')
    await testServer.waitUntilIdle()
    testServer.advance(48 * 60 * MINUTE_MS)
    expect(await reconcile(true)).toEqual({ queriedCount: 0, finalCount: 0 })
    expect(testServer.readOrderState(orderId)).toMatchObject({
      status: 'pending',
      events: ['confirmed'],
      emails: 0,
    })
    expect((await testServer.parts().deps.store.registration(orderId))?.inReview).toBe(true)
  })

  test('two servers together process a payment only once', async () => {
    const orders = await Promise.all(Array.from({ length: 12 }, () => testServer.placeOrder()))
    for (const { orderId } of orders) await testServer.sandbox().runAction(orderId, 'silent')
    const { deps } = testServer.parts()
    const secondPoller = openPayments(deps, { isEnabled: false })
    await Promise.all([deps.payments.queryDue(true), secondPoller.queryDue(true)])
    for (const { orderId } of orders)
      expect(testServer.readOrderState(orderId)).toMatchObject({
        status: 'success',
        events: ['confirmed'],
        review: null,
        emails: 1,
      })
  })

  test('a request during a query waits for the result of the next query, because the payment may have arrived in between', async () => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'later')
    const { deps } = testServer.parts()
    const queryStarted = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const slowGateway = {
      ...deps.gateway,
      status: async (...args: Parameters<typeof deps.gateway.status>) => {
        const response = await deps.gateway.status(...args)
        queryStarted.resolve()
        await release.promise
        return response
      },
    }
    const payments = openPayments({ ...deps, gateway: slowGateway }, { isEnabled: false })
    const firstQuery = payments.verify(orderId, 5_000)
    await queryStarted.promise
    testServer.sandbox().settle(orderId)
    await testServer.waitUntilIdle()
    const laterQueries = [payments.verify(orderId, 5_000), payments.verify(orderId, 5_000)]
    release.resolve()
    expect([await firstQuery, ...(await Promise.all(laterQueries))]).toEqual([
      'pending',
      'success',
      'success',
    ])
    expect(testServer.readOrderState(orderId)).toMatchObject({
      status: 'success',
      events: ['confirmed'],
      emails: 1,
    })
  })

  test('a rejected query proves nothing about the payment, however old the payment is', async () => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'silent')
    const { deps } = testServer.parts()
    // A clock that is wrong by two days leads to a wrong checksum.
    const paymentsWithWrongClock = openPayments(
      { ...deps, clock: () => instant(testServer.now() + 48 * 60 * MINUTE_MS) },
      { isEnabled: false },
    )
    expect(await paymentsWithWrongClock.queryDue(true)).toEqual({
      queriedCount: 1,
      finalCount: 0,
    })
    expect(testServer.readOrderState(orderId)).toMatchObject({ status: 'pending', events: [] })
    expect(await reconcile(true)).toEqual({ queriedCount: 1, finalCount: 1 })
    expect(testServer.readOrderState(orderId)).toMatchObject({ status: 'success' })
  })

  test('can be started by a command while the server is running', async () => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'silent')
    const output: string[] = []
    const terminal = {
      print: (text: string) => void output.push(text),
      printError: () => {},
      environment: () =>
        withoutThreads({ ...testServer.environment, clockStart: testServer.now() }),
    }
    expect(await main(['payment', 'reconcile'], terminal)).toBe(0)
    expect(output).toEqual(['Queried 1 pending payment: 1 resolved, 0 still pending.'])
    expect(testServer.readOrderState(orderId)).toMatchObject({ status: 'success', emails: 1 })
    expect(await main(['payment', 'reconcile'], terminal)).toBe(0)
    expect(output.at(-1)).toBe('No payment is pending.')
    expect(await main(['payment', 'reconcile', 'now'], terminal)).toBe(2)
  })
})

describe('retrying', () => {
  test('a retry of a failed payment gets a new order id for the same amount, and pays the same registration once', async () => {
    const first = await testServer.placeOrder()
    await testServer.sandbox().runAction(first.orderId, 'decline')
    await testServer.waitUntilIdle()
    const response = await retry(first.orderId)
    expect(response.status).toBe(201)
    const { reg_no, payment_data } = (await response.json()) as RegisterResponse
    if (payment_data === undefined) throw new Error('the retry has no hand-off')
    expect([reg_no, payment_data.amount]).toEqual([first.regNo, '7080.00'])
    expect(payment_data.orderid).not.toBe(first.orderId)
    expect(payment_data.orderid.startsWith(first.regNo)).toBe(true)
    expect((await testServer.handOff(payment_data)).status).toBe(303)
    await testServer.sandbox().runAction(payment_data.orderid, 'pay')
    await testServer.waitUntilIdle()
    expect(testServer.readOrderState(payment_data.orderid)).toMatchObject({
      status: 'success',
      registration: 'success',
      emails: 1,
    })

    // Then the first attempt's payment arrives. The registration now has two payments, so staff decide.
    testServer.sandbox().settle(first.orderId)
    await testServer.waitUntilIdle()
    expect(testServer.readOrderState(first.orderId)).toMatchObject({
      status: 'failed',
      registration: 'success',
      events: ['declined', 'confirmed'],
      emails: 1,
    })
    expect(testServer.readOrderState(first.orderId).review).not.toBe(null)
  })

  test('an open order is returned again, a paid order is rejected, and an unknown order is not found', async () => {
    const { orderId } = await testServer.placeOrder()
    testServer.advance(1000)
    const secondRetry = await retry(orderId)
    expect([secondRetry.status, await secondRetry.json()]).toMatchObject([
      201,
      { stands: 'not-paid', payment_data: { orderid: orderId } },
    ])
    await testServer.sandbox().runAction(orderId, 'pay')
    await testServer.waitUntilIdle()
    const paidRetry = await retry(orderId)
    expect([paidRetry.status, await paidRetry.json()]).toEqual([
      409,
      {
        status: 'error',
        code: 'nothing_due',
        message: 'There is nothing to pay for this registration now.',
      },
    ])
    for (const unknownOrder of [`${orderId}99`, 'nothing', ''])
      expect((await retry(unknownOrder)).status).toBe(404)
    expect(
      testServer.rows('SELECT 1 FROM payments WHERE order_id LIKE ?', `${orderId}%`),
    ).toHaveLength(1)
  })

  test('a payment that arrived after the decline is found before a second payment starts', async () => {
    const { orderId } = await testServer.placeOrder()
    await testServer.sandbox().runAction(orderId, 'decline')
    await testServer.waitUntilIdle()
    expect(testServer.readOrderState(orderId)).toMatchObject({ status: 'failed' })
    await testServer.closeGateways()
    testServer.sandbox().settle(orderId)
    await testServer.restart()
    expect((await retry(orderId)).status).toBe(409)
    expect(testServer.readOrderState(orderId)).toMatchObject({ status: 'success', emails: 1 })
  })
})

describe("in Airpay's own sandbox, which has no status call", () => {
  const createVariables = (account: string) =>
    Object.fromEntries(
      ['USERNAME', 'PASSWORD', 'SECRET', 'MERCHANT_ID'].map((suffix) => [
        `AIRPAY_${account.toUpperCase().replaceAll('-', '_')}_${suffix}`,
        suffix === 'MERCHANT_ID' ? '123456' : 'demoUser01',
      ]),
    )

  test('a webhook with a valid CRC counts, and its amount is still compared', async () => {
    const accounts = [
      ...new Set(
        testServer
          .parts()
          .deps.events.all()
          .flatMap(({ config }) => (config.payment === null ? [] : [config.payment.account])),
      ),
    ]
    const server = await openTestServer({
      variables: Object.assign({ GATEWAY_MODE: 'airpay-test' }, ...accounts.map(createVariables)),
    })
    const account = {
      name: '',
      username: 'demoUser01',
      password: 'demoUser01',
      secret: 'demoUser01',
      merchantId: '123456',
    }
    const signMessage = (fields: Record<string, string>) => ({
      ...fields,
      ap_SecureHash: computeSecureHash(account, fields, false),
    })
    try {
      const { payments } = server.parts().deps
      const [validOrder, wrongAmountOrder, forgedOrder] = [
        await server.register(),
        await server.register(),
        await server.register(),
      ]
      expect(validOrder.data.payment_url).toBe('https://payments.airpay.co.in/pay/index.php')
      const buildMessage = (TRANSACTIONID: string, AMOUNT: string) => ({
        TRANSACTIONID,
        APTRANSACTIONID: `9${TRANSACTIONID.slice(-6)}`,
        AMOUNT,
        TRANSACTIONSTATUS: '200',
        MESSAGE: 'Success',
      })
      expect(
        (await server.sendWebhook(signMessage(buildMessage(validOrder.orderId, '7080.00')))).status,
      ).toBe(200)
      expect(
        (await server.sendWebhook(signMessage(buildMessage(wrongAmountOrder.orderId, '1.00'))))
          .status,
      ).toBe(200)
      expect(
        (
          await server.sendWebhook({
            ...buildMessage(forgedOrder.orderId, '7080.00'),
            ap_SecureHash: '1',
          })
        ).status,
      ).toBe(200)
      await payments.waitUntilIdle()
      expect(server.readOrderState(validOrder.orderId)).toMatchObject({
        status: 'success',
        emails: 1,
      })
      expect(server.readOrderState(wrongAmountOrder.orderId)).toMatchObject({
        status: 'pending',
        emails: 0,
      })
      expect(server.readOrderState(wrongAmountOrder.orderId).review).not.toBe(null)
      expect(server.readOrderState(forgedOrder.orderId)).toMatchObject({
        status: 'pending',
        review: null,
        emails: 0,
      })
    } finally {
      await server.close()
    }
  })
})

describe('gateway settings at startup', () => {
  test('a port that is in use leads to a message', async () => {
    await expect(
      openTestServer({ variables: { SANDBOX_PORT: new URL(testServer.gatewayUrl()).port } }),
    ).rejects.toThrow(
      /^Port \d+ on 127\.0\.0\.1 is already in use, and the sandbox gateway needs it\. Set SANDBOX_PORT to a free port\. Without SANDBOX_PORT, it is PORT \+ 1\.$/,
    )
  })

  test('the checksum is computed without the UID if the environment says so', async () => {
    const server = await openTestServer({ variables: { AIRPAY_CHECKSUM: 'B' } })
    try {
      const { data } = await server.register()
      const buyer = {
        email: data.email,
        firstName: data.first_name ?? '',
        lastName: data.last_name ?? '',
      }
      const account = createSandboxAccount(
        server.parts().deps.events.findByOrderId(data.orderid)?.config.payment?.account ?? '',
      )
      const computeChecksum = (variant: 'A' | 'B') =>
        computeHandOffChecksum(
          account,
          buyer,
          { amount: data.amount, orderId: data.orderid, uid: data.orderid },
          dayOf(server.now()),
          variant,
        )
      expect([
        data.checksum === computeChecksum('B'),
        data.checksum === computeChecksum('A'),
      ]).toEqual([true, false])
      expect((await server.handOff(data)).status).toBe(303)
    } finally {
      await server.close()
    }
  })

  test('a phone number of ten digits is sent only if the gateways file requires it', async () => {
    const server = await openTestServer({
      gateways: (text) =>
        text.replace(
          '      buyerEmail: email\n',
          '      buyerEmail: email\n      buyerPhone: phone\n',
        ),
    })
    try {
      const readPhones = async (server: TestServer, phone_number: string) =>
        (await server.placeOrder({ phone_number })).data['phone']
      expect([
        await readPhones(server, '+91 98470 00000'),
        await readPhones(server, '09847000000'),
        await readPhones(testServer, '+91 98470 00000'),
      ]).toEqual(['9847000000', '9847000000', undefined])
    } finally {
      await server.close()
    }
  })

  test('an unknown checksum setting leads to a message', () => {
    expect(readEnvironment({ AIRPAY_CHECKSUM: 'C' })).toEqual({
      ok: false,
      error: ['AIRPAY_CHECKSUM must be A (with the UID) or B (without it), not "C".'],
    })
  })
})
