/** Checksums against test vectors, names in the gateway's format, and the fields of a message. */
import { describe, expect, test } from 'vitest'
import { day, dayOf, instant } from '../../../../engine/index.ts'
import type { OrderId } from '../../../../engine/index.ts'
import {
  computeHandOffChecksum,
  getPrivateKey,
  computeSecureHash,
  computeStatusChecksum,
} from '../../../../server/payments/gateways/airpay/checksums.ts'
import { readFields } from '../../../../server/payments/gateways/message-fields.ts'
import { cleanName } from '../../../../server/payments/gateways/airpay/checkout-form.ts'
import { account, createAdapter } from './fake-airpay.ts'
import type {
  PostedBuyer,
  ChecksumVariant,
} from '../../../../server/payments/gateways/airpay/checksums.ts'
import type { Fields } from '../../../../server/payments/gateways/message-fields.ts'

const buyer: PostedBuyer = { email: 'asha.rao@example.com', firstName: 'Asha', lastName: 'Rao' }
const order = { amount: '1180.00', orderId: 'REG202611210001', uid: 'REG202611210001' }
const orderId = order.orderId as OrderId

describe('test vectors', () => {
  test('privatekey', () =>
    expect(getPrivateKey(account)).toBe(
      'c0ae3210a82c1d11208a2eea66c0d5bcb9159be713269dfc9c6381d572b0a282',
    ))

  test.each<[string, PostedBuyer, string, ChecksumVariant, string]>([
    [
      'variant A',
      buyer,
      '2026-11-21',
      'A',
      '29e1446acf49c4b4d5e7b5b17dcb0f53f93e5cecc1205ec8bb91818bd3b21655',
    ],
    [
      'variant B',
      buyer,
      '2026-11-21',
      'B',
      '5e6cc15b9cc756baff1e0eb4bb044c6b78bcf358a05471fc526069c266549480',
    ],
    [
      'variant A on the previous day',
      buyer,
      '2026-11-20',
      'A',
      '6063c62f4acf28d54f5638acb4184f4c3ce7378b0cf9dd929ce05e3ffd31b47a',
    ],
    [
      'variant A with an address',
      { ...buyer, address: '12 MG Road', city: 'Mumbai', state: 'Maharashtra', country: 'India' },
      '2026-11-21',
      'A',
      '43928a7ba83a80c078b844690dee5aa3d09bd29e4b4e1efcbd8f868b4a14958a',
    ],
  ])('hand-off checksum, %s', (_name, buyer, paidOn, variant, checksum) =>
    expect(computeHandOffChecksum(account, buyer, order, day(paidOn), variant)).toBe(checksum),
  )

  const message: Fields = {
    TRANSACTIONID: orderId,
    APTRANSACTIONID: '17691556',
    AMOUNT: '1180.00',
    TRANSACTIONSTATUS: '200',
    MESSAGE: 'Success',
    CUSTOMERVPA: 'asha@okbank',
  }
  test.each<[string, Fields, boolean, string]>([
    ['of a success, unsigned', message, false, '3284442413'],
    ['of a failure', { ...message, TRANSACTIONSTATUS: '400', MESSAGE: 'Fail' }, false, '536884194'],
    ['with CUSTOMERVPA', message, true, '1014625583'],
    [
      'of values with surrounding spaces',
      { ...message, AMOUNT: ' 1180.00 ', MESSAGE: 'Success ' },
      false,
      '3284442413',
    ],
  ])('CRC %s', (_name, fields, shouldIncludeVpa, expected) =>
    expect(computeSecureHash(account, fields, shouldIncludeVpa)).toBe(expected),
  )

  test('status-call checksum', () =>
    expect(computeStatusChecksum(account, orderId, day('2026-11-21'))).toBe(
      'ebb75b6f7966b15cead954a74bb2de2ece2069049f4315c95a7fc974e4c09423',
    ))

  test.each([
    ['2026-11-20T18:29:59Z', '2026-11-20'],
    ['2026-11-20T18:30:00Z', '2026-11-21'],
  ])('in India, %s is on %s', (utc, day) => expect(dayOf(instant(Date.parse(utc)))).toBe(day))
})

