/** `rollcall payment check-gateway`: what it reports about the gateway's responses, and its exit status. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectOk } from '../../../../engine/index.ts'
import type { OrderId } from '../../../../engine/index.ts'
import { main } from '../../../../server/cli/run-command.ts'
import type { Environment } from '../../../../server/dependencies.ts'
import { readEnvironment } from '../../../../server/ops/environment.ts'
import { checkGateway } from '../../../../server/payments/gateways/airpay/connection-check.ts'
import { account, responseTime } from './fake-airpay.ts'
import { openFakeGateway } from '../fake-gateway.ts'
import type { FakeGateway } from '../fake-gateway.ts'
import { openTestServer } from '../server-with-gateway.ts'

let gateway: FakeGateway
beforeAll(async () => {
  gateway = await openFakeGateway()
})
afterAll(() => gateway.close())

const buildXml = (fields: Readonly<Record<string, string>>): string =>
  `<RESPONSE><TRANSACTION>${Object.entries(fields)
    .map(([name, value]) => `<${name}><![CDATA[${value}]]></${name}>`)
    .join('')}</TRANSACTION></RESPONSE>`
const NO_RECORD = buildXml({ TRANSACTIONSTATUS: '503', MESSAGE: 'No record found' })
const checkOptions = {
  account,
  orderId: null,
  shouldCompareKeys: false,
  assumed: { currency: false, sale: false },
  at: responseTime,
  timeoutMs: 30_000,
}
const runCheck = (changes: Partial<Parameters<typeof checkGateway>[0]> = {}) =>
  checkGateway({ ...checkOptions, address: `http://127.0.0.1:${gateway.port}/`, ...changes })

describe('the report for an order that cannot exist', () => {
  test.each<[string, string | number, boolean, RegExp]>([
    ['no record', NO_RECORD, true, /^Code 503: no record, which is correct/m],
    [
      'missing fields',
      NO_RECORD,
      true,
      /^The response does not have CURRENCYCODE, TRANSACTIONTYPE, TRANSACTIONTIME/m,
    ],
    [
      'another code, with its message',
      buildXml({ TRANSACTIONSTATUS: '905', MESSAGE: 'Invalid checksum' }),
      false,
      /^Code 905: [^]*Its message: "Invalid checksum"\.$/m,
    ],
    [
      'a code with contradictory documentation',
      buildXml({ TRANSACTIONSTATUS: '403' }),
      false,
      /^Code 403: Airpay's documents disagree/m,
    ],
    [
      'paid',
      buildXml({ TRANSACTIONSTATUS: '200' }),
      false,
      /^Code 200: the response reports an order as paid that does not exist/m,
    ],
    ['no code', buildXml({ TRANSACTIONID: 'x' }), false, /^The response has no TRANSACTIONSTATUS/m],
    [
      'a web page',
      '<html>Access denied</html>',
      false,
      /^The response cannot be read: the response is a web page\. It starts with: <html>Access denied/m,
    ],
    ['JSON', '{"status":"failed"}', false, /^The response cannot be read: the response is JSON/m],
    ['403', 403, false, /rejected the query: the gateway responded with status 403\.$/m],
    ['302', 302, false, /the gateway redirected the request \(status 302\)/],
  ])('%s', async (_what, answer, isExpected, message) => {
    gateway.setResponse(
      typeof answer === 'string'
        ? answer
        : (response) =>
            void response.writeHead(answer, { location: 'https://elsewhere.example/' }).end(),
    )
    const result = await runCheck()
    expect(result.sentences.join('\n')).toMatch(message)
    expect(result.isAsExpected).toBe(isExpected)
  })

  test('an unreachable address, or one without TLS, is reported as no connection', async () => {
    const closedGateway = await openFakeGateway()
    await closedGateway.close()
    for (const address of [
      `http://127.0.0.1:${closedGateway.port}/`,
      `https://127.0.0.1:${gateway.port}/`,
    ]) {
      const { isAsExpected, sentences } = await runCheck({ address })
      expect([isAsExpected, sentences.at(-1)]).toEqual([
        false,
        expect.stringMatching(/^No connection was made: check the address/),
      ])
    }
  })

  test('our key is not printed if the response repeats it', async () => {
    gateway.setResponse(
      (response, query) =>
        void response.end(`<html>${new URLSearchParams(query).get('private_key')}</html>`),
    )
    const { sentences } = await runCheck()
    expect(sentences.at(-1)).toMatch(/starts with: <html>…<\/html>$/)
  })

  test.each([
    ['rejects wrong keys', buildXml({ TRANSACTIONSTATUS: '905' }), 'got a different response'],
    ['ignores wrong keys', NO_RECORD, 'got the same response'],
    ['drops the connection', null, 'got no response'],
  ])('compares keys with a gateway that %s', async (_what, secondResponse, expectedText) => {
    const keys: (string | null)[] = []
    gateway.setResponse((response, query) => {
      keys.push(new URLSearchParams(query).get('private_key'))
      if (keys.length === 1) response.end(NO_RECORD)
      else if (secondResponse === null) response.destroy()
      else response.end(secondResponse)
    })
    const result = await runCheck({ shouldCompareKeys: true })
    expect(new Set(keys).size).toBe(2)
    expect([result.isAsExpected, result.sentences.at(-1)]).toEqual([
      expectedText === 'got a different response',
      expect.stringContaining(expectedText),
    ])
  })
})

describe('the report for a real order', () => {
  const PAID_FIELDS = {
    TRANSACTIONSTATUS: '200',
    TRANSACTIONID: 'AFPI1',
    APTRANSACTIONID: '17',
    AMOUNT: '1.00',
    CURRENCYCODE: '356',
    TRANSACTIONTYPE: '320',
    TRANSACTIONTIME: '21-11-2026 11:59:00',
    CUSTOMERVPA: 'asha@okbank',
  }
  const orderId = 'AFPI1' as OrderId
  test.each<[string, object, boolean, string]>([
    ['paid and complete', {}, true, 'With the correct amount, it is successful.'],
    [
      'paid, without a currency',
      { CURRENCYCODE: '' },
      false,
      'It needs review. If the gateway never states currency or type, set AIRPAY_ASSUME (docs/airpay.md).',
    ],
    [
      'a test transaction',
      { TXN_MODE: 'TEST' },
      false,
      'It needs review. If the gateway never states currency or type, set AIRPAY_ASSUME (docs/airpay.md).',
    ],
    ['declined', { TRANSACTIONSTATUS: '400' }, true, 'This would count as a failed payment.'],
    [
      'in progress',
      { TRANSACTIONSTATUS: '211' },
      true,
      'The payment would stay pending and be queried again: the code is "211".',
    ],
    [
      'dropped',
      { TRANSACTIONSTATUS: '401' },
      true,
      'This would count as not paid yet and, after a day, as not paid.',
    ],
    [
      'another order',
      { TRANSACTIONID: 'AFPI2' },
      false,
      'The response cannot be used, and the query would be repeated: the response is about another order.',
    ],
  ])('%s', async (_what, changes, isExpected, message) => {
    gateway.setResponse(buildXml({ ...PAID_FIELDS, ...changes }))
    const result = await runCheck({ orderId })
    expect([result.isAsExpected, result.sentences.at(-1)]).toEqual([isExpected, message])
    expect(result.sentences).toContain('TRANSACTIONTIME: "21-11-2026 11:59:00"')
    // The report contains no personal data of the payer.
    expect(result.sentences.join()).not.toContain('asha@okbank')
  })
})

describe('the command', () => {
  let output: string[] = []
  beforeEach(() => {
    output = []
  })
  const run = (args: readonly string[], environment: Environment | null) =>
    main(['payment', 'check-gateway', ...args], {
      print: (text) => void output.push(text),
      printError: (text) => void output.push(text),
      environment: () => environment,
    })
  const readLiveEnvironment = (changes: Readonly<Record<string, string>> = {}) =>
    expectOk(readEnvironment({ GATEWAY_MODE: 'live', ...changes }))

  test.each<[string, readonly string[], Readonly<Record<string, string>>, RegExp]>([
    ['no account', [], {}, /^Specify the account/],
    [
      'an account without an event',
      ['--account', 'nobody'],
      {},
      /^No event file uses the account "nobody"\. Accounts in use: /,
    ],
    [
      'no credentials',
      ['--account', 'afpi'],
      {},
      /^There are no credentials for the account "afpi": set AIRPAY_AFPI_USERNAME/,
    ],
    [
      'an invalid order id',
      ['--account', 'afpi', '--order', 'A/1'],
      {},
      /^--order must be letters and digits/,
    ],
    ['an extra argument', ['--account', 'afpi', 'now'], {}, /Unexpected argument/],
    [
      "Airpay's own sandbox",
      ['--account', 'afpi'],
      { GATEWAY_MODE: 'airpay-test' },
      /^Airpay's own sandbox has no status call/,
    ],
  ])(
    'exits with 2 and a message on invalid usage (%s)',
    async (_what, args, variables, message) => {
      expect(await run(args, readLiveEnvironment(variables))).toBe(2)
      expect(output.join('\n')).toMatch(message)
    },
  )

  test('queries the simulator of a running server about an impossible order, with a wrong key, and about a paid order', async () => {
    const testServer = await openTestServer()
    try {
      const environment = { ...testServer.environment, clockStart: testServer.now() }
      const name =
        testServer.parts().deps.events.findById('afpicon2026')?.config.payment?.account ?? ''
      expect(await run(['--account', name, '--compare'], environment)).toBe(0)
      expect(output.join('\n')).toMatch(
        /about the order NOSUCHORDER, which cannot exist, as merchant \d+\.[^]*Code 503[^]*got a different response[^]*The check passed\.$/,
      )
      const { orderId } = await testServer.placeOrder()
      await testServer.sandbox().runAction(orderId, 'silent')
      expect(await run(['--account', name, '--order', orderId], environment)).toBe(0)
      expect(output.at(-2)).toContain('With the correct amount, it is successful.')
      expect(testServer.readOrderState(orderId).status).toBe('pending')
      await testServer.closeGateways()
      expect(await run(['--account', name], environment)).toBe(1)
      expect(output.at(-1)).toBe('The check failed: see above.')
    } finally {
      await testServer.close()
    }
  })
})
