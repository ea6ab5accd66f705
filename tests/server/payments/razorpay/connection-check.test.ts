/** `rollcall payment check-gateway` for a Razorpay account: its report and its exit status. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrderId } from '../../../../engine/index.ts'
import { main } from '../../../../server/cli/run-command.ts'
import { checkRazorpay } from '../../../../server/payments/gateways/razorpay/connection-check.ts'
import { openFakeGateway } from '../fake-gateway.ts'
import type { FakeGateway } from '../fake-gateway.ts'
import {
  account,
  AT,
  CHECKOUT,
  list,
  ORDER,
  createPayment,
  createRefusal,
} from './fake-razorpay.ts'
import type { Reply } from './fake-razorpay.ts'
import { openRazorpayServer } from './razorpay-server.ts'
import { withoutThreads } from '../../store-without-threads.ts'

let gateway: FakeGateway
beforeAll(async () => {
  gateway = await openFakeGateway()
})
afterAll(() => gateway.close())

const order = { id: CHECKOUT, amount: 501_500, currency: 'INR', receipt: ORDER }
/** Sets the replies to the search, to the query for the order's payments and to a wrong key, and runs the check. */
const check = (
  search: Reply,
  options: { orderId?: OrderId | null; payments?: Reply; wrongKey?: Reply } = {},
) => {
  gateway.setResponse((response, _text, request) => {
    const key = Buffer.from((request.headers.authorization ?? '').slice(6), 'base64').toString()
    const reply = key.endsWith('x')
      ? (options.wrongKey ?? search)
      : (request.url ?? '').includes('/payments')
        ? (options.payments ?? list())
        : search
    if (reply === 'drop') return void request.socket.destroy()
    response.statusCode = reply.status ?? 200
    response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body))
  })
  return checkRazorpay({
    address: `http://127.0.0.1:${gateway.port}/`,
    account,
    orderId: options.orderId ?? null,
    shouldCompareKeys: options.wrongKey !== undefined,
    at: AT,
    timeoutMs: 30_000,
  })
}
const REFUSAL = createRefusal('Authentication failed', 401)

describe('the report', () => {
  test.each<[string, Parameters<typeof check>, boolean, RegExp]>([
    ['accepted', [list()], true, /accepts the credentials/],
    [
      'accepted, and a wrong key refused',
      [list(), { wrongKey: REFUSAL }],
      true,
      /refuses a wrong key/,
    ],
    ['a wrong key accepted', [list(), { wrongKey: list() }], false, /does not refuse a wrong key/],
    [
      'wrong credentials',
      [REFUSAL],
      false,
      /refused the query.*Check the key id and the key secret/,
    ],
    ['not a list', [{ body: {} }], false, /not with a list of orders/],
    ['a page from a proxy', [{ body: '<html>' }], false, /no usable response/],
    ['no response', ['drop'], false, /no usable response/],
    [
      'a paid order',
      [list(order), { orderId: ORDER, payments: list(createPayment()) }],
      true,
      /captured, ₹.5,015[^]*It is paid\./,
    ],
    [
      'an unpaid order',
      [list(order), { orderId: ORDER }],
      true,
      /requests ₹.5,015[^]*It is not paid\./,
    ],
    [
      'an authorised payment',
      [
        list(order),
        {
          orderId: ORDER,
          payments: list(createPayment({ status: 'authorized', captured: false })),
        },
      ],
      true,
      /authorised but not captured/,
    ],
    [
      'unreadable payments',
      [list(order), { orderId: ORDER, payments: { body: {} } }],
      false,
      /payments of this order cannot be read/,
    ],
  ])('%s', async (_name, input, isExpected, text) => {
    const result = await check(...input)
    expect([result.isAsExpected, result.sentences.join('\n')]).toEqual([
      isExpected,
      expect.stringMatching(text),
    ])
    expect(result.sentences.join()).not.toContain(account.keySecret)
  })
})

test('the command queries the simulator of the specified gateway on the running server', async () => {
  const server = await openRazorpayServer()
  const { orderId } = await server.pay('silent')
  const check = async (...args: readonly string[]) => {
    const output: string[] = []
    const status = await main(['payment', 'check-gateway', '--account', 'society', ...args], {
      print: (text) => void output.push(text),
      printError: (text) => void output.push(text),
      environment: () => withoutThreads({ ...server.environment, clockStart: server.now() }),
    })
    return [status, output.join('\n')]
  }
  const report = await check('--order', orderId, '--compare')
  expect(report).toEqual([0, expect.stringMatching(/It is paid\.[^]*\nThe check passed\.$/)])
  expect(report[1]).toMatch(
    /at razorpay\. For the account with the same name at airpay, specify --gateway\./,
  )
  expect(await check('--gateway', 'airpay')).toEqual([0, expect.stringContaining('as merchant')])
  expect(await check('--gateway', 'other')).toEqual([
    2,
    expect.stringMatching(/^No event file uses the account "society" at the gateway "other"\./),
  ])
  await server.close()
})
