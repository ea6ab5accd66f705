/** The simulator by itself: as strict as the gateway's papers, and every button does what it says. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { paise } from '../../../engine/index.ts'
import type { PaymentData } from '../../../engine/api.ts'
import { ACTIONS } from '../../../server/payments/gateways/airpay/simulator/simulator-pages.ts'
import type { Action } from '../../../server/payments/gateways/airpay/simulator/simulator-pages.ts'
import { openRig } from './server-with-gateway.ts'
import type { Placed, Rig } from './server-with-gateway.ts'

let rig: Rig
beforeAll(async () => {
  rig = await openRig()
})
afterAll(() => rig.close())

/** Walks through the hop to the page, as the browser does. */
async function pageOf(
  data: PaymentData,
): Promise<{ readonly addresses: URL[]; readonly page: Response }> {
  const addresses: URL[] = []
  let response = await rig.handOff(data)
  while (response.status === 303) {
    const next = new URL(response.headers.get('location') ?? '', data.payment_url)
    addresses.push(next)
    response = await fetch(next, { redirect: 'manual' })
  }
  return { addresses, page: response }
}
const press = async ({ data }: Placed, action: Action): Promise<Response> => {
  const { addresses } = await pageOf(data)
  return fetch(addresses.at(-1) ?? '', {
    method: 'POST',
    body: new URLSearchParams({ do: action }),
    redirect: 'manual',
  })
}

describe('the checkout', () => {
  test('uses three origins: app, redirect and page; form-action of the app names the other two', async () => {
    const { data } = await rig.register()
    const { addresses, page } = await pageOf(data)
    const origins = [
      rig.url,
      new URL(data.payment_url).origin,
      ...addresses.map(({ origin }) => origin),
    ]
    expect(new Set(origins).size).toBe(3)
    expect(addresses.map(({ pathname }) => pathname.split('/')[1])).toEqual(['hop', 'page'])
    expect(page.status).toBe(200)
    const policy = (await fetch(`${rig.url}/`)).headers.get('content-security-policy') ?? ''
    const formAction = policy.split(';').find((part) => part.trim().startsWith('form-action')) ?? ''
    for (const { origin } of addresses) expect(formAction).toContain(origin)
  })

  test('the page shows the requested payment under a policy without inline scripts', async () => {
    const { data, orderId } = await rig.register()
    const { page } = await pageOf(data)
    const text = await page.text()
    expect(text).toContain('₹\u00a07,080')
    expect(text).toContain(orderId)
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(text).not.toMatch(/<script(?![^>]*src=)|<style| on[a-z]+=/i)
  })

  const changes: readonly [string, (data: PaymentData) => PaymentData][] = [
    ['another amount', (data) => ({ ...data, amount: '1.00' })],
    ['another order', (data) => ({ ...data, orderid: `${data.orderid}9` })],
    ['another name', (data) => ({ ...data, first_name: 'Eve' })],
    ['a name with signs in it', (data) => ({ ...data, first_name: '<b>' })],
    ['no name', (data) => ({ ...data, last_name: '' })],
    ['an amount without decimals', (data) => ({ ...data, amount: '7080' })],
    ['another merchant', (data) => ({ ...data, mercid: '1', merchant_id: '1' })],
    ['another private key', (data) => ({ ...data, privatekey: '0'.repeat(64) })],
    ['another checksum', (data) => ({ ...data, checksum: '0'.repeat(64) })],
  ]
  test.each(changes)('rejects %s', async (_name, change) => {
    const { data } = await rig.register()
    const response = await rig.handOff(change(data))
    expect(response.status).toBe(400)
    expect(rig.sandbox().order(data.orderid)).toBe(null)
  })

  test("rejects yesterday's checkout: its checksum contains the Indian day", async () => {
    const { data } = await rig.register()
    rig.at('2025-10-11T00:00:00+05:30')
    expect((await rig.handOff(data)).status).toBe(400)
    rig.at('2025-10-10T12:00:00+05:30')
    expect((await rig.handOff(data)).status).toBe(303)
  })

  test('an order id works once; returning before payment shows the same page', async () => {
    const placed = await rig.place()
    const again = await pageOf(placed.data)
    expect(again.page.status).toBe(200)
    await rig.sandbox().runAction(placed.orderId, 'decline')
    expect((await rig.handOff(placed.data)).status).toBe(400)
  })
})

