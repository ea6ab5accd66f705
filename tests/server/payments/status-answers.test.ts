/**
 * What the gateway may answer when asked about an order, each with what we do and why. Every row travels:
 * a real server answers it and the real adapter asks.
 */
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findFailure, paise } from '../../../engine/index.ts'
import type { StatusAnswer } from '../../../server/dependencies.ts'
import { readGatewayAmount } from '../../../server/payments/gateways/airpay/status-response.ts'
import { adapterAt, at, event, openStandIn, orderId } from './fake-gateway.ts'
import type { StandIn } from './fake-gateway.ts'

let gateway: StandIn
beforeAll(async () => {
  gateway = await openStandIn()
})
afterAll(() => gateway.close())

/** Long enough for a busy machine; the tests of slowness have their own. */
const ASK_MS = 30_000

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
/** The fields of a payment with changes; null leaves one out. */
function one(changes: Changes = {}): string {
  return Object.entries({ ...PAID, ...changes })
    .flatMap(([name, value]) => (value === null ? [] : [`<${name}><![CDATA[${value}]]></${name}>`]))
    .join('')
}
const HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
const response = (...transactions: string[]): string =>
  `${HEAD}<RESPONSE>${transactions.map((inner) => `<TRANSACTION>${inner}</TRANSACTION>`).join('')}</RESPONSE>`
const xml = (changes: Changes = {}): string => response(one(changes))
const plainXml = (text: string): string => text.replaceAll(/<!\[CDATA\[(.*?)\]\]>/g, '$1')

/** What is made of an answer, in a word or two; facts as they are. */
function madeOf(answer: StatusAnswer): unknown {
  switch (answer.is) {
    case 'fact':
      return answer.fact
    case 'pending':
      return `pending ${answer.code}`
    case 'unreachable':
      return `asked again: ${answer.error}`
    case 'no-record':
      return 'no record'
  }
}
const ask = async (raw: string | ((to: ServerResponse) => void), assumed = false) => {
  gateway.answers(raw)
  const options = assumed ? { assumed: { currency: true, sale: true } } : {}
  return adapterAt(gateway.port, options).status(event, orderId, at, ASK_MS)
}

const sale = {
  type: 'confirmed',
  reference: '17691556',
  amount: paise(501_500),
  currency: 'INR',
  kind: 'sale',
  at,
}
const declined = (code: string, message = 'Success') => ({ type: 'declined', code, message, at })
type Row = readonly [what: string, raw: string, made: unknown]
const again = (error: string): string => `asked again: ${error}`
const OTHER_ORDER = again('the response is about another order')
const CUT = again('the response is truncated')
const NO_AMOUNT = again('the response has no readable amount')

