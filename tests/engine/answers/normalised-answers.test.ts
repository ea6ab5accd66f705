/** Answers that mean the same are compared as the same, and others are not. */
import { describe, expect, test } from 'vitest'
import { foldedCode, foldedFor, foldedText, uniqueRules } from '../../../engine/index.ts'
import type { PublicEvent } from '../../../engine/index.ts'
import { foldedPhone } from '../../../engine/answers/compare-answers.ts'

describe('the same', () => {
  test.each([
    ['asha@example.org', ' Asha@EXAMPLE.org '],
    ['KMC 12345', 'kmc12345'],
    ['straße', 'STRASSE'],
    ['Σίσυφος', 'ΣΊΣΥΦΟΣ'],
    ['ｋｍｃ１２', 'KMC12'],
    ['ﬁve', 'FIVE'],
    ['e\u0301', 'é'],
    ['a\u200bb\u2060c', 'abc'],
    ['അനിത\u200c', 'അനിത'],
  ])('text: %j and %j', (one, other) => {
    expect(foldedText(one)).toBe(foldedText(other))
    expect(foldedText(foldedText(one))).toBe(foldedText(one))
  })

  test.each([
    '9847012345',
    '+91 98470 12345',
    '+91-98470-12345',
    '09847012345',
    '0091 9847012345',
    '919847012345',
    '(+91) 0 98470.12345',
    '９８４７０１２３４５',
  ])('mobile number: %j', (number) => {
    expect(foldedPhone(number)).toBe('9847012345')
  })

  test('code: FAC-1-B and fac1b', () => {
    expect(foldedCode(' FAC–1 -B ')).toBe(foldedCode('fac1b'))
  })
})

describe('not the same', () => {
  test.each([
    ['12345', '12346'],
    ['K-123', 'K123'],
    ['o', '0'],
    ['asha.menon@example.org', 'ashamenon@example.org'],
  ])('text: %j and %j', (one, other) => {
    expect(foldedText(one)).not.toBe(foldedText(other))
  })

  test.each([
    ['+44 20 7946 0958', '+91 20 7946 0958'],
    ['0471 2345678', '2345678'],
    ['5847012345', '915847012345'],
  ])('number: %j and %j', (one, other) => {
    expect(foldedPhone(one)).not.toBe(foldedPhone(other))
  })

  test('a foreign number is the same with 00 as with +', () => {
    expect(foldedPhone('0044 20 7946 0958')).toBe(foldedPhone('+44 20 7946 0958'))
  })
})

test('a rule compares all its answers, in their order, and nothing where one of them is missing', () => {
  const event = {
    fields: [
      { id: 'phone', type: 'phone', default: '+91' },
      { id: 'number', type: 'text' },
    ],
    unique: [{ fields: ['phone', 'number'], otherwise: 'block', say: '' }],
  } as unknown as PublicEvent
  const [rule] = uniqueRules(event)
  if (rule === undefined) throw new Error('there is a rule')
  const folded = (phone: string, number?: string): string | null =>
    foldedFor(rule, number === undefined ? { phone } : { phone, number })
  expect(folded('+91 9847012345', 'A 1')).toBe(folded('09847012345', 'a1'))
  expect(folded('9847012345', 'a1')).not.toBe(folded('9847012346', 'a1'))
  expect([folded('9847012345'), folded('9847012345', '\u200b'), folded('+91', 'a1')]).toEqual([
    null,
    null,
    null,
  ])
})