describe('the buttons', () => {
  const ends: Readonly<
    Record<
      Action,
      {
        readonly back: boolean
        readonly held: string | null
        readonly status: string
        readonly review: boolean
        readonly mails: number
        readonly notices: number
      }
    >
  > = {
    pay: { back: true, held: '7080.00', status: 'success', review: false, mails: 1, notices: 1 },
    decline: { back: true, held: null, status: 'failed', review: false, mails: 0, notices: 1 },
    leave: { back: false, held: null, status: 'pending', review: false, mails: 0, notices: 0 },
    later: { back: true, held: null, status: 'pending', review: false, mails: 0, notices: 0 },
    wrong: { back: true, held: '7079.00', status: 'pending', review: true, mails: 0, notices: 1 },
    twice: { back: true, held: '7080.00', status: 'success', review: false, mails: 1, notices: 2 },
    first: { back: true, held: '7080.00', status: 'success', review: false, mails: 1, notices: 1 },
    silent: { back: true, held: '7080.00', status: 'pending', review: false, mails: 0, notices: 0 },
    stay: { back: false, held: '7080.00', status: 'success', review: false, mails: 1, notices: 1 },
  }
  test.each(Object.keys(ACTIONS) as Action[])('%s', async (action) => {
    const placed = await rig.place()
    const response = await press(placed, action)
    const text = await response.text()
    await rig.settled()
    const held = rig.holds(placed.orderId)
    const { back, ...rest } = ends[action]
    expect({
      held: rig.sandbox().order(placed.orderId)?.paid ?? null,
      status: held.status,
      review: held.review !== null,
      mails: held.mails,
      notices: held.notices,
    }).toEqual(rest)
    expect(text.includes(`action="${rig.url}/api/afpicon/airpay-response"`)).toBe(back)
    if (!back) return
    expect(response.headers.get('content-security-policy')).toContain(`form-action ${rig.url}`)
    const fields = Object.fromEntries(
      [...text.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    )
    const target = await rig.comeBack(fields, '/api/afpicon/airpay-response')
    const verified =
      { decline: 'failed', later: 'pending', wrong: 'pending' }[action as string] ?? 'success'
    expect(target.pathname).toBe(
      verified === 'failed' ? '/afpicon/payment/failed' : '/afpicon/payment/success',
    )
    expect(rig.holds(placed.orderId).status).toBe(verified)
  })

  test('an unknown button, and any button after the end, changes nothing', async () => {
    const placed = await rig.place()
    expect((await press(placed, '__proto__' as Action)).status).toBe(409)
    expect(rig.sandbox().order(placed.orderId)?.stage).toBe('open')
    await press(placed, 'decline')
    const { token } = rig.sandbox().order(placed.orderId) ?? { token: '' }
    const late = await fetch(`${rig.sandbox().url}/page/${token}`, {
      method: 'POST',
      body: new URLSearchParams({ do: 'pay' }),
    })
    expect(late.status).toBe(409)
    expect(rig.sandbox().order(placed.orderId)?.paid).toBe(null)
    await rig.settled()
  })

  test('the start page lists an order only to its payer, or to anyone who enters its id', async () => {
    const placed = await rig.place()
    const listOf = async (path: string, cookie = ''): Promise<string> =>
      (await fetch(`${rig.sandbox().url}${path}`, { headers: { cookie } })).text()
    expect(await listOf('/')).not.toContain(placed.orderId)
    const { token } = rig.sandbox().order(placed.orderId) ?? { token: '' }
    const opened = await fetch(`${rig.sandbox().url}/page/${token}`)
    const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';')
    expect(opened.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Lax$/)
    expect(await listOf('/', `other=1; ${cookie}`)).toContain(placed.orderId)
    expect(await listOf(`/?order=${placed.orderId}`)).toContain(placed.orderId)
    expect(await listOf('/?order=')).not.toContain(placed.orderId)
  })

  test('a payment after a decline still counts', async () => {
    const placed = await rig.place()
    await press(placed, 'decline')
    await rig.settled()
    expect(rig.holds(placed.orderId)).toMatchObject({ status: 'failed', mails: 0 })
    const { token } = rig.sandbox().order(placed.orderId) ?? { token: '' }
    await fetch(`${rig.sandbox().url}/orders/${token}/settle`, {
      method: 'POST',
      redirect: 'manual',
    })
    await rig.settled()
    expect(rig.holds(placed.orderId)).toMatchObject({
      status: 'success',
      registration: 'success',
      facts: ['declined', 'confirmed'],
      mails: 1,
    })
  })
})