describe('names in the format that the gateway accepts', () => {
  test.each([
    ['Asha Rao', 'Asha', 'Rao'],
    // A single name is used as both first and last name, because neither may be empty.
    ['Asha', 'Asha', 'Asha'],
    ['  Dr. José  O’Brien-Núñez ', 'Dr', 'Jose OBrien Nunez'],
    ['अनिल कुमार', 'anil', 'kumaar'],
    ['李 伟', 'Li', 'Wei'],
    ['Asha2 <b>', 'Asha', 'b'],
    ['K. S. Chithra', 'K', 'S Chithra'],
    ['Asha\tRao\nNair', 'Asha', 'Rao Nair'],
    ['Asha\u00a0Rao', 'Asha', 'Rao'],
    // Characters that reverse or hide text are removed, and do not split a name.
    ['As\u200bha Rao\u202e', 'Asha', 'Rao'],
    ['Jose\u0301 Nun\u0303ez', 'Jose', 'Nunez'],
    ['Straße Ægir', 'Strasse', 'AEgir'],
    ['Ａｓｈａ Ｒａｏ', 'Asha', 'Rao'],
    ["D'Souza; DROP", 'DSouza', 'DROP'],
    ['Asha & Co. =1+1', 'Asha', 'Co'],
    ['मोहम्मद', 'mohmmd', 'mohmmd'],
    ['Мария Кюри', 'Mariya', 'Kyuri'],
    // Without a usable name, the registration number is used.
    ['😀 !!', 'DEMO1234567890123', 'DEMO1234567890123'],
    ['12345', 'DEMO1234567890123', 'DEMO1234567890123'],
    ['', 'DEMO1234567890123', 'DEMO1234567890123'],
  ])('"%s" → "%s" "%s"', (fullName, firstName, lastName) =>
    expect(cleanName(fullName, 'DEMO1234567890123')).toEqual({ firstName, lastName }),
  )

  test.each([
    ['an imported number', 'AFPI/2025/0001', 'AFPI 2025 0001'],
    ['a number that consists of symbols', '#/–', 'Delegate'],
  ])('if there is no name, %s is formatted as a name', (_why, regNo, name) =>
    expect(cleanName('', regNo)).toEqual({ firstName: name, lastName: name }),
  )

  test.each(['ആശ നായർ', 'தமிழ் செல்வி', 'ಅನಿತಾ', 'আশা', 'ਆਸ਼ਾ', 'x'.repeat(200), `${'ab '.repeat(60)}`])(
    '%s becomes a name of 1 to 50 letters',
    (fullName) => {
      for (const name of Object.values(cleanName(fullName, 'DEMO1'))) {
        expect(name).toMatch(/^[A-Za-z0-9](?:[A-Za-z0-9 ]{0,48}[A-Za-z0-9])?$/)
      }
    },
  )
})

describe('the fields of a message', () => {
  const sharedFields = { TRANSACTIONID: 'D1', AMOUNT: '1180.00', MESSAGE: 'a b&c' }
  test.each<[string, string, string, Fields | null]>([
    [
      'a posted form',
      'TRANSACTIONID=D1&AMOUNT=1180.00&MESSAGE=a+b%26c',
      'application/x-www-form-urlencoded',
      sharedFields,
    ],
    ['JSON', JSON.stringify(sharedFields), 'application/json; charset=utf-8', sharedFields],
    [
      'JSON declared as a form',
      JSON.stringify(sharedFields),
      'application/x-www-form-urlencoded',
      sharedFields,
    ],
    [
      'JSON with a number',
      '{"TRANSACTIONID":"D1","TRANSACTIONSTATUS":200}',
      'application/json',
      { TRANSACTIONID: 'D1', TRANSACTIONSTATUS: '200' },
    ],
    ['invalid JSON', '{"TRANSACTIONID":', 'application/json', null],
    ['a JSON list', '["D1"]', 'application/json', null],
    ['nothing', '', 'application/x-www-form-urlencoded', null],
  ])('%s', (_name, body, type, fields) => {
    const parsedFields = readFields(body, type)
    expect(parsedFields === null ? null : { ...parsedFields }).toEqual(fields)
  })

  test('a field called __proto__ is treated like any other field', () => {
    const fields = readFields('{"__proto__":"x","TRANSACTIONID":"D1"}', 'application/json')
    expect(fields?.['TRANSACTIONID']).toBe('D1')
    expect(Object.getPrototypeOf(fields)).toBe(null)
  })
})