describe('the form', () => {
  test.each<Row>([
    ['as the papers have it', xml(), sale],
    ['without CDATA', plainXml(xml()), sale],
    ['without a declaration', xml().replace(HEAD, ''), sale],
    ['with a byte order mark', `\uFEFF${xml()}`, sale],
    ['with lines and indents', xml().replaceAll('><', '>\n  <'), sale],
    ['with comments and white space behind', `${xml()}\n<!-- node 3 -->\n\u0000`, sale],
    [
      'in small letters',
      xml().replaceAll(
        /<(\/?)([A-Z]+)>/g,
        (_, end: string, name: string) => `<${end}${name.toLowerCase()}>`,
      ),
      sale,
    ],
    ['in mixed letters', xml().replaceAll('TRANSACTIONSTATUS', 'TransactionStatus'), sale],
    ['with a namespace', xml().replaceAll('RESPONSE', 'a:RESPONSE'), sale],
    ['with attributes', xml().replace('<AMOUNT>', '<AMOUNT currency="USD">'), sale],
    [
      'in another order of fields',
      response(one().replace(/(<TRANSACTIONSTATUS>.*?<\/TRANSACTIONSTATUS>)(.*)/, '$2$1')),
      sale,
    ],
    ['the transaction without its frame', `<TRANSACTION>${one()}</TRANSACTION>`, sale],
    ['the fields in the frame itself', `<RESPONSE>${one()}</RESPONSE>`, sale],
    ['fields nobody told us of', xml({ RISK: 'low', TRANSACTIONPAYMENTSTATUS: 'FAILED' }), sale],
    ['a field twice, alike', response(`${one()}<AMOUNT>5015.00</AMOUNT>`), sale],
    // Two amounts are none.
    ['a field twice, otherwise', response(`${one()}<AMOUNT>1.00</AMOUNT>`), NO_AMOUNT],
    [
      'the status twice, otherwise',
      response(`${one()}<TRANSACTIONSTATUS>400</TRANSACTIONSTATUS>`),
      'pending ',
    ],
    [
      'entities outside CDATA',
      plainXml(xml({ TRANSACTIONSTATUS: '400', MESSAGE: 'A &amp; B &#39;no&#39;' })),
      declined('400', "A & B 'no'"),
    ],
    [
      'entities inside CDATA stay as they are',
      xml({ TRANSACTIONSTATUS: '400', MESSAGE: 'A &amp; B' }),
      declined('400', 'A &amp; B'),
    ],
    [
      'a bare ampersand',
      plainXml(xml({ TRANSACTIONSTATUS: '400', MESSAGE: 'Card & PIN' })),
      declined('400', 'Card & PIN'),
    ],
    [
      'a long message is cut',
      xml({ TRANSACTIONSTATUS: '400', MESSAGE: 'x'.repeat(500) }),
      declined('400', 'x'.repeat(200)),
    ],
    // Own entities are an attack, never a gateway.
    [
      'a document type',
      `<!DOCTYPE a [<!ENTITY x "200">]>${xml()}`,
      again('the response declares a document type'),
    ],
    ['nothing', '', again('the response is empty')],
    ['white space', ' \n ', again('the response is empty')],
    ['words', 'Service unavailable', again('the response is not XML')],
    [
      'a web page',
      '<!DOCTYPE html><html><body>Sorry</body></html>',
      again('the response is a web page'),
    ],
    [
      'a web page without a document type',
      '<html><body>Sorry</body></html>',
      again('the response is a web page'),
    ],
    // The papers of the next version speak JSON; nobody has told us what its fields mean.
    [
      'JSON',
      JSON.stringify({ TRANSACTIONSTATUS: '200', AMOUNT: '5015.00' }),
      again('the response is JSON, not XML'),
    ],
    [
      'another XML',
      '<ERROR>wrong key</ERROR>',
      again('the response is not the XML of a transaction'),
    ],
    [
      'an empty frame',
      '<RESPONSE></RESPONSE>',
      again('the response is not the XML of a transaction'),
    ],
    ['an empty transaction', response(''), again('the response is not the XML of a transaction')],
    [
      'UTF-16, read as if it were UTF-8',
      Buffer.from(xml(), 'utf16le').toString('latin1'),
      again('the response is not XML'),
    ],
  ])('%s', async (_what, raw, made) => expect(madeOf(await ask(raw))).toEqual(made))

  // What is missing would read as fields that the gateway left out, and that is a review no whole answer clears.
  test.each([
    ['after the amount', xml().slice(0, xml().indexOf('<CURRENCYCODE>'))],
    ['within the amount', xml().slice(0, xml().indexOf('15.00]]'))],
    ['within a name', xml().slice(0, xml().indexOf('AMOUNT>') + 3)],
    ['before the last frame is closed', xml().replace('</RESPONSE>', '')],
    ['at the start', '<RESPONSE><TRANSACTION'],
    ['by one letter', xml().slice(0, -1)],
  ])('cut off %s: asked again', async (_where, raw) => expect(madeOf(await ask(raw))).toBe(CUT))
})

const DECLINED = ['400', '405', '502']
describe('the codes', () => {
  test.each<Row>([
    ...DECLINED.map((code): Row => [
      `${code}: the bank said no`,
      xml({ TRANSACTIONSTATUS: code }),
      declined(code),
    ]),
    // Dropped, cancelled, incomplete in one paper and "not yet processed" in another: no record until seen live.
    ...['401', '402', '403', '503'].map((code): Row => [
      `${code}: nothing yet, also beside the word Success`,
      xml({ TRANSACTIONSTATUS: code }),
      'no record',
    ]),
    ['211', xml({ TRANSACTIONSTATUS: '211' }), 'pending 211'],
    ['one nobody told us of', xml({ TRANSACTIONSTATUS: '299' }), 'pending 299'],
    [
      'one that is a name of every object',
      xml({ TRANSACTIONSTATUS: 'constructor' }),
      'pending constructor',
    ],
    ['a word', xml({ TRANSACTIONSTATUS: 'SUCCESS' }), 'pending SUCCESS'],
    ['200 with decimals', xml({ TRANSACTIONSTATUS: '200.0' }), 'pending 200.0'],
    ['with spaces', xml({ TRANSACTIONSTATUS: ' 200 ' }), sale],
    ['empty', xml({ TRANSACTIONSTATUS: '' }), 'pending '],
    ['not there', xml({ TRANSACTIONSTATUS: null }), 'pending '],
  ])('%s', async (_what, raw, made) => expect(madeOf(await ask(raw))).toEqual(made))

  test.each(DECLINED)('%s: the delegate reads that no payment was made', (code) =>
    expect(findFailure(code, null)).toBe('declined'),
  )
})

