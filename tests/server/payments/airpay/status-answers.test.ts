/** The gateway's possible responses to a status query, and the real adapter's result for each. */
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findFailure, toAmount } from '../../../../engine/index.ts'
import type { StatusResponse } from '../../../../server/dependencies.ts'
import { readGatewayAmount } from '../../../../server/payments/gateways/airpay/status-response.ts'
import { createAdapter, responseTime, event, orderId } from './fake-airpay.ts'
import { openFakeGateway, type FakeGateway } from '../fake-gateway.ts'

let gateway: FakeGateway
beforeAll(async () => {
  gateway = await openFakeGateway()
})
afterAll(() => gateway.close())

/** The time limit for a query: long enough for a busy machine. Slow responses have separate tests. */
const QUERY_MS = 30_000

type Changes = Readonly<Record<string, string | null>>
const PAID = {
  TRANSACTIONSTATUS: '200',
  MESSAGE: 'Success',
  APTRANSACTIONID: '17691556',
  TRANSACTIONID: orderId as string,
  AMOUNT: '5015.00',
  CURRENCYCODE: '356',
  TRANSACTIONTYPE: '320',
  BILLEDAMOUNT: '5100.00',
}
/** Returns the fields of a payment, with changes. Null omits a field. */
function toFields(changes: Changes = {}): string {
  return Object.entries({ ...PAID, ...changes })
    .flatMap(([name, value]) => (value === null ? [] : [`<${name}><![CDATA[${value}]]></${name}>`]))
    .join('')
}
const XML_HEADER = '<?xml version="1.0" encoding="UTF-8"?>'
const wrap = (...transactions: string[]): string =>
  `${XML_HEADER}<RESPONSE>${transactions.map((inner) => `<TRANSACTION>${inner}</TRANSACTION>`).join('')}</RESPONSE>`
const toXml = (changes: Changes = {}): string => wrap(toFields(changes))
const removeCdata = (text: string): string => text.replaceAll(/<!\[CDATA\[(.*?)\]\]>/g, '$1')

/** Returns a short text that describes the result, or the payment event itself. */
function summarise(answer: StatusResponse): unknown {
  switch (answer.is) {
    case 'payment-event':
      return answer.paymentEvent
    case 'pending':
      return `pending ${answer.code}`
    case 'unreachable':
      return `queried again: ${answer.error}`
    case 'no-record':
      return 'no record'
  }
}
const query = async (raw: string | ((response: ServerResponse) => void), shouldAssume = false) => {
  gateway.setResponse(raw)
  const options = shouldAssume ? { assumed: { currency: true, sale: true } } : {}
  return createAdapter(gateway.port, options).status(event, orderId, responseTime, QUERY_MS)
}

const sale = {
  type: 'confirmed',
  reference: '17691556',
  amount: toAmount(501_500),
  currency: 'INR',
  kind: 'sale',
  at: responseTime,
}
const toDecline = (code: string, message = 'Success') => ({
  type: 'declined',
  code,
  message,
  at: responseTime,
})
type Row = readonly [what: string, raw: string, expected: unknown]
const formatRetry = (error: string): string => `queried again: ${error}`
const OTHER_ORDER = formatRetry('the response is about another order')
const TRUNCATED = formatRetry('the response is truncated')
const NO_AMOUNT = formatRetry('the response has no readable amount')

