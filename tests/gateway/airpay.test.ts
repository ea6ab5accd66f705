/** The published test vectors, and what every answer of the gateway means. */
import { describe, expect, test } from 'vitest'
import { day, dayOf, instant, paise } from '../../engine/index.ts'
import type { OrderId } from '../../engine/index.ts'
import { judgeStatus } from '../../server/paying/gateway/answers.ts'
import {
  handOffChecksum,
  privateKeyOf,
  secureHash,
  statusChecksum,
} from '../../server/paying/gateway/checksums.ts'
import { readFields, readStatusXml } from '../../server/paying/gateway/fields.ts'
import { cleanName } from '../../server/paying/gateway/hand-off.ts'
import type { PostedBuyer, ChecksumVariant } from '../../server/paying/gateway/checksums.ts'
import type { Fields } from '../../server/paying/gateway/fields.ts'

const account = {
  name: 'demo',
  username: 'demoUser01',
  password: 'demoPass#9',
  secret: 'S3cr3tApiKey0123',
  merchantId: '123456',
}
const buyer: PostedBuyer = { email: 'asha.rao@example.com', firstName: 'Asha', lastName: 'Rao' }
const placed = { amount: '1180.00', orderId: 'REG202611210001', uid: 'REG202611210001' }
const at = instant(Date.UTC(2026, 10, 21))
const orderId = placed.orderId as OrderId

describe('test vectors', () => {
  test('privatekey', () =>
    expect(privateKeyOf(account)).toBe(
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
      'variant A of the day before',
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
  ])('hand-off checksum, %s', (_name, who, on, variant, checksum) =>
    expect(handOffChecksum(account, who, placed, day(on), variant)).toBe(checksum),
  )

  const notice: Fields = {
    TRANSACTIONID: orderId,
    APTRANSACTIONID: '17691556',
    AMOUNT: '1180.00',
    TRANSACTIONSTATUS: '200',
    MESSAGE: 'Success',
    CUSTOMERVPA: 'asha@okbank',
  }
  test.each<[string, Fields, boolean, string]>([
    ['of a success, unsigned', notice, false, '3284442413'],
    ['of a failure', { ...notice, TRANSACTIONSTATUS: '400', MESSAGE: 'Fail' }, false, '536884194'],
    ['with CUSTOMERVPA', notice, true, '1014625583'],
    [
      'of strings that came with spaces around them',
      { ...notice, AMOUNT: ' 1180.00 ', MESSAGE: 'Success ' },
      false,
      '3284442413',
    ],
  ])('CRC %s', (_name, fields, withVpa, crc) =>
    expect(secureHash(account, fields, withVpa)).toBe(crc),
  )

  test('status-call checksum', () =>
    expect(statusChecksum(account, orderId, day('2026-11-21'))).toBe(
      'ebb75b6f7966b15cead954a74bb2de2ece2069049f4315c95a7fc974e4c09423',
    ))

  test.each([
    ['2026-11-20T18:29:59Z', '2026-11-20'],
    ['2026-11-20T18:30:00Z', '2026-11-21'],
  ])('the Indian day of %s is %s', (utc, on) => expect(dayOf(instant(Date.parse(utc)))).toBe(on))
})

describe('names as the gateway takes them', () => {
  test.each([
    ['Asha Rao', 'Asha', 'Rao'],
    ['Asha', 'Asha', 'Asha'],
    ['  Dr. José  O’Brien-Núñez ', 'Dr', 'Jose OBrien Nunez'],
    ['अनिल कुमार', 'anil', 'kumaar'],
    ['李 伟', 'Li', 'Wei'],
    ['Asha2 <b>', 'Asha', 'b'],
    ['😀 !!', 'DEMO1234567890123', 'DEMO1234567890123'],
    ['', 'DEMO1234567890123', 'DEMO1234567890123'],
  ])('"%s" → "%s" "%s"', (fullName, firstName, lastName) =>
    expect(cleanName(fullName, 'DEMO1234567890123')).toEqual({ firstName, lastName }),
  )

  test.each(['ആശ നായർ', 'தமிழ் செல்வி', 'ಅನಿತಾ', 'আশা', 'ਆਸ਼ਾ', 'x'.repeat(200), `${'ab '.repeat(60)}`])(
    '%s becomes letters, at most 50 of them, never none',
    (fullName) => {
      for (const name of Object.values(cleanName(fullName, 'DEMO1'))) {
        expect(name).toMatch(/^[A-Za-z0-9](?:[A-Za-z0-9 ]{0,48}[A-Za-z0-9])?$/)
      }
    },
  )
})