describe('stored payments', () => {
  test('survive a restart, and payments in progress arrive afterwards', async () => {
    const paid = await rig.place()
    const under = await rig.place()
    await rig.sandbox().runAction(paid.orderId, 'silent')
    await rig.sandbox().runAction(under.orderId, 'later')
    const before = [rig.sandbox().order(paid.orderId), rig.sandbox().order(under.orderId)]
    await rig.restart()
    expect([rig.sandbox().order(paid.orderId), rig.sandbox().order(under.orderId)]).toEqual(before)
    const { payments } = rig.parts().deps
    expect(await payments.verify(paid.orderId, 5_000)).toBe('success')
    expect(await payments.verify(under.orderId, 5_000)).toBe('pending')
    rig.at('2025-10-10T12:00:15+05:30')
    await rig.restart()
    await expect.poll(() => rig.sandbox().order(under.orderId)?.stage).toBe('paid')
    await rig.settled()
    expect(rig.holds(under.orderId)).toMatchObject({ status: 'success', mails: 1 })
  })

  test('a webhook that the app did not accept is sent again after a restart', async () => {
    const { orderId } = await rig.place()
    await rig.sandbox().runAction(orderId, 'decline')
    await rig.settled()
    await rig.parts().app.close()
    rig.sandbox().settle(orderId)
    await rig.sandbox().idle()
    expect(rig.holds(orderId)).toMatchObject({ status: 'failed', notices: 1 })
    await rig.restart()
    await expect
      .poll(() => rig.holds(orderId))
      .toMatchObject({ status: 'success', notices: 2, mails: 1 })
  })

  test('can be refunded once, up to the amount', async () => {
    const { orderId } = await rig.place()
    await rig.sandbox().runAction(orderId, 'stay')
    await rig.settled()
    const { deps } = rig.parts()
    const event = deps.events.byId('afpicon2026')?.config
    const reference = rig.sandbox().order(orderId)?.reference ?? ''
    if (event === undefined) throw new Error('the event is not served')
    const give = async (amount: number, of = reference) =>
      deps.gateway.refund(event, of, paise(amount), deps.clock(), 5_000)
    expect(await give(708_001)).toMatchObject({ is: 'refused', message: 'Nothing to refund' })
    expect(await give(708_000, '1')).toMatchObject({ is: 'refused' })
    const refund = await give(708_000)
    expect(refund).toMatchObject({ is: 'begun' })
    expect(await give(1)).toMatchObject({ is: 'refused' })
    // It has begun, and nothing says yet that it is done.
    expect(rig.holds(orderId)).toMatchObject({ status: 'success', registration: 'success' })
    if (refund.is !== 'begun') throw new Error('refused')
    const { reference: of } = refund
    const fact = { type: 'refunded' as const, reference: of, amount: paise(708_000), at: rig.now() }
    await deps.store.applyPaymentEvent(orderId, fact, null)
    expect(rig.holds(orderId)).toMatchObject({ status: 'refunded', registration: 'refunded' })
  })
})

test('a name with unsupported characters is transliterated for the checkout only', async () => {
  const { regNo, orderId } = await rig.place({ full_name: 'ആശ നായർ' })
  expect(rig.sandbox().order(orderId)?.name).toMatch(/^[A-Za-z ]+$/)
  expect(rig.rows('SELECT full_name FROM registrations WHERE reg_no = ?', regNo)).toEqual([
    { full_name: 'ആശ നായർ' },
  ])
})
