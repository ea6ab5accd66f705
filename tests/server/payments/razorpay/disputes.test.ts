/** Disputes on a real server with the simulator: the webhook, our query, and the office. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import * as mupdf from 'mupdf'
import { computeSignature } from '../../../../server/payments/gateways/razorpay/signatures.ts'
import type { OrderId, RegNo } from '../../../../engine/index.ts'
import { startRefundEmails } from '../../../../server/mail/send-refund-emails.ts'
import { NEW_HOLDER, signIn } from '../../office/office.ts'
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
  server.setTime(NOON)
  server.simulator().faults.responses = []
  office = await signIn({ ...server.parts(), now: server.now })
})

const findGatewayOrderId = (orderId: string): string => server.simulator().order(orderId)?.id ?? ''
const readDisputes = (regNo: string) => server.parts().deps.store.disputesOf(regNo as RegNo)
const readWorkQueue = async () => {
  const { data } = (await office.json('/admin/dashboard/stats/')) as unknown as {
    data: { waiting: readonly { id: string; details?: readonly string[] }[] }
  }
  return data.waiting.filter(({ id }) => id.startsWith('dispute'))
}
const readShownDisputes = async (regNo: string): Promise<readonly string[]> => {
  const { disputes } = (await office.json(`/admin/registrations/${regNo}/`)) as unknown as {
    disputes: readonly { text: string }[]
  }
  return disputes.map(({ text }) => text)
}

test('a dispute is described from the gateway’s own response, and shown to staff until it is decided', async () => {
  const { regNo, orderId } = await server.pay('silent')
  await server.simulator().setDispute(findGatewayOrderId(orderId), 'open')
  await server.waitUntilIdle()
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
  expect(await readWorkQueue()).toMatchObject([
    { id: 'dispute', details: [`${regNo}: ₹\u00a0177, respond by 17 January 2026, 12:00 pm`] },
  ])
  expect((await readShownDisputes(regNo))[0]).toContain(
    'The delegate’s bank disputes ₹\u00a0177: respond by',
  )
  server.advance(HOUR_MS)
  await server.simulator().setDispute(findGatewayOrderId(orderId), 'under_review')
  await server.waitUntilIdle()
  expect(await readWorkQueue()).toEqual([])
  server.advance(HOUR_MS)
  await server.simulator().setDispute(findGatewayOrderId(orderId), 'open')
  await server.waitUntilIdle()
  expect(await readWorkQueue()).toMatchObject([{ id: 'dispute' }])
  server.advance(HOUR_MS)
  await server.simulator().setDispute(findGatewayOrderId(orderId), 'won')
  await server.waitUntilIdle()
  expect(await readWorkQueue()).toEqual([])
  expect(await readShownDisputes(regNo)).toEqual([
    'Won: the conference keeps the payment of ₹\u00a0177.',
  ])
})

test('a webhook that claims a lost dispute changes nothing if the gateway reports it as open', async () => {
  const { regNo, orderId } = await server.pay('silent')
  const order = await server.simulator().setDispute(findGatewayOrderId(orderId), 'open')
  await server.waitUntilIdle()
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
  expect((await server.postWebhook(body, headers)).status).toBe(200)
  await server.waitUntilIdle()
  expect(await readDisputes(regNo)).toMatchObject([{ status: 'open', deducted: 0 }])
  await server.simulator().setDispute(findGatewayOrderId(orderId), 'closed')
  await server.waitUntilIdle()
})

test("a dispute about another order's payment is refused", async () => {
  const [firstPayment, secondPayment] = [await server.pay('silent'), await server.pay('silent')]
  const order = await server.simulator().setDispute(findGatewayOrderId(firstPayment.orderId), 'won')
  await server.waitUntilIdle()
  const { events, gateway } = server.parts().deps
  const event = events.findById('razorinr')?.config
  if (event === undefined) throw new Error('no event')
  const query = (orderId: OrderId, disputeId = `${order.payments[0]?.dispute?.id}`) =>
    gateway.dispute?.(event, orderId, disputeId, 5_000)
  expect(await query(firstPayment.orderId)).toMatchObject({ ok: true, value: { status: 'won' } })
  expect(await query(secondPayment.orderId)).toEqual({
    ok: false,
    error: 'the dispute is about a payment of another order',
  })
  expect(await query(firstPayment.orderId, 'disp_/../payments')).toMatchObject({ ok: false })
})

test('if the gateway does not respond or sends no webhook, polling finds the result', async () => {
  const { regNo, orderId } = await server.pay('silent')
  server.simulator().faults.responses = [500, 500, 500, 500]
  await server.simulator().setDispute(findGatewayOrderId(orderId), 'open')
  await server.waitUntilIdle()
  expect(await readDisputes(regNo)).toMatchObject([{ status: 'unknown' }])
  expect(JSON.stringify(await readWorkQueue())).toContain(
    `${regNo}: the gateway reported a dispute but has not sent its details yet`,
  )
  server.simulator().faults.responses = []
  server.advance(HOUR_MS)
  await server.parts().deps.payments.queryDue()
  expect(await readDisputes(regNo)).toMatchObject([{ status: 'open' }])
})

test('for a lost dispute, staff see that the bank reversed the payment and how to record this', async () => {
  const { regNo, orderId } = await server.pay('silent')
  await server.simulator().setDispute(findGatewayOrderId(orderId), 'lost')
  await server.waitUntilIdle()
  const [dispute] = await readDisputes(regNo)
  expect(dispute).toMatchObject({ status: 'lost', deducted: 17_700 })
  expect((await readWorkQueue()).map(({ id }) => id)).toContain('dispute_lost')
  expect((await readShownDisputes(regNo))[0]).toContain(
    `Lost: the bank charged back ₹\u00a0177. If this is not recorded yet, choose Refund`,
  )
  const readRefundNotes = async () =>
    (
      (await office.json(`/admin/registrations/${regNo}/acts/`)) as unknown as {
        refund_notes: readonly string[]
      }
    ).refund_notes
  expect(await readRefundNotes()).toEqual([
    `The bank charged back a payment (lost dispute ${dispute?.disputeId}). Do not refund it again. Record it as already refunded outside Rollcall.`,
  ])
  const store = server.parts().deps.store
  expect(await store.netAmountPaid(regNo as RegNo)).toBe(17_700)
  const refundRejection = await office.act(regNo, {
    act: 'refund',
    why: 'Requested by the delegate.',
  })
  expect([refundRejection.status, refundRejection.body.message]).toEqual([
    409,
    expect.stringContaining(`charged back this payment (lost dispute ${dispute?.disputeId})`),
  ])
  expect(await store.netAmountPaid(regNo as RegNo)).toBe(17_700)
  server.advance(HOUR_MS)
  const recordResponse = await office.act(regNo, {
    act: 'refund',
    why: 'The dispute was lost.',
    by_hand: true,
    reference: dispute?.disputeId,
  })
  expect(recordResponse.body).toMatchObject({ status: 'success' })
  expect(await store.netAmountPaid(regNo as RegNo)).toBe(0)
  expect((await readWorkQueue()).map(({ id }) => id)).not.toContain('dispute_lost')
  // The email must not say that the organisers refunded the payment, or the delegate waits for a second amount.
  await startRefundEmails(server.parts().deps, { isEnabled: false }).run()
  const email = (await store.emailsOfRegistration(regNo as RegNo)).at(-1)
  expect(email?.subject.replaceAll('\u00a0', ' ')).toMatch(/^Your disputed payment for .*: ₹ 177$/)
  expect(email?.text.replaceAll('\u00a0', ' ')).toContain(
    `You disputed your payment for registration ${regNo} (`,
  )
  expect(email?.text).not.toContain('refund')
})

describe('a lost dispute about the second of two payments', () => {
  /** Pays ₹ 118 in cash and ₹ 59 through the gateway, and loses a dispute about the ₹ 59. */
  const loseSecondPayment = async () => {
    const { regNo } = await server.registerFor('razorinr', { is_visitor: 'true' })
    const act = async (input: object) =>
      expect(await office.act(regNo, input)).toMatchObject({ status: 200 })
    await act({ act: 'confirm', way: 'cash', reference: `C-${regNo}`, amount: '118' })
    await act({ act: 'correct', why: 'By phone.', answers: { is_visitor: false }, total: 177 })
    const { body } = await server.retry(regNo)
    if (body.payment_data === undefined) throw new Error(JSON.stringify(body))
    const orderId = body.payment_data.orderid
    const checkoutId = await server.openCheckout(body.payment_data)
    await server.returnTo(orderId, await server.simulator().run(checkoutId, 'silent'))
    await server.simulator().setDispute(findGatewayOrderId(orderId), 'lost')
    await server.waitUntilIdle()
    server.advance(HOUR_MS)
    const [dispute] = await readDisputes(regNo)
    expect(dispute).toMatchObject({ status: 'lost', amount: 5900 })
    return { regNo, disputeId: `${dispute?.disputeId}` }
  }
  const refund = async (regNo: string, input: object) => {
    const { status, body } = await office.act(regNo, { act: 'refund', why: 'Lost.', ...input })
    return { status, message: body.message?.replaceAll('\u00a0', ' ') }
  }
  const readGatewayAmount = async (regNo: string) =>
    ((await office.json(`/admin/registrations/${regNo}/acts/`)) as { back_by_gateway?: number })
      .back_by_gateway

  test.each([
    ['the id of the dispute', (disputeId: string) => disputeId],
    ['the bank’s number', () => 'UTIB0000987654321'],
  ])(
    'is not refunded through the gateway again after staff have recorded it under %s',
    async (_, buildReference) => {
      const { regNo, disputeId } = await loseSecondPayment()
      const reference = buildReference(disputeId)
      expect(await refund(regNo, { amount: '59', by_hand: true, reference })).toMatchObject({
        status: 200,
      })
      expect((await readWorkQueue()).map(({ id }) => id)).not.toContain('dispute_lost')
      expect(await readGatewayAmount(regNo)).toBe(0)
      expect((await refund(regNo, { amount: '59' })).status).toBe(409)
    },
  )

  test('cannot be recorded with more than the disputed payment, or on another registration', async () => {
    const { regNo, disputeId } = await loseSecondPayment()
    const record = { by_hand: true, reference: disputeId }
    expect(await refund(regNo, { ...record, amount: '60' })).toEqual({
      status: 422,
      message: `Only ₹ 59 is left to refund of the payment that ${disputeId} names. Record any other refund under its own reference.`,
    })
    const other = await server.pay('silent')
    expect(await refund(other.regNo, { ...record, amount: '59' })).toEqual({
      status: 409,
      message: `Dispute ${disputeId} is about another payment. Enter the reference of the refund itself.`,
    })
    // Without an amount, the whole disputed payment is recorded.
    expect((await refund(regNo, record)).message).toBe('₹ 59 was refunded outside Rollcall.')
  })
})

