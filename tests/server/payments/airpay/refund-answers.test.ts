/** The gateway's possible responses to a refund request, and what each response proves. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { INR, toAmount } from '../../../../engine/index.ts'
import { createAdapter, responseTime, event } from './fake-airpay.ts'
import { openFakeGateway } from '../fake-gateway.ts'
import type { FakeGateway } from '../fake-gateway.ts'

let gateway: FakeGateway
beforeAll(async () => {
  gateway = await openFakeGateway()
})
afterAll(() => gateway.close())

const REFERENCE = '17691556'
const refund = (port = gateway.port, timeoutMs = 30_000) =>
  createAdapter(port).refund(
    event,
    REFERENCE,
    { amount: toAmount(501_500), currency: INR },
    responseTime,
    timeoutMs,
  )
const buildRefundResponse = (
  transaction: object | null,
  envelope: object = { success: 'true' },
): string =>
  JSON.stringify({
    message: '',
    ...envelope,
    transactions:
      transaction === null ? [] : [{ airpayid: REFERENCE, message: '', ...transaction }],
  })
const ACCEPTANCE = { success: 'true', refundairpayid: '99' }

test.each<[string, string, object]>([
  [
    '"true" means started, not completed',
    buildRefundResponse(ACCEPTANCE),
    { is: 'begun', reference: '99' },
  ],
  [
    'true without quotes, and numbers instead of strings',
    buildRefundResponse(
      { success: true, refundairpayid: 99, airpayid: 17691556 },
      { success: true },
    ),
    { is: 'begun', reference: '99' },
  ],
  [
    '"TRUE"',
    buildRefundResponse({ ...ACCEPTANCE, success: 'TRUE' }, { success: 'TRUE' }),
    { is: 'begun' },
  ],
  [
    'a rejection of our payment',
    buildRefundResponse({ success: 'false', message: 'Too late' }),
    { is: 'refused', message: 'Too late' },
  ],
  [
    'a rejection of the whole request',
    buildRefundResponse(null, { success: 'false', message: 'Not allowed' }),
    { is: 'refused', message: 'Not allowed' },
  ],
  [
    'a rejected request with an accepted payment',
    buildRefundResponse(ACCEPTANCE, { success: 'false' }),
    { is: 'unsure' },
  ],
  [
    'a rejection with a refund',
    buildRefundResponse({ success: 'false', refundairpayid: '99' }),
    { is: 'unsure' },
  ],
  [
    'an acceptance without a refund',
    buildRefundResponse({ success: 'true', refundairpayid: '' }),
    { is: 'unsure' },
  ],
  ['an acceptance without our payment', buildRefundResponse(null), { is: 'unsure' }],
  [
    'a rejection with another payment’s refund',
    buildRefundResponse({ ...ACCEPTANCE, airpayid: '1' }, { success: 'false' }),
    { is: 'unsure' },
  ],
  [
    'our payment twice',
    JSON.stringify({
      success: 'true',
      transactions: [
        { airpayid: REFERENCE, ...ACCEPTANCE },
        { airpayid: REFERENCE, success: 'false' },
      ],
    }),
    { is: 'unsure' },
  ],
  [
    'an unknown word',
    buildRefundResponse({ ...ACCEPTANCE, success: 'accepted' }),
    { is: 'unsure' },
  ],
  [
    'a list instead of a word',
    buildRefundResponse({ ...ACCEPTANCE, success: ['true'] }),
    { is: 'unsure' },
  ],
  ['an empty object', '{}', { is: 'unsure' }],
  ['empty JSON', 'null', { is: 'unsure' }],
  ['XML', '<RESPONSE/>', { is: 'unsure', error: 'the response is not JSON' }],
  ['nothing', '', { is: 'unsure' }],
  ['truncated JSON', buildRefundResponse(ACCEPTANCE).slice(0, -3), { is: 'unsure' }],
])('the response to a refund request: %s', async (_what, text, expected) => {
  gateway.setResponse(text)
  expect(await refund()).toMatchObject(expected)
})

test.each([400, 403, 500, 502, 302])(
  'after status %i, it is unknown whether the refund was made',
  async (status) => {
    gateway.setResponse(
      (response) => void response.writeHead(status).end(buildRefundResponse({ success: 'false' })),
    )
    expect((await refund()).is).toBe('unsure')
  },
)

test('after a timeout or disconnect, it is unknown whether the refund was made; if the gateway is unreachable, the refund was not sent', async () => {
  gateway.setResponse(() => undefined)
  expect((await refund(gateway.port, 50)).is).toBe('unsure')
  gateway.setResponse((response) => void response.destroy())
  expect((await refund()).is).toBe('unsure')
  const closedGateway = await openFakeGateway()
  await closedGateway.close()
  expect((await refund(closedGateway.port)).is).toBe('not-sent')
})

test('the request contains the merchant, the payment and the amount, with a checksum of exactly this text', async () => {
  gateway.setResponse(buildRefundResponse(ACCEPTANCE))
  await refund()
  expect(JSON.parse(gateway.requestBodies.at(-1) ?? '')).toMatchObject({
    merchant_id: '123456',
    mode: 'refund',
    transactions: [{ amount: '5015.00', processor_id: REFERENCE }],
  })
})
