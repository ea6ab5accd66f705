/** What the gateway may answer when told to give money back, each with what is then known of the money. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { paise } from '../../../engine/index.ts'
import { adapterAt, at, event, openStandIn } from './fake-gateway.ts'
import type { StandIn } from './fake-gateway.ts'

let gateway: StandIn
beforeAll(async () => {
  gateway = await openStandIn()
})
afterAll(() => gateway.close())

const REFERENCE = '17691556'
const refund = (port = gateway.port, timeoutMs = 30_000) =>
  adapterAt(port).refund(event, REFERENCE, paise(501_500), at, timeoutMs)
const answer = (ours: object | null, whole: object = { success: 'true' }): string =>
  JSON.stringify({
    message: '',
    ...whole,
    transactions: ours === null ? [] : [{ airpayid: REFERENCE, message: '', ...ours }],
  })
const yes = { success: 'true', refundairpayid: '99' }

test.each<[string, string, object]>([
  ['"true" means begun, not done', answer(yes), { is: 'begun', reference: '99' }],
  [
    'true without quotes, numbers for texts',
    answer({ success: true, refundairpayid: 99, airpayid: 17691556 }, { success: true }),
    { is: 'begun', reference: '99' },
  ],
  ['"TRUE"', answer({ ...yes, success: 'TRUE' }, { success: 'TRUE' }), { is: 'begun' }],
  [
    'a plain no to our payment',
    answer({ success: 'false', message: 'Too late' }),
    { is: 'refused', message: 'Too late' },
  ],
  [
    'a plain no to the whole',
    answer(null, { success: 'false', message: 'Not allowed' }),
    { is: 'refused', message: 'Not allowed' },
  ],
  ['no to the whole, yes to ours', answer(yes, { success: 'false' }), { is: 'unsure' }],
  ['no, and yet a refund', answer({ success: 'false', refundairpayid: '99' }), { is: 'unsure' }],
  ['yes without a refund', answer({ success: 'true', refundairpayid: '' }), { is: 'unsure' }],
  ['yes, and nothing of our payment', answer(null), { is: 'unsure' }],
  [
    'no, and another payment’s refund',
    answer({ ...yes, airpayid: '1' }, { success: 'false' }),
    { is: 'unsure' },
  ],
  [
    'our payment twice',
    JSON.stringify({
      success: 'true',
      transactions: [
        { airpayid: REFERENCE, ...yes },
        { airpayid: REFERENCE, success: 'false' },
      ],
    }),
    { is: 'unsure' },
  ],
  ['another word', answer({ ...yes, success: 'accepted' }), { is: 'unsure' }],
  ['a list in place of a word', answer({ ...yes, success: ['true'] }), { is: 'unsure' }],
  ['an empty object', '{}', { is: 'unsure' }],
  ['JSON of nothing', 'null', { is: 'unsure' }],
  ['XML', '<RESPONSE/>', { is: 'unsure', error: 'the response is not JSON' }],
  ['nothing', '', { is: 'unsure' }],
  ['cut off', answer(yes).slice(0, -3), { is: 'unsure' }],
])('%s', async (_what, text, made) => {
  gateway.answers(text)
  expect(await refund()).toMatchObject(made)
})

test.each([400, 403, 500, 502, 302])('status %i leaves the refund unknown', async (status) => {
  gateway.answers((to) => void to.writeHead(status).end(answer({ success: 'false' })))
  expect((await refund()).is).toBe('unsure')
})

test('a timeout or disconnect leaves it unknown; an unreachable gateway means it was not sent', async () => {
  gateway.answers(() => undefined)
  expect((await refund(gateway.port, 50)).is).toBe('unsure')
  gateway.answers((to) => void to.destroy())
  expect((await refund()).is).toBe('unsure')
  const closed = await openStandIn()
  await closed.close()
  expect((await refund(closed.port)).is).toBe('not-sent')
})

test('the request names merchant, payment and amount, with a checksum of exactly this text', async () => {
  gateway.answers(answer(yes))
  await refund()
  expect(JSON.parse(gateway.asked.at(-1) ?? '')).toMatchObject({
    merchant_id: '123456',
    mode: 'refund',
    transactions: [{ amount: '5015.00', processor_id: REFERENCE }],
  })
})