describe('the format of the response', () => {
  test.each<Row>([
    ['the documented format', toXml(), sale],
    ['without CDATA', removeCdata(toXml()), sale],
    ['without a declaration', toXml().replace(XML_HEADER, ''), sale],
    ['with a byte order mark', `\uFEFF${toXml()}`, sale],
    ['with line breaks and indentation', toXml().replaceAll('><', '>\n  <'), sale],
    ['with comments and trailing white space', `${toXml()}\n<!-- node 3 -->\n\u0000`, sale],
    [
      'in lower case',
      toXml().replaceAll(
        /<(\/?)([A-Z]+)>/g,
        (_, ending: string, name: string) => `<${ending}${name.toLowerCase()}>`,
      ),
      sale,
    ],
    ['in mixed case', toXml().replaceAll('TRANSACTIONSTATUS', 'TransactionStatus'), sale],
    ['with a namespace', toXml().replaceAll('RESPONSE', 'a:RESPONSE'), sale],
    ['with attributes', toXml().replace('<AMOUNT>', '<AMOUNT currency="USD">'), sale],
    [
      'with fields in a different order',
      wrap(toFields().replace(/(<TRANSACTIONSTATUS>.*?<\/TRANSACTIONSTATUS>)(.*)/, '$2$1')),
      sale,
    ],
    ['the transaction without the envelope', `<TRANSACTION>${toFields()}</TRANSACTION>`, sale],
    ['the fields in the envelope itself', `<RESPONSE>${toFields()}</RESPONSE>`, sale],
    ['undocumented fields', toXml({ RISK: 'low', TRANSACTIONPAYMENTSTATUS: 'FAILED' }), sale],
    ['a field twice with the same value', wrap(`${toFields()}<AMOUNT>5015.00</AMOUNT>`), sale],
    // Contradictory amounts count as no amount.
    ['a field twice with different values', wrap(`${toFields()}<AMOUNT>1.00</AMOUNT>`), NO_AMOUNT],
    [
      'the status twice with different values',
      wrap(`${toFields()}<TRANSACTIONSTATUS>400</TRANSACTIONSTATUS>`),
      'pending ',
    ],
    [
      'entities outside CDATA',
      removeCdata(toXml({ TRANSACTIONSTATUS: '400', MESSAGE: 'A &amp; B &#39;no&#39;' })),
      toDecline('400', "A & B 'no'"),
    ],
    [
      'entities inside CDATA are unchanged',
      toXml({ TRANSACTIONSTATUS: '400', MESSAGE: 'A &amp; B' }),
      toDecline('400', 'A &amp; B'),
    ],
    [
      'a bare ampersand',
      removeCdata(toXml({ TRANSACTIONSTATUS: '400', MESSAGE: 'Card & PIN' })),
      toDecline('400', 'Card & PIN'),
    ],
    [
      'a long message is truncated',
      toXml({ TRANSACTIONSTATUS: '400', MESSAGE: 'x'.repeat(500) }),
      toDecline('400', 'x'.repeat(200)),
    ],
    // A document type is a sign of an attack: a gateway never sends one.
    [
      'a document type',
      `<!DOCTYPE a [<!ENTITY x "200">]>${toXml()}`,
      formatRetry('the response declares a document type'),
    ],
    ['nothing', '', formatRetry('the response is empty')],
    ['white space', ' \n ', formatRetry('the response is empty')],
    ['words', 'Service unavailable', formatRetry('the response is not XML')],
    [
      'a web page',
      '<!DOCTYPE html><html><body>Sorry</body></html>',
      formatRetry('the response is a web page'),
    ],
    [
      'a web page without a document type',
      '<html><body>Sorry</body></html>',
      formatRetry('the response is a web page'),
    ],
    // The next API version uses JSON, whose fields are not documented.
    [
      'JSON',
      JSON.stringify({ TRANSACTIONSTATUS: '200', AMOUNT: '5015.00' }),
      formatRetry('the response is JSON, not XML'),
    ],
    [
      'other XML',
      '<ERROR>wrong key</ERROR>',
      formatRetry('the response is not the XML of a transaction'),
    ],
    [
      'an empty envelope',
      '<RESPONSE></RESPONSE>',
      formatRetry('the response is not the XML of a transaction'),
    ],
    ['an empty transaction', wrap(''), formatRetry('the response is not the XML of a transaction')],
    [
      'UTF-16 read as UTF-8',
      Buffer.from(toXml(), 'utf16le').toString('latin1'),
      formatRetry('the response is not XML'),
    ],
  ])('%s', async (_what, raw, expected) => expect(summarise(await query(raw))).toEqual(expected))

  // Fields that were cut off would look missing. This would lead to a review that no complete response clears.
  test.each([
    ['after the amount', toXml().slice(0, toXml().indexOf('<CURRENCYCODE>'))],
    ['within the amount', toXml().slice(0, toXml().indexOf('15.00]]'))],
    ['within a name', toXml().slice(0, toXml().indexOf('AMOUNT>') + 3)],
    ['before the envelope is closed', toXml().replace('</RESPONSE>', '')],
    ['at the start', '<RESPONSE><TRANSACTION'],
    ['by one character', toXml().slice(0, -1)],
  ])('a response truncated %s leads to another query', async (_where, raw) =>
    expect(summarise(await query(raw))).toBe(TRUNCATED),
  )
})