describe('the fields of a message', () => {
  const same = { TRANSACTIONID: 'D1', AMOUNT: '1180.00', MESSAGE: 'a b&c' }
  test.each<[string, string, string, Fields | null]>([
    [
      'a posted form',
      'TRANSACTIONID=D1&AMOUNT=1180.00&MESSAGE=a+b%26c',
      'application/x-www-form-urlencoded',
      same,
    ],
    ['JSON', JSON.stringify(same), 'application/json; charset=utf-8', same],
    [
      'JSON that says it is a form',
      JSON.stringify(same),
      'application/x-www-form-urlencoded',
      same,
    ],
    [
      'JSON with a number',
      '{"TRANSACTIONID":"D1","TRANSACTIONSTATUS":200}',
      'application/json',
      { TRANSACTIONID: 'D1', TRANSACTIONSTATUS: '200' },
    ],
    ['JSON that is none', '{"TRANSACTIONID":', 'application/json', null],
    ['a JSON list', '["D1"]', 'application/json', null],
    ['nothing', '', 'application/x-www-form-urlencoded', null],
  ])('%s', (_name, body, type, fields) => {
    const read = readFields(body, type)
    expect(read === null ? null : { ...read }).toEqual(fields)
  })

  test('a field called __proto__ is a field like any other', () => {
    const read = readFields('{"__proto__":"x","TRANSACTIONID":"D1"}', 'application/json')
    expect(read?.['TRANSACTIONID']).toBe('D1')
    expect(Object.getPrototypeOf(read)).toBe(null)
  })
})

describe('what the gateway says when asked', () => {
  const xml = (fields: Fields): string =>
    `<?xml version="1.0"?><RESPONSE><TRANSACTION>${Object.entries(fields)
      .map(([name, value]) => `<${name}><![CDATA[${value}]]></${name}>`)
      .join('')}</TRANSACTION></RESPONSE>`
  const paid: Fields = {
    TRANSACTIONSTATUS: '200',
    MESSAGE: 'Success',
    APTRANSACTIONID: '17691556',
    TRANSACTIONID: orderId,
    AMOUNT: '1180.00',
    CURRENCYCODE: '356',
    TRANSACTIONTYPE: '320',
    BILLEDAMOUNT: '1200.00',
  }
  const judged = (changes: Fields): unknown => {
    const raw = xml({ ...paid, ...changes })
    const fields = readStatusXml(raw)
    if (fields === null) return null
    const answer = judgeStatus(fields, orderId, at, raw)
    return answer.is === 'fact'
      ? answer.fact
      : answer.is === 'pending'
        ? `pending ${answer.code}`
        : answer.is
  }
  const confirmed = {
    type: 'confirmed',
    reference: '17691556',
    amount: paise(118_000),
    currency: 'INR',
    kind: 'sale',
    at,
  }

  test.each<[string, Fields, unknown]>([
    ['200, a sale in rupees', {}, confirmed],
    ['200, the currency by its letters', { CURRENCYCODE: 'INR' }, confirmed],
    [
      '200, another amount: for the engine to judge',
      { AMOUNT: '1.00' },
      { ...confirmed, amount: paise(100) },
    ],
    ['200, another currency', { CURRENCYCODE: '840' }, { ...confirmed, currency: '840' }],
    ['200, no currency', { CURRENCYCODE: '' }, { ...confirmed, currency: '' }],
    ['200, a refund', { TRANSACTIONTYPE: '340' }, { ...confirmed, kind: 'other' }],
    ['200, an authorisation only', { TRANSACTIONTYPE: '310' }, { ...confirmed, kind: 'other' }],
    ['200 without a type', { TRANSACTIONTYPE: '' }, { ...confirmed, kind: 'other' }],
    ['200 for another order', { TRANSACTIONID: 'REG202611210002' }, 'unreachable'],
    ['200 without a reference', { APTRANSACTIONID: '' }, 'unreachable'],
    ['200 with an amount that is none', { AMOUNT: '1,180' }, 'unreachable'],
    ['211', { TRANSACTIONSTATUS: '211' }, 'pending 211'],
    ...['400', '401', '402', '405', '502'].map((code): [string, Fields, unknown] => [
      code,
      { TRANSACTIONSTATUS: code, MESSAGE: 'Success' },
      { type: 'declined', code, message: 'Success', at },
    ]),
    ['403, the buyer may still be at the bank', { TRANSACTIONSTATUS: '403' }, 'no-record'],
    ['503 beside the word Success', { TRANSACTIONSTATUS: '503', MESSAGE: 'Success' }, 'no-record'],
    ['a code nobody told us of', { TRANSACTIONSTATUS: '299' }, 'pending 299'],
    [
      'a code that is a name of every object',
      { TRANSACTIONSTATUS: 'constructor' },
      'pending constructor',
    ],
    ['no code', { TRANSACTIONSTATUS: '' }, 'pending '],
  ])('%s', (_name, changes, meaning) => expect(judged(changes)).toEqual(meaning))

  test.each([
    '',
    'Service unavailable',
    '<html><body>down</body></html>',
    '{"status":200}',
    '<RESPONSE></RESPONSE>',
    '<RESPONSE><TRANSACTION',
  ])('"%s" is no answer', (raw) => expect(readStatusXml(raw)).toBe(null))

  test('entities are not expanded', () => {
    const bomb =
      '<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx">]><RESPONSE><TRANSACTION><MESSAGE>&x;&x;</MESSAGE><TRANSACTIONSTATUS>211</TRANSACTIONSTATUS></TRANSACTION></RESPONSE>'
    expect(readStatusXml(bomb)?.['MESSAGE'] ?? '').not.toContain('xxxxxxxxxx')
  })
})