test('the evidence is a single PDF with the payment, the bill, the documents and the emails', async () => {
  const { regNo, orderId } = await server.pay('silent')
  await server.simulator().setDispute(findGatewayOrderId(orderId), 'open')
  await server.waitUntilIdle()
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
  for (const expectedText of [
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
    expect(text).toContain(expectedText)
})

test("buttons on the simulator's page for a paid order dispute the payment and decide the dispute", async () => {
  const { regNo, orderId } = await server.pay('silent')
  const order = server.simulator().order(orderId)
  const { origin } = new URL((await server.registerFor('razorinr')).data.payment_url)
  const url = `${origin}/razorpay/page/${order?.id}`
  expect(await (await fetch(url)).text()).toContain('Its payment is not disputed.')
  const pressButton = async (status: string): Promise<string> =>
    (await fetch(url, { method: 'POST', body: new URLSearchParams({ dispute: status }) })).text()
  expect(await pressButton('open')).toContain(': open.')
  expect(await pressButton('won')).toContain(': won.')
  await server.waitUntilIdle()
  expect(await readDisputes(regNo)).toMatchObject([{ status: 'won' }])
})

test('after a transfer, the email about a dispute of the former holder’s payment contains no dispute number, and does not call the payment the new holder’s', async () => {
  const { regNo, orderId } = await server.pay('silent')
  server.advance(HOUR_MS)
  const transfer = { act: 'transfer', why: 'Ill.', answers: NEW_HOLDER }
  expect(await office.act(regNo, transfer)).toMatchObject({ status: 200 })
  await server.simulator().setDispute(findGatewayOrderId(orderId), 'lost')
  await server.waitUntilIdle()
  const disputeId = (await readDisputes(regNo))[0]?.disputeId ?? 'missing'
  server.advance(HOUR_MS)
  const refund = { act: 'refund', why: 'Lost.', by_hand: true, reference: disputeId }
  expect((await office.act(regNo, refund)).body).toMatchObject({ status: 'success' })
  await startRefundEmails(server.parts().deps, { isEnabled: false }).run()
  const emails = await server.parts().deps.store.emailsOfRegistration(regNo as RegNo)
  const email = emails.find(({ subject }) => subject.includes('disputed payment'))
  expect(email?.to).toBe(NEW_HOLDER.email)
  expect(email?.subject).toMatch(/^A disputed payment for /)
  expect(email?.text).not.toContain(disputeId)
  expect(email?.text).not.toContain('your bank')
})