describe('order and reference', () => {
  test.each<Row>([
    ['money of another order', xml({ TRANSACTIONID: 'SAMP2026112100023' }), OTHER_ORDER],
    [
      'a failure of another order',
      xml({ TRANSACTIONSTATUS: '400', TRANSACTIONID: 'SAMP2026112100023' }),
      OTHER_ORDER,
    ],
    [
      'our order in small letters is another',
      xml({ TRANSACTIONID: orderId.toLowerCase() }),
      OTHER_ORDER,
    ],
    ['our order with spaces', xml({ TRANSACTIONID: ` ${orderId} ` }), sale],
    // We asked about one order; a failure may lack fields, and money may not.
    [
      'a failure without an order',
      xml({ TRANSACTIONSTATUS: '400', TRANSACTIONID: null, APTRANSACTIONID: null, AMOUNT: null }),
      declined('400'),
    ],
    [
      'a failure whose order is empty',
      xml({ TRANSACTIONSTATUS: '405', TRANSACTIONID: '' }),
      declined('405'),
    ],
    [
      'a failure whose order is NA',
      xml({ TRANSACTIONSTATUS: '502', TRANSACTIONID: 'NA' }),
      declined('502'),
    ],
    ['money without an order', xml({ TRANSACTIONID: null }), again('the response has no order id')],
    [
      'no record without an order',
      xml({ TRANSACTIONSTATUS: '503', TRANSACTIONID: null }),
      'no record',
    ],
    [
      'money without a reference',
      xml({ APTRANSACTIONID: null }),
      again('the response has no reference'),
    ],
    [
      'money with the reference 0',
      xml({ APTRANSACTIONID: '0' }),
      again('the response has no reference'),
    ],
    ['the hash of somebody else, which proves nothing', xml({ AP_SECUREHASH: '1' }), sale],
  ])('%s', async (_what, raw, made) => expect(madeOf(await ask(raw))).toEqual(made))
})

describe('several transactions in one response', () => {
  const refused = one({ TRANSACTIONSTATUS: '400' })
  test.each<Row>([
    ['a failure, then money', response(refused, one()), sale],
    ['money, then a failure', response(one(), refused), sale],
    ['the same money twice', response(one(), one()), sale],
    [
      'ours and a stranger’s',
      response(one({ TRANSACTIONID: 'SAMP2026112100023', AMOUNT: '1.00' }), one()),
      sale,
    ],
    [
      'two strangers’',
      response(one({ TRANSACTIONID: 'A1' }), one({ TRANSACTIONID: 'A2' })),
      OTHER_ORDER,
    ],
    // The second capture is money too: it is named, and a person decides.
    [
      'two captures',
      response(one(), one({ APTRANSACTIONID: '17691557' })),
      { ...sale, further: [{ reference: '17691557', amount: paise(501_500), kind: 'sale' }] },
    ],
    [
      'two captures, the second in dollars',
      response(one(), one({ APTRANSACTIONID: '17691557', CURRENCYCODE: '840' })),
      {
        ...sale,
        further: [{ reference: '17691557', amount: paise(501_500), currency: '840', kind: 'sale' }],
      },
    ],
    [
      'money and its refund',
      response(one(), one({ APTRANSACTIONID: '2', TRANSACTIONTYPE: '340' })),
      { ...sale, refunds: [{ reference: '2', amount: paise(501_500) }] },
    ],
    [
      'money and two parts of it that went back',
      response(
        one(),
        one({ APTRANSACTIONID: '2', TRANSACTIONTYPE: '340', AMOUNT: '15' }),
        one({ APTRANSACTIONID: '3', TRANSACTIONTYPE: 'Refund', AMOUNT: '5000' }),
      ),
      {
        ...sale,
        refunds: [
          { reference: '2', amount: paise(1_500) },
          { reference: '3', amount: paise(500_000) },
        ],
      },
    ],
    // Said while a part of it was back, and again when more was.
    [
      'one refund with two amounts is the larger',
      response(
        one(),
        one({ APTRANSACTIONID: '2', TRANSACTIONTYPE: '340', AMOUNT: '15' }),
        one({ APTRANSACTIONID: '2', TRANSACTIONTYPE: '340', AMOUNT: '20' }),
      ),
      { ...sale, refunds: [{ reference: '2', amount: paise(2_000) }] },
    ],
    [
      'money, and a refund that cannot be read',
      response(one(), one({ APTRANSACTIONID: '2', TRANSACTIONTYPE: '340', AMOUNT: 'much' })),
      NO_AMOUNT,
    ],
    // A chargeback and a void take money back too, and nobody asked for them: a person looks.
    [
      'money and its chargeback',
      response(one(), one({ APTRANSACTIONID: '2', TRANSACTIONTYPE: '350' })),
      {
        ...sale,
        reference: '2',
        kind: 'other',
        further: [{ reference: '17691556', amount: paise(501_500), kind: 'sale' }],
      },
    ],
    [
      'two refunds and nothing of the payment',
      response(
        one({ APTRANSACTIONID: '2', TRANSACTIONTYPE: '340', AMOUNT: '15' }),
        one({ APTRANSACTIONID: '3', TRANSACTIONTYPE: '340', AMOUNT: '5' }),
      ),
      {
        type: 'refunded',
        reference: '2',
        amount: paise(1_500),
        at,
        further: [{ reference: '3', amount: paise(500) }],
      },
    ],
    [
      'one reference with two amounts',
      response(one(), one({ AMOUNT: '1.00' })),
      again('the response has two amounts for one reference'),
    ],
    [
      'money and money that cannot be read',
      response(one(), one({ AMOUNT: 'much', APTRANSACTIONID: '2' })),
      NO_AMOUNT,
    ],
    [
      'a failure, and one under way',
      response(refused, one({ TRANSACTIONSTATUS: '211' })),
      'pending 211',
    ],
    [
      'a failure, and one nobody ended',
      response(refused, one({ TRANSACTIONSTATUS: '401' })),
      'no record',
    ],
    ['two failures', response(refused, one({ TRANSACTIONSTATUS: '405' })), declined('400')],
  ])('%s', async (_what, raw, made) => expect(madeOf(await ask(raw))).toEqual(made))
})