const DECLINED_CODES = ['400', '405', '502']
describe('status codes', () => {
  test.each<Row>([
    ...DECLINED_CODES.map((code): Row => [
      `${code}: the bank declined`,
      toXml({ TRANSACTIONSTATUS: code }),
      toDecline(code),
    ]),
    // One document says "dropped, cancelled, incomplete", another "not yet processed". Until these codes have been
    // seen in production, they are no result.
    ...['401', '402', '403', '503'].map((code): Row => [
      `${code}: no result yet, even with the message Success`,
      toXml({ TRANSACTIONSTATUS: code }),
      'no record',
    ]),
    ['211', toXml({ TRANSACTIONSTATUS: '211' }), 'pending 211'],
    ['an undocumented code', toXml({ TRANSACTIONSTATUS: '299' }), 'pending 299'],
    [
      'the name of a property that every object has',
      toXml({ TRANSACTIONSTATUS: 'constructor' }),
      'pending constructor',
    ],
    ['a word', toXml({ TRANSACTIONSTATUS: 'SUCCESS' }), 'pending SUCCESS'],
    ['200 with decimals', toXml({ TRANSACTIONSTATUS: '200.0' }), 'pending 200.0'],
    ['with spaces', toXml({ TRANSACTIONSTATUS: ' 200 ' }), sale],
    ['empty', toXml({ TRANSACTIONSTATUS: '' }), 'pending '],
    ['missing', toXml({ TRANSACTIONSTATUS: null }), 'pending '],
  ])('%s', async (_what, raw, expected) => expect(summarise(await query(raw))).toEqual(expected))

  test.each(DECLINED_CODES)('after %s, the delegate sees that no payment was made', (code) =>
    expect(findFailure(code, null)).toBe('declined'),
  )
})

describe('order and reference', () => {
  test.each<Row>([
    ['a payment for another order', toXml({ TRANSACTIONID: 'SAMP2026112100023' }), OTHER_ORDER],
    [
      'a failure for another order',
      toXml({ TRANSACTIONSTATUS: '400', TRANSACTIONID: 'SAMP2026112100023' }),
      OTHER_ORDER,
    ],
    [
      'our order in lower case is a different order',
      toXml({ TRANSACTIONID: orderId.toLowerCase() }),
      OTHER_ORDER,
    ],
    ['our order with spaces', toXml({ TRANSACTIONID: ` ${orderId} ` }), sale],
    // The query was about one order, so a failure may omit fields, but a payment may not.
    [
      'a failure without an order',
      toXml({ TRANSACTIONSTATUS: '400', TRANSACTIONID: null, APTRANSACTIONID: null, AMOUNT: null }),
      toDecline('400'),
    ],
    [
      'a failure whose order is empty',
      toXml({ TRANSACTIONSTATUS: '405', TRANSACTIONID: '' }),
      toDecline('405'),
    ],
    [
      'a failure whose order is NA',
      toXml({ TRANSACTIONSTATUS: '502', TRANSACTIONID: 'NA' }),
      toDecline('502'),
    ],
    [
      'a payment without an order',
      toXml({ TRANSACTIONID: null }),
      formatRetry('the response has no order id'),
    ],
    [
      'no record without an order',
      toXml({ TRANSACTIONSTATUS: '503', TRANSACTIONID: null }),
      'no record',
    ],
    [
      'a payment without a reference',
      toXml({ APTRANSACTIONID: null }),
      formatRetry('the response has no reference'),
    ],
    [
      'a payment with the reference 0',
      toXml({ APTRANSACTIONID: '0' }),
      formatRetry('the response has no reference'),
    ],
    ['a wrong hash, which proves nothing', toXml({ AP_SECUREHASH: '1' }), sale],
  ])('%s', async (_what, raw, expected) => expect(summarise(await query(raw))).toEqual(expected))
})

