/** Payments nobody tells us about: asked at growing intervals until they end; and a failed one tried again. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayOf, instant, paise, reviewVersion } from '../../../engine/index.ts'
import type { PaymentEvent, RegNo } from '../../../engine/index.ts'
import type { RegisterAnswer } from '../../../engine/api.ts'
import { main } from '../../../server/cli/run-command.ts'
import { readEnvironment } from '../../../server/ops/environment.ts'
import { handOffChecksum, secureHash } from '../../../server/payments/gateways/airpay/checksums.ts'
import { sandboxAccount } from '../../../server/payments/gateways/airpay/simulator/simulator.ts'
import { readTime } from '../../../server/payments/gateways/airpay/status-response.ts'
import { decideReview } from '../../../server/payments/decide-payment-review.ts'
import { openPayments } from '../../../server/payments/poll-payments.ts'
import { openRig } from './server-with-gateway.ts'
import type { Rig } from './server-with-gateway.ts'

type Confirmed = Extract<PaymentEvent, { type: 'confirmed' }>

const minute = 60_000
let rig: Rig
beforeAll(async () => {
  rig = await openRig()
})
afterAll(() => rig.close())

const reconcile = (all = false) => rig.parts().deps.payments.reconcile(all)
const asks = (orderId: string): number =>
  Number(rig.rows('SELECT asks FROM payments WHERE order_id = ?', orderId)[0]?.['asks'])
const retry = (orderId: string): Promise<Response> =>
  fetch(`${rig.url}/api/payment/retry/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ order_id: orderId }),
  })

describe('polling', () => {
  test('queries at growing intervals; an unpaid order expires after 24 hours without an email', async () => {
    const { orderId } = await rig.place()
    expect(await reconcile()).toEqual({ asked: 0, ended: 0 })
    const askedAt: number[] = []
    for (let minutes = 1; minutes < 24 * 60; minutes += 1) {
      rig.advance(minute)
      if ((await reconcile()).asked > 0) askedAt.push(minutes)
    }
    expect(rig.holds(orderId)).toMatchObject({ status: 'pending', facts: [] })
    const gaps = askedAt.map((at, index) => at - (askedAt[index - 1] ?? 0))
    expect(askedAt[0]).toBe(1)
    expect(gaps.toSorted((a, b) => a - b)).toEqual(gaps)
    expect(askedAt.length).toBeGreaterThan(8)
    expect(askedAt.length).toBeLessThan(25)
    expect(asks(orderId)).toBe(askedAt.length)
    rig.advance(7 * 60 * minute)
    expect(await reconcile()).toEqual({ asked: 1, ended: 1 })
    expect(rig.holds(orderId)).toEqual({
      status: 'failed',
      registration: 'failed',
      review: null,
      facts: ['expired'],
      returns: 0,
      notices: 0,
      mails: 0,
    })
  })

  test('finds a payment without a webhook or a returning browser', async () => {
    const { orderId } = await rig.place()
    await rig.sandbox().runAction(orderId, 'silent')
    rig.advance(2 * minute)
    expect(await reconcile()).toEqual({ asked: 1, ended: 1 })
    expect(rig.holds(orderId)).toMatchObject({ status: 'success', facts: ['confirmed'], mails: 1 })
    expect(await reconcile(true)).toEqual({ asked: 0, ended: 0 })
  })

  test('never expires a payment that the bank is processing; after five days it goes to review', async () => {
    const { orderId } = await rig.place()
    await rig.sandbox().runAction(orderId, 'later')
    for (let days = 0; days < 4; days += 1) {
      rig.advance(24 * 60 * minute)
      expect(await reconcile()).toEqual({ asked: 1, ended: 0 })
    }
    rig.advance(24 * 60 * minute)
    expect(await reconcile()).toEqual({ asked: 1, ended: 1 })
    expect(rig.holds(orderId)).toMatchObject({
      status: 'pending',
      review: 'The gateway has given no final answer for five days.',
      facts: ['undecided'],
    })
    rig.sandbox().settle(orderId)
    await rig.settled()
    await reconcile()
    expect(rig.holds(orderId)).toMatchObject({ status: 'success', review: null, mails: 1 })
  })

  test('a payment after registration closed goes to review; a delegate who began on the last day can still finish', async () => {
    const late = await openRig({ clock: '2026-02-02T23:50:00+05:30' })
    try {
      const file = join(late.environment.eventsDir, 'afpicon2026.yaml')
      writeFileSync(file, readFileSync(file, 'utf8').replace('closes: never', 'closes: 2026-02-02'))
      await late.parts().deps.events.reload()
      const [inTime, tooLate] = [await late.place(), await late.place()]
      late.advance(24 * 60 * minute)
      await late.sandbox().runAction(inTime.orderId, 'pay')
      await late.settled()
      expect(late.holds(inTime.orderId)).toMatchObject({
        status: 'success',
        review: null,
        mails: 1,
      })
      late.advance(24 * 60 * minute)
      await late.sandbox().runAction(tooLate.orderId, 'pay')
      await late.settled()
      expect(late.holds(tooLate.orderId)).toMatchObject({
        status: 'pending',
        review: 'Payment received after registration closed.',
        facts: ['confirmed'],
        mails: 0,
      })
    } finally {
      await late.close()
    }
  })

  test('a delayed payment is not late: its payment time decides, and sets the day of revenue', async () => {
    const late = await openRig({ clock: '2026-02-02T23:50:00+05:30' })
    try {
      const file = join(late.environment.eventsDir, 'afpicon2026.yaml')
      writeFileSync(file, readFileSync(file, 'utf8').replace('closes: never', 'closes: 2026-02-02'))
      await late.parts().deps.events.reload()
      const { orderId, regNo } = await late.place()
      await late.sandbox().runAction(orderId, 'silent')
      late.advance(4 * 24 * 60 * minute)
      expect(await late.parts().deps.payments.reconcile()).toEqual({ asked: 1, ended: 1 })
      expect(late.holds(orderId)).toMatchObject({ status: 'success', review: null, mails: 1 })
      expect(late.rows('SELECT day FROM revenue')).toEqual([{ day: '2026-02-02' }])
      expect(await late.parts().deps.store.registration(regNo)).toMatchObject({
        paidAt: instant(Date.parse('2026-02-02T23:50:00+05:30')),
      })
      // The mail is of today: a queue that is sorted by time must not put it before what has been sent.
      expect(late.rows('SELECT created_at FROM mail_queue')).toEqual([{ created_at: late.now() }])
    } finally {
      await late.close()
    }
  })

  test.each([
    ['two days after closing is for a person', 2, 'failed', 'Payment received after registration'],
    ['in time pays, and the mail is about it', 0, 'success', null],
  ] as const)(
    'a payment next to a dismissed one has its own time: a payment that arrived %s',
    async (_what, days, status, why) => {
      const late = await openRig({ clock: '2026-02-02T23:50:00+05:30' })
      try {
        const file = join(late.environment.eventsDir, 'afpicon2026.yaml')
        const text = readFileSync(file, 'utf8')
          .replace('closes: never', 'closes: 2026-02-02')
          .replace('Dear {full_name},', 'Paid as {payment_id}.')
        writeFileSync(file, text)
        await late.parts().deps.events.reload()
        const { regNo, orderId } = await late.place()
        const { deps } = late.parts()
        const rupees = { amount: paise(590_000), kind: 'sale' as const }
        const besides: NonNullable<Confirmed['further']>[number][] = []
        const paidAt = late.now()
        const payments = openPayments(
          {
            ...deps,
            gateway: {
              ...deps.gateway,
              status: async () => {
                const dollars = { reference: 'USD1', currency: '840', paidAt, at: late.now() }
                const fact = { type: 'confirmed' as const, ...rupees, ...dollars }
                return {
                  is: 'fact',
                  raw: '',
                  fact: besides.length === 0 ? fact : { ...fact, further: besides },
                }
              },
            },
          },
          { isEnabled: false },
        )
        expect(await payments.verify(orderId, 1000)).toBe('review')
        const [review] = await deps.store.reviews(null)
        const version = review === undefined ? '' : reviewVersion(review)
        const words = { decision: 'dismiss', version, why: 'Not ours.' }
        expect((await decideReview(deps, String(review?.id), words, 'office')).ok).toBe(true)
        late.advance(5 * 24 * 60 * minute)
        const came = instant(paidAt + days * 24 * 60 * minute)
        besides.push({ ...rupees, reference: 'INR2', currency: 'INR', paidAt: came })
        await payments.verify(orderId, 1000)
        const held = late.holds(orderId)
        expect(held.status).toBe(status)
        expect(held.review).toEqual(why === null ? null : expect.stringContaining(why))
        expect(
          (await deps.store.captures(regNo as RegNo)).map((one) => [one.reference, one.paidAt]),
        ).toEqual([
          ['USD1', paidAt],
          ['INR2', came],
        ])
        // The same again is no news, and re-opens nothing.
        await payments.verify(orderId, 1000)
        expect(late.holds(orderId).facts).toEqual(held.facts)
        const mails = (await deps.store.mailsOf(regNo as RegNo)).map(({ text: said }) => said)
        expect(mails).toEqual(why === null ? [expect.stringContaining('Paid as INR2')] : [])
      } finally {
        await late.close()
      }
    },
  )

  test.each([
    ['before the order was placed', '01-01-2020 00:00:00'],
    ['after now', '01-01-2099 00:00:00'],
    ['that cannot be read', 'yesterday'],
  ])('a payment time %s is ignored: the time of the response counts', async (_why, time) => {
    const { orderId } = await rig.place()
    await rig.sandbox().runAction(orderId, 'silent')
    const { deps } = rig.parts()
    const gateway = {
      ...deps.gateway,
      status: async (...about: Parameters<typeof deps.gateway.status>) => {
        const answer = await deps.gateway.status(...about)
        if (answer.is !== 'fact' || answer.fact.type !== 'confirmed') return answer
        const { paidAt: _, ...fact } = answer.fact
        const said = readTime(time)
        return { ...answer, fact: said === null ? fact : { ...fact, paidAt: said } }
      },
    }
    rig.advance(minute)
    const payments = openPayments({ ...deps, gateway }, { isEnabled: false })
    expect(await payments.verify(orderId, 5_000)).toBe('success')
    expect((await deps.store.registration(orderId))?.paidAt).toBe(rig.now())
  })

  test('leaves payments under review unchanged', async () => {
    const { orderId } = await rig.place()
    await rig.sandbox().runAction(orderId, 'wrong')
    await rig.settled()
    rig.advance(48 * 60 * minute)
    expect(await reconcile(true)).toEqual({ asked: 0, ended: 0 })
    expect(rig.holds(orderId)).toMatchObject({ status: 'pending', facts: ['confirmed'], mails: 0 })
    expect((await rig.parts().deps.store.registration(orderId))?.inReview).toBe(true)
  })

  test('two servers process a payment once', async () => {
    const placed = await Promise.all(Array.from({ length: 12 }, () => rig.place()))
    for (const { orderId } of placed) await rig.sandbox().runAction(orderId, 'silent')
    const { deps } = rig.parts()
    const second = openPayments(deps, { isEnabled: false })
    await Promise.all([deps.payments.reconcile(true), second.reconcile(true)])
    for (const { orderId } of placed)
      expect(rig.holds(orderId)).toMatchObject({
        status: 'success',
        facts: ['confirmed'],
        review: null,
        mails: 1,
      })
  })

  test('a request during a query gets the result of a later query, because the payment may have arrived in between', async () => {
    const { orderId } = await rig.place()
    await rig.sandbox().runAction(orderId, 'later')
    const { deps } = rig.parts()
    const asked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const slow = {
      ...deps.gateway,
      status: async (...about: Parameters<typeof deps.gateway.status>) => {
        const answer = await deps.gateway.status(...about)
        asked.resolve()
        await release.promise
        return answer
      },
    }
    const payments = openPayments({ ...deps, gateway: slow }, { isEnabled: false })
    const first = payments.verify(orderId, 5_000)
    await asked.promise
    rig.sandbox().settle(orderId)
    await rig.settled()
    const others = [payments.verify(orderId, 5_000), payments.verify(orderId, 5_000)]
    release.resolve()
    expect([await first, ...(await Promise.all(others))]).toEqual(['pending', 'success', 'success'])
    expect(rig.holds(orderId)).toMatchObject({ status: 'success', facts: ['confirmed'], mails: 1 })
  })

  test('a rejected query says nothing about the payment, however old it is', async () => {
    const { orderId } = await rig.place()
    await rig.sandbox().runAction(orderId, 'silent')
    const { deps } = rig.parts()
    // A clock that is a day off makes a checksum that does not fit.
    const wrong = openPayments(
      { ...deps, clock: () => instant(rig.now() + 48 * 60 * minute) },
      { isEnabled: false },
    )
    expect(await wrong.reconcile(true)).toEqual({ asked: 1, ended: 0 })
    expect(rig.holds(orderId)).toMatchObject({ status: 'pending', facts: [] })
    expect(await reconcile(true)).toEqual({ asked: 1, ended: 1 })
    expect(rig.holds(orderId)).toMatchObject({ status: 'success' })
  })

  test('as a command while the server runs', async () => {
    const { orderId } = await rig.place()
    await rig.sandbox().runAction(orderId, 'silent')
    const said: string[] = []
    const terminal = {
      print: (text: string) => void said.push(text),
      printError: () => {},
      environment: () => ({ ...rig.environment, clockStart: rig.now() }),
    }
    expect(await main(['payment', 'reconcile'], terminal)).toBe(0)
    expect(said).toEqual(['Asked about 1 pending payment: 1 ended, 0 still pending.'])
    expect(rig.holds(orderId)).toMatchObject({ status: 'success', mails: 1 })
    expect(await main(['payment', 'reconcile'], terminal)).toBe(0)
    expect(said.at(-1)).toBe('No payment is pending.')
    expect(await main(['payment', 'reconcile', 'now'], terminal)).toBe(2)
  })
})

describe('retrying', () => {
  test('a failed payment gets a new order id for the same amount, and pays the same registration once', async () => {
    const first = await rig.place()
    await rig.sandbox().runAction(first.orderId, 'decline')
    await rig.settled()
    const response = await retry(first.orderId)
    expect(response.status).toBe(201)
    const { reg_no, payment_data } = (await response.json()) as RegisterAnswer
    if (payment_data === undefined) throw new Error('no hand-off')
    expect([reg_no, payment_data.amount]).toEqual([first.regNo, '7080.00'])
    expect(payment_data.orderid).not.toBe(first.orderId)
    expect(payment_data.orderid.startsWith(first.regNo)).toBe(true)
    expect((await rig.handOff(payment_data)).status).toBe(303)
    await rig.sandbox().runAction(payment_data.orderid, 'pay')
    await rig.settled()
    expect(rig.holds(payment_data.orderid)).toMatchObject({
      status: 'success',
      registration: 'success',
      mails: 1,
    })

    // Then the money of the first attempt comes after all: two payments for one registration, so a person decides.
    rig.sandbox().settle(first.orderId)
    await rig.settled()
    expect(rig.holds(first.orderId)).toMatchObject({
      status: 'failed',
      registration: 'success',
      facts: ['declined', 'confirmed'],
      mails: 1,
    })
    expect(rig.holds(first.orderId).review).not.toBe(null)
  })

  test('an open order is returned again, a paid one rejected, an unknown one not found', async () => {
    const { orderId } = await rig.place()
    rig.advance(1000)
    const again = await retry(orderId)
    expect([again.status, await again.json()]).toMatchObject([
      201,
      { stands: 'not-paid', payment_data: { orderid: orderId } },
    ])
    await rig.sandbox().runAction(orderId, 'pay')
    await rig.settled()
    const paid = await retry(orderId)
    expect([paid.status, await paid.json()]).toEqual([
      409,
      {
        status: 'error',
        code: 'nothing_due',
        message: 'There is nothing to pay for this registration now.',
      },
    ])
    for (const unknown of [`${orderId}99`, 'nothing', ''])
      expect((await retry(unknown)).status).toBe(404)
    expect(rig.rows('SELECT 1 FROM payments WHERE order_id LIKE ?', `${orderId}%`)).toHaveLength(1)
  })

  test('finds a payment after the decline before a second payment begins', async () => {
    const { orderId } = await rig.place()
    await rig.sandbox().runAction(orderId, 'decline')
    await rig.settled()
    expect(rig.holds(orderId)).toMatchObject({ status: 'failed' })
    await rig.sandbox().close()
    rig.sandbox().settle(orderId)
    await rig.restart()
    expect((await retry(orderId)).status).toBe(409)
    expect(rig.holds(orderId)).toMatchObject({ status: 'success', mails: 1 })
  })
})

describe("in Airpay's own sandbox, where the status call does not exist", () => {
  const credentials = (account: string) =>
    Object.fromEntries(
      ['USERNAME', 'PASSWORD', 'SECRET', 'MERCHANT_ID'].map((part) => [
        `AIRPAY_${account.toUpperCase().replaceAll('-', '_')}_${part}`,
        part === 'MERCHANT_ID' ? '123456' : 'demoUser01',
      ]),
    )

  test('a webhook with a valid CRC counts, and its amount is still compared', async () => {
    const accounts = [
      ...new Set(
        rig
          .parts()
          .deps.events.all()
          .flatMap(({ config }) => (config.payment === null ? [] : [config.payment.account])),
      ),
    ]
    const other = await openRig({
      variables: Object.assign({ GATEWAY_MODE: 'airpay-test' }, ...accounts.map(credentials)),
    })
    const account = {
      name: '',
      username: 'demoUser01',
      password: 'demoUser01',
      secret: 'demoUser01',
      merchantId: '123456',
    }
    const signed = (fields: Record<string, string>) => ({
      ...fields,
      ap_SecureHash: secureHash(account, fields, false),
    })
    try {
      const { payments } = other.parts().deps
      const [right, wrong, forged] = [
        await other.register(),
        await other.register(),
        await other.register(),
      ]
      expect(right.data.payment_url).toBe('https://payments.airpay.co.in/pay/index.php')
      const paid = (TRANSACTIONID: string, AMOUNT: string) => ({
        TRANSACTIONID,
        APTRANSACTIONID: `9${TRANSACTIONID.slice(-6)}`,
        AMOUNT,
        TRANSACTIONSTATUS: '200',
        MESSAGE: 'Success',
      })
      expect((await other.notice(signed(paid(right.orderId, '7080.00')))).status).toBe(200)
      expect((await other.notice(signed(paid(wrong.orderId, '1.00')))).status).toBe(200)
      expect(
        (await other.notice({ ...paid(forged.orderId, '7080.00'), ap_SecureHash: '1' })).status,
      ).toBe(200)
      await payments.idle()
      expect(other.holds(right.orderId)).toMatchObject({ status: 'success', mails: 1 })
      expect(other.holds(wrong.orderId)).toMatchObject({ status: 'pending', mails: 0 })
      expect(other.holds(wrong.orderId).review).not.toBe(null)
      expect(other.holds(forged.orderId)).toMatchObject({
        status: 'pending',
        review: null,
        mails: 0,
      })
    } finally {
      await other.close()
    }
  })
})

describe('what the gateway needs to start', () => {
  test('its port: an occupied one prints a sentence', async () => {
    await expect(
      openRig({ variables: { SANDBOX_PORT: new URL(rig.sandbox().url).port } }),
    ).rejects.toThrow(
      /^Port \d+ on 127\.0\.0\.1 is already in use, and the sandbox gateway needs it\. Set SANDBOX_PORT to a free one\.$/,
    )
  })

  test('accepts the checksum without the UID if the environment sets it', async () => {
    const other = await openRig({ variables: { AIRPAY_CHECKSUM: 'B' } })
    try {
      const { data } = await other.register()
      const buyer = { email: data.email, firstName: data.first_name, lastName: data.last_name }
      const account = sandboxAccount(
        other.parts().deps.events.byOrderId(data.orderid)?.config.payment?.account ?? '',
      )
      const of = (variant: 'A' | 'B') =>
        handOffChecksum(
          account,
          buyer,
          { amount: data.amount, orderId: data.orderid, uid: data.orderid },
          dayOf(other.now()),
          variant,
        )
      expect([data.checksum === of('B'), data.checksum === of('A')]).toEqual([true, false])
      expect((await other.handOff(data)).status).toBe(303)
    } finally {
      await other.close()
    }
  })

  test('sends a phone number of ten digits only if the gateways file says so', async () => {
    const other = await openRig({
      gateways: (text) =>
        text.replace(
          '      buyerEmail: email\n',
          '      buyerEmail: email\n      buyerPhone: phone\n',
        ),
    })
    try {
      const phones = async (from: Rig, phone_number: string) =>
        (await from.place({ phone_number })).data['phone']
      expect([
        await phones(other, '+91 98470 00000'),
        await phones(other, '09847000000'),
        await phones(rig, '+91 98470 00000'),
      ]).toEqual(['9847000000', '9847000000', undefined])
    } finally {
      await other.close()
    }
  })

  test('an unknown checksum setting prints a sentence', () => {
    expect(readEnvironment({ AIRPAY_CHECKSUM: 'C' })).toEqual({
      ok: false,
      error: ['AIRPAY_CHECKSUM must be A (with the UID) or B (without it), not "C".'],
    })
  })
})
