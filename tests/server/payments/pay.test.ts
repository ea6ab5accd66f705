/** One rule for paying: the form again, another try and a link of a mail never lead to a second payment, and never lock anybody out. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrderId, RegNo } from '../../../engine/index.ts'
import type { RegistrationAnswer, RegisterAnswer } from '../../../engine/api.ts'
import { delegate, openRig } from './server-with-gateway.ts'
import type { Rig } from './server-with-gateway.ts'

const minute = 60_000
const OCTOBER = '2025-10-10T12:00:00+05:30'
let rig: Rig
beforeAll(async () => {
  rig = await openRig()
})
afterAll(() => rig.close())

type Said = {
  readonly status: number
  readonly again: string | null
  readonly body: Record<string, unknown> & Partial<RegisterAnswer>
}
async function retry(order_id: string, more: object = {}, on: Rig = rig): Promise<Said> {
  const response = await fetch(`${on.url}/api/payment/retry/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ order_id, ...more }),
  })
  const body = (await response.json()) as Said['body']
  return { status: response.status, again: response.headers.get('retry-after'), body }
}
async function form(key: string, on: Rig = rig): Promise<Said> {
  const response = await fetch(`${on.url}/api/afpicon/register/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(delegate),
  })
  return {
    status: response.status,
    again: null,
    body: (await response.json()) as Said['body'],
  }
}
async function look(regNo: string, on: Rig = rig): Promise<RegistrationAnswer['registration']> {
  const response = await fetch(`${on.url}/api/afpicon/registrations/${regNo}/`)
  return ((await response.json()) as RegistrationAnswer).registration
}
const ordersOf = (regNo: string, on: Rig = rig): unknown[] =>
  on
    .rows(
      'SELECT order_id, status FROM payments WHERE order_id LIKE ? ORDER BY attempt',
      `${regNo}%`,
    )
    .map(
      ({ order_id, status }) => `${String(order_id).slice(regNo.length) || '01'} ${String(status)}`,
    )

async function withRig(work: (other: Rig) => Promise<void>, clock = OCTOBER): Promise<void> {
  const other = await openRig({ clock })
  try {
    await work(other)
  } finally {
    await other.close()
  }
}

describe('a delegate who pays again', () => {
  test('is asked to wait while the gateway cannot tell whether the first payment was made', () =>
    withRig(async (other) => {
      const { orderId, regNo } = await other.place()
      await other.sandbox().runAction(orderId, 'decline')
      await other.settled()
      await other.sandbox().close()
      other.advance(minute)
      expect(await retry(orderId, {}, other)).toMatchObject({
        status: 503,
        again: '60',
        body: { code: 'gateway_unsure' },
      })
      expect(ordersOf(regNo, other)).toEqual(['01 failed'])
    }))

  test('sees that it is paid if a payment arrived for an earlier attempt', () =>
    withRig(async (other) => {
      const first = await other.place()
      await other.sandbox().runAction(first.orderId, 'decline')
      await other.settled()
      const { body } = await retry(first.orderId, {}, other)
      const second = body.payment_data?.orderid as OrderId
      await other.handOff(body.payment_data as RegisterAnswer['payment_data'] & object)
      await other.sandbox().runAction(second, 'decline')
      await other.settled()
      await other.sandbox().close()
      other.sandbox().settle(first.orderId)
      await other.restart()
      other.advance(minute)
      expect(await retry(second, {}, other)).toMatchObject({
        status: 409,
        body: { code: 'nothing_due' },
      })
      expect(ordersOf(first.regNo, other)).toEqual(['01 success', '02 failed'])
    }))

  test('after leaving the page of the gateway gets the same order, also from the result page', async () => {
    const { orderId, regNo } = await rig.place()
    await rig.sandbox().runAction(orderId, 'leave')
    rig.advance(minute)
    expect(await look(regNo)).toMatchObject({ stands: 'not-paid', may_pay: true })
    expect(await retry(orderId)).toMatchObject({
      status: 201,
      body: { stands: 'not-paid', payment_data: { orderid: orderId } },
    })
    expect(ordersOf(regNo)).toEqual(['01 pending'])
  })

  test('gets the second attempt again, and no third order, if its response was lost', async () => {
    const { orderId, regNo } = await rig.place()
    await rig.sandbox().runAction(orderId, 'decline')
    await rig.settled()
    rig.advance(minute)
    const lost = await retry(orderId)
    rig.advance(minute)
    expect((await retry(orderId)).body.payment_data).toMatchObject({
      orderid: lost.body.payment_data?.orderid,
    })
    expect(ordersOf(regNo)).toEqual(['01 failed', '02 pending'])
  })

  test('waits while the bank processes the payment', async () => {
    const { orderId, regNo } = await rig.place()
    await rig.sandbox().runAction(orderId, 'later')
    rig.advance(minute)
    expect(await retry(orderId)).toMatchObject({ status: 409, body: { code: 'wait' } })
    expect(await look(regNo)).toMatchObject({ stands: 'at-bank', may_pay: false })
  })

  test('is not asked to pay again if the gateway does not know the returned payment yet', async () => {
    const { orderId, regNo } = await rig.place()
    const { messageOf } = rig.sandbox()
    const claim = { ...messageOf(orderId), TRANSACTIONSTATUS: '200' }
    await rig.comeBack(claim)
    expect(await look(regNo)).toMatchObject({ stands: 'at-bank', may_pay: false })
    rig.advance(minute)
    expect(await retry(orderId)).toMatchObject({ status: 409, body: { code: 'wait' } })
    rig.advance(30 * minute)
    expect(await look(regNo)).toMatchObject({ stands: 'not-paid', may_pay: true })
    expect((await retry(orderId)).status).toBe(201)
  })

  test('is led to one order for two concurrent requests after a failure', async () => {
    const { orderId, regNo } = await rig.place()
    await rig.sandbox().runAction(orderId, 'decline')
    await rig.settled()
    rig.advance(minute)
    const answers = await Promise.all([retry(orderId), retry(orderId), retry(orderId)])
    const orders = new Set(answers.map(({ body }) => body.payment_data?.orderid))
    expect([...orders]).toEqual([`${regNo}02`])
    expect(ordersOf(regNo)).toEqual(['01 failed', '02 pending'])
  })

  test('is not offered a hundredth attempt', async () => {
    const { orderId, regNo } = await rig.place()
    const { store } = rig.parts().deps
    const fail = (id: OrderId) =>
      store.applyPaymentEvent(
        id,
        { type: 'declined', code: '400', message: '', at: rig.now() },
        null,
      )
    await fail(orderId)
    for (let attempt = 2; attempt <= 99; attempt += 1) {
      const next = await store.retry(regNo as RegNo, rig.now())
      if (!next.ok) throw new Error(next.error.code)
      await fail(next.value.orderId)
      if (attempt === 98) expect(await look(regNo)).toMatchObject({ may_pay: true })
    }
    expect(await look(regNo)).toMatchObject({ stands: 'failed', may_pay: false })
    // The watch on the older ones is over, so that a hundred questions are not asked for one answer.
    rig.advance(11 * 24 * 60 * minute)
    expect(await retry(orderId)).toMatchObject({
      status: 409,
      body: { code: 'too_many_attempts' },
    })
  })
})

describe('the same form again', () => {
  test('states the review instead of "successful" while staff have to decide', async () => {
    const { body } = await form('review')
    await rig.handOff(body.payment_data as RegisterAnswer['payment_data'] & object)
    await rig.sandbox().runAction(body.payment_data?.orderid ?? '', 'wrong')
    await rig.settled()
    rig.advance(minute)
    const again = await form('review')
    expect(again).toMatchObject({ status: 201, body: { stands: 'organisers' } })
    expect(again.body.payment_data).toBeUndefined()
    const { review_since } = await look(body.reg_no ?? '')
    expect(review_since).not.toBeNull()
  })

  test('states that the payment was refunded, or is being processed by the bank', async () => {
    const paid = (await form('back')).body
    await rig.handOff(paid.payment_data as RegisterAnswer['payment_data'] & object)
    const orderId = paid.payment_data?.orderid as OrderId
    await rig.sandbox().runAction(orderId, 'pay')
    await rig.settled()
    const [payment] = rig.rows('SELECT amount FROM payments WHERE order_id = ?', orderId)
    await rig
      .parts()
      .deps.store.applyPaymentEvent(
        orderId,
        { type: 'refunded', reference: 'R1', amount: payment?.['amount'] as never, at: rig.now() },
        null,
      )
    expect((await form('back')).body).toMatchObject({ stands: 'refunded' })
    expect(await look(paid.reg_no ?? '')).toMatchObject({
      stands: 'refunded',
      refunded_amount: 7080,
      may_pay: false,
    })
    const waits = (await form('bank')).body
    await rig.handOff(waits.payment_data as RegisterAnswer['payment_data'] & object)
    await rig.sandbox().runAction(waits.payment_data?.orderid ?? '', 'later')
    rig.advance(minute)
    const again = (await form('bank')).body
    expect([again.stands, again.payment_data]).toEqual(['at-bank', undefined])
  })
})

test('a delegate who has paid keeps the ticket when another attempt is paid too', async () => {
  const first = await rig.place()
  await rig.sandbox().runAction(first.orderId, 'decline')
  await rig.settled()
  rig.advance(minute)
  const { body } = await retry(first.orderId)
  await rig.handOff(body.payment_data as RegisterAnswer['payment_data'] & object)
  await rig.sandbox().runAction(body.payment_data?.orderid ?? '', 'pay')
  await rig.settled()
  expect(await look(first.regNo)).toMatchObject({ stands: 'complete', second_payment: false })
  rig.sandbox().settle(first.orderId)
  await rig.settled()
  expect(await look(first.regNo)).toMatchObject({
    stands: 'complete',
    payment_status: 'success',
    second_payment: true,
    refunded_amount: 0,
    may_pay: false,
  })
  // The review names both, so that a person finds the one to give back.
  const references = rig.rows(
    'SELECT c.reference FROM captures c JOIN payments p ON p.id = c.payment_id WHERE p.order_id LIKE ?',
    `${first.regNo}%`,
  )
  expect(references).toHaveLength(2)
  const { review } = rig.holds(first.orderId)
  for (const { reference } of references) expect(review).toContain(reference)
})

describe('a price', () => {
  test('of October is not the price of January: the delegate confirms the new price first', () =>
    withRig(async (other) => {
      const { orderId, regNo } = await other.place()
      await other.sandbox().runAction(orderId, 'leave')
      expect(await look(regNo, other)).toMatchObject({ held_until: '2026-01-02T00:00:00+05:30' })
      other.at('2026-01-01T12:00:00+05:30')
      const held = await retry(orderId, {}, other)
      expect(held).toMatchObject({ status: 201, body: { payment_data: { amount: '7080.00' } } })
      other.at('2026-01-05T12:00:00+05:30')
      expect(await look(regNo, other)).toMatchObject({ may_pay: true })
      const moved = await retry(orderId, {}, other)
      expect(moved).toMatchObject({
        status: 409,
        body: { code: 'price_moved', was: { total: 7080 }, quote: { period: 'jan-1-jan-25' } },
      })
      const total = (moved.body.quote as { readonly total: number }).total
      expect(total).toBeGreaterThan(7080)
      for (const price of [undefined, 7080, 'anything', total - 1])
        expect(await retry(orderId, { price }, other)).toMatchObject({
          status: 409,
          body: { code: 'price_moved' },
        })
      const { status, body } = await retry(orderId, { price: total }, other)
      expect([status, body.payment_data?.amount]).toEqual([201, total.toFixed(2)])
      expect(await look(regNo, other)).toMatchObject({ total, period: 'jan-1-jan-25' })
      await other.handOff(body.payment_data as RegisterAnswer['payment_data'] & object)
      await other.sandbox().runAction(body.payment_data?.orderid ?? '', 'pay')
      await other.settled()
      expect(await look(regNo, other)).toMatchObject({
        stands: 'complete',
        total,
        period: 'jan-1-jan-25',
      })
    }))

  test('paid in time for the old order is a success at that price, even after a higher one was accepted', () =>
    withRig(async (other) => {
      const { orderId, regNo } = await other.place()
      other.at('2026-01-01T20:00:00+05:30')
      await retry(orderId, {}, other)
      // Past the hold, with the old order still open: it ends by the new one.
      other.at('2026-01-02T01:00:00+05:30')
      const moved = await retry(orderId, {}, other)
      expect(moved.body).toMatchObject({ code: 'price_moved' })
      const { total } = moved.body.quote as { readonly total: number }
      expect((await retry(orderId, { price: total }, other)).status).toBe(201)
      expect(ordersOf(regNo, other)).toEqual(['01 failed', '02 pending'])
      expect(await look(regNo, other)).toMatchObject({ total, period: 'jan-1-jan-25' })
      other.sandbox().settle(orderId)
      await other.settled()
      expect(ordersOf(regNo, other)).toEqual(['01 success', '02 pending'])
      expect(await look(regNo, other)).toMatchObject({
        stands: 'complete',
        total: 7080,
        period: 'sep-1-dec-31',
      })
    }, '2025-12-31T23:00:00+05:30'))

  test('that has expired and is paid days later goes to review', () =>
    withRig(async (other) => {
      const { orderId, regNo } = await other.place()
      await other.sandbox().runAction(orderId, 'leave')
      other.at('2026-01-06T12:00:00+05:30')
      other.sandbox().settle(orderId)
      await other.settled()
      expect(other.holds(orderId).review).toBe(
        'Payment received after its price was no longer held. The price on that day was different.',
      )
      expect(await look(regNo, other)).toMatchObject({ stands: 'organisers' })
    }, '2025-12-31T23:00:00+05:30'))

  test('stays valid after the last day for a delegate who had begun to pay, for a limited time', () =>
    withRig(async (other) => {
      const file = join(other.environment.eventsDir, 'afpicon2026.yaml')
      const text = readFileSync(file, 'utf8')
      writeFileSync(file, text.replace('closes: never', 'closes: 2026-01-25'))
      await other.parts().deps.events.reload()
      const { orderId, regNo } = await other.place()
      await other.sandbox().runAction(orderId, 'leave')
      other.at('2026-01-26T10:00:00+05:30')
      expect(await look(regNo, other)).toMatchObject({ stands: 'not-paid', may_pay: true })
      const { status, body } = await retry(orderId, {}, other)
      expect([status, body.payment_data?.orderid]).toEqual([201, orderId])
      other.at('2026-01-27T09:00:00+05:30')
      expect(await look(regNo, other)).toMatchObject({ stands: 'not-paid', may_pay: false })
      expect(await retry(orderId, {}, other)).toMatchObject({
        status: 409,
        body: { code: 'registration_closed' },
      })
      // What was handed out in time may still be paid.
      await other.sandbox().runAction(orderId, 'pay')
      await other.settled()
      expect(await look(regNo, other)).toMatchObject({ stands: 'complete', in_review: false })
    }, '2026-01-25T23:50:00+05:30'))
})

describe('a delegate who left before paying', () => {
  /** Registers, leaves, and is not heard of for that long. */
  const leave = async (other: Rig, ms: number) => {
    const placed = await other.place()
    await other.sandbox().runAction(placed.orderId, 'leave')
    other.advance(2 * minute)
    await other.parts().deps.payments.reconcile()
    other.advance(ms - 2 * minute)
    return placed
  }
  const mailsIn = (other: Rig): readonly string[] => {
    const folder = join(other.dataDir, 'mail')
    return readdirSync(folder).map((name) =>
      readFileSync(join(folder, name), 'utf8').replaceAll(/=\r?\n/g, ''),
    )
  }
  const linkIn = (mail: string): string => /\/my\/([\w-]{43})(?![\w-])/.exec(mail)?.[1] ?? ''
  const byLink = async (other: Rig, token: string, more: object = {}): Promise<Said> => {
    const response = await fetch(`${other.url}/api/payment/resume/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, ...more }),
    })
    return {
      status: response.status,
      again: response.headers.get('retry-after'),
      body: (await response.json()) as Said['body'],
    }
  }

  test('gets one email an hour later, whose link leads to the payment and later to the ticket', () =>
    withRig(async (other) => {
      const { orderId, regNo } = await leave(other, 59 * minute)
      expect(await other.parts().paymentReminders.run()).toBe(0)
      other.advance(2 * minute)
      expect(await other.parts().paymentReminders.run()).toBe(1)
      expect(await other.parts().paymentReminders.run()).toBe(0)
      await other.restart()
      expect(await other.parts().paymentReminders.run()).toBe(0)
      expect(await other.parts().mailer.run()).toBe(1)
      const [mail = ''] = mailsIn(other)
      for (const said of [regNo, '7,080', '1 January 2026', 'support@afpicon.example'])
        expect(mail).toContain(said)
      const token = linkIn(mail)
      expect(token).toHaveLength(43)

      // As mails of older versions wrote it, too.
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
        // The answers, which the number alone does not show, among it.
        registration: expect.objectContaining(await look(regNo, other)),
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

      // Nobody who reads the database or the log opens it.
      const stored = ['links', 'mail_queue', 'audit_log'].map((table) =>
        JSON.stringify(other.rows(`SELECT * FROM ${table}`)),
      )
      expect([...stored, JSON.stringify(other.log)].join()).not.toContain(token)
    }))

  test('who registered again and paid is told that the first registration is not needed', () =>
    withRig(async (other) => {
      const first = await leave(other, 30 * minute)
      const second = await other.place()
      await other.sandbox().runAction(second.orderId, 'pay')
      await other.settled()
      await other.parts().mailer.run()
      const before = mailsIn(other).length
      other.advance(31 * minute)
      expect(await other.parts().paymentReminders.run()).toBe(1)
      expect(await other.parts().mailer.run()).toBe(1)
      const mails = mailsIn(other)
      expect(mails.length).toBe(before + 1)
      const mail = mails.find((one) => one.includes('a second registration is not paid')) ?? ''
      expect(linkIn(mail)).toHaveLength(43)
      for (const said of [second.regNo, first.regNo, 'you do not need to do anything'])
        expect(mail).toContain(said)
      expect(mail).not.toContain('It is complete once')
    }))

  test('finds the page after the hold, and an expired link half a year after the event', () =>
    withRig(async (other) => {
      await leave(other, 61 * minute)
      await other.parts().paymentReminders.run()
      await other.parts().mailer.run()
      const token = linkIn(mailsIn(other)[0] ?? '')
      expect((await fetch(`${other.url}/api/my/${token}`)).status).toBe(200)
      other.at('2026-01-02T00:00:00+05:30')
      expect((await fetch(`${other.url}/api/my/${token}`)).status).toBe(200)
      other.at('2026-08-01T00:00:00+05:30')
      for (const one of [token, 'a'.repeat(43), 'x', '']) {
        expect(await byLink(other, one)).toMatchObject({ status: 404, body: { status: 'error' } })
        expect((await fetch(`${other.url}/api/my/${one}`)).status).not.toBe(200)
      }
      // Of an expired one the event is known, so that its page can lead to the form.
      const pages = await Promise.all(
        [token, 'a'.repeat(43)].map((one) => fetch(`${other.url}/my/${one}`)),
      )
      expect(pages.map(({ status }) => status)).toEqual([404, 404])
      const [expired, unknown] = await Promise.all(pages.map((page) => page.text()))
      expect([
        expired?.includes('"page":"my","event":{'),
        unknown?.includes('"event":null'),
      ]).toEqual([true, true])
    }))

  test('who paid, or whose bank is processing the payment, gets no reminder', () =>
    withRig(async (other) => {
      const paid = await leave(other, 61 * minute)
      const atBank = await other.place()
      await other.sandbox().runAction(atBank.orderId, 'later')
      other.advance(2 * minute)
      await other.parts().deps.payments.reconcile()
      other.advance(61 * minute)
      expect(await other.parts().paymentReminders.run()).toBe(1)
      await other.sandbox().runAction(paid.orderId, 'silent')
      await other.parts().deps.payments.verify(paid.orderId, 5_000)
      expect(await look(paid.regNo, other)).toMatchObject({ stands: 'complete' })
      await other.parts().mailer.run()
      expect(mailsIn(other).filter((mail) => mail.includes('Finish your'))).toEqual([])
      expect(other.rows("SELECT status, error FROM mail_queue WHERE kind = 'unfinished'")).toEqual([
        { status: 'failed', error: 'It was no longer needed.' },
      ])
    }))
})

describe('a browser that returns after payment', () => {
  test('is led to the result page if the server cannot write', () =>
    withRig(async (other) => {
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

  test('is led to the result page if its address has reached the rate limit', async () => {
    const other = await openRig({ variables: { RATE_LIMITS: 'on' } })
    try {
      const { orderId } = await other.place()
      await other.sandbox().runAction(orderId, 'stay')
      const back = (url: string) => other.parts().app.inject({ method: 'GET', url })
      for (let times = 0; times < 600; times += 1) await back('/api/payment/return/')
      const query = new URLSearchParams(other.sandbox().messageOf(orderId)).toString()
      const response = await back(`/api/payment/return/?${query}`)
      expect([response.statusCode, response.headers.location]).toEqual([
        303,
        `/afpicon/payment/success?orderId=${orderId}`,
      ])
    } finally {
      await other.close()
    }
  })
})
