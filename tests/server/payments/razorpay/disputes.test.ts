/** Disputes on the real server and the simulator: the webhook, our query, and the office. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import * as mupdf from 'mupdf'
import { computeSignature } from '../../../../server/payments/gateways/razorpay/signatures.ts'
import type { OrderId, RegNo } from '../../../../engine/index.ts'
import { signIn } from '../../office/office.ts'
import type { Office } from '../../office/office.ts'
import { NOON, openRazorpayServer } from './razorpay-server.ts'
import type { RazorpayServer } from './razorpay-server.ts'

const HOUR_MS = 60 * 60_000
const SECRET = 'sandbox-webhook-of-society'

let server: RazorpayServer
let office: Office
beforeAll(async () => {
  server = await openRazorpayServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  server.at(NOON)
  server.simulator().faults.responses = []
  office = await signIn({ ...server.parts(), now: server.now })
})

const findGatewayOrder = (orderId: string): string => server.simulator().order(orderId)?.id ?? ''
const readDisputes = (regNo: string) => server.parts().deps.store.disputesOf(regNo as RegNo)
const readWaiting = async () => {
  const { data } = (await office.json('/admin/dashboard/stats/')) as unknown as {
    data: { waiting: readonly { id: string; details?: readonly string[] }[] }
  }
  return data.waiting.filter(({ id }) => id.startsWith('dispute'))
}
const readShown = async (regNo: string): Promise<readonly string[]> => {
  const { disputes } = (await office.json(`/admin/registrations/${regNo}/`)) as unknown as {
    disputes: readonly { text: string }[]
  }
  return disputes.map(({ text }) => text)
}

test('a dispute is described by the gateway’s own response, and shown to staff until it is decided', async () => {
  const { regNo, orderId } = await server.pay('silent')
  await server.simulator().setDispute(findGatewayOrder(orderId), 'open')
  await server.settled()
  expect(await readDisputes(regNo)).toMatchObject([
    {
      status: 'open',
      amount: 17_700,
      currency: 'INR',
      phase: 'chargeback',
      reason: 'services_not_provided',
      respondBy: Date.parse('2026-01-17T12:00:00+05:30'),
    },
  ])
  expect(await readWaiting()).toMatchObject([
    { id: 'dispute', details: [`${regNo}: ₹\u00a0177, respond by 17 January 2026, 12:00 pm`] },
  ])
  expect((await readShown(regNo))[0]).toContain(
    'The delegate’s bank disputes ₹\u00a0177: respond by',
  )
  server.advance(HOUR_MS)
  await server.simulator().setDispute(findGatewayOrder(orderId), 'under_review')
  await server.settled()
  expect(await readWaiting()).toEqual([])
  server.advance(HOUR_MS)
  await server.simulator().setDispute(findGatewayOrder(orderId), 'open')
  await server.settled()
  expect(await readWaiting()).toMatchObject([{ id: 'dispute' }])
  server.advance(HOUR_MS)
  await server.simulator().setDispute(findGatewayOrder(orderId), 'won')
  await server.settled()
  expect(await readWaiting()).toEqual([])
  expect(await readShown(regNo)).toEqual(['Won: the payment of ₹\u00a0177 stands.'])
})

test('a webhook that claims a lost dispute changes nothing if the gateway reports it as open', async () => {
  const { regNo, orderId } = await server.pay('silent')
  const order = await server.simulator().setDispute(findGatewayOrder(orderId), 'open')
  await server.settled()
  const [payment] = order.payments
  const body = JSON.stringify({
    event: 'payment.dispute.lost',
    payload: {
      payment: { entity: { id: payment?.id, order_id: order.id } },
      dispute: { entity: { id: payment?.dispute?.id, status: 'lost', amount_deducted: 17_700 } },
    },
  })
  const headers = {
    'x-razorpay-signature': computeSignature(body, SECRET),
    'x-razorpay-event-id': 'evt_lost',
  }
  expect((await server.webhook(body, headers)).status).toBe(200)
  await server.settled()
  expect(await readDisputes(regNo)).toMatchObject([{ status: 'open', deducted: 0 }])
  await server.simulator().setDispute(findGatewayOrder(orderId), 'closed')
  await server.settled()
})

test('a dispute about a payment of another order is refused', async () => {
  const [one, two] = [await server.pay('silent'), await server.pay('silent')]
  const order = await server.simulator().setDispute(findGatewayOrder(one.orderId), 'won')
  await server.settled()
  const { events, gateway } = server.parts().deps
  const event = events.byId('razorinr')?.config
  if (event === undefined) throw new Error('no event')
  const query = (orderId: OrderId, disputeId = `${order.payments[0]?.dispute?.id}`) =>
    gateway.dispute?.(event, orderId, disputeId, 5_000)
  expect(await query(one.orderId)).toMatchObject({ ok: true, value: { status: 'won' } })
  expect(await query(two.orderId)).toEqual({
    ok: false,
    error: 'the dispute is about a payment of another order',
  })
  expect(await query(one.orderId, 'disp_/../payments')).toMatchObject({ ok: false })
})

test('without a response from the gateway, or without a webhook, polling finds the result', async () => {
  const { regNo, orderId } = await server.pay('silent')
  server.simulator().faults.responses = [500, 500, 500, 500]
  await server.simulator().setDispute(findGatewayOrder(orderId), 'open')
  await server.settled()
  expect(await readDisputes(regNo)).toMatchObject([{ status: 'unknown' }])
  expect(JSON.stringify(await readWaiting())).toContain(
    `${regNo}: the gateway reported a dispute and has not described it yet`,
  )
  server.simulator().faults.responses = []
  server.advance(HOUR_MS)
  await server.parts().deps.payments.reconcile()
  expect(await readDisputes(regNo)).toMatchObject([{ status: 'open' }])
})

test('a lost dispute states that the bank took the money back, and how to record this', async () => {
  const { regNo, orderId } = await server.pay('silent')
  await server.simulator().setDispute(findGatewayOrder(orderId), 'lost')
  await server.settled()
  const [dispute] = await readDisputes(regNo)
  expect(dispute).toMatchObject({ status: 'lost', deducted: 17_700 })
  expect((await readWaiting()).map(({ id }) => id)).toContain('dispute_lost')
  expect((await readShown(regNo))[0]).toContain(
    `Lost: the bank took back ₹\u00a0177. If this is not recorded yet, choose Refund`,
  )
  const notes = async () =>
    (
      (await office.json(`/admin/registrations/${regNo}/acts/`)) as unknown as {
        refund_notes: readonly string[]
      }
    ).refund_notes
  expect(await notes()).toEqual([
    `The bank took money back in the lost dispute ${dispute?.disputeId}. Do not pay it a second time: record it as already refunded outside Rollcall.`,
  ])
  const store = server.parts().deps.store
  expect(await store.moneyKept(regNo as RegNo)).toBe(17_700)
  const paidTwice = await office.act(regNo, { act: 'refund', why: 'Asked by the delegate.' })
  expect([paidTwice.status, paidTwice.body.message]).toEqual([
    409,
    expect.stringContaining(`took this money back in the lost dispute ${dispute?.disputeId}`),
  ])
  expect(await store.moneyKept(regNo as RegNo)).toBe(17_700)
  server.advance(HOUR_MS)
  const recorded = await office.act(regNo, {
    act: 'refund',
    why: 'The bank took it back.',
    by_hand: true,
    reference: dispute?.disputeId,
  })
  expect(recorded.body).toMatchObject({ status: 'success' })
  expect(await store.moneyKept(regNo as RegNo)).toBe(0)
  expect((await readWaiting()).map(({ id }) => id)).not.toContain('dispute_lost')
})

test('the evidence is one PDF with the payment, the bill, the documents and the emails', async () => {
  const { regNo, orderId } = await server.pay('silent')
  await server.simulator().setDispute(findGatewayOrder(orderId), 'open')
  await server.settled()
  await server.parts().deps.store.addAuditEntry({
    at: server.now(),
    who: 'delegate',
    what: 'agreed to “Refunds are not possible” (version 3)',
    eventId: 'razorinr',
    regNo: regNo as RegNo,
  })
  const page = (await office.json(`/admin/registrations/${regNo}/`)) as { evidence_url?: string }
  const response = await office.get(page.evidence_url ?? '')
  expect(response.headers).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': `attachment; filename="Evidence-${regNo}.pdf"`,
  })
  const pdf = mupdf.Document.openDocument(response.rawPayload, 'application/pdf')
  const text = Array.from({ length: pdf.countPages() }, (_, index) =>
    pdf.loadPage(index).toStructuredText('').asText(),
  )
    .join('\n')
    .replaceAll(/\s+/g, ' ')
  const [dispute] = await readDisputes(regNo)
  for (const words of [
    'Evidence for a disputed payment',
    regNo,
    'Asha Nair',
    `${dispute?.disputeId}`,
    `${dispute?.reference}`,
    'agreed to “Refunds are not possible” (version 3)',
    'Bill at registration',
    `Receipt ${orderId}`,
    'Email:',
    'asha@example.org',
  ])
    expect(text).toContain(words)
})

test('the page of a paid order in the simulator disputes its payment, and decides the dispute', async () => {
  const { regNo, orderId } = await server.pay('silent')
  const order = server.simulator().order(orderId)
  const { origin } = new URL((await server.registerFor('razorinr')).data.payment_url)
  const url = `${origin}/razorpay/page/${order?.id}`
  expect(await (await fetch(url)).text()).toContain('Its payment is not disputed.')
  const press = async (status: string): Promise<string> =>
    (await fetch(url, { method: 'POST', body: new URLSearchParams({ dispute: status }) })).text()
  expect(await press('open')).toContain(': open.')
  expect(await press('won')).toContain(': won.')
  await server.settled()
  expect(await readDisputes(regNo)).toMatchObject([{ status: 'won' }])
})
