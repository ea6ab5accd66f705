/** Registration numbers and order ids. */
import * as fc from 'fast-check'
import { expect, it, test } from 'vitest'
import {
  isRegNo,
  createOrderId,
  readOrderId,
  createRegNo,
  type EventConfig,
} from '../../../engine/index.ts'
import { MAX_ORDER_ID_CHARACTERS } from '../../../engine/event/registration-number.ts'
import { createEvent } from '../fixtures.ts'

const event = createEvent()
const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 12, maxLength: 12 })
const RUN_OPTIONS = { seed: 20261121, numRuns: 500 }

it('a registration number has a prefix, random digits and a check digit that detects typos', () => {
  fc.assert(
    fc.property(
      digits,
      fc.nat(12),
      fc.integer({ min: 1, max: 9 }),
      (randomDigits, digitIndex, step) => {
        const regNo = createRegNo(event, randomDigits)
        expect(regNo).toMatch(/^SAMP\d{13}$/)
        expect(isRegNo(event, regNo)).toBe(true)
        const position = digitIndex + 4
        const regNoWithWrongDigit = `${regNo.slice(0, position)}${(Number(regNo[position]) + step) % 10}${regNo.slice(position + 1)}`
        expect(isRegNo(event, regNoWithWrongDigit)).toBe(false)
        const regNoWithSwappedDigits = `${regNo.slice(0, position)}${regNo[position + 1] ?? ''}${regNo[position] ?? ''}${regNo.slice(position + 2)}`
        expect(isRegNo(event, regNoWithSwappedDigits)).toBe(regNoWithSwappedDigits === regNo)
      },
    ),
    RUN_OPTIONS,
  )
})

it('the order id for a further attempt has two more digits, within the gateway’s maximum length', () => {
  const regNo = createRegNo(event, Array<number>(12).fill(7))
  expect(createOrderId(regNo, 1)).toBe(regNo)
  expect(createOrderId(regNo, 2)).toBe(`${regNo}02`)
  expect(createOrderId(regNo, 99)).toBe(`${regNo}99`)
  expect(createOrderId(regNo, 99).length).toBeLessThanOrEqual(MAX_ORDER_ID_CHARACTERS)
  expect(() => createOrderId(regNo, 100)).toThrow()
  expect(() => createRegNo(event, [1, 2, 3])).toThrow()
  expect(isRegNo(event, `${regNo}02`)).toBe(false)
})

const eventWithAnyOrderId: EventConfig = {
  ...event,
  orderId: { prefix: 'PULM', followedBy: 'anything', digits: 13 },
}
test.each<[string, EventConfig, string | null | undefined, string]>([
  ['digits after the prefix', event, 'SAMP000123', 'ok'],
  ['surrounding spaces', event, ' SAMP1 ', 'ok'],
  ['letters', event, 'SAMPX1', 'bad_order'],
  ['nothing after the prefix', event, 'SAMP', 'bad_order'],
  ['another prefix', event, 'XSAMP1', 'bad_order'],
  ['digits in another script', event, 'SAMP١', 'bad_order'],
  ['an empty parameter', event, '', 'no_order'],
  ['a missing parameter', event, null, 'no_order'],
  ['an undefined parameter', event, undefined, 'no_order'],
  [
    'any characters after the prefix, if the event allows them',
    eventWithAnyOrderId,
    'PULM-2025-17',
    'ok',
  ],
  ['another event’s number', eventWithAnyOrderId, 'CHIR17', 'bad_order'],
])('order id: %s', (_name, testedEvent, text, expected) => {
  const orderIdResult = readOrderId(testedEvent, text)
  expect(orderIdResult.ok ? 'ok' : orderIdResult.error.code).toBe(expected)
  if (!orderIdResult.ok)
    expect(orderIdResult.error.message).toBe(
      expected === 'no_order' ? 'No order ID found' : 'Invalid order ID format',
    )
})