describe('several transactions in one response', () => {
  const declinedTransaction = toFields({ TRANSACTIONSTATUS: '400' })
  test.each<Row>([
    ['a failure, then a payment', wrap(declinedTransaction, toFields()), sale],
    ['a payment, then a failure', wrap(toFields(), declinedTransaction), sale],
    ['the same payment twice', wrap(toFields(), toFields()), sale],
    [
      'ours and another order’s',
      wrap(toFields({ TRANSACTIONID: 'SAMP2026112100023', AMOUNT: '1.00' }), toFields()),
      sale,
    ],
    [
      'two transactions for other orders',
      wrap(toFields({ TRANSACTIONID: 'A1' }), toFields({ TRANSACTIONID: 'A2' })),
      OTHER_ORDER,
    ],
    // The second capture is also a payment. It is reported, and staff decide.
    [
      'two captures',
      wrap(toFields(), toFields({ APTRANSACTIONID: '17691557' })),
      { ...sale, further: [{ reference: '17691557', amount: toAmount(501_500), kind: 'sale' }] },
    ],
    [
      'two captures, the second in dollars',
      wrap(toFields(), toFields({ APTRANSACTIONID: '17691557', CURRENCYCODE: '840' })),
      {
        ...sale,
        further: [{ reference: '17691557', amount: sale.amount, currency: 'USD', kind: 'sale' }],
      },
    ],
    [
      'a payment and its refund',
      wrap(toFields(), toFields({ APTRANSACTIONID: '2', TRANSACTIONTYPE: '340' })),
      { ...sale, refunds: [{ reference: '2', amount: toAmount(501_500) }] },
    ],
    [
      'a payment and two partial refunds',
      wrap(
        toFields(),
        toFields({ APTRANSACTIONID: '2', TRANSACTIONTYPE: '340', AMOUNT: '15' }),
        toFields({ APTRANSACTIONID: '3', TRANSACTIONTYPE: 'Refund', AMOUNT: '5000' }),
      ),
      {
        ...sale,
        refunds: [
          { reference: '2', amount: toAmount(1_500) },
          { reference: '3', amount: toAmount(500_000) },
        ],
      },
    ],
    // The gateway reports this refund in stages.
    [
      'one refund with two amounts counts as the larger amount',
      wrap(
        toFields(),
        toFields({ APTRANSACTIONID: '2', TRANSACTIONTYPE: '340', AMOUNT: '15' }),
        toFields({ APTRANSACTIONID: '2', TRANSACTIONTYPE: '340', AMOUNT: '20' }),
      ),
      { ...sale, refunds: [{ reference: '2', amount: toAmount(2_000) }] },
    ],
    [
      'a payment, and an unreadable refund',
      wrap(toFields(), toFields({ APTRANSACTIONID: '2', TRANSACTIONTYPE: '340', AMOUNT: 'much' })),
      NO_AMOUNT,
    ],
    // A chargeback or a void also returns the payment, but without our request, so it goes to review.
    [
      'a payment and its chargeback',
      wrap(toFields(), toFields({ APTRANSACTIONID: '2', TRANSACTIONTYPE: '350' })),
      {
        ...sale,
        reference: '2',
        kind: 'other',
        further: [{ reference: '17691556', amount: toAmount(501_500), kind: 'sale' }],
      },
    ],
    [
      'two refunds without the payment',
      wrap(
        toFields({ APTRANSACTIONID: '2', TRANSACTIONTYPE: '340', AMOUNT: '15' }),
        toFields({ APTRANSACTIONID: '3', TRANSACTIONTYPE: '340', AMOUNT: '5' }),
      ),
      {
        type: 'refunded',
        reference: '2',
        amount: toAmount(1_500),
        at: responseTime,
        further: [{ reference: '3', amount: toAmount(500) }],
      },
    ],
    [
      'one reference with two amounts',
      wrap(toFields(), toFields({ AMOUNT: '1.00' })),
      formatRetry('the response has two amounts for one reference'),
    ],
    [
      'a payment and an unreadable transaction',
      wrap(toFields(), toFields({ AMOUNT: 'much', APTRANSACTIONID: '2' })),
      NO_AMOUNT,
    ],
    [
      'a failure, and a transaction in progress',
      wrap(declinedTransaction, toFields({ TRANSACTIONSTATUS: '211' })),
      'pending 211',
    ],
    [
      'a failure, and an unfinished transaction',
      wrap(declinedTransaction, toFields({ TRANSACTIONSTATUS: '401' })),
      'no record',
    ],
    [
      'two failures',
      wrap(declinedTransaction, toFields({ TRANSACTIONSTATUS: '405' })),
      toDecline('400'),
    ],
  ])('%s', async (_what, raw, expected) => expect(summarise(await query(raw))).toEqual(expected))
})