describe('reading a message', () => {
  const FORM_TYPE = 'application/x-www-form-urlencoded'
  const JSON_TYPE = 'application/json'
  const TRANSACTIONID = 'SAMP2026112100015'
  const fields = {
    TRANSACTIONID,
    APTRANSACTIONID: '17691556',
    AMOUNT: '1180.00',
    TRANSACTIONSTATUS: '200',
    MESSAGE: 'Success',
  }
  const genuineMessage = { ...fields, ap_SecureHash: computeSecureHash(account, fields, false) }
  const upiMessage = { ...fields, CUSTOMERVPA: 'asha@okbank' }
  const encodeForm = (messageFields: Fields): string =>
    new URLSearchParams(messageFields).toString()
  const lowerCaseNames = (messageFields: Fields): Fields =>
    Object.fromEntries(
      Object.entries(messageFields).map(([name, value]) => [name.toLowerCase(), value]),
    )
  const expectedClaim = {
    orderId: TRANSACTIONID,
    amount: '1180.00',
    code: '200',
    claimsPayment: true,
  }
  const adapter = createAdapter(1)
  const readMessage = (body: string, type: string): unknown => {
    const parsedFields = readFields(body, type)
    if (parsedFields === null) return null
    const message = adapter.readReturnOrWebhook?.(parsedFields)
    return message?.ok === true ? message.value : message?.error.code
  }

  // Messages are not trusted. An order id only starts a query, and the response to that query counts.
  test.each<[string, string, string, unknown]>([
    [
      'a genuine message',
      encodeForm(genuineMessage),
      FORM_TYPE,
      { ...expectedClaim, hash: 'right' },
    ],
    ['as JSON', JSON.stringify(genuineMessage), JSON_TYPE, { ...expectedClaim, hash: 'right' }],
    [
      'JSON declared as a form',
      JSON.stringify(genuineMessage),
      FORM_TYPE,
      { ...expectedClaim, hash: 'right' },
    ],
    ['without a content type', encodeForm(genuineMessage), '', { ...expectedClaim, hash: 'right' }],
    [
      'spaces around values',
      encodeForm({ ...genuineMessage, TRANSACTIONID: ` ${TRANSACTIONID} ` }),
      FORM_TYPE,
      { ...expectedClaim, hash: 'right' },
    ],
    [
      'names in lower case',
      encodeForm(lowerCaseNames(genuineMessage)),
      FORM_TYPE,
      { ...expectedClaim, hash: 'right' },
    ],
    [
      'UPI, hashed with the address',
      encodeForm({ ...upiMessage, ap_SecureHash: computeSecureHash(account, upiMessage, true) }),
      FORM_TYPE,
      { ...expectedClaim, hash: 'right' },
    ],
    [
      'UPI, hashed without it',
      encodeForm({ ...upiMessage, ap_SecureHash: genuineMessage.ap_SecureHash }),
      FORM_TYPE,
      { ...expectedClaim, hash: 'right' },
    ],
    [
      'a wrong hash',
      encodeForm({ ...genuineMessage, ap_SecureHash: '1' }),
      FORM_TYPE,
      { ...expectedClaim, hash: 'wrong' },
    ],
    [
      'a different amount with the old hash',
      encodeForm({ ...genuineMessage, AMOUNT: '1.00' }),
      FORM_TYPE,
      { ...expectedClaim, amount: '1.00', hash: 'wrong' },
    ],
    ['no hash', encodeForm(fields), FORM_TYPE, { ...expectedClaim, hash: 'unknown' }],
    [
      'a failure with only order and code',
      encodeForm({ TRANSACTIONID, TRANSACTIONSTATUS: '400' }),
      FORM_TYPE,
      { orderId: TRANSACTIONID, amount: '', code: '400', claimsPayment: false, hash: 'unknown' },
    ],
    [
      'only the order',
      encodeForm({ TRANSACTIONID }),
      FORM_TYPE,
      { orderId: TRANSACTIONID, amount: '', code: '', claimsPayment: false, hash: 'unknown' },
    ],
    [
      'the code as a number',
      JSON.stringify({ TRANSACTIONID, TRANSACTIONSTATUS: 200 }),
      JSON_TYPE,
      { orderId: TRANSACTIONID, amount: '', code: '200', claimsPayment: true, hash: 'unknown' },
    ],
    [
      'an order for an unknown event',
      encodeForm({ ...genuineMessage, TRANSACTIONID: 'NOEVENT1' }),
      FORM_TYPE,
      'unknown_order',
    ],
    ['no order', encodeForm({ ...genuineMessage, TRANSACTIONID: '' }), FORM_TYPE, 'malformed'],
    [
      'the order in a list',
      JSON.stringify({ ...genuineMessage, TRANSACTIONID: [TRANSACTIONID] }),
      JSON_TYPE,
      'malformed',
    ],
    ['XML', `<TRANSACTIONID>${TRANSACTIONID}</TRANSACTIONID>`, 'text/xml', 'malformed'],
    ['truncated JSON', JSON.stringify(genuineMessage).slice(0, -5), JSON_TYPE, null],
    ['a list', '[1]', JSON_TYPE, null],
    ['nothing', '', FORM_TYPE, null],
  ])('%s', (_what, body, type, expected) => expect(readMessage(body, type)).toEqual(expected))

  test('works even if its account has no credentials after a file change', () => {
    const adapterWithoutAccount = createAdapter(1, { account: () => null })
    expect(adapterWithoutAccount.readReturnOrWebhook?.(genuineMessage)).toEqual({
      ok: true,
      value: { ...expectedClaim, hash: 'unknown' },
    })
  })
})