describe('currency, kind and mode', () => {
  test.each<Row>([
    ...['INR', 'inr', '356', 'Rs', 'Rs.', '₹', ' INR ', 'Indian Rupee'].map((code): Row => [
      `the rupee as "${code}"`,
      xml({ CURRENCYCODE: code }),
      sale,
    ]),
    ['dollars', xml({ CURRENCYCODE: 'usd' }), { ...sale, currency: 'USD' }],
    ['840', xml({ CURRENCYCODE: '840' }), { ...sale, currency: '840' }],
    // The form that asks for the money is in the buyer's hands, its currency outside the checksum: not named is not known.
    ['no currency', xml({ CURRENCYCODE: null }), { ...sale, currency: '' }],
    ...['320', 'sale', 'SALE', 'Sale', '320 ', '320 - Sale'].map((type): Row => [
      `a sale as "${type}"`,
      xml({ TRANSACTIONTYPE: type }),
      sale,
    ]),
    ...['310', '330', '350', '420', 'auth', 'presale', '3200'].map((type): Row => [
      `"${type}" is no sale`,
      xml({ TRANSACTIONTYPE: type }),
      { ...sale, kind: 'other' },
    ]),
    ...['340', '340 - Refund', 'refund', 'REFUND'].map((type): Row => [
      `"${type}" is money that went back`,
      xml({ TRANSACTIONTYPE: type }),
      { type: 'refunded', reference: '17691556', amount: paise(501_500), at },
    ]),
    [
      'a refund of the test mode moves no money',
      xml({ TRANSACTIONTYPE: '340', TXN_MODE: 'TEST' }),
      { ...sale, kind: 'test' },
    ],
    ['no type', xml({ TRANSACTIONTYPE: null }), { ...sale, kind: 'other' }],
    ...['TEST', 'test', 'Sandbox'].map((mode): Row => [
      `the mode "${mode}" moves no money`,
      xml({ TXN_MODE: mode }),
      { ...sale, kind: 'test' },
    ]),
    ['the mode without its line', xml({ TXNMODE: 'TEST' }), { ...sale, kind: 'test' }],
    ['the mode LIVE', xml({ TXN_MODE: 'LIVE' }), sale],
    [
      'a failure in test mode',
      xml({ TXN_MODE: 'TEST', TRANSACTIONSTATUS: '400' }),
      declined('400'),
    ],
  ])('%s', async (_what, raw, made) => expect(madeOf(await ask(raw))).toEqual(made))

  test('AIRPAY_ASSUME applies only to missing values', async () => {
    expect(madeOf(await ask(xml({ CURRENCYCODE: null, TRANSACTIONTYPE: '' }), true))).toEqual(sale)
    expect(madeOf(await ask(xml({ CURRENCYCODE: '840', TRANSACTIONTYPE: '340' }), true))).toEqual({
      ...sale,
      currency: '840',
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
    // Nobody guesses money: parts of a paisa, other groups, other signs, two amounts, words.
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
    expect(madeOf(await ask(xml({ AMOUNT: 'INR 1.00' })))).toEqual({ ...sale, amount: paise(100) })
    expect(madeOf(await ask(xml({ AMOUNT: '' })))).toBe(NO_AMOUNT)
    expect(madeOf(await ask(xml({ AMOUNT: null })))).toBe(NO_AMOUNT)
  })
})

describe('the time of payment', () => {
  test('is part of the payment event, and can be missing', async () => {
    expect(madeOf(await ask(xml({ TRANSACTIONTIME: '21-11-2026 14:05:09' })))).toEqual({
      ...sale,
      paidAt: Date.parse('2026-11-21T14:05:09+05:30'),
    })
    expect(madeOf(await ask(xml({ TRANSACTIONTIME: 'soon' })))).toEqual(sale)
  })
})

describe('the payment channel', () => {
  const status =
    (code: number, headers: Readonly<Record<string, string>> = {}) =>
    (to: ServerResponse) =>
      void to.writeHead(code, headers).end(xml())
  test.each<[string, (to: ServerResponse) => void, string]>([
    ...[500, 502, 503, 504].map((code): [string, (to: ServerResponse) => void, string] => [
      `${code}, whatever it holds`,
      status(code),
      again(`the gateway responded with status ${code}`),
    ]),
    ['403', status(403), again('the gateway responded with status 403')],
    ['429', status(429), again('the gateway responded with status 429')],
    // Whatever stands elsewhere is not the gateway's word, and would learn our key.
    ...[301, 302, 307, 308].map((code): [string, (to: ServerResponse) => void, string] => [
      `${code} to elsewhere`,
      status(code, { location: 'http://127.0.0.1:9/' }),
      again(`the gateway redirected the request (status ${code})`),
    ]),
    ['204', (to) => void to.writeHead(204).end(), again('the response is empty')],
    [
      '70 KB',
      (to) => void to.end(`${xml()}${' '.repeat(70_000)}`),
      again('the response is too long'),
    ],
    [
      'a hang-up before an answer',
      (to) => void to.destroy(),
      again('TypeError: fetch failed (UND_ERR_SOCKET)'),
    ],
    [
      'a hang-up within it',
      (to) => void to.writeHead(200, { 'content-length': '9999' }).write(xml(), () => to.destroy()),
      again('TypeError: terminated (UND_ERR_SOCKET)'),
    ],
  ])('%s: asked again', async (_what, answer, made) => expect(madeOf(await ask(answer))).toBe(made))

  test('an endless response is not read to its end', async () => {
    let sent = 0
    let closed = false
    const answer = await ask((to) => {
      const more = (): void => {
        sent += 16_384
        if (!closed) to.write('x'.repeat(16_384), () => setImmediate(more))
      }
      to.on('close', () => (closed = true))
      more()
    })
    expect(madeOf(answer)).toBe(again('the response is too long'))
    await expect.poll(() => closed).toBe(true)
    expect(sent).toBeLessThan(50_000_000)
  })

  test.each<[string, (to: ServerResponse) => void]>([
    ['never answers', () => undefined],
    ['begins and never ends', (to) => void to.writeHead(200).write('<RESPONSE>')],
  ])('one that %s is left after the time we give it', async (_what, answer) => {
    gateway.answers(answer)
    const left = await adapterAt(gateway.port).status(event, orderId, at, 50)
    expect(madeOf(left)).toBe(again('TimeoutError: The operation was aborted due to timeout'))
  })

  test('unreachable, or without credentials: queried again', async () => {
    const closed = await openStandIn()
    await closed.close()
    expect(madeOf(await adapterAt(closed.port).status(event, orderId, at, ASK_MS))).toMatch(
      /^asked again: TypeError: fetch failed \(ECONNREFUSED\)$/,
    )
    const without = adapterAt(gateway.port, { account: () => null })
    expect(madeOf(await without.status(event, orderId, at, ASK_MS))).toBe(
      again('there are no credentials'),
    )
  })
})