describe('currency, type and mode', () => {
  test.each<Row>([
    ...['INR', 'inr', '356', 'Rs', 'Rs.', '₹', ' INR ', 'Indian Rupee'].map((code): Row => [
      `the rupee as "${code}"`,
      toXml({ CURRENCYCODE: code }),
      sale,
    ]),
    ['dollars', toXml({ CURRENCYCODE: 'usd' }), { ...sale, currency: 'USD' }],
    // 840 is the numeric code of the US dollar.
    ['840', toXml({ CURRENCYCODE: '840' }), { ...sale, currency: 'USD' }],
    // A buyer can change the payment form, and the checksum does not cover the currency: if missing, it is unknown.
    ['no currency', toXml({ CURRENCYCODE: null }), { ...sale, currency: '' }],
    ...['320', 'sale', 'SALE', 'Sale', '320 ', '320 - Sale'].map((type): Row => [
      `a sale as "${type}"`,
      toXml({ TRANSACTIONTYPE: type }),
      sale,
    ]),
    ...['310', '330', '350', '420', 'auth', 'presale', '3200'].map((type): Row => [
      `"${type}" is not a sale`,
      toXml({ TRANSACTIONTYPE: type }),
      { ...sale, kind: 'other' },
    ]),
    ...['340', '340 - Refund', 'refund', 'REFUND'].map((type): Row => [
      `"${type}" is a refund`,
      toXml({ TRANSACTIONTYPE: type }),
      { type: 'refunded', reference: '17691556', amount: toAmount(501_500), at: responseTime },
    ]),
    [
      'a refund in test mode has no effect',
      toXml({ TRANSACTIONTYPE: '340', TXN_MODE: 'TEST' }),
      { ...sale, kind: 'test' },
    ],
    ['no type', toXml({ TRANSACTIONTYPE: null }), { ...sale, kind: 'other' }],
    ...['TEST', 'test', 'Sandbox'].map((testMode): Row => [
      `in the mode "${testMode}", no money moves`,
      toXml({ TXN_MODE: testMode }),
      { ...sale, kind: 'test' },
    ]),
    ['the mode in TXNMODE', toXml({ TXNMODE: 'TEST' }), { ...sale, kind: 'test' }],
    ['the mode LIVE', toXml({ TXN_MODE: 'LIVE' }), sale],
    [
      'a failure in test mode',
      toXml({ TXN_MODE: 'TEST', TRANSACTIONSTATUS: '400' }),
      toDecline('400'),
    ],
  ])('%s', async (_what, raw, expected) => expect(summarise(await query(raw))).toEqual(expected))

  test('AIRPAY_ASSUME applies only to missing values', async () => {
    expect(
      summarise(await query(toXml({ CURRENCYCODE: null, TRANSACTIONTYPE: '' }), true)),
    ).toEqual(sale)
    expect(
      summarise(await query(toXml({ CURRENCYCODE: '840', TRANSACTIONTYPE: '340' }), true)),
    ).toEqual({
      ...sale,
      currency: 'USD',
      kind: 'other',
    })
  })
})

describe('amounts', () => {
  test.each<[string, number | null]>([
    ['5015.00', 501_500],
    ['5015', 501_500],
    ['5015.', 501_500],
    ['5015.0', 501_500],
    ['5015.000', 501_500],
    ['5015.5', 501_550],
    [' 5015.00 ', 501_500],
    ['05015.00', 501_500],
    ['5,015.00', 501_500],
    ['5,015', 501_500],
    ['1,05,015.00', 10_501_500],
    ['105,015.00', 10_501_500],
    ['INR 5015.00', 501_500],
    ['INR5015.00', 501_500],
    ['Rs. 5,015', 501_500],
    ['₹ 5015.00', 501_500],
    ['5015.00 INR', 501_500],
    ['0.00', 0],
    // Amounts with fractions of a paisa, other separators or symbols, two numbers, or words are never guessed.
    ['5015.001', null],
    ['5.015,00', null],
    ['5015,00', null],
    ['5,01,5', null],
    [',015', null],
    ['-5015.00', null],
    ['+5015.00', null],
    ['5015.00.00', null],
    ['5e3', null],
    ['USD 5015.00', null],
    ['5015 00', null],
    ['५०१५', null],
    ['9999999999999', null],
    ['', null],
  ])('"%s" → %s', (text, amount) => expect(readGatewayAmount(text)).toBe(amount))

  test('the engine compares the amount without the surcharge', async () => {
    expect(summarise(await query(toXml({ AMOUNT: 'INR 1.00' })))).toEqual({
      ...sale,
      amount: toAmount(100),
    })
    expect(summarise(await query(toXml({ AMOUNT: '' })))).toBe(NO_AMOUNT)
    expect(summarise(await query(toXml({ AMOUNT: null })))).toBe(NO_AMOUNT)
  })
})

describe('the payment time', () => {
  test('is part of the payment event if the response has a valid one', async () => {
    expect(summarise(await query(toXml({ TRANSACTIONTIME: '21-11-2026 14:05:09' })))).toEqual({
      ...sale,
      paidAt: Date.parse('2026-11-21T14:05:09+05:30'),
    })
    expect(summarise(await query(toXml({ TRANSACTIONTIME: 'soon' })))).toEqual(sale)
  })
})

describe('the connection to the gateway', () => {
  const sendStatus =
    (code: number, headers: Readonly<Record<string, string>> = {}) =>
    (response: ServerResponse) =>
      void response.writeHead(code, headers).end(toXml())
  test.each<[string, (response: ServerResponse) => void, string]>([
    ...[500, 502, 503, 504].map((code): [string, (response: ServerResponse) => void, string] => [
      `${code} with any body`,
      sendStatus(code),
      formatRetry(`the gateway responded with status ${code}`),
    ]),
    ['403', sendStatus(403), formatRetry('the gateway responded with status 403')],
    ['429', sendStatus(429), formatRetry('the gateway responded with status 429')],
    // Following a redirect could send our key to a server that is not the gateway.
    ...[301, 302, 307, 308].map((code): [string, (response: ServerResponse) => void, string] => [
      `a redirect to another server (${code})`,
      sendStatus(code, { location: 'http://127.0.0.1:9/' }),
      formatRetry(`the gateway redirected the request (status ${code})`),
    ]),
    ['204', (response) => void response.writeHead(204).end(), formatRetry('the response is empty')],
    [
      'a response of 70 KB',
      (response) => void response.end(`${toXml()}${' '.repeat(70_000)}`),
      formatRetry('the response is too long'),
    ],
    [
      'a disconnect before a response',
      (response) => void response.destroy(),
      formatRetry('TypeError: fetch failed (UND_ERR_SOCKET)'),
    ],
    [
      'a disconnect within the response',
      (response) =>
        void response
          .writeHead(200, { 'content-length': '9999' })
          .write(toXml(), () => response.destroy()),
      formatRetry('TypeError: terminated (UND_ERR_SOCKET)'),
    ],
  ])('after %s, the gateway is queried again', async (_what, answer, expected) =>
    expect(summarise(await query(answer))).toBe(expected),
  )

  test('an endless response is not read to its end', async () => {
    let sentBytes = 0
    let isClosed = false
    const answer = await query((response) => {
      const sendMore = (): void => {
        sentBytes += 16_384
        if (!isClosed) response.write('x'.repeat(16_384), () => setImmediate(sendMore))
      }
      response.on('close', () => (isClosed = true))
      sendMore()
    })
    expect(summarise(answer)).toBe(formatRetry('the response is too long'))
    await expect.poll(() => isClosed).toBe(true)
    expect(sentBytes).toBeLessThan(50_000_000)
  })

  test.each<[string, (response: ServerResponse) => void]>([
    ['never responds', () => undefined],
    ['never ends its response', (response) => void response.writeHead(200).write('<RESPONSE>')],
  ])('a query to a gateway that %s is aborted after the time limit', async (_what, answer) => {
    gateway.setResponse(answer)
    const response = await createAdapter(gateway.port).status(event, orderId, responseTime, 50)
    expect(summarise(response)).toBe(
      formatRetry('TimeoutError: The operation was aborted due to timeout'),
    )
  })

  test('the gateway is queried again if it is unreachable or the account has no credentials', async () => {
    const closedGateway = await openFakeGateway()
    await closedGateway.close()
    expect(
      summarise(
        await createAdapter(closedGateway.port).status(event, orderId, responseTime, QUERY_MS),
      ),
    ).toMatch(/^queried again: TypeError: fetch failed \(ECONNREFUSED\)$/)
    const adapterWithoutKey = createAdapter(gateway.port, { account: () => null })
    expect(summarise(await adapterWithoutKey.status(event, orderId, responseTime, QUERY_MS))).toBe(
      formatRetry('there are no credentials'),
    )
  })
})
